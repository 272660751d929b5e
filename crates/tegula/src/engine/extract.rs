//! Extracts features of one unit of each group, by fingerprint: the shingles that may repeat, or
//! weighted terms.

use super::reading::{Reading, Shingles};
use super::reread::{Firsts, for_each_first};
use super::terms::Weigher;
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::partition::{PIECE, Partitions, Writer};
use crate::repeats::Repeats;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// One occurrence of a shingle that may repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Occurrence {
    /// The shingle's fingerprint.
    pub(crate) id: u64,
    /// Its check.
    pub(crate) check: u64,
    /// The group.
    pub(crate) group: u32,
    /// The position in tokens, the weight of a term, or how often a shingle counts that is weighted by
    /// rarity.
    pub(crate) position: u32,
}

/// The partition for this fingerprint.
#[inline]
fn partition_of(id: u64, count: usize) -> usize {
    ((u128::from(id) * count as u128) >> 64) as usize
}

/// The result of the second pass.
pub(crate) struct Extracted {
    pub(crate) occurrences: Partitions<Occurrence>,
    /// Distinct shingles by group: at first only those that occur once in the whole collection.
    pub(crate) set_sizes: Vec<AtomicU32>,
    /// By group, the sum of its weights; empty if there are none.
    pub(crate) totals: Vec<u64>,
    /// Distinct shingles by group if occurrences are not shingles; else empty.
    pub(crate) counted: Vec<u32>,
}

/// Storage for occurrences: partitions, with a buffer per writer for each.
pub(crate) struct Room {
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
            (share / (count as u64 * row * context.threads as u64)).clamp(16, PIECE as u64 / row);
        let buffers = context
            .budget
            .reserve(buffer * count as u64 * row * context.threads as u64, what)?;
        Ok(Self {
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

    /// Finishes writing.
    ///
    /// # Errors
    /// If the last rows could not be written.
    pub(crate) fn seal(self) -> Result<Partitions<Occurrence>> {
        self.partitions.seal()?;
        drop(self.buffers);
        Ok(self.partitions)
    }
}

/// Reads the shingles of the requested units; shingles that `repeats` knows to be single are only
/// counted. With `rarity`, shingles are weighted by it. `note` receives each group and its text.
///
/// # Errors
/// Errors of the source or scratch; [`crate::ErrorKind::Data`] if the input has changed.
pub(crate) fn shingles(
    context: &Context,
    reading: &Reading,
    firsts: Firsts,
    repeats: Option<&Repeats>,
    (shingles, rarity): (&Shingles, bool),
    note: impl Fn(u32, &str) + Sync,
) -> Result<Extracted> {
    let guess = reading.source.text_bytes() / 5 * size_of::<Occurrence>() as u64;
    let room = Room::new(context, guess, "the shingle buffers")?;
    let set_sizes: Vec<AtomicU32> = (0..firsts.groups.len())
        .map(|_| AtomicU32::new(0))
        .collect();
    for_each_first(
        context,
        reading,
        firsts,
        "extracting",
        || room.partitions.writer(),
        |writer, group, text, _, buffers| {
            note(group, text);
            shingles.ids(reading.normaliser, text, buffers);
            let mut single = 0_u32;
            // In one batch, so that the look-ups overlap their cache misses.
            buffers.may_repeat.clear();
            buffers.may_repeat.extend(
                buffers
                    .ids
                    .iter()
                    .map(|id| repeats.is_none_or(|repeats| repeats.may_repeat(*id))),
            );
            for (place, (id, may_repeat)) in buffers.ids.iter().zip(&buffers.may_repeat).enumerate()
            {
                if *may_repeat {
                    // If shingles are selected, their positions are stored separately.
                    let position = buffers
                        .places
                        .get(place)
                        .map_or(place, |place| *place as usize);
                    let check = shingles.shingler.check(&buffers.tokens, position);
                    let position = if rarity {
                        shingles.times(&buffers.numbers, position)
                    } else {
                        position as u32
                    };
                    room.put(
                        writer,
                        Occurrence {
                            id: *id,
                            check,
                            group,
                            position,
                        },
                    )?;
                } else {
                    single += if rarity {
                        shingles.times(&buffers.numbers, place)
                    } else {
                        1
                    };
                }
            }
            set_sizes[group as usize].store(single, Ordering::Relaxed);
            Ok(())
        },
    )?;
    Ok(Extracted {
        occurrences: room.seal()?,
        set_sizes,
        totals: Vec::new(),
        counted: Vec::new(),
    })
}

/// Reads the weighted terms of the requested units: each term once, with its weight as its
/// position. Terms of a single unit count only in the totals.
///
/// # Errors
/// As for [`shingles`].
pub(crate) fn terms(
    context: &Context,
    reading: &Reading,
    firsts: Firsts,
    weigher: &Weigher,
) -> Result<Extracted> {
    let guess = reading.source.text_bytes() / 6 * size_of::<Occurrence>() as u64;
    let room = Room::new(context, guess, "the term buffers")?;
    let count = firsts.groups.len();
    let set_sizes: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
    let totals: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
    for_each_first(
        context,
        reading,
        firsts,
        "extracting",
        || (room.partitions.writer(), Vec::new()),
        |(writer, terms), group, text, tokens, buffers| {
            weigher.terms(text, tokens, &buffers.tokens, terms);
            let mut total = weigher.base();
            for term in &*terms {
                total = total.saturating_add(weigher.amount(term.weight));
                let crate::hash::Fingerprint { id, check } = term.fingerprint;
                room.put(
                    writer,
                    Occurrence {
                        id: reading.width.cut(id),
                        check,
                        group,
                        position: term.weight,
                    },
                )?;
            }
            totals[group as usize].store(total, Ordering::Relaxed);
            Ok(())
        },
    )?;
    Ok(Extracted {
        occurrences: room.seal()?,
        set_sizes,
        totals: totals.into_iter().map(AtomicU64::into_inner).collect(),
        counted: Vec::new(),
    })
}
