//! Pairs of groups with everything needed to score them.

use super::{Pairs, Rescored, Scoring};
use crate::error::Result;
use crate::measure::Columns;
use crate::pair::{Pair, Sizes};
use crate::threshold::{Score, Threshold};

/// Pairs of groups with everything needed to score them.
pub struct ScoredPairs {
    /// Pairs at or above the search threshold: all of them, or, with `settled`, those of a kept and
    /// a removed group.
    pub pairs: Pairs,
    /// The kept groups, if there were too many pairs to list.
    pub settled: Option<Settled>,
    /// Second scores, if the recipe requests them.
    pub rescored: Option<Rescored>,
    pub(crate) scoring: Scoring,
    set_sizes: Vec<u32>,
    lengths: Vec<u32>,
}

/// The kept groups, if there were too many pairs to list.
#[derive(Debug)]
pub struct Settled {
    /// By group, whether it is kept.
    pub groups: Vec<bool>,
    /// An estimate of the number of pairs.
    pub pairs: u64,
}

impl ScoredPairs {
    /// Pairs and their scoring; the sizes are the distinct shingles of each group, if the measure
    /// needs them, and its tokens, at least 1.
    pub fn new(scoring: Scoring, (set_sizes, lengths): (Vec<u32>, Vec<u32>), pairs: Pairs) -> Self {
        Self {
            pairs,
            settled: None,
            rescored: None,
            scoring,
            set_sizes,
            lengths,
        }
    }

    /// How pairs are scored and compared.
    pub fn scoring(&self) -> Scoring {
        self.scoring
    }

    /// Distinct shingles by group; empty if the measure does not need them.
    pub fn set_sizes(&self) -> &[u32] {
        &self.set_sizes
    }

    fn sizes(&self) -> Sizes<'_> {
        Sizes {
            sets: &self.set_sizes,
            lengths: &self.lengths,
        }
    }

    /// Calls `f` with each pair, sorted by (a, b).
    ///
    /// # Errors
    /// Any error from `f` or scratch.
    pub fn for_each(&self, f: impl FnMut(Pair) -> Result<()>) -> Result<()> {
        self.pairs.for_each(f)
    }

    /// The score of a pair.
    pub fn score(&self, pair: &Pair) -> Score {
        self.scoring.score(pair, self.sizes())
    }

    /// The score of a pair, if it reaches `threshold`.
    pub fn admitted(&self, pair: &Pair, threshold: Threshold) -> Option<Score> {
        let score = self.score(pair);
        self.scoring.admits(threshold, score).then_some(score)
    }

    /// Which groups of a pair that reaches `threshold` may be removed because of the other.
    pub fn removable(&self, pair: &Pair, threshold: Threshold) -> (bool, bool) {
        self.scoring.removable(pair, self.sizes(), threshold)
    }

    /// The pair of two equal units of one group.
    pub fn equal(&self, group: u32) -> Pair {
        self.scoring.equal(group, self.sizes())
    }

    /// The measures of a pair that its method computes.
    pub fn columns(&self, pair: &Pair) -> Columns {
        self.scoring.measure().rules().columns(pair, self.sizes())
    }
}
