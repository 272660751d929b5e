//! Numbers the n-grams that occur more than once, so that a judge needs a few bits for each of them
//! and no table.
//!
//! ```text
//! n-grams with positions → rows by hash → positions with equal hashes → by range of positions
//! ```
//!
//! The first time a text is read, every n-gram gets a row; rows are partitioned and shared as for
//! complete joins ([`runs`](crate::chains)). The second time, [`Numbers`] tells for each position
//! whether its n-gram may occur elsewhere, and under which number. N-grams with one number have about
//! 40 bits of their hash in common, so the reader compares the others.
//!
//! Numbers count first positions in order, so that a copied text meets adjacent numbers.

use crate::chains::{Bits, Row, Tables, held_rows, partition_bits, sorted};
use crate::context::{Amount, Context, Reservation, make_room};
use crate::error::{ErrorKind, Result};
use crate::partition::{Partitions, Writer};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a row: part of the hash, and the position.
const ROW: u64 = size_of::<u64>() as u64;
/// The minimum and maximum positions of a range, as powers of two.
const RANGE: (u32, u32) = (15, 64 - Bits::MOST);
/// Ranges to aim at, so that they have long pieces.
const RANGES: u64 = 1024;
/// The number of positions that have none.
const NONE: u32 = u32::MAX;
/// What memory is for, in messages.
const WHAT: &str = "the positions of n-grams";

/// Collects the n-grams of all documents, in any order, from any thread.
pub struct Numbering {
    context: Context,
    bits: Bits,
    rows: Partitions<u64>,
    /// The position after the last.
    end: AtomicU64,
    /// The first position that was not taken.
    free: AtomicU64,
}

/// One thread's writer to a [`Numbering`].
pub struct NumberWriter<'a> {
    writer: Writer<'a, u64>,
    numbering: &'a Numbering,
}

/// The numbers of n-grams that occur more than once, by position.
pub struct Numbers {
    /// By range of positions: the place in the range, and the first position of the n-gram, above.
    members: Partitions<u64>,
    range: u32,
    /// The first positions of these n-grams, as bits, and how many of them each word of bits
    /// follows.
    firsts: Vec<u64>,
    before: Vec<u32>,
    count: u64,
    _held: Reservation,
}

/// One thread's reader of [`Numbers`].
pub struct NumberReader<'a> {
    numbers: &'a Numbers,
    /// The range that is loaded.
    range: Option<usize>,
    loaded: Vec<u32>,
}

impl Numbering {
    /// For about `expected` n-grams at positions that are expected to be below `end`. Takes 8 bytes
    /// for each, on scratch if they do not fit under the memory ceiling.
    pub fn new(context: &Context, expected: u64, end: u64) -> Self {
        let position = u64::BITS - end.leading_zeros();
        let bits = Bits::new(partition_bits(expected), position);
        let (count, free) = (1 << bits.partition, context.budget.free());
        let buffer = (free / 16 / (ROW * count * context.threads() as u64)).clamp(32, 512);
        let rows = Partitions::new(context, count as usize, buffer as usize);
        let fits = expected.saturating_mul(ROW) <= held_rows(free);
        Self {
            context: context.clone(),
            bits,
            rows: if fits { rows } else { rows.keep_at_most(0) },
            end: AtomicU64::new(0),
            free: AtomicU64::new(0),
        }
    }

    /// Takes as many positions as a text has tokens, and returns the first, for texts that have none
    /// of their own.
    pub(crate) fn take(&self, tokens: u64) -> u64 {
        self.free.fetch_add(tokens, Ordering::Relaxed)
    }

    /// A writer for one thread. Drop all writers before [`Numbering::finish`].
    pub fn writer(&self) -> NumberWriter<'_> {
        NumberWriter {
            writer: self.rows.writer(),
            numbering: self,
        }
    }

    /// Finds the n-grams that occur more than once.
    ///
    /// # Errors
    /// If scratch is full, or their positions do not fit under the memory ceiling.
    pub fn finish(&self) -> Result<Numbers> {
        self.rows.seal()?;
        self.context.work.rows(self.rows.all_rows());
        let (context, end) = (&self.context, self.end.load(Ordering::Relaxed));
        let together = (end / RANGES).next_power_of_two().trailing_zeros();
        let range = together.clamp(RANGE.0, RANGE.1);
        let ranges = (end >> range) + 1;
        let free = context.budget.free();
        let buffer = (free / 16 / (ROW * ranges * context.threads() as u64)).clamp(16, 512);
        let members = Partitions::new(context, ranges as usize, buffer as usize);
        // If rows fit in memory, so does what is derived from them. If not, it leaves the memory to
        // the judge.
        let members = if self.rows.spilled() {
            members.keep_at_most(0)
        } else {
            members
        };

        let words = end.div_ceil(64);
        // A reader holds the numbers of a range, and its members while they are loaded.
        let readers = (context.threads() as u64 * (ROW + 4)) << range;
        let held = context.budget.reserve(words * (ROW + 4) + readers, WHAT)?;
        let mut firsts = Vec::new();
        make_room(&mut firsts, words as usize, WHAT)?;
        firsts.resize_with(words as usize, || AtomicU64::new(0));
        context
            .pool()?
            .install(|| self.share(&members, range, &firsts))?;
        members.seal()?;

        let firsts: Vec<u64> = firsts.into_iter().map(AtomicU64::into_inner).collect();
        let mut before = Vec::new();
        make_room(&mut before, firsts.len(), WHAT)?;
        let mut count = 0_u64;
        for word in &firsts {
            before.push(count as u32);
            count += u64::from(word.count_ones());
        }
        if count >= u64::from(NONE) {
            return Err(ErrorKind::Data
                .expected(format!(
                    "fewer than {NONE} n-grams that occur more than once"
                ))
                .found(count));
        }
        Ok(Numbers {
            members,
            range,
            firsts,
            before,
            count,
            _held: held,
        })
    }

    /// Finds the positions with equal hashes, partition by partition.
    fn share(&self, members: &Partitions<u64>, range: u32, firsts: &[AtomicU64]) -> Result<()> {
        let context = &self.context;
        let count = self.rows.count();
        let most = self.rows.largest() * context.threads() as u64;
        let _held = context.budget.reserve(most, WHAT)?;
        context
            .progress
            .begin("sharing", Some(count as u64), Amount::Items);
        (0..count).into_par_iter().try_for_each_init(
            || (members.writer(), Tables::default()),
            |(writer, tables), partition| {
                let rows = self.rows.take_pieces(partition)?;
                for class in sorted(rows.iter(), self.bits, tables)
                    .chunk_by(|a, b| a.is_like(*b, self.bits))
                    .filter(|class| class.len() > 1)
                {
                    let first = class[0].position(self.bits);
                    firsts[(first / 64) as usize].fetch_or(1 << (first % 64), Ordering::Relaxed);
                    for row in class {
                        let position = row.position(self.bits);
                        let member = position & !(u64::MAX << range) | first << RANGE.1;
                        writer.push((position >> range) as usize, member)?;
                    }
                }
                context.progress.advance(1);
                context.check()
            },
        )?;
        context.progress.end();
        Ok(())
    }
}

impl NumberWriter<'_> {
    /// Adds n-grams by their ids, the first at position `first`, the others `step` after each other.
    ///
    /// # Errors
    /// If scratch is full, or if there are more positions than expected.
    pub fn put(&mut self, ids: &[u64], first: u64, step: u64) -> Result<()> {
        let bits = self.numbering.bits;
        let end = first + ids.len() as u64 * step;
        if end > bits.positions() {
            return Err(ErrorKind::Data
                .expected(format!("fewer than {} tokens", bits.positions()))
                .found("more")
                .hint("split the input"));
        }
        self.numbering.end.fetch_max(end, Ordering::Relaxed);
        for (id, position) in ids.iter().zip((first..).step_by(step as usize)) {
            let row = u64::new(bits, (*id, || 0), false, position);
            self.writer.push(bits.partition_of(*id), row)?;
        }
        Ok(())
    }
}

impl Numbers {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// A reader for one thread.
    pub fn reader(&self) -> NumberReader<'_> {
        NumberReader {
            numbers: self,
            range: None,
            loaded: Vec::new(),
        }
    }

    /// The number of the n-gram that occurs first at a position.
    #[inline]
    fn number(&self, first: u64) -> u32 {
        let word = (first / 64) as usize;
        let earlier = self.firsts[word] & !(u64::MAX << (first % 64));
        self.before[word] + earlier.count_ones()
    }
}

impl NumberReader<'_> {
    /// Passes on which of `count` n-grams may occur elsewhere, and their numbers. Positions are as in
    /// [`NumberWriter::put`].
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub fn each(
        &mut self,
        count: usize,
        first: u64,
        step: u64,
        mut take: impl FnMut(usize, u32),
    ) -> Result<()> {
        let mut at = 0;
        while at < count {
            let position = first + at as u64 * step;
            let range = (position >> self.numbers.range) as usize;
            self.load(range)?;
            let within = (position - ((range as u64) << self.numbers.range)) as usize;
            let numbers = self.loaded[within..].iter().step_by(step as usize);
            let mut next = at;
            for (number, at) in numbers.zip(at..count) {
                next = at + 1;
                if *number != NONE {
                    take(at, *number);
                }
            }
            at = next;
        }
        Ok(())
    }

    /// Fills the buffer with the numbers of a range.
    fn load(&mut self, range: usize) -> Result<()> {
        let numbers = self.numbers;
        if self.range == Some(range) {
            return Ok(());
        }
        self.range = None;
        self.loaded.clear();
        self.loaded.resize(1 << numbers.range, NONE);
        // Beyond the last n-gram that was numbered there is nothing.
        if range < numbers.members.count() {
            for member in numbers.members.look(range)? {
                let within = member & !(u64::MAX << RANGE.1);
                self.loaded[within as usize] = numbers.number(member >> RANGE.1);
            }
        }
        self.range = Some(range);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::hash::mix;
    use crate::scratch::Scratch;
    use std::collections::BTreeMap;

    /// Ids of documents: every third n-gram recurs, some of them often.
    fn documents() -> Vec<Vec<u64>> {
        let id = |at: u64| {
            if at.is_multiple_of(3) {
                mix(at % 777)
            } else {
                mix(at)
            }
        };
        (0..300)
            .map(|document| {
                let start = document * 500;
                (start..start + document % 7 * 60).map(id).collect()
            })
            .collect()
    }

    #[test]
    fn numbers_are_those_of_a_map_in_order_of_first_positions() {
        let documents = documents();
        for (room, end, threads, step) in [
            (64 << 20, 1 << 18, 1, 1),
            (64 << 20, u64::MAX, 3, 2),
            (2 << 20, 1 << 40, 2, 1),
        ] {
            let context = Context::new(threads, Budget::OVERHEAD + room, Scratch::system());
            let numbering = Numbering::new(&context, 1 << 20, end);
            std::thread::scope(|scope| {
                for part in 0..threads {
                    let (numbering, documents) = (&numbering, &documents);
                    scope.spawn(move || {
                        let mut writer = numbering.writer();
                        for (at, ids) in documents.iter().enumerate() {
                            if at % threads == part {
                                writer.put(ids, at as u64 * 400 * step, step).unwrap();
                            }
                        }
                    });
                }
            });
            assert_eq!(numbering.rows.spilled(), room < 8 << 20);
            let numbers = numbering.finish().unwrap();

            let mut places: BTreeMap<u64, Vec<(usize, usize)>> = BTreeMap::new();
            for (document, ids) in documents.iter().enumerate() {
                for (at, id) in ids.iter().enumerate() {
                    places.entry(*id).or_default().push((document, at));
                }
            }
            let mut classes: Vec<_> = places.into_values().filter(|of| of.len() > 1).collect();
            classes.sort_unstable();
            assert_eq!(numbers.count(), classes.len() as u64);
            let mut expected: Vec<(usize, usize, u32)> = (0..)
                .zip(classes)
                .flat_map(|(number, of)| {
                    of.into_iter()
                        .map(move |(document, at)| (document, at, number))
                })
                .collect();
            expected.sort_unstable();
            let mut found = Vec::new();
            let mut reader = numbers.reader();
            for (document, ids) in documents.iter().enumerate() {
                let first = document as u64 * 400 * step;
                let mut take = |at, number| found.push((document, at, number));
                reader.each(ids.len(), first, step, &mut take).unwrap();
            }
            // After the last n-gram there is none.
            let beyond = 1 << 39;
            reader
                .each(9, beyond, step, |_, _| panic!("a number"))
                .unwrap();
            assert_eq!(found, expected);
            drop(numbers);
            assert_eq!(context.budget.free(), room);
        }
    }

    #[test]
    fn more_positions_than_expected_are_refused() {
        let context = Context::new(1, Budget::OVERHEAD + (1 << 20), Scratch::system());
        let numbering = Numbering::new(&context, 10, 10);
        let mut writer = numbering.writer();
        writer.put(&[1, 2], (1 << 32) - 2, 1).unwrap();
        let refused = writer.put(&[1, 2], (1 << 32) - 1, 1).unwrap_err();
        assert!(
            refused.to_string().contains("fewer than 4294967296 tokens"),
            "{refused}"
        );
    }
}
