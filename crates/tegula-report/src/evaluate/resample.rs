//! Confidence intervals by the bootstrap (Efron 1979) over groups: pairs within a group are not
//! independent, so a resample has a group with all its pairs, or without any.
//!
//! A resample draws each group a number of times from the Poisson distribution with mean 1 (Hanley
//! and MacGibbon 2006), by a hash of the resample's number and of the first id in the group. So a
//! resample is the same whatever results are compared, which makes differences of two results
//! paired, and intervals are the same each time. Resamples are independent, and computed on the
//! threads of the current pool.

use super::sides::Sides;
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use tegula::evaluation::Scores;
use tegula::hash::mix;

/// The share of resamples outside an interval, on each side.
const TAIL: f64 = 0.025;

/// A 95 % percentile interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Serialize for Interval {
    /// As a list of both ends.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.low, self.high].serialize(serializer)
    }
}

impl Interval {
    /// The middle 95 % of some values; none of fewer than two.
    fn of(mut values: Vec<f64>) -> Option<Self> {
        if values.len() < 2 {
            return None;
        }
        values.sort_unstable_by(f64::total_cmp);
        let outside = (TAIL * values.len() as f64) as usize;
        Some(Self {
            low: values[outside],
            high: values[values.len() - 1 - outside],
        })
    }

    /// Whether it has values of one sign only.
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Intervals of scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ScoreIntervals {
    /// Of the precision.
    pub precision: Option<Interval>,
    /// Of the recall.
    pub recall: Option<Interval>,
    /// Of F1.
    pub f1: Option<Interval>,
    /// The groups that have true or found items, over which was resampled.
    pub groups: u64,
}

/// The counts of every resample.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sampled {
    totals: Vec<Sides>,
    groups: u64,
}

/// Counts by group.
#[derive(Debug, Default)]
pub(super) struct ByGroup {
    groups: HashMap<u32, Sides>,
}

impl ByGroup {
    /// Adds counts to a group; one without any is not resampled.
    pub(super) fn add(&mut self, group: u32, one: Sides) {
        if one == Sides::default() {
            return;
        }
        let sides = self.groups.entry(group).or_default();
        sides.found += one.found;
        sides.hits += one.hits;
        sides.positives += one.positives;
    }

    /// The sum over all groups.
    pub(super) fn total(&self) -> Sides {
        let sum = |of: fn(&Sides) -> u64| self.groups.values().map(of).sum();
        Sides {
            found: sum(|sides| sides.found),
            hits: sum(|sides| sides.hits),
            positives: sum(|sides| sides.positives),
        }
    }

    /// The counts of this many resamples; `key` gives the hash of a group. With fewer than two
    /// groups all resamples would be the same, so there are none.
    pub(super) fn sampled(&self, resamples: u32, key: impl Fn(u32) -> u64) -> Sampled {
        let groups: Vec<(u64, Sides)> = self
            .groups
            .iter()
            .map(|(group, sides)| (key(*group), *sides))
            .collect();
        let total = |resample: u32| {
            let draws = Draws::of(resample);
            let mut total = Sides::default();
            for (key, sides) in &groups {
                let times = draws.times(*key);
                total.found += times * sides.found;
                total.hits += times * sides.hits;
                total.positives += times * sides.positives;
            }
            total
        };
        let enough = groups.len() > 1;
        Sampled {
            totals: (0..if enough { resamples } else { 0 })
                .into_par_iter()
                .map(total)
                .collect(),
            groups: groups.len() as u64,
        }
    }
}

impl Sampled {
    fn interval(&self, of: impl Fn(&Scores) -> Option<f64>) -> Option<Interval> {
        Interval::of(self.scores().filter_map(|scores| of(&scores)).collect())
    }

    fn scores(&self) -> impl Iterator<Item = Scores> {
        let scores = |of: &Sides| Scores::of(of.hits, of.found, of.positives);
        self.totals.iter().map(scores)
    }

    /// The interval of a figure of each resample, its counts, and its documents, which `documents`
    /// counts as found.
    pub(super) fn among(
        &self,
        documents: &Self,
        of: impl Fn(u32, Sides, u64) -> Option<f64> + Sync,
    ) -> Option<Interval> {
        let both = self.totals.par_iter().zip(&documents.totals).enumerate();
        let figures =
            both.filter_map(|(at, (counts, documents))| of(at as u32, *counts, documents.found));
        Interval::of(figures.collect())
    }

    /// The intervals. With `precision_only`, recall is not known.
    pub(super) fn intervals(&self, precision_only: bool) -> ScoreIntervals {
        let known = |interval| if precision_only { None } else { interval };
        ScoreIntervals {
            precision: self.interval(|scores| scores.precision),
            recall: known(self.interval(|scores| scores.recall)),
            f1: known(self.interval(|scores| scores.f1)),
            groups: self.groups,
        }
    }

    /// The interval of the difference of a figure: the other's minus this one's, each resample with
    /// itself.
    pub(super) fn difference(
        &self,
        other: &Self,
        of: impl Fn(&Scores) -> Option<f64>,
    ) -> Option<Interval> {
        let pairs = self.scores().zip(other.scores());
        Interval::of(
            pairs
                .filter_map(|(one, other)| Some(of(&other)? - of(&one)?))
                .collect(),
        )
    }
}

/// The draws of a resample.
pub(super) struct Draws {
    chances: [u32; 12],
    salt: u64,
}

impl Draws {
    /// Those of this resample.
    pub(super) fn of(resample: u32) -> Self {
        Self {
            chances: chances(),
            salt: mix(u64::from(resample) + 1),
        }
    }

    /// How often the group with this hash is drawn.
    pub(super) fn times(&self, key: u64) -> u64 {
        drawn(&self.chances, mix(key ^ self.salt))
    }
}

/// The chances of at most 0, 1, 2, ... draws, as numbers of 32 bits; a group is drawn at most twelve
/// times, as more has a probability below one in ten billion.
fn chances() -> [u32; 12] {
    let (mut term, mut sum) = (1.0 / std::f64::consts::E, 0.0);
    std::array::from_fn(|times| {
        sum += term;
        term /= times as f64 + 1.0;
        (sum * 4_294_967_296.0) as u32
    })
}

/// How often a group is drawn, given a random number. Branchless, as mispredicted branches would
/// take most of the time.
fn drawn(chances: &[u32; 12], random: u64) -> u64 {
    let random = (random >> 32) as u32;
    let times: u32 = chances
        .iter()
        .map(|chance| u32::from(random >= *chance))
        .sum();
    times.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_group(counts: impl IntoIterator<Item = (u64, u64, u64)>) -> ByGroup {
        let mut all = ByGroup::default();
        for (group, (found, hits, positives)) in (0..).zip(counts) {
            let one = Sides {
                found,
                hits,
                positives,
            };
            all.add(group, one);
        }
        all
    }

    fn sampled(all: &ByGroup) -> Sampled {
        all.sampled(1_000, |group| mix(u64::from(group) + 7))
    }

    #[test]
    fn draws_have_the_mean_and_the_variance_of_one() {
        let chances = chances();
        let draws: Vec<f64> = (0..100_000)
            .map(|at| drawn(&chances, mix(mix(at) ^ 5)) as f64)
            .collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 1e5;
        assert!((mean - 1.0).abs() < 0.01 && (variance - 1.0).abs() < 0.03);
        assert_eq!((drawn(&chances, 0), drawn(&chances, u64::MAX)), (0, 12));
    }

    #[test]
    fn where_all_is_right_the_interval_is_one() {
        let one = Some(Interval {
            low: 1.0,
            high: 1.0,
        });
        let found = sampled(&by_group([(2, 2, 2); 30])).intervals(false);
        assert_eq!((found.precision, found.recall, found.f1), (one, one, one));
        assert_eq!(found.groups, 30);
        let alone = sampled(&by_group([(2, 2, 2)])).intervals(false);
        assert_eq!((alone.precision, alone.groups), (None, 1));
    }

    #[test]
    fn an_interval_is_that_of_a_binomial_share() {
        // 80 of 100 groups of one pair are right: the standard error is 0.04.
        let all = by_group((0..100).map(|at| (2, if at % 5 == 0 { 0 } else { 2 }, 2)));
        let interval = sampled(&all).intervals(false).precision.unwrap();
        assert!((interval.low - 0.72).abs() < 0.02, "{interval:?}");
        assert!((interval.high - 0.88).abs() < 0.02, "{interval:?}");
        // Ten times as many pairs in the same number of groups are no more informative.
        let more = by_group((0..100).map(|at| (20, if at % 5 == 0 { 0 } else { 20 }, 20)));
        assert_eq!(sampled(&more).intervals(false).precision, Some(interval));
    }

    #[test]
    fn a_difference_is_paired() {
        let precision = |scores: &Scores| scores.precision;
        let all = by_group((0..50).map(|at| (2, 2 * (at % 2), 2)));
        let same = sampled(&all).difference(&sampled(&all), precision).unwrap();
        assert_eq!((same.low.to_bits(), same.high.to_bits()), (0, 0));
        // One more is right in every fifth group; alone, neither figure is known as well.
        let better = by_group((0..50).map(|at| (2, if at % 5 == 0 { 2 } else { 2 * (at % 2) }, 2)));
        let gap = sampled(&all).difference(&sampled(&better), precision);
        let gap = gap.unwrap();
        assert!(gap.excludes_zero() && gap.high - gap.low < 0.2, "{gap:?}");
        let own = sampled(&all).intervals(true).precision.unwrap();
        assert!(own.high - own.low > 0.2 && sampled(&all).intervals(true).recall.is_none());
    }

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(Interval::of(vec![1.0]), None);
        let values = (0..1000).rev().map(f64::from).collect();
        let interval = Interval::of(values).unwrap();
        assert_eq!(
            [interval.low, interval.high].map(|end| end as u32),
            [25, 974]
        );
    }
}
