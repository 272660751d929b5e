//! Finds the n-grams that occur more than once: all n-grams are partitioned on scratch, and each
//! partition is counted separately.

use super::document::Document;
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::flow::in_order;
use crate::hash::Fingerprint;
use crate::partition::{Partitions, Writer};
use crate::scratch::{Extent, SpillFile};

/// Id and check.
type Row = [u64; 2];

/// The minimum and maximum number of partitions.
const PARTITIONS: (u64, u64) = (8, 4096);
/// The minimum and maximum number of rows that a writer buffers for each partition.
const BUFFER: (u64, u64) = (8, 512);
/// Partitions in memory for each counting thread.
const IN_FLIGHT: u64 = 3;
/// Fingerprints read back at once.
const PIECE: usize = 4096;

/// Collects the n-grams of all documents, in any order, from any thread.
pub struct RepeatCount {
    context: Context,
    partitions: Partitions<Row>,
    shift: u32,
    /// The memory of the writers' buffers.
    _buffers: Option<Reservation>,
}

/// One thread's writer to a [`RepeatCount`].
pub struct RepeatWriter<'a> {
    writer: Writer<'a, Row>,
    shift: u32,
}

/// The n-grams that occur more than once, sorted by id and check, on scratch.
pub struct Repeated {
    file: SpillFile,
    extents: Vec<Extent>,
    count: u64,
    ngrams: u64,
}

impl RepeatCount {
    /// A count of about `expected` n-grams. Each takes 16 bytes of scratch if they do not fit under
    /// the memory ceiling.
    pub fn new(context: &Context, expected: u64) -> Self {
        let free = context.budget.free();
        let threads = context.threads() as u64;
        let share = (free / 8 / (IN_FLIGHT * threads)).max(1);
        let wanted = (expected.saturating_mul(size_of::<Row>() as u64) / share).next_power_of_two();
        // Buffers use at most an eighth.
        let rows = free / 8 / threads / size_of::<Row>() as u64;
        let bound = (rows / BUFFER.0).max(1).next_power_of_two() / 2;
        let count = wanted.clamp(PARTITIONS.0, PARTITIONS.1).min(bound.max(2));
        let buffer = (rows / count).clamp(1, BUFFER.1);
        let buffers = context
            .budget
            .try_reserve(threads * count * buffer * size_of::<Row>() as u64);
        let partitions = Partitions::new(context, count as usize, buffer as usize);
        let all = expected.saturating_mul(size_of::<Row>() as u64);
        let partitions = if all > context.budget.free() / 2 {
            partitions.keep_at_most(0)
        } else {
            partitions
        };
        Self {
            context: context.clone(),
            partitions,
            shift: 64 - count.trailing_zeros(),
            _buffers: buffers,
        }
    }

    /// A writer for one thread. Drop all writers before [`RepeatCount::finish`].
    pub fn writer(&self) -> RepeatWriter<'_> {
        RepeatWriter {
            writer: self.partitions.writer(),
            shift: self.shift,
        }
    }

    /// Counts the n-grams.
    ///
    /// # Errors
    /// If scratch is full, or a partition does not fit under the memory ceiling.
    pub fn finish(self) -> Result<Repeated> {
        self.partitions.seal()?;
        let count = self.partitions.count();
        let (ngrams, largest) = (self.partitions.all_rows(), self.partitions.largest());
        // If the partitions of all threads do not fit, at least one must.
        let all = largest * IN_FLIGHT * self.context.threads() as u64 <= self.context.budget.free();
        let counting = if all {
            self.context.clone()
        } else {
            self.context.on_one_thread()
        };
        let mut repeated = Repeated {
            file: self.context.scratch.file()?,
            extents: Vec::new(),
            count: 0,
            ngrams,
        };
        in_order(
            &counting,
            (0..count).map(Ok),
            || (),
            |(), partition| {
                let bytes = self.partitions.rows(partition) * size_of::<Row>() as u64;
                let held = self.context.budget.reserve(bytes, "counting n-grams")?;
                let mut rows = self.partitions.take(partition)?;
                keep_repeated(&mut rows);
                Ok((rows, held))
            },
            |(rows, _held)| {
                repeated.count += rows.len() as u64;
                for piece in rows.chunks(PIECE) {
                    repeated
                        .extents
                        .push(repeated.file.append(bytemuck::cast_slice(piece))?);
                }
                Ok(())
            },
        )?;
        Ok(repeated)
    }
}

/// Sorts the rows, and keeps one of each repeated row.
fn keep_repeated(rows: &mut Vec<Row>) {
    rows.sort_unstable();
    let mut kept = 0;
    let mut at = 0;
    while at < rows.len() {
        let row = rows[at];
        let mut same = at + 1;
        while rows.get(same) == Some(&row) {
            same += 1;
        }
        if same - at > 1 {
            rows[kept] = row;
            kept += 1;
        }
        at = same;
    }
    rows.truncate(kept);
}

impl RepeatWriter<'_> {
    /// Counts the n-grams of a document, and its short paragraphs if they are judged as a whole.
    ///
    /// # Errors
    /// If scratch is full.
    pub fn document(&mut self, document: &Document) -> Result<()> {
        for ngram in &document.ngrams {
            self.push(ngram.key)?;
        }
        for whole in document
            .paragraphs
            .iter()
            .filter_map(|paragraph| paragraph.whole)
        {
            self.push(whole)?;
        }
        Ok(())
    }

    #[inline]
    fn push(&mut self, fingerprint: Fingerprint) -> Result<()> {
        self.writer.push(
            (fingerprint.id >> self.shift) as usize,
            [fingerprint.id, fingerprint.check],
        )
    }
}

impl Repeated {
    /// The number of n-grams that occur more than once.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// N-gram occurrences counted.
    pub fn ngrams(&self) -> u64 {
        self.ngrams
    }

    /// Passes all of them to `take` in batches, sorted by id and check.
    ///
    /// # Errors
    /// If scratch cannot be read, or errors of `take`.
    pub fn for_each(&self, mut take: impl FnMut(&[Fingerprint]) -> Result<()>) -> Result<()> {
        let mut rows = vec![[0; 2]; PIECE];
        let mut piece = Vec::with_capacity(PIECE);
        for extent in &self.extents {
            let rows: &mut [Row] = &mut rows[..extent.length as usize / size_of::<Row>()];
            self.file.read(*extent, bytemuck::cast_slice_mut(rows))?;
            piece.clear();
            piece.extend(rows.iter().map(|[id, check]| Fingerprint {
                id: *id,
                check: *check,
            }));
            take(&piece)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::hash::mix;
    use crate::onion::Ngram;
    use crate::scratch::Scratch;

    #[test]
    fn what_occurs_twice_is_found_under_any_ceiling() {
        let fingerprint = |i: u64| Fingerprint {
            id: mix(i / 2),
            check: i,
        };
        for room in [1_000, 40_000, 10 << 20] {
            for threads in 1..4 {
                let context = Context::new(threads, Budget::OVERHEAD + room, Scratch::system());
                let count = RepeatCount::new(&context, 3_000);
                std::thread::scope(|scope| {
                    for part in 0..threads as u64 {
                        let count = &count;
                        scope.spawn(move || {
                            let mut writer = count.writer();
                            let mut document = Document::default();
                            // Multiples of 3 a second time; ids are shared by two n-grams each.
                            let all = (0..2_000)
                                .chain((0..2_000).filter(|i| i % 3 == 0))
                                .filter(|i| i % threads as u64 == part);
                            document.ngrams = all
                                .map(|i| Ngram {
                                    key: fingerprint(i),
                                    end: 0,
                                })
                                .collect();
                            writer.document(&document).unwrap();
                        });
                    }
                });
                let repeated = match count.finish() {
                    Ok(repeated) => repeated,
                    Err(error) => {
                        assert!(room == 1_000, "{error}");
                        continue;
                    }
                };
                let mut found = Vec::new();
                let mut take = |piece: &[Fingerprint]| {
                    found.extend_from_slice(piece);
                    Ok(())
                };
                repeated.for_each(&mut take).unwrap();
                let mut expected: Vec<Fingerprint> =
                    (0..2_000).filter(|i| i % 3 == 0).map(fingerprint).collect();
                expected.sort_unstable();
                assert_eq!(found, expected);
                assert_eq!((repeated.count(), repeated.ngrams()), (667, 2_667));
            }
        }
    }
}
