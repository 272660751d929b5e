//! Pairs of groups, and the counts behind their scores.

use crate::constraint::Allowed;
use crate::threshold::Score;

/// Two groups at or above the threshold, `a` before `b`, and their overlap.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable,
)]
#[repr(C)]
pub struct Pair {
    /// The earlier group.
    pub a: u32,
    /// The later group.
    pub b: u32,
    /// Shared distinct shingles, or covered tokens of `a`; the part, if a pair stores a ratio.
    pub in_a: u32,
    /// Shared distinct shingles, or covered tokens of `b`; the whole, if a pair stores a ratio.
    pub in_b: u32,
}

impl Pair {
    /// Two groups in order, with the overlap in each; `parts` are in the order in which the groups
    /// are given. A ratio keeps its order in any case.
    pub fn of((a, b): (u32, u32), (in_a, in_b): (u32, u32), is_ratio: bool) -> Self {
        if a < b {
            Self { a, b, in_a, in_b }
        } else if is_ratio {
            Self {
                a: b,
                b: a,
                in_a,
                in_b,
            }
        } else {
            Self {
                a: b,
                b: a,
                in_a: in_b,
                in_b: in_a,
            }
        }
    }

    /// The same with less in both, if what it stores are shares.
    #[must_use]
    pub(crate) fn lowered(self, by: u32) -> Self {
        Self {
            in_a: self.in_a.saturating_sub(by),
            in_b: self.in_b.saturating_sub(by),
            ..self
        }
    }
}

/// Sizes of the groups' texts, from which scores are computed.
#[derive(Debug, Clone, Copy)]
pub struct Sizes<'a> {
    /// Distinct shingles by group.
    pub sets: &'a [u32],
    /// Tokens by group, at least 1.
    pub lengths: &'a [u32],
}

/// Which groups take part, by group; all if not given.
pub type Chosen<'a> = Option<&'a [bool]>;

/// Which pairs of groups count; by default all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allow<'a> {
    /// Which may be compared, by group.
    pub constraints: Option<&'a Allowed>,
    /// One of the two must be chosen.
    pub either: Chosen<'a>,
}

impl Allow<'_> {
    /// Whether every pair counts.
    pub fn all(self) -> bool {
        self.constraints.is_none() && self.either.is_none()
    }

    /// Whether this pair counts.
    #[inline]
    pub fn pair(self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|group| group as usize);
        self.either.is_none_or(|chosen| chosen[a] || chosen[b])
            && self.constraints.is_none_or(|allowed| allowed.pair(a, b))
    }
}

/// The error of upper bounds, if pairs are first found by these (Rabin fingerprints; Kupietz §2.7).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Validation {
    /// Pairs whose upper bound was at or above [`Validation::FLOOR`], and the threshold.
    pub pairs: u64,
    /// Sum of bound minus true value, in billionths.
    pub excess: u64,
}

impl Validation {
    /// Upper bounds are counted from this value on, unless the threshold is higher.
    pub const FLOOR: Score = Score { part: 7, whole: 10 };

    /// Adds other counts.
    pub fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.excess += other.excess;
    }

    /// Records a pair and its upper bound.
    pub(crate) fn note(&mut self, bound: Score, truth: Score) {
        if bound < Self::FLOOR {
            return;
        }
        let billionths = |score: Score| {
            (u128::from(score.part) * 1_000_000_000 / u128::from(score.whole.max(1))) as u64
        };
        self.pairs += 1;
        self.excess += billionths(bound).saturating_sub(billionths(truth));
    }

    /// The mean difference of bound and true value.
    pub fn mean_excess(self) -> f64 {
        if self.pairs == 0 {
            0.0
        } else {
            self.excess as f64 / 1e9 / self.pairs as f64
        }
    }
}
