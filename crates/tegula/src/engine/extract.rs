//! The second pass: the shingles that may repeat, of one unit of each group, into partitions by fingerprint.

use super::flow::for_each_chunk;
use super::reading::{Buffers, Reading, Shingles};
use crate::context::{Amount, Context};
use crate::error::{Error, Result};
use crate::group::Groups;
use crate::partition::{Partitions, Writer};
use crate::record::Batch;
use crate::repeats::Repeats;
use crate::unit::Units;
use std::sync::atomic::{AtomicU32, Ordering};

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
    /// The position in tokens.
    pub(crate) position: u32,
}

/// Where occurrences with this fingerprint go.
#[inline]
fn partition_of(id: u64, count: usize) -> usize {
    ((u128::from(id) * count as u128) >> 64) as usize
}

/// One thread's buffers.
struct State<'a> {
    batch: Batch,
    buffers: Buffers,
    writer: Writer<'a, Occurrence>,
}

/// What the second pass leaves behind.
pub(crate) struct Extracted {
    pub(crate) occurrences: Partitions<Occurrence>,
    /// Distinct shingles by group: so far those that occur once in the whole collection.
    pub(crate) set_sizes: Vec<AtomicU32>,
}

/// Reads everything a second time.
///
/// # Errors
/// What the source or scratch gives; [`crate::ErrorKind::Data`] when the input is not what it was.
pub(crate) fn extract(
    context: &Context,
    reading: &Reading,
    (units, groups): (&Units, &Groups),
    repeats: &Repeats,
    shingles: &Shingles,
) -> Result<Extracted> {
    let source = reading.source;
    // Partitions that fit a core's cache sort fastest; under a low ceiling they must also be few enough for large buffers.
    let guess = source.text_bytes() / 5 * size_of::<Occurrence>() as u64;
    let count = (guess >> 19).next_power_of_two().clamp(16, 512) as usize;
    let row = size_of::<Occurrence>() as u64;
    let share = (context.budget.free() / 8).clamp(1 << 20, 32 << 20);
    let buffer = (share / (count as u64 * row * context.threads as u64)).clamp(16, 2048);
    let buffers = context.budget.reserve(buffer * count as u64 * row * context.threads as u64, "the shingle buffers")?;
    let occurrences = Partitions::new(context, count, buffer as usize);
    let set_sizes: Vec<AtomicU32> = (0..groups.len()).map(|_| AtomicU32::new(0)).collect();
    let total = source.files().iter().map(|file| file.bytes).sum();
    context.progress.begin("extracting", Some(total), Amount::Bytes);
    for_each_chunk(
        context,
        source,
        || State { batch: Batch::default(), buffers: Buffers::default(), writer: occurrences.writer() },
        |state, chunk| {
            state.batch.clear();
            chunk.read(&mut state.batch);
            let path = &source.files()[chunk.file() as usize].path;
            let changed = |number: u64| {
                Error::data("the file changed while it was read")
                    .at(path)
                    .record(number)
                    .hint("run again on a copy that no one writes to")
            };
            let Some(first) = state.batch.records.first() else { return Ok(()) };
            let first = units.records.find(chunk.file(), first.number).ok_or_else(|| changed(first.number))?;
            for (place, at) in (0..state.batch.records.len()).zip(first..) {
                let record = &state.batch.records[place];
                if units.records.number.get(at) != Some(&record.number) {
                    return Err(changed(record.number));
                }
                let range = units.of_record(at);
                if range.clone().all(|unit| groups.first[groups.of_unit[unit as usize] as usize] != unit) {
                    continue;
                }
                let buffers = &mut state.buffers;
                reading.parts(&state.batch, place, buffers);
                if buffers.parts.len() != range.len() {
                    return Err(changed(record.number));
                }
                let text = state.batch.text_of(record);
                let parts = std::mem::take(&mut buffers.parts);
                for (part, unit) in parts.iter().zip(range) {
                    let group = groups.of_unit[unit as usize];
                    if groups.first[group as usize] != unit {
                        continue;
                    }
                    let text = &text[part.text.clone()];
                    let tokens = reading.tokens(text, buffers);
                    if tokens as u32 != units.tokens[unit as usize] {
                        return Err(changed(record.number));
                    }
                    shingles.ids(reading.normaliser, text, buffers);
                    let mut single = 0;
                    // Asked for all at once, the answers are fetched from memory side by side.
                    buffers.may_repeat.clear();
                    buffers.may_repeat.extend(buffers.ids.iter().map(|id| repeats.may_repeat(*id)));
                    for (position, (id, may_repeat)) in buffers.ids.iter().zip(&buffers.may_repeat).enumerate() {
                        if *may_repeat {
                            let check = shingles.shingler.check(&buffers.tokens, position);
                            state.writer.push(
                                partition_of(*id, count),
                                Occurrence { id: *id, check, group, position: position as u32 },
                            )?;
                        } else {
                            single += 1;
                        }
                    }
                    set_sizes[group as usize].store(single, Ordering::Relaxed);
                }
                buffers.parts = parts;
            }
            Ok(())
        },
        |()| Ok(()),
    )?;
    context.progress.end();
    occurrences.seal()?;
    drop(buffers);
    Ok(Extracted { occurrences, set_sizes })
}
