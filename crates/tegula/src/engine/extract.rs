//! Extracts features of one unit of each group, by fingerprint: shingles or weighted terms.

use super::reading::{Reading, Shingles};
use super::reread::{Firsts, for_each_first};
use super::terms::Weigher;
use crate::block::{Occurrence, Occurrences, Room};
use crate::context::Context;
use crate::error::Result;
use std::sync::atomic::{AtomicU64, Ordering};

/// Reads the shingles of the requested units. `note` receives each group and its text.
///
/// # Errors
/// Errors of the source or scratch; [`crate::ErrorKind::Data`] if the input has changed.
pub(crate) fn shingles(
    context: &Context,
    reading: &Reading,
    firsts: Firsts,
    shingles: &Shingles,
    note: impl Fn(u32, &str) + Sync,
) -> Result<Occurrences> {
    let guess = reading.source.text_bytes() / 5 * size_of::<Occurrence>() as u64;
    let room = Room::new(context, guess, "the shingle buffers")?;
    for_each_first(
        context,
        reading,
        firsts,
        "extracting",
        || room.partitions.writer(),
        |writer, group, text, _, buffers| {
            note(group, text);
            shingles.ids(reading.normaliser, text, buffers);
            for (place, id) in buffers.ids.iter().enumerate() {
                // If shingles are selected, their positions are stored separately.
                let position = buffers
                    .places
                    .get(place)
                    .map_or(place, |place| *place as usize);
                let occurrence = Occurrence {
                    id: *id,
                    check: shingles.shingler.check(&buffers.tokens, position),
                    group,
                    number: position as u32,
                };
                room.put(writer, occurrence)?;
            }
            Ok(())
        },
    )?;
    room.finish(firsts.groups.len(), Vec::new(), Vec::new())
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
) -> Result<Occurrences> {
    let guess = reading.source.text_bytes() / 6 * size_of::<Occurrence>() as u64;
    let room = Room::new(context, guess, "the term buffers")?;
    let count = firsts.groups.len();
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
                        number: term.weight,
                    },
                )?;
            }
            totals[group as usize].store(total, Ordering::Relaxed);
            Ok(())
        },
    )?;
    let totals = totals.into_iter().map(AtomicU64::into_inner).collect();
    room.finish(count, Vec::new(), totals)
}
