//! Occurrences of features that are known by their fingerprint: terms, keys, and the shingles of
//! candidates.

use super::build::Numbers;
use super::rank::{Lists, Postings};
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::partition::{PIECE, Partitions, Writer};
use std::sync::atomic::{AtomicU32, Ordering};

/// One occurrence of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Occurrence {
    /// The feature's fingerprint.
    pub(crate) id: u64,
    /// Its check.
    pub(crate) check: u64,
    /// The group.
    pub(crate) group: u32,
    /// The position in tokens, or the weight of a term.
    pub(crate) number: u32,
}

/// The partition for this fingerprint.
#[inline]
pub(crate) fn partition_of(id: u64, count: usize) -> usize {
    ((u128::from(id) * count as u128) >> 64) as usize
}

/// Storage for occurrences: partitions, with a buffer per writer for each.
pub(crate) struct Room {
    context: Context,
    pub(crate) partitions: Partitions<Occurrence>,
    count: usize,
    buffers: Reservation,
}

impl Room {
    /// Storage for about this many bytes of occurrences; `what` names the buffers in errors.
    ///
    /// # Errors
    /// If there is no memory for the buffers.
    pub(crate) fn new(context: &Context, guess: u64, what: &str) -> Result<Self> {
        // Partitions that fit in a core's cache sort fastest; under a low ceiling there must also
        // be few enough for large buffers.
        let count = (guess >> 19).next_power_of_two().clamp(16, 512) as usize;
        let row = size_of::<Occurrence>() as u64;
        let share = (context.budget.free() / 8).clamp(1 << 20, 32 << 20);
        let buffer =
            (share / (count as u64 * row * context.threads() as u64)).clamp(16, PIECE as u64 / row);
        let buffers = context
            .budget
            .reserve(buffer * count as u64 * row * context.threads() as u64, what)?;
        Ok(Self {
            context: context.clone(),
            partitions: Partitions::new(context, count, buffer as usize),
            count,
            buffers,
        })
    }

    /// Appends an occurrence to its partition.
    ///
    /// # Errors
    /// If scratch is full.
    #[inline]
    pub(crate) fn put(
        &self,
        writer: &mut Writer<Occurrence>,
        occurrence: Occurrence,
    ) -> Result<()> {
        writer.push(partition_of(occurrence.id, self.count), occurrence)
    }

    /// Finishes writing. `counted` has the distinct shingles of each group, if occurrences are not
    /// shingles; `totals` the total weight of each, if they have weights.
    ///
    /// # Errors
    /// If the last rows could not be written.
    pub(crate) fn finish(
        self,
        groups: usize,
        counted: Vec<u32>,
        totals: Vec<u64>,
    ) -> Result<Occurrences> {
        self.partitions.seal()?;
        self.context.work.rows(self.partitions.all_rows());
        drop(self.buffers);
        Ok(Occurrences {
            rows: self.partitions,
            numbers: Numbers::None,
            set_sizes: (0..groups).map(|_| AtomicU32::new(0)).collect(),
            counted,
            totals,
        })
    }
}

/// Adds the features of a partition's rows that several groups have; `has` gets the group of each
/// feature, once for each group.
pub(crate) fn list(
    rows: &mut [Occurrence],
    numbers: Numbers,
    lists: &mut Lists,
    mut has: impl FnMut(u32),
) {
    // By id alone, which sorts without branches; the few rows that share an id are then sorted
    // fully.
    rows.sort_unstable_by_key(|row| row.id);
    for same in rows.chunk_by_mut(|a, b| a.id == b.id) {
        if same.len() > 1 {
            same.sort_unstable();
        }
    }
    for feature in rows.chunk_by(|a, b| (a.id, a.check) == (b.id, b.check)) {
        let of_groups = feature
            .chunk_by(|a, b| a.group == b.group)
            .map(|rows| rows[0]);
        let df = of_groups.clone().map(|row| has(row.group)).count() as u32;
        match numbers {
            Numbers::None => lists.add(df, of_groups.map(|row| [row.group])),
            Numbers::Weights => lists.add(df, of_groups.map(|row| [row.group, row.number])),
            _ => lists.add(df, feature.iter().map(|row| [row.group, row.number])),
        }
    }
}

/// Occurrences by partition.
pub(crate) struct Occurrences {
    rows: Partitions<Occurrence>,
    numbers: Numbers,
    /// Distinct features by group.
    set_sizes: Vec<AtomicU32>,
    counted: Vec<u32>,
    totals: Vec<u64>,
}

impl Occurrences {
    /// The same, with these numbers in blocks.
    pub(crate) fn with(self, numbers: Numbers) -> Self {
        Self { numbers, ..self }
    }
}

impl Postings for Occurrences {
    fn count(&self) -> usize {
        self.rows.count()
    }

    fn largest(&self) -> u64 {
        self.rows.largest()
    }

    fn lists(&self, partition: usize, lists: &mut Lists) -> Result<()> {
        let mut rows = self.rows.take(partition)?;
        list(&mut rows, self.numbers, lists, |group| {
            self.set_sizes[group as usize].fetch_add(1, Ordering::Relaxed);
        });
        Ok(())
    }

    fn sizes(&mut self) -> (Vec<u32>, Vec<u64>) {
        let set_sizes = std::mem::take(&mut self.set_sizes);
        let counted = std::mem::take(&mut self.counted);
        let set_sizes = if counted.is_empty() {
            set_sizes.into_iter().map(AtomicU32::into_inner).collect()
        } else {
            counted
        };
        (set_sizes, std::mem::take(&mut self.totals))
    }
}
