//! Rows: while texts are read, every shingle gets a position, and a row in the partition of its
//! hash.
//!
//! Positions come in blocks that belong to one thread, and a text is either in one block or fills
//! several. The placement of texts depends on threads, but the results do not.

use super::row::{Bits, Full, Row, Wide};
use super::spec::{Identity, RowSpec};
use crate::context::Context;
use crate::error::Result;
use crate::hash::Fingerprint;
use crate::partition::{Partitions, Writer};
use crate::work::Work;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Positions in a block, as a power of two.
pub(crate) const BLOCK_BITS: u32 = 16;
const BLOCK: u64 = 1 << BLOCK_BITS;
/// The start of a text without rows.
pub(crate) const NONE: u32 = u32::MAX;
/// Rows by partition.
pub(crate) enum Stored {
    /// With as much of the hash as finding candidates needs.
    Narrow(Partitions<u64>),
    /// With as much of the hash as identifies a shingle.
    Wide(Partitions<Wide>),
    /// With the whole hash and the whole check.
    Full(Partitions<Full>),
}

/// Writes rows of a thread.
enum RowWriter<'a> {
    Narrow(Writer<'a, u64>),
    Wide(Writer<'a, Wide>),
    Full(Writer<'a, Full>),
}

impl Stored {
    fn writer(&self) -> RowWriter<'_> {
        match self {
            Self::Narrow(rows) => RowWriter::Narrow(rows.writer()),
            Self::Wide(rows) => RowWriter::Wide(rows.writer()),
            Self::Full(rows) => RowWriter::Full(rows.writer()),
        }
    }

    fn count(&self) -> u64 {
        match self {
            Self::Narrow(rows) => rows.all_rows(),
            Self::Wide(rows) => rows.all_rows(),
            Self::Full(rows) => rows.all_rows(),
        }
    }

    fn seal(&self) -> Result<()> {
        match self {
            Self::Narrow(rows) => rows.seal(),
            Self::Wide(rows) => rows.seal(),
            Self::Full(rows) => rows.seal(),
        }
    }
}

/// Storage for rows, which writers store in pieces of `buffer`.
fn room<R: Row>(
    context: &Context,
    spec: &RowSpec,
    (count, buffer): (usize, usize),
) -> Partitions<R> {
    let rows = Partitions::new(context, count, buffer);
    if spec.in_memory {
        rows
    } else {
        rows.keep_at_most(0)
    }
}

/// Rows under construction.
pub(crate) struct Rows<'a> {
    spec: &'a RowSpec,
    stored: Stored,
    /// The partitions of this pass.
    partitions: Range<usize>,
    blocks: AtomicU64,
    /// Whether more positions were requested than there are.
    is_full: AtomicBool,
    work: Arc<Work>,
}

/// All rows, and the start of each unit's.
pub(crate) struct Placed {
    /// The rows of the first pass.
    pub(crate) rows: Stored,
    /// The number of blocks begun.
    pub(super) blocks: u64,
    /// By unit: where it begins, as [`Bits::start`] reads it, or [`NONE`].
    pub(crate) starts: Vec<u32>,
    /// By unit: its distinct shingles.
    pub(crate) sets: Vec<u32>,
}

impl<'a> Rows<'a> {
    /// For the rows of a pass, from 0.
    pub(crate) fn new(context: &Context, spec: &'a RowSpec, pass: u32) -> Self {
        let partitions = spec.partitions(pass);
        let (count, row) = (partitions.len(), spec.kind.identity.bytes());
        // A buffered row is moved twice; long buffers make few pieces, short ones stay in cache.
        let buffer = (context.budget.free() / 16 / (row * count as u64 * context.threads() as u64))
            .clamp(32, 4096 / row) as usize;
        let stored = match spec.kind.identity {
            Identity::Hash => Stored::Narrow(room(context, spec, (count, buffer))),
            Identity::Number { .. } => Stored::Wide(room(context, spec, (count, buffer))),
            Identity::Whole { .. } => Stored::Full(room(context, spec, (count, buffer))),
        };
        Self {
            spec,
            stored,
            partitions,
            blocks: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            work: Arc::clone(&context.work),
        }
    }

    /// A writer for one thread.
    pub(crate) fn placer(&self) -> Placer<'_> {
        Placer {
            rows: self,
            writer: self.stored.writer(),
            cursor: Cursor::default(),
            seen: Seen::default(),
        }
    }

    /// Finishes the first pass; `starts` and `sets` are by unit. None if there were more positions
    /// than their bits can number.
    ///
    /// # Errors
    /// If the last rows could not be stored.
    pub(crate) fn finish(self, starts: Vec<u32>, sets: Vec<u32>) -> Result<Option<Placed>> {
        let is_whole = !self.is_full.load(Ordering::Relaxed);
        let blocks = self.blocks.load(Ordering::Relaxed);
        let rows = self.stored()?;
        Ok(is_whole.then_some(Placed {
            rows,
            blocks,
            starts,
            sets,
        }))
    }

    /// Finishes another pass.
    ///
    /// # Errors
    /// If the last rows could not be stored.
    pub(crate) fn stored(self) -> Result<Stored> {
        self.stored.seal()?;
        self.work.rows(self.stored.count());
        Ok(self.stored)
    }
}

/// The shingles of a text.
#[derive(Clone, Copy)]
pub(crate) struct Occurrences<'a> {
    /// Their ids.
    pub(crate) ids: &'a [u64],
    /// The tokens at which they begin; empty if they are all shingles, one after the other.
    pub(crate) places: &'a [u32],
    /// All tokens of the text.
    pub(crate) tokens: &'a [Fingerprint],
    /// Which of the tokens have a number, if that matters.
    pub(crate) numbers: &'a [bool],
}

impl Occurrences<'_> {
    /// The token at which a shingle begins.
    #[inline]
    fn place(&self, at: usize) -> usize {
        self.places.get(at).map_or(at, |place| *place as usize)
    }

    /// The number of positions that they take.
    pub(crate) fn extent(&self) -> u64 {
        match self.places {
            [] => self.ids.len() as u64,
            [.., last] => u64::from(*last) + 1,
        }
    }
}

/// Gives texts their positions.
#[derive(Default)]
pub(crate) struct Cursor {
    /// The next free position.
    at: u64,
    /// The end of the block.
    end: u64,
}

impl Cursor {
    /// Where a text with this many positions begins; none if there are not enough. `take` returns
    /// the first of this many unused blocks.
    pub(crate) fn place(
        &mut self,
        bits: Bits,
        extent: u64,
        take: impl FnOnce(u64) -> u64,
    ) -> Option<u64> {
        let from = bits.next_start(self.at);
        if from + extent > self.end {
            let blocks = extent.div_ceil(BLOCK).max(1);
            self.at = take(blocks) * BLOCK;
            self.end = self.at + blocks * BLOCK;
        } else {
            self.at = from;
        }
        if self.end >= bits.positions() {
            return None;
        }
        let start = self.at;
        // A text longer than a block has its blocks to itself, so that all its rows are processed
        // together.
        self.at = if extent > BLOCK {
            self.end
        } else {
            start + extent
        };
        Some(start)
    }
}

/// Adds the texts of one thread.
pub(crate) struct Placer<'a> {
    rows: &'a Rows<'a>,
    writer: RowWriter<'a>,
    cursor: Cursor,
    seen: Seen,
}

impl Placer<'_> {
    /// Adds a text in the first pass. Returns where it begins, and its number of distinct shingles.
    ///
    /// # Errors
    /// If scratch is full.
    pub(crate) fn place(&mut self, text: Occurrences) -> Result<(u32, u32)> {
        let extent = text.extent();
        if extent == 0 {
            return Ok((NONE, 0));
        }
        let (bits, blocks) = (self.rows.spec.bits, &self.rows.blocks);
        let take = |count| blocks.fetch_add(count, Ordering::Relaxed);
        let Some(start) = self.cursor.place(bits, extent, take) else {
            // The caller counts with more bits, from the beginning.
            self.rows.is_full.store(true, Ordering::Relaxed);
            return Ok((NONE, 0));
        };
        Ok((bits.stored(start), self.put(text, start)?))
    }

    /// Adds a text in another pass, where the first placed it.
    ///
    /// # Errors
    /// If scratch is full.
    pub(crate) fn place_again(&mut self, text: Occurrences, start: u64) -> Result<()> {
        self.put(text, start).map(|_distinct| ())
    }

    fn put(&mut self, text: Occurrences, start: u64) -> Result<u32> {
        let (
            Rows {
                spec, partitions, ..
            },
            seen,
        ) = (self.rows, &mut self.seen);
        let of = (partitions, start);
        match &mut self.writer {
            RowWriter::Narrow(writer) => rows(spec, of, seen, text, |p, row| writer.push(p, row)),
            RowWriter::Wide(writer) => rows(spec, of, seen, text, |p, row| writer.push(p, row)),
            RowWriter::Full(writer) => rows(spec, of, seen, text, |p, row| writer.push(p, row)),
        }
    }
}

/// Passes on the rows of a text that begins at `start`, each with the number of its partition among
/// these, and returns the text's number of distinct shingles.
#[inline]
pub(crate) fn rows<R: Row>(
    spec: &RowSpec,
    (partitions, start): (&Range<usize>, u64),
    seen: &mut Seen,
    text: Occurrences,
    mut put: impl FnMut(usize, R) -> Result<()>,
) -> Result<u32> {
    let RowSpec {
        bits,
        kind,
        shingler,
        ..
    } = spec;
    let times = kind.identity.times();
    let (first, count) = (partitions.start, partitions.len());
    let mut distinct = seen.look(text, shingler.n());
    for (at, (id, is_new)) in text.ids.iter().zip(&seen.are_new).enumerate() {
        if !is_new && !kind.repeats {
            continue;
        }
        let place = text.place(at);
        let has_number = times > 1 && shingler.has(text.numbers, place);
        if has_number && *is_new {
            distinct += times - 1;
        }
        let partition = bits.partition_of(*id).wrapping_sub(first);
        if partition >= count {
            // It belongs to another pass.
            continue;
        }
        let check = || shingler.check(text.tokens, place);
        let row = R::new(*bits, (*id, check), has_number, start + place as u64);
        put(partition, row)?;
    }
    Ok(distinct)
}

/// A thread's table for finding the shingles that repeat in a text.
#[derive(Default)]
pub(crate) struct Seen {
    /// By shingle, whether it is the first of its kind in the text: with equal tokens, not only an
    /// equal id.
    are_new: Vec<bool>,
    /// Indices of shingles by hash.
    table: Vec<u32>,
}

impl Seen {
    /// Processes the shingles of a text, and returns the number of distinct ones.
    fn look(&mut self, text: Occurrences, n: usize) -> u32 {
        let ids = text.ids;
        // Sparse, so that almost every shingle finds its slot at once.
        let bits = (4 * ids.len()).next_power_of_two().trailing_zeros();
        let size = 1_usize << bits;
        self.table.clear();
        self.table.resize(size, NONE);
        self.are_new.clear();
        let table = &mut self.table[..size];
        let mut distinct = 0;
        for (at, id) in ids.iter().enumerate() {
            let mut slot = (id.wrapping_mul(SPREAD) >> (64 - bits)) as usize;
            let is_new = loop {
                let before = table[slot];
                if before == NONE {
                    table[slot] = at as u32;
                    distinct += 1;
                    break true;
                }
                let before = before as usize;
                if ids[before] == *id && is_same(text, n, before, at) {
                    break false;
                }
                slot = (slot + 1) & (size - 1);
            };
            self.are_new.push(is_new);
        }
        distinct
    }
}

/// Spreads ids whose upper or lower bits are cut.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether two shingles of a text have equal tokens.
fn is_same(text: Occurrences, n: usize, a: usize, b: usize) -> bool {
    let window = n.min(text.tokens.len());
    let [a, b] = [a, b].map(|at| text.place(at));
    text.tokens[a..a + window] == text.tokens[b..b + window]
}

#[cfg(test)]
mod tests {
    use super::super::spec::Kind;
    use super::*;
    use crate::context::Budget;
    use crate::hash::{self, Width};
    use crate::scratch::Scratch;
    use crate::shingle::Shingler;
    use std::collections::HashSet;

    const EACH: Kind = Kind {
        identity: Identity::Hash,
        repeats: true,
    };

    #[test]
    fn beyond_the_last_position_there_are_no_rows() {
        let context = Context::new(1, Budget::MINIMUM, Scratch::system());
        let tokens = [hash::token(b"a")];
        let ids = [tokens[0].id];
        let text = Occurrences {
            ids: &ids,
            places: &[],
            tokens: &tokens,
            numbers: &[],
        };
        for (before, is_whole) in [
            (0, true),
            (u64::from(u32::MAX) / BLOCK - 1, true),
            (u64::from(u32::MAX) / BLOCK, false),
        ] {
            let shingler = Shingler::new(1, Width::FULL);
            let spec = RowSpec::new(&context, 1000, (&shingler, 32), EACH, 1);
            let rows = Rows::new(&context, &spec, 0);
            rows.blocks.store(before, Ordering::Relaxed);
            let mut placer = rows.placer();
            let place = placer.place(text).unwrap();
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

    #[test]
    fn repeats_are_those_of_a_set_whatever_the_length_and_the_width_of_ids() {
        for (length, words, bits) in [
            (0, 3, 64),
            (50, 7, 64),
            (50, 7, 2),
            (2, 1, 64),
            (900, 100, 9),
        ] {
            let token = |at: usize| hash::token(&[(hash::mix(at as u64) % words) as u8]);
            let tokens: Vec<Fingerprint> = (0..length).map(token).collect();
            let shingler = Shingler::new(2, Width::bits(bits));
            let mut ids = Vec::new();
            shingler.ids(&tokens, &mut ids);
            let text = Occurrences {
                ids: &ids,
                places: &[],
                tokens: &tokens,
                numbers: &[],
            };
            let mut set = HashSet::new();
            let wanted: Vec<bool> = tokens
                .windows(2)
                .map(|pair| set.insert((pair[0].id, pair[1].id)))
                .collect();
            let mut seen = Seen::default();
            assert_eq!(seen.look(text, 2) as usize, set.len());
            assert_eq!(seen.are_new, wanted);
        }
    }
}
