//! Rereads the texts of chosen units, and checks that they are as in the first pass.

use super::reading::{Buffers, Reading};
use crate::context::{Amount, Context};
use crate::error::{Error, Result};
use crate::flow::for_each_of;
use crate::group::Groups;
use crate::record::{Batch, Fetched, Places, Wanted};
use crate::unit::Units;
use std::path::Path;

/// The first unit of each group, which represents the group.
#[derive(Clone, Copy)]
pub(crate) struct Firsts<'a> {
    pub(crate) units: &'a Units,
    pub(crate) groups: &'a Groups,
    /// The requested groups; `None` for all.
    pub(crate) wanted: Option<&'a [bool]>,
    /// Whether texts are read with the steps of the first pass, so that token counts must agree:
    /// false without masks.
    pub(crate) same_steps: bool,
}

impl Firsts<'_> {
    /// The group that a unit represents, if requested.
    fn group(&self, unit: u32) -> Option<u32> {
        let group = self.groups.of_unit[unit as usize];
        let is_representative = self.groups.first[group as usize] == unit;
        (is_representative && self.wanted.is_none_or(|wanted| wanted[group as usize]))
            .then_some(group)
    }
}

/// The error if a record is not as in the first pass.
pub(crate) fn changed(path: &Path, number: u64) -> Error {
    Error::data("the file changed while it was read")
        .at(path)
        .record(number)
        .hint("run again on a copy that no one writes to")
}

/// Reads the records of requested units again, and passes on each unit: a thread's own state, the
/// group, the text, its number of tokens, and the buffers, which hold its tokens. Units come in any
/// order; `stage` is shown as progress.
///
/// # Errors
/// Errors of the source or `take`; [`crate::ErrorKind::Data`] if the input has changed.
pub(crate) fn for_each_first<S>(
    context: &Context,
    reading: &Reading,
    firsts: Firsts,
    stage: &str,
    start: impl Fn() -> S + Sync,
    take: impl Fn(&mut S, u32, &str, usize, &mut Buffers) -> Result<()> + Sync,
) -> Result<()> {
    let before = &firsts.units.tokens;
    let read = |state: &mut S, (unit, group): (u32, u32), text: &str, buffers: &mut Buffers| {
        let tokens = reading.tokens(text, buffers);
        if firsts.same_steps && tokens as u32 != before[unit as usize] {
            return Ok(false);
        }
        context.work.tokens(tokens as u64);
        take(state, group, text, tokens, buffers)?;
        Ok(true)
    };
    for_each_unit(context, reading, firsts, stage, start, read)
}

/// The same for texts alone, which are not divided into tokens.
///
/// # Errors
/// As for [`for_each_first`].
pub(crate) fn for_each_text<S>(
    context: &Context,
    reading: &Reading,
    firsts: Firsts,
    stage: &str,
    start: impl Fn() -> S + Sync,
    take: impl Fn(&mut S, u32, &str) -> Result<()> + Sync,
) -> Result<()> {
    let before = &firsts.units.text_bytes;
    let read = |state: &mut S, (unit, group): (u32, u32), text: &str, _: &mut Buffers| {
        let bytes = before[unit as usize];
        // Of a blank text, no bytes were counted.
        if text.len() as u32 != bytes && !(bytes == 0 && text.trim_start().is_empty()) {
            return Ok(false);
        }
        take(state, group, text)?;
        Ok(true)
    };
    for_each_unit(context, reading, firsts, stage, start, read)
}

/// The same with what `read` makes of a unit and its group; it returns whether the text is as in the
/// first pass.
fn for_each_unit<S>(
    context: &Context,
    reading: &Reading,
    firsts: Firsts,
    stage: &str,
    start: impl Fn() -> S + Sync,
    read: impl Fn(&mut S, (u32, u32), &str, &mut Buffers) -> Result<bool> + Sync,
) -> Result<()> {
    let source = reading.source;
    let units = firsts.units;
    let group = |unit: u32| {
        firsts.group(unit).filter(|_| {
            !reading.leaves_out(units.tokens[unit as usize], units.text_bytes[unit as usize])
        })
    };
    let is_needed = |record: usize| units.of_record(record).any(|unit| group(unit).is_some());
    let of_file = |file: u32| -> Places<'_> {
        let records = &units.records;
        let wanted = records.of_file(file).filter(|record| is_needed(*record));
        Box::new(wanted.map(|record| records.place(record)))
    };
    let Fetched { chunks, bytes } = match firsts.wanted {
        Some(_) => source.fetch(Wanted::new(&of_file))?,
        None => Fetched::all(source)?,
    };
    let all = firsts.groups.first.iter();
    let needed = all.filter(|unit| group(**unit).is_some()).count();
    let mut done = 0;
    context.progress.begin(stage, Some(bytes), Amount::Bytes);
    for_each_of(
        context,
        source.files(),
        chunks,
        || (start(), Batch::default(), Buffers::default()),
        |(state, batch, buffers), chunk| {
            let file = chunk.file();
            let is_wanted = |number: u64| {
                let record = units.records.find(file, number);
                record.is_none_or(is_needed)
            };
            batch.clear();
            chunk.read_some(&is_wanted, batch);
            if let Some(record) = chunk.large() {
                buffers.make_room(record)?;
            }
            let path = &source.files()[file as usize].path;
            let changed = |number: u64| changed(path, number);
            let mut taken = 0;
            for place in 0..batch.records.len() {
                let record = &batch.records[place];
                let at = units
                    .records
                    .find(file, record.number)
                    .ok_or_else(|| changed(record.number))?;
                if !is_needed(at) {
                    continue;
                }
                let range = units.of_record(at);
                reading.parts(batch, place, buffers);
                if buffers.parts.len() != range.len() {
                    return Err(changed(record.number));
                }
                let text = batch.text_of(record);
                let parts = std::mem::take(&mut buffers.parts);
                for (part, unit) in parts.iter().zip(range) {
                    let Some(group) = group(unit) else { continue };
                    let text = &text[part.text.clone()];
                    if !read(state, (unit, group), text, buffers)? {
                        return Err(changed(record.number));
                    }
                    taken += 1;
                }
                buffers.parts = parts;
            }
            Ok(taken)
        },
        |taken| {
            done += taken;
            Ok(())
        },
    )?;
    context.progress.end();
    if done != needed {
        return Err(Error::data(format!(
            "the files changed while they were read: of {needed} texts {done} are still there"
        ))
        .hint("run again on a copy that no one writes to"));
    }
    Ok(())
}
