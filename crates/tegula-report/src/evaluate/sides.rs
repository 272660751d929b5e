//! Counts by pair, at both documents of each.

use serde::Serialize;
use tegula::evaluation::Scores;

/// Sums over the judged documents: every pair is counted at each of its documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sides {
    /// Found pairs.
    pub(super) found: u64,
    /// Found pairs that are true.
    pub(super) hits: u64,
    /// True pairs.
    pub(super) positives: u64,
}

/// Figures by pair. With a half of the documents, a pair across the halves counts half, rounded up
/// in the displayed sums.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairScores {
    /// Pairs found.
    pub found: u64,
    /// Those of them that are true.
    pub hits: u64,
    /// Pairs that are true.
    pub positives: u64,
    /// Their scores.
    #[serde(flatten)]
    pub scores: Scores,
}

impl Sides {
    pub(super) fn scores(self) -> PairScores {
        PairScores {
            found: self.found.div_ceil(2),
            hits: self.hits.div_ceil(2),
            positives: self.positives.div_ceil(2),
            scores: Scores::of(self.hits, self.found, self.positives),
        }
    }

    /// Whether F1 is above that of another with the same positives: in integers.
    pub(super) fn is_above(self, other: Self) -> bool {
        let whole = |sides: Self| u128::from(sides.found + sides.positives).max(1);
        u128::from(self.hits) * whole(other) > u128::from(other.hits) * whole(self)
    }
}
