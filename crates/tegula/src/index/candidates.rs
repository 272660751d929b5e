//! The units of a segment that may match a text, by how many of its features they have.
//!
//! Lists of units are read from the shortest. As long as a unit that was in none of those before may
//! still match, its list is read, in the range of sizes for which that is so ([`Method::most`]); units
//! are numbered by size, so that a range of sizes is a range of numbers. In longer lists the units that
//! are left are sought, as long as that is cheaper than to compare their texts (compare Li, Lu and Lu
//! 2008, DivideSkip).

use super::dictionary::Numbers;
use super::segment::Segment;
use crate::error::Result;
use crate::lookup::{Method, Reading, Rest, Size};
use crate::shingle::Shingler;
use crate::threshold::{Score, Threshold};
use std::ops::Range;

/// How long a list is in which units are sought in the time in which two texts are compared.
const COMPARISON: usize = 1 << 17;

/// A unit that may match, with the most that its score can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) most: Score,
    pub(super) unit: u32,
}

/// The tables of one thread: by unit, how many features it shares so far, and their weight.
#[derive(Default)]
pub(super) struct Tables {
    shared: Vec<u16>,
    weights: Vec<u64>,
    touched: Vec<u32>,
    /// A bit for each unit that shares as many as it needs.
    enough: Vec<u64>,
}

/// A count that may be larger.
const MANY: u16 = u16::MAX;

impl Tables {
    /// Makes room for so many units.
    fn reserve(&mut self, units: usize, weighs: bool) {
        if self.shared.len() < units {
            self.shared.resize(units, 0);
        }
        let words = self.shared.len().div_ceil(64);
        self.enough.resize(words, 0);
        if weighs && self.weights.len() < units {
            self.weights.resize(units, 0);
        }
    }

    /// How many of the features read so far a unit shares.
    fn shared(&self, unit: u32) -> u32 {
        match self.shared[unit as usize] {
            MANY => u32::MAX,
            shared => shared.into(),
        }
    }

    fn weight(&self, unit: u32) -> u64 {
        self.weights.get(unit as usize).copied().unwrap_or(0)
    }

    /// Counts a feature of this weight for the units of a list in a range; `first` gets those that had
    /// none before.
    #[inline]
    fn count(
        &mut self,
        units: Numbers,
        range: &Range<u32>,
        weight: u64,
        mut first: impl FnMut(u32),
    ) {
        let Self {
            shared, weights, ..
        } = self;
        units.each(range.start, |unit| {
            // A damaged list may go beyond the units.
            if unit >= range.end {
                return false;
            }
            let shared = &mut shared[unit as usize];
            if *shared == 0 {
                first(unit);
            }
            *shared = shared.saturating_add(1);
            if weight > 0 {
                weights[unit as usize] += weight;
            }
            true
        });
    }

    /// Counts a feature of this weight for those of some units, in ascending order, that are in a list.
    fn seek(&mut self, units: Numbers, among: &[(u32, u32)], weight: u64) {
        let mut seek = units.seek();
        for (unit, _) in among {
            if seek.has(*unit) {
                let shared = &mut self.shared[*unit as usize];
                *shared = shared.saturating_add(1);
                if weight > 0 {
                    self.weights[*unit as usize] += weight;
                }
            }
        }
    }
}

/// What is asked of a segment.
struct Asking<'a> {
    segment: &'a Segment,
    method: Method,
    threshold: Option<Threshold>,
    size: Size,
    /// The units of each feature, the shortest list first.
    lists: Vec<(Numbers<'a>, u32)>,
    /// What each and those after it contribute.
    rests: Vec<Rest>,
    /// The classes whose units were counted in each list: each range is in those before it.
    read: Vec<Range<usize>>,
    /// How many of the lists after these were read as far as candidates are in them.
    more: usize,
}

impl Asking<'_> {
    fn admits(&self, score: Score) -> bool {
        match self.threshold {
            Some(threshold) => self.method.measure().admits(threshold, score),
            None => score.part > 0,
        }
    }

    /// The most that the score of a unit of a class can be.
    fn most(&self, class: usize, rest: Rest) -> Score {
        let class = &self.segment.classes[class];
        (self.method).most((class.least, class.most), self.size, rest)
    }

    fn may(&self, class: usize, rest: Rest) -> bool {
        self.admits(self.most(class, rest))
    }

    fn rest(&self, at: usize) -> Rest {
        self.rests.get(at).copied().unwrap_or_default()
    }

    /// For each list, as long as new candidates may be in it, the classes in which they may be.
    fn open(&mut self) {
        let (mut from, mut to) = (0, self.segment.classes.len());
        for rest in &self.rests {
            while from < to && !self.may(to - 1, *rest) {
                to -= 1;
            }
            while from < to && !self.may(from, *rest) {
                from += 1;
            }
            if from == to {
                break;
            }
            self.read.push(from..to);
        }
    }

    /// The units of some classes.
    fn units(&self, classes: &Range<usize>) -> Range<u32> {
        self.segment.units_of(classes.start).start..self.segment.units_of(classes.end - 1).end
    }

    /// What units of a class may share with the text beyond what was counted.
    fn uncounted(&self, class: usize) -> Rest {
        let read = self.read.partition_point(|range| range.contains(&class));
        let (unread, opened) = (self.rest(read), self.rest(self.read.len()));
        let later = self.rest(self.read.len() + self.more);
        Rest {
            shingles: unread.shingles - opened.shingles + later.shingles,
            covered: self.rest(0).covered,
            weight: unread.weight - opened.weight + later.weight,
        }
    }

    /// The most that a unit of a class shares with the text.
    fn share(&self, (unit, class): (u32, usize), tables: &Tables) -> Rest {
        let uncounted = self.uncounted(class);
        Rest {
            shingles: tables.shared(unit).saturating_add(uncounted.shingles),
            weight: tables.weight(unit) + uncounted.weight,
            ..uncounted
        }
    }

    /// By class, how many features that were counted its units must share if they may match; where more
    /// than the number decides, there are none.
    fn needs(&self) -> Vec<u16> {
        let all = self.rests.len() as u32;
        let is_by_number = !self.method.covers() && !self.method.weighs();
        let Some(classes) = self.read.first().filter(|_| is_by_number) else {
            return Vec::new();
        };
        let mut needs = vec![MANY; classes.end];
        let mut need = 1;
        for class in classes.clone() {
            let is_enough = |shingles: u32| {
                let rest = Rest {
                    shingles,
                    ..Rest::default()
                };
                self.may(class, rest)
            };
            while need <= all && !is_enough(need) {
                need += 1;
            }
            while need > 1 && is_enough(need - 1) {
                need -= 1;
            }
            let counted = need.saturating_sub(self.uncounted(class).shingles).max(1);
            // A count may be larger than what is stored.
            needs[class] = u16::try_from(counted).unwrap_or(MANY);
        }
        needs
    }

    /// Counts a feature for the units of a list in some classes, and marks those that have as many as
    /// they need now.
    fn count(
        &self,
        (units, classes): (Numbers, &Range<usize>),
        needs: &[u16],
        tables: &mut Tables,
    ) {
        let all = self.units(classes);
        let mut class = classes.start;
        let mut end = self.segment.units_of(class).end;
        units.each(all.start, |unit| {
            if unit >= all.end {
                return false;
            }
            while unit >= end {
                class += 1;
                end = self.segment.units_of(class).end;
            }
            let shared = &mut tables.shared[unit as usize];
            let now = shared.wrapping_add(1);
            if now == needs[class] {
                tables.enough[unit as usize / 64] |= 1 << (unit % 64);
            }
            *shared = shared.saturating_add(1);
            true
        });
    }

    /// The units of some classes that are marked, ascending, each with its class; no mark remains.
    fn marked(&self, classes: Range<usize>, tables: &mut Tables) -> Vec<(u32, u32)> {
        let all = self.units(&classes);
        let mut class = classes.start;
        let mut end = self.segment.units_of(class).end;
        let mut marked = Vec::new();
        for word in all.start / 64..all.end.div_ceil(64) {
            let mut bits = std::mem::take(&mut tables.enough[word as usize]);
            while bits != 0 {
                let unit = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                while unit >= end {
                    class += 1;
                    end = self.segment.units_of(class).end;
                }
                marked.push((unit, class as u32));
            }
        }
        marked
    }

    /// Whether a unit of a class may match.
    fn may_match(&self, (unit, class): (u32, u32), needs: &[u16], tables: &Tables) -> bool {
        let class = class as usize;
        if let Some(need) = needs.get(class) {
            return tables.shared[unit as usize] >= *need;
        }
        self.may(class, self.share((unit, class), tables))
    }
}

/// How many units of a list are read in the time in which one is sought.
const SOUGHT: usize = 4;

/// One in so many units must be in a list for all counts to be looked through, not those that changed.
const DENSE: usize = 8;

/// The candidates of a segment; without a threshold, all units that share a feature.
///
/// # Errors
/// If the segment is damaged.
pub(super) fn candidates(
    segment: &Segment,
    asked: &mut Reading,
    (method, shingler): (Method, &Shingler),
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
    let mut asking = Asking {
        segment,
        method,
        threshold,
        size: asked.size,
        rests: asked.rests(&features, method, shingler),
        lists,
        read: Vec::new(),
        more: 0,
    };
    asking.open();
    let Some(widest) = asking.read.first().cloned() else {
        return Ok(Vec::new());
    };
    tables.reserve(segment.amount.units as usize, method.weighs());
    let all = asking.units(&widest);
    let in_lists = asking.lists[..asking.read.len()].iter();
    let is_dense = in_lists.map(|(units, _)| units.len()).sum::<usize>() * DENSE > all.len();
    let mut touched = std::mem::take(&mut tables.touched);
    let mut needs = asking.needs();
    let mut left: Vec<(u32, u32)> = Vec::new();
    for ((units, feature), classes) in asking.lists.iter().zip(&asking.read) {
        let (range, weight) = (asking.units(classes), asked.weight(*feature));
        if !is_dense {
            tables.count(*units, &range, weight, |unit| touched.push(unit));
        } else if needs.is_empty() {
            tables.count(*units, &range, weight, |_| ());
        } else {
            asking.count((*units, classes), &needs, tables);
        }
    }
    if !is_dense {
        let with_class = touched
            .iter()
            .map(|unit| (*unit, segment.class_of(*unit) as u32));
        left.extend(with_class.filter(|unit| asking.may_match(*unit, &needs, tables)));
        left.sort_unstable();
    } else if needs.is_empty() {
        for class in widest {
            let units = segment.units_of(class).map(|unit| (unit, class as u32));
            left.extend(units.filter(|(unit, _)| tables.shared[*unit as usize] > 0));
        }
        left.retain(|unit| asking.may_match(*unit, &needs, tables));
    } else {
        left = asking.marked(widest, tables);
    }
    while let Some((units, feature)) = asking.lists.get(asking.read.len() + asking.more) {
        if left.len() * COMPARISON <= units.len() {
            break;
        }
        let weight = asked.weight(*feature);
        match (left.first(), left.last()) {
            // A short list is read faster than many units are sought in it.
            (Some(first), Some(last)) if is_dense && left.len() * SOUGHT > units.len() => {
                tables.count(*units, &(first.0..last.0 + 1), weight, |_| ());
            }
            _ => tables.seek(*units, &left, weight),
        }
        asking.more += 1;
        // One feature less remains to be shared.
        for need in &mut needs {
            *need = need.saturating_add(1);
        }
        left.retain(|unit| asking.may_match(*unit, &needs, tables));
    }
    let found = left.iter().map(|(unit, class)| {
        let class = *class as usize;
        Candidate {
            most: asking.most(class, asking.share((*unit, class), tables)),
            unit: *unit,
        }
    });
    let found = found.collect();
    if is_dense {
        let range = all.start as usize..all.end as usize;
        tables.shared[range.clone()].fill(0);
        if let Some(weights) = tables.weights.get_mut(range) {
            weights.fill(0);
        }
    }
    for unit in touched.drain(..) {
        tables.shared[unit as usize] = 0;
        if let Some(sum) = tables.weights.get_mut(unit as usize) {
            *sum = 0;
        }
    }
    tables.touched = touched;
    Ok(found)
}
