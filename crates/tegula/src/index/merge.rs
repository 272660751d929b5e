//! Merges of segments: what is removed leaves, and a text is found in one place instead of several.

use super::batch::{MOST, write_ids};
use super::bits::Bytes;
use super::blocks::{BlockWriter, Records, Stored};
use super::description::Entry;
use super::dictionary::{DictionaryWriter, FORGOTTEN, Numbers};
use super::pages::PageWriter;
use super::primer::Primer;
use super::removed::Removed;
use super::segment::{Amount, Class, Kind, section, write_units};
use super::view::Live;
use super::vocabulary::Vocabulary;
use crate::context::Context;
use crate::error::Result;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// So many segments of similar size are merged.
const AT_ONCE: usize = 4;
/// Segments of fewer units count as having so many.
const SMALL: u32 = 1 << 10;
/// A segment of which more than this part is removed is written again.
const REMOVED: u32 = 4;

/// Which segments to merge next: neighbours, so that the order of texts remains.
pub(super) fn next(segments: &[Entry], all: bool) -> Option<Range<usize>> {
    let fits = |from: usize, to: usize| {
        let units = segments[from..to]
            .iter()
            .map(|entry| u64::from(entry.units));
        units.sum::<u64>() <= MOST.into()
    };
    let is_bare =
        |entry: &Entry| entry.removed > 0 && (all || entry.removed > entry.records / REMOVED);
    if all {
        let mut from = 0;
        while from < segments.len() {
            let mut to = from + 1;
            while to < segments.len() && fits(from, to + 1) {
                to += 1;
            }
            if to - from > 1 || is_bare(&segments[from]) {
                return Some(from..to);
            }
            from = to;
        }
        return None;
    }
    if let Some(at) = segments.iter().position(is_bare) {
        return Some(at..at + 1);
    }
    let level = |entry: &Entry| (entry.units.max(SMALL) / SMALL).ilog(AT_ONCE as u32);
    (0..=MOST.ilog(AT_ONCE as u32)).find_map(|least| {
        let to = segments.len();
        let latest = segments.iter().rev().map(level);
        let latest = latest.take_while(|level| *level <= least);
        let mut from = to - latest.clone().count();
        if latest.filter(|level| *level == least).count() < AT_ONCE {
            return None;
        }
        while !fits(from, to) {
            from += 1;
        }
        (to - from > 1).then_some(from..to)
    })
}

/// Marks a record or unit that is not in the merged segment.
const NONE: u32 = u32::MAX;

/// A segment that was written from others.
pub(super) struct Merged {
    pub(super) amount: Amount,
    /// Bytes of its file.
    pub(super) bytes: u64,
    /// With what its blocks are compressed.
    pub(super) primer: Option<Arc<Primer>>,
    /// By part, the new number of each of its records; none for those that were removed.
    numbers: Vec<Vec<u32>>,
}

impl Merged {
    /// The records that were removed from the parts since the merge began, by their new numbers.
    pub(super) fn removed_since(&self, before: &[Live], after: &[Live]) -> Removed {
        let mut removed = Removed::none(self.amount.records);
        let parts = before.iter().zip(after).zip(&self.numbers);
        for ((before, after), numbers) in parts {
            if after.removed.count() == before.removed.count() {
                continue;
            }
            for (old, new) in (0..).zip(numbers) {
                if *new != NONE && after.removed.has(old) {
                    removed.add(*new);
                }
            }
        }
        removed
    }
}

/// Writes a segment of what these hold and is not removed.
///
/// # Errors
/// If a segment is damaged, the disk full, or the memory ceiling too low.
pub(super) fn merge(
    context: &Context,
    path: &Path,
    parts: &[Live],
    (kind, fields): (Kind, usize),
    primer: Option<&Arc<Primer>>,
) -> Result<Merged> {
    let of_parts = |amount: fn(&Amount) -> u32| -> u64 {
        let amounts = parts
            .iter()
            .map(|live| u64::from(amount(&live.segment.amount)));
        amounts.sum()
    };
    let (units, records) = (of_parts(|of| of.units), of_parts(|of| of.records));
    let _held = (context.budget).reserve(4 * units + 12 * records, "the merge of segments")?;
    let mut file = PageWriter::create(path.to_path_buf())?;
    let Copied {
        numbers,
        records,
        text,
        primer,
    } = copy_records(context, &mut file, parts, (kind, fields), primer)?;
    // By part, the new number of each unit.
    let mut places: Vec<Vec<u32>> = parts
        .iter()
        .map(|live| vec![NONE; live.segment.amount.units as usize])
        .collect();
    // Units are in the order of their classes, and those of a class in the order of their records.
    let mut classes: Vec<(u64, usize, usize)> = Vec::new();
    for (part, live) in parts.iter().enumerate() {
        let keys = live.segment.classes.iter().enumerate();
        classes.extend(keys.map(|(at, class)| (Class::of(class.least, kind.covers), part, at)));
    }
    classes.sort_unstable();
    let mut units = 0;
    for (_, part, class) in &classes {
        let segment = &parts[*part].segment;
        for unit in segment.units_of(*class) {
            let record = segment.unit(unit)?.record;
            let is_kept = numbers[*part]
                .get(record as usize)
                .is_some_and(|of| *of != NONE);
            if is_kept && let Some(place) = places[*part].get_mut(unit as usize) {
                *place = units;
                units += 1;
            }
        }
    }
    write_units(&mut file, kind, |receive| {
        for (_, part, at) in &classes {
            let segment = &parts[*part].segment;
            let class = &segment.classes[*at];
            for number in segment.units_of(*at) {
                if places[*part]
                    .get(number as usize)
                    .is_none_or(|of| *of == NONE)
                {
                    continue;
                }
                let mut unit = segment.unit(number)?;
                unit.record = numbers[*part][unit.record as usize];
                receive((unit, (class.least, class.most)))?;
            }
        }
        Ok(())
    })?;
    drop(classes);
    merge_features(context, &mut file, parts, &places, units)?;
    let mut ids = Vec::with_capacity(records as usize);
    for (live, numbers) in parts.iter().zip(&numbers) {
        let mut entries = live.segment.ids().entries(&live.segment.pages);
        while let Some((key, of)) = entries.next()? {
            let new = of.from(0).filter_map(|old| numbers.get(old as usize));
            let new = new.filter(|number| **number != NONE);
            ids.extend(new.map(|number| key << 30 | u64::from(*number)));
        }
    }
    write_ids(&mut file, &mut ids, records)?;
    let amount = Amount {
        units,
        records,
        text,
    };
    amount.write(&mut file)?;
    Ok(Merged {
        amount,
        primer,
        bytes: file.finish()?,
        numbers,
    })
}

/// The records of a merged segment.
struct Copied {
    /// By part, the new number of each.
    numbers: Vec<Vec<u32>>,
    records: u32,
    /// Bytes of text.
    text: u64,
    /// With what blocks are compressed.
    primer: Option<Arc<Primer>>,
}

/// Copies the records that are not removed: blocks as they are, if they are large and whole.
fn copy_records(
    context: &Context,
    file: &mut PageWriter,
    parts: &[Live],
    (kind, fields): (Kind, usize),
    primer: Option<&Arc<Primer>>,
) -> Result<Copied> {
    let mut blocks = BlockWriter::new(primer.cloned(), kind.texts)?;
    let mut vocabulary = Vocabulary::default();
    let (mut room, mut body) = (Records::default(), Vec::new());
    let (mut all, mut text) = (Vec::new(), 0);
    for live in parts {
        context.check()?;
        let Live { segment, removed } = live;
        let wrong = || segment.pages.damaged("a block of texts", "something else");
        let mut numbers = vec![NONE; segment.amount.records as usize];
        let mut left = segment.amount.text;
        let mut kept = 0;
        for number in 0..segment.blocks.count {
            let at = segment.blocks.place(&segment.pages, number)?;
            if at >= kept + FORGOTTEN {
                segment.pages.forget(section::BLOCKS, kept..at);
                kept = at;
            }
            let block = segment.blocks.block(&segment.pages, number)?;
            let records = block.first..block.first.saturating_add(block.records);
            let new = numbers.get_mut(records.start as usize..records.end as usize);
            let new = new.ok_or_else(wrong)?;
            let is_whole = !records.clone().any(|record| removed.has(record));
            let first = blocks.records();
            if is_whole && kind.texts && blocks.push_block(file, &block)? {
                let numbered = new.iter_mut().zip(first..);
                numbered.for_each(|(place, number)| *place = number);
                continue;
            }
            room.read(&block).ok_or_else(wrong)?;
            for (at, record) in records.enumerate() {
                let stored = room.get(at).ok_or_else(wrong)?;
                if removed.has(record) {
                    let of = Stored::parse(stored).and_then(|stored| stored.parts(fields));
                    let (_, body) = of.ok_or_else(wrong)?;
                    left = left.saturating_sub(body.len() as u64);
                    continue;
                }
                new[at] = blocks.records();
                if kind.texts {
                    blocks.push(file, stored)?;
                    continue;
                }
                let (_, tokens) = Stored::parse(stored)
                    .and_then(|stored| stored.parts(fields))
                    .ok_or_else(wrong)?;
                body.clear();
                body.extend_from_slice(&stored[..stored.len() - tokens.len()]);
                let mut rest = Bytes(tokens);
                while !rest.0.is_empty() {
                    let (tokens, has_tokens) = segment.tokens(rest.0, 0)?.ok_or_else(wrong)?;
                    vocabulary.write(&tokens, has_tokens, &mut body);
                    let length = rest.length().ok_or_else(wrong)?;
                    rest.take(length).ok_or_else(wrong)?;
                }
                blocks.push(file, &body)?;
            }
        }
        if !kind.texts {
            let kept = numbers.iter().filter(|number| **number != NONE).count() as u64;
            left = segment.amount.text / u64::from(segment.amount.records.max(1)) * kept;
        }
        text += left;
        all.push(numbers);
    }
    let copied = Copied {
        numbers: all,
        records: blocks.records(),
        text,
        primer: blocks.primer().cloned(),
    };
    blocks.finish(file)?;
    vocabulary.finish(file)?;
    Ok(copied)
}

/// Comes after all keys.
const NO_KEY: u64 = u64::MAX;

/// Merges the units of every feature.
fn merge_features(
    context: &Context,
    file: &mut PageWriter,
    parts: &[Live],
    places: &[Vec<u32>],
    units: u32,
) -> Result<()> {
    let keys = parts.iter().map(|live| live.segment.features.keys).sum();
    let mut writer = DictionaryWriter::new(keys, units.into());
    let mut entries: Vec<_> = parts
        .iter()
        .map(|live| live.segment.features.entries(&live.segment.pages))
        .collect();
    // By part, its next key, and the units that have it.
    let mut next: Vec<(u64, Numbers)> = Vec::new();
    let mut next_of = |part: usize| -> Result<(u64, Numbers)> {
        let entry = entries[part].next()?;
        Ok(entry.unwrap_or((NO_KEY, Numbers::One(NONE))))
    };
    for part in 0..parts.len() {
        next.push(next_of(part)?);
    }
    let mut of_key: Vec<u32> = Vec::new();
    let mut steps = 0_u32;
    loop {
        let least = next.iter().fold(NO_KEY, |least, (key, _)| least.min(*key));
        if least == NO_KEY {
            break;
        }
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(1 << 16) {
            context.check()?;
        }
        of_key.clear();
        for part in 0..parts.len() {
            let (key, numbers) = next[part];
            if key != least {
                continue;
            }
            let new = |old: u32| places[part].get(old as usize).copied().unwrap_or(NONE);
            match numbers {
                Numbers::One(old) => of_key.push(new(old)),
                Numbers::Several(list) => of_key.extend(list.iter().map(new)),
            }
            next[part] = next_of(part)?;
        }
        of_key.retain(|number| *number != NONE);
        if of_key.is_empty() {
            continue;
        }
        if of_key.len() > 1 {
            of_key.sort_unstable();
            of_key.dedup();
        }
        writer.push(file, least, &of_key)?;
    }
    writer.finish(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(units: u32, removed: u32) -> Entry {
        Entry {
            file: 0,
            bytes: 0,
            records: units,
            units,
            text: 0,
            primed: false,
            removed,
            removed_file: None,
        }
    }

    #[test]
    fn segments_stay_few_and_texts_are_seldom_merged() {
        let (mut segments, mut written, mut most) = (Vec::new(), 0, 0);
        for _ in 0..4000 {
            segments.push(entry(1000, 0));
            while let Some(range) = next(&segments, false) {
                let units = segments[range.clone()]
                    .iter()
                    .map(|entry| entry.units)
                    .sum();
                written += units / 1000;
                segments.splice(range, [entry(units, 0)]);
            }
            most = most.max(segments.len());
        }
        assert!(most <= 20 && written < 4000 * 8, "{most} {written}");
        assert_eq!(next(&[entry(9000, 3000)], false), Some(0..1));
        assert_eq!(next(&[entry(9000, 2000)], false), None);
        assert_eq!(next(&[entry(9000, 2000)], true), Some(0..1));
        assert_eq!(next(&[entry(9000, 0), entry(7, 0)], true), Some(0..2));
        assert_eq!(next(&[entry(MOST, 0), entry(7, 0)], true), None);
        let large = [
            entry(MOST, 0),
            entry(MOST, 0),
            entry(MOST, 0),
            entry(MOST, 0),
        ];
        assert_eq!(next(&large, false), None);
    }
}
