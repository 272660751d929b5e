//! Which rows a collection has: how shingles are identified, how wide the parts of rows are, and in
//! how many passes they are read.

use super::row::{Bits, Full, Wide};
use crate::context::Context;
use crate::shingle::Shingler;
use std::ops::Range;

/// Approximate rows per partition: small enough to be processed in a core's cache.
const PARTITION: u64 = 24 << 10;

/// How much of its hash a row keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Identity {
    /// Enough to find candidates, which are counted in their tokens.
    Hash,
    /// Enough to identify a shingle; one containing a number counts this many times.
    Number {
        /// How often a shingle with a number counts in the size of a text.
        times: u32,
    },
    /// The whole hash and check; a shingle containing a number counts this many times.
    Whole {
        /// How often a shingle with a number counts in the size of a text.
        times: u32,
    },
}

impl Identity {
    /// Bytes of a row.
    pub(super) fn bytes(self) -> u64 {
        let bytes = match self {
            Self::Hash => size_of::<u64>(),
            Self::Number { .. } => size_of::<Wide>(),
            Self::Whole { .. } => size_of::<Full>(),
        };
        bytes as u64
    }

    /// How often a shingle with a number counts.
    pub(super) fn times(self) -> u32 {
        match self {
            Self::Number { times } | Self::Whole { times } => times,
            Self::Hash => 1,
        }
    }
}

/// Which rows a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    /// How its shingles are identified.
    pub(crate) identity: Identity,
    /// Whether each occurrence of a repeated shingle in a text gets a row, or only the first.
    pub(crate) repeats: bool,
}

/// Which rows a collection has.
#[derive(Debug, Clone)]
pub(crate) struct RowSpec {
    pub(super) shingler: Shingler,
    pub(super) kind: Kind,
    /// The parts of rows.
    pub(crate) bits: Bits,
    /// How often the collection is read, each time for the rows of different partitions.
    pub(crate) passes: u32,
    /// Whether rows stay in memory while there is room. If there is not enough room for those of a
    /// pass, all go to scratch: memory freed in small pieces, partition by partition, is returned
    /// to the system late, when the next stage has already taken as much.
    pub(super) in_memory: bool,
}

impl RowSpec {
    /// For about this many shingles, with positions of at least `position_bits` bits, read in at
    /// least `passes` passes.
    ///
    /// Rows that do not fit in memory go to scratch, which costs less than another pass. If scratch
    /// has no room for them and what is derived from them, there are as many passes as memory
    /// requires.
    pub(crate) fn new(
        context: &Context,
        shingles: u64,
        (shingler, position_bits): (&Shingler, u32),
        kind: Kind,
        passes: u32,
    ) -> Self {
        let bits = Bits::new(partition_bits(shingles), position_bits);
        let (rows, free) = (
            shingles.saturating_mul(kind.identity.bytes()),
            context.budget.free(),
        );
        let passes = if matches!(kind.identity, Identity::Whole { .. }) {
            // Their partitions become features one by one.
            1
        } else {
            let needed = needed_passes(rows, free, context.scratch.room());
            passes.max(needed).min(1 << bits.partition)
        };
        Self {
            shingler: shingler.clone(),
            kind,
            bits,
            passes,
            in_memory: rows / u64::from(passes) <= held_rows(free),
        }
    }

    /// With these parts of rows, in one pass.
    pub(crate) fn with(shingler: Shingler, kind: Kind, bits: Bits) -> Self {
        Self {
            shingler,
            kind,
            bits,
            passes: 1,
            in_memory: true,
        }
    }

    /// The same in one pass, whatever scratch has room for.
    pub(crate) fn in_one_pass(self) -> Self {
        Self {
            passes: 1,
            in_memory: self.in_memory && self.passes == 1,
            ..self
        }
    }

    /// The partitions of a pass.
    pub(super) fn partitions(&self, pass: u32) -> Range<usize> {
        let count = 1_usize << self.bits.partition;
        let start = |pass: u32| count * pass as usize / self.passes as usize;
        start(pass)..start(pass + 1)
    }
}

/// Bits of a partition for this many rows.
pub(crate) fn partition_bits(rows: u64) -> u32 {
    (rows / PARTITION)
        .next_power_of_two()
        .trailing_zeros()
        .clamp(4, 12)
}

/// Bytes of rows that stay in memory if so much of it is free; the rest goes to scratch.
pub(crate) fn held_rows(memory: u64) -> u64 {
    memory / 8 * 5
}

/// How often a collection must be read for this many bytes of rows, if so much memory and scratch is
/// free. The rows that memory cannot hold and what is derived from rows need a quarter more scratch
/// than all rows.
pub(crate) fn needed_passes(rows: u64, memory: u64, scratch: u64) -> u32 {
    let held = held_rows(memory);
    if rows <= held || rows / 4 * 5 <= scratch {
        return 1;
    }
    // Beyond that, even a little scratch is better.
    rows.div_ceil(held.max(1)).min(64) as u32
}
