//! The units of a segment that may match a text, by how many of its features they have.
//!
//! Lists of units are read from the shortest. As long as a unit that was in none of those before may
//! still match, its list is read, in the range of sizes for which that is so ([`Method::most`]); units
//! are numbered by size, so that a range of sizes is a range of numbers. After that, longer lists are
//! read only as far as that is cheaper than to compare the texts that are left (compare Li, Lu and Lu
//! 2008, DivideSkip).

use super::dictionary::Numbers;
use super::segment::Segment;
use crate::error::Result;
use crate::lookup::{Method, Reading, Rest};
use crate::shingle::Shingler;
use crate::threshold::{Score, Threshold};
use std::ops::Range;

/// How many units of a list are read in the time in which two texts are compared.
const COMPARISON: usize = 8192;

/// A unit that may match, with the most that its score can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) most: Score,
    pub(super) unit: u32,
}

/// The tables of one thread: by unit, how many features it shares so far, and their weight.
#[derive(Default)]
pub(super) struct Tables {
    shared: Vec<u32>,
    weights: Vec<u64>,
    touched: Vec<u32>,
}

/// The lists of a text's features in a segment.
struct Lists<'a> {
    /// The shortest first, each with its feature.
    lists: Vec<(Numbers<'a>, u32)>,
    rests: Vec<Rest>,
    /// The units of each list that were read.
    read: Vec<Range<u32>>,
    /// How many of the lists after these were read as far as candidates are in them.
    more: usize,
}

impl Lists<'_> {
    /// The most that a unit shares with the text, given what was found.
    fn most(&self, unit: u32, tables: &Tables) -> Rest {
        // Every range is in those before it.
        let read = self.read.partition_point(|range| range.contains(&unit));
        let of = |at: usize| self.rests.get(at).copied().unwrap_or_default();
        let (unread, opened) = (of(read), of(self.read.len()));
        let later = of(self.read.len() + self.more);
        let weight = tables.weights.get(unit as usize).copied().unwrap_or(0);
        Rest {
            shingles: tables.shared[unit as usize]
                + (unread.shingles - opened.shingles)
                + later.shingles,
            covered: of(0).covered,
            weight: weight + (unread.weight - opened.weight) + later.weight,
        }
    }
}

/// The candidates of a segment; without a threshold, all units that share a feature.
///
/// # Errors
/// If the segment is damaged.
pub(super) fn candidates(
    segment: &Segment,
    asked: &mut Reading,
    (method, shingler): (&Method, &Shingler),
    threshold: Option<Threshold>,
    tables: &mut Tables,
) -> Result<Vec<Candidate>> {
    let mut lists: Vec<(Numbers, u32)> = Vec::new();
    for (number, feature) in (0..).zip(asked.distinct()) {
        if let Some(units) = segment.with_feature(feature)? {
            lists.push((units, number));
        }
    }
    lists.sort_unstable_by_key(|(units, number)| (units.len(), *number));
    let features: Vec<u32> = lists.iter().map(|(_, number)| *number).collect();
    let mut all = Lists {
        rests: asked.rests(&features, method, shingler),
        read: Vec::with_capacity(lists.len()),
        lists,
        more: 0,
    };
    let units = segment.amount.units as usize;
    if tables.shared.len() < units {
        tables.shared.resize(units, 0);
    }
    if method.weighs() && tables.weights.len() < units {
        tables.weights.resize(units, 0);
    }
    let admits = |score: Score| match threshold {
        Some(threshold) => method.measure().admits(threshold, score),
        None => score.part > 0,
    };
    let size = asked.size;
    let most = |class: usize, rest: Rest| {
        let class = &segment.classes[class];
        method.most((class.least, class.most), size, rest)
    };
    let weight = |feature: u32| asked.weight(feature);
    let (mut from, mut to) = (0, segment.classes.len());
    for ((units, feature), rest) in all.lists.iter().zip(&all.rests) {
        while from < to && !admits(most(to - 1, *rest)) {
            to -= 1;
        }
        while from < to && !admits(most(from, *rest)) {
            from += 1;
        }
        if from == to {
            break;
        }
        let range = segment.units_of(from).start..segment.units_of(to - 1).end;
        for unit in units.from(range.start) {
            if unit >= range.end {
                break;
            }
            let Some(shared) = tables.shared.get_mut(unit as usize) else {
                break;
            };
            if *shared == 0 {
                tables.touched.push(unit);
            }
            *shared += 1;
            if let Some(sum) = tables.weights.get_mut(unit as usize) {
                *sum += weight(*feature);
            }
        }
        all.read.push(range);
    }
    let mut touched = std::mem::take(&mut tables.touched);
    let bound = |unit: u32, all: &Lists, tables: &Tables| {
        most(segment.class_of(unit), all.most(unit, tables))
    };
    let mut left: Vec<u32> = touched.clone();
    left.retain(|unit| admits(bound(*unit, &all, tables)));
    while let Some((units, feature)) = all.lists.get(all.read.len() + all.more) {
        if left.len() * COMPARISON <= units.len() {
            break;
        }
        let ends = left.iter().min().zip(left.iter().max());
        let (first, last) = ends.map_or((0, 0), |(first, last)| (*first, *last));
        for unit in units.from(first) {
            if unit > last {
                break;
            }
            let Some(shared) = tables.shared.get_mut(unit as usize) else {
                break;
            };
            if *shared > 0 {
                *shared += 1;
                if let Some(sum) = tables.weights.get_mut(unit as usize) {
                    *sum += weight(*feature);
                }
            }
        }
        all.more += 1;
        left.retain(|unit| admits(bound(*unit, &all, tables)));
    }
    let found = left.iter().map(|unit| Candidate {
        most: bound(*unit, &all, tables),
        unit: *unit,
    });
    let found = found.collect();
    for unit in touched.drain(..) {
        tables.shared[unit as usize] = 0;
        if let Some(sum) = tables.weights.get_mut(unit as usize) {
            *sum = 0;
        }
    }
    tables.touched = touched;
    Ok(found)
}
