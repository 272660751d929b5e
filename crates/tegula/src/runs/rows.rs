//! Rows: while texts are read, every shingle gets a position, and a row in the partition of its
//! hash.
//!
//! A row is 32 bits of the hash above 32 bits of the position; higher bits of the hash choose the
//! partition. A wide row has 32 further bits, of an independent hash: for measures that count the
//! texts with a shingle, and so must know it by its hash alone. Positions come in blocks that belong to one thread, and a text is either in one block
//! or fills several. The placement of texts depends on threads, but the results do not.

use super::classes::Wide;
use crate::context::Context;
use crate::error::Result;
use crate::hash::Fingerprint;
use crate::partition::{Partitions, Writer};
use crate::shingle::Shingler;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Positions in a block, as a power of two.
pub(super) const BLOCK_BITS: u32 = 16;
const BLOCK: u64 = 1 << BLOCK_BITS;
/// The start of a text without rows.
pub(crate) const NONE: u32 = u32::MAX;
/// Approximate rows per partition: small enough to be processed in a core's cache.
const PARTITION: u64 = 24 << 10;

/// Rows by partition.
pub(crate) enum Stored {
    /// With as much of the hash as finding candidates needs.
    Narrow(Partitions<u64>),
    /// With as much of the hash as identifies a shingle.
    Wide(Partitions<Wide>),
}

/// Writes rows of a thread.
enum RowWriter<'a> {
    Narrow(Writer<'a, u64>),
    Wide(Writer<'a, Wide>),
}

impl Stored {
    fn writer(&self) -> RowWriter<'_> {
        match self {
            Self::Narrow(rows) => RowWriter::Narrow(rows.writer()),
            Self::Wide(rows) => RowWriter::Wide(rows.writer()),
        }
    }

    fn seal(&self) -> Result<()> {
        match self {
            Self::Narrow(rows) => rows.seal(),
            Self::Wide(rows) => rows.seal(),
        }
    }
}

/// Which rows a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One for each occurrence of a shingle.
    Occurrences,
    /// One for each distinct shingle.
    Distinct,
    /// A wide one for each distinct shingle.
    Identified {
        /// How often a shingle counts in the size of a text that has a number in it.
        numbers: u32,
    },
}

/// Rows under construction.
pub(crate) struct Rows {
    partitions: Stored,
    bits: u32,
    blocks: AtomicU64,
    /// Whether more positions were requested than fit in 32 bits.
    is_full: AtomicBool,
    /// Whether each occurrence of a repeated shingle in a text gets a row.
    repeats: bool,
    /// How often a shingle with a number counts.
    numbers: u32,
    shingler: Shingler,
}

/// All rows, and the start of each unit's.
pub(crate) struct Placed {
    /// The rows.
    pub(crate) rows: Stored,
    /// The number of blocks begun.
    pub(super) blocks: u64,
    /// By unit: its first position, or [`NONE`].
    pub(crate) starts: Vec<u32>,
    /// By unit: its distinct shingles.
    pub(crate) sets: Vec<u32>,
}

impl Rows {
    /// For about this many shingles.
    pub(crate) fn new(context: &Context, shingles: u64, shingler: &Shingler, kind: Kind) -> Self {
        let bits = (shingles / PARTITION)
            .next_power_of_two()
            .trailing_zeros()
            .clamp(4, 12);
        let count = 1_usize << bits;
        let numbers = match kind {
            Kind::Identified { numbers } => Some(numbers),
            Kind::Occurrences | Kind::Distinct => None,
        };
        let row = numbers.map_or(size_of::<u64>(), |_| size_of::<Wide>()) as u64;
        // A buffered row is moved twice; long buffers make few pieces, short ones stay in cache.
        let share = (context.budget.free() / 16 / (row * count as u64 * context.threads as u64))
            .clamp(32, 512) as usize;
        let partitions = if numbers.is_some() {
            Stored::Wide(Partitions::new(context, count, share))
        } else {
            Stored::Narrow(Partitions::new(context, count, share))
        };
        Self {
            partitions,
            bits,
            blocks: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            repeats: kind == Kind::Occurrences,
            numbers: numbers.unwrap_or(1),
            shingler: shingler.clone(),
        }
    }

    /// A writer for one thread.
    pub(crate) fn placer(&self) -> Placer<'_> {
        Placer {
            rows: self,
            writer: self.partitions.writer(),
            at: 0,
            end: 0,
            table: Vec::new(),
        }
    }

    /// Finishes writing; `starts` and `sets` are by unit. None if there are more positions than fit
    /// in 32 bits.
    ///
    /// # Errors
    /// If the last rows could not be stored.
    pub(crate) fn finish(self, starts: Vec<u32>, sets: Vec<u32>) -> Result<Option<Placed>> {
        self.partitions.seal()?;
        let is_whole = !self.is_full.into_inner();
        Ok(is_whole.then(|| Placed {
            rows: self.partitions,
            blocks: self.blocks.into_inner(),
            starts,
            sets,
        }))
    }
}

/// Adds the texts of one thread.
pub(crate) struct Placer<'a> {
    rows: &'a Rows,
    writer: RowWriter<'a>,
    /// The next free position, and the end of the block.
    at: u64,
    end: u64,
    /// Positions of shingles in a text, by hash.
    table: Vec<u32>,
}

impl Placer<'_> {
    /// Adds a text with these shingle ids; `numbers` says which of its tokens have a number, if that
    /// matters. Returns its first position, and its number of distinct shingles.
    ///
    /// # Errors
    /// If scratch is full.
    pub(crate) fn place(
        &mut self,
        ids: &[u64],
        tokens: &[Fingerprint],
        numbers: &[bool],
    ) -> Result<(u32, u32)> {
        let length = ids.len() as u64;
        if self.at + length > self.end {
            let blocks = length.div_ceil(BLOCK).max(1);
            self.at = self.rows.blocks.fetch_add(blocks, Ordering::Relaxed) * BLOCK;
            self.end = self.at + blocks * BLOCK;
        }
        if self.end > u64::from(u32::MAX) {
            // Positions have overflowed, so shingles are joined in blocks instead.
            self.rows.is_full.store(true, Ordering::Relaxed);
            return Ok((NONE, 0));
        }
        let start = self.at;
        self.at += length;
        let shift = 64 - self.rows.bits;
        let mut distinct = 0;
        let Self {
            rows,
            writer,
            table,
            ..
        } = self;
        each(
            ids,
            tokens,
            rows.shingler.n(),
            table,
            |place, id, is_new| {
                if !is_new && !rows.repeats {
                    return Ok(());
                }
                let has_number = rows.numbers > 1 && rows.shingler.has(numbers, place);
                if is_new {
                    distinct += if has_number { rows.numbers } else { 1 };
                }
                let (partition, hash) = ((id >> shift) as usize, id << rows.bits);
                let position = start + place as u64;
                match writer {
                    RowWriter::Narrow(writer) => {
                        writer.push(partition, hash & 0xFFFF_FFFF_0000_0000 | position)
                    }
                    RowWriter::Wide(writer) => {
                        let check = rows.shingler.check(tokens, place) as u32;
                        let check = check & !1 | u32::from(has_number);
                        writer.push(partition, [(hash >> 32) as u32, check, position as u32])
                    }
                }
            },
        )?;
        // A text longer than a block has its blocks to itself, so that all its rows are processed
        // together.
        if length > BLOCK {
            self.at = self.end;
        }
        Ok((start as u32, distinct))
    }
}

/// Calls `f` with the position and id of each shingle, and whether it is the first of its kind in
/// the text: with equal tokens, not only an equal id.
fn each(
    ids: &[u64],
    tokens: &[Fingerprint],
    n: usize,
    table: &mut Vec<u32>,
    mut f: impl FnMut(usize, u64, bool) -> Result<()>,
) -> Result<()> {
    let bits = (2 * ids.len()).next_power_of_two().trailing_zeros().max(4);
    let (size, window) = (1_usize << bits, n.min(tokens.len()));
    if table.len() < size {
        table.resize(size, NONE);
    }
    let table = &mut table[..size];
    table.fill(NONE);
    for (place, id) in ids.iter().enumerate() {
        let mut slot = (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize;
        let is_new = loop {
            let there = table[slot];
            if there == NONE {
                table[slot] = place as u32;
                break true;
            }
            let there = there as usize;
            if ids[there] == *id && tokens[there..there + window] == tokens[place..place + window] {
                break false;
            }
            slot = (slot + 1) & (size - 1);
        };
        f(place, *id, is_new)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::hash;
    use crate::scratch::Scratch;

    #[test]
    fn beyond_the_last_position_there_are_no_rows() {
        let context = Context::new(1, Budget::MINIMUM, Scratch::system());
        let token = [hash::token(b"a")];
        for (before, is_whole) in [
            (0, true),
            (u64::from(u32::MAX) / BLOCK - 1, true),
            (u64::from(u32::MAX) / BLOCK, false),
        ] {
            let shingler = Shingler::new(1, hash::Width::FULL);
            let rows = Rows::new(&context, 1000, &shingler, Kind::Occurrences);
            rows.blocks.store(before, Ordering::Relaxed);
            let mut placer = rows.placer();
            let place = placer.place(&[token[0].id], &token, &[]).unwrap();
            drop(placer);
            let wanted = if is_whole {
                ((before * BLOCK) as u32, 1)
            } else {
                (NONE, 0)
            };
            assert_eq!(place, wanted);
            assert_eq!(
                rows.finish(vec![place.0], vec![place.1]).unwrap().is_some(),
                is_whole
            );
        }
    }
}
