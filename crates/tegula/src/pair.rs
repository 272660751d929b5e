//! Pairs of groups, and what their scores are made of.

use crate::threshold::Score;

/// Two groups at or above the threshold, `a` before `b`, and what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Pair {
    /// The earlier group.
    pub a: u32,
    /// The later group.
    pub b: u32,
    /// Shared distinct shingles, or covered tokens of `a`; the part, where a pair is a ratio of its own.
    pub in_a: u32,
    /// Shared distinct shingles, or covered tokens of `b`; the whole, where a pair is a ratio of its own.
    pub in_b: u32,
}

impl Pair {
    /// Two groups in order, with what each has of the other; `parts` in the order in which the groups are given. A ratio has its parts in
    /// one order whatever the groups'.
    pub fn of((a, b): (u32, u32), (in_a, in_b): (u32, u32), is_ratio: bool) -> Self {
        if a < b {
            Self { a, b, in_a, in_b }
        } else if is_ratio {
            Self { a: b, b: a, in_a, in_b }
        } else {
            Self { a: b, b: a, in_a: in_b, in_b: in_a }
        }
    }
}

/// Sizes of the groups' texts, which scores are made of.
#[derive(Debug, Clone, Copy)]
pub struct Sizes<'a> {
    /// Distinct shingles by group.
    pub sets: &'a [u32],
    /// Tokens by group, at least 1.
    pub lengths: &'a [u32],
}

/// Says which groups may be compared; `None` allows every pair.
pub type Allow<'a> = Option<&'a (dyn Fn(u32, u32) -> bool + Sync)>;

/// How far upper bounds were off, where pairs are found by these first (Rabin fingerprints; Kupietz §2.7).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Validation {
    /// Pairs whose upper bound was at or above [`Validation::FLOOR`], and the threshold.
    pub pairs: u64,
    /// Sum of bound minus true value, in billionths.
    pub excess: u64,
}

impl Validation {
    /// Upper bounds from this value on are counted, where the threshold is not higher.
    pub const FLOOR: Score = Score { part: 7, whole: 10 };

    /// Adds another part's counts.
    pub fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.excess += other.excess;
    }

    /// Notes a pair and its upper bound.
    pub(crate) fn note(&mut self, bound: Score, truth: Score) {
        if bound < Self::FLOOR {
            return;
        }
        let billionths = |score: Score| (u128::from(score.part) * 1_000_000_000 / u128::from(score.whole.max(1))) as u64;
        self.pairs += 1;
        self.excess += billionths(bound).saturating_sub(billionths(truth));
    }

    /// The mean difference of bound and true value.
    pub fn mean_excess(self) -> f64 {
        if self.pairs == 0 { 0.0 } else { self.excess as f64 / 1e9 / self.pairs as f64 }
    }
}
