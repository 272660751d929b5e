//! Counts of what two texts share, from which the measures of texts make their scores.

use super::Measure;
use crate::threshold::Score;

/// Counts of what two texts share, from which every score follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Whether the token sequences are equal.
    pub equal: bool,
    /// Distinct shingles of both.
    pub common: u64,
    /// Distinct shingles of both that do not count as common, because the ignored text has them.
    pub ignored: u64,
    /// Distinct shingles of the first text.
    pub set_a: u64,
    /// Distinct shingles of the second text.
    pub set_b: u64,
    /// Tokens of the first text in common shingles.
    pub covered_a: u64,
    /// Tokens of the second text in common shingles.
    pub covered_b: u64,
    /// Tokens of the first text; a text without tokens counts as one.
    pub tokens_a: u64,
    /// Tokens of the second text; a text without tokens counts as one.
    pub tokens_b: u64,
}

impl Counts {
    /// Resemblance: shared shingles over those of either (Kupietz §2.3).
    pub fn ssr(&self) -> Score {
        Score { part: self.common, whole: self.set_a + self.set_b - self.common - self.ignored }
    }

    /// Coverage: covered tokens over all tokens (Kupietz §2.4).
    pub fn sscr(&self) -> Score {
        Score { part: self.covered_a + self.covered_b, whole: self.tokens_a + self.tokens_b }
    }

    /// Share of the shingles of the first text, and of the second, that the other has (Kupietz fn. 2, Broder).
    pub fn shingle_containment(&self) -> (Score, Score) {
        let share = |whole| Score { part: self.common, whole };
        (share(self.set_a), share(self.set_b))
    }

    /// Share of the tokens of the first text, and of the second, that lie in common shingles (Kupietz fn. 2).
    pub fn token_containment(&self) -> (Score, Score) {
        (Score { part: self.covered_a, whole: self.tokens_a }, Score { part: self.covered_b, whole: self.tokens_b })
    }

    /// The score by a measure, as its join gives it; containment is that of the smaller text. None where the two texts alone do not say it:
    /// weights are those of a collection, and signatures are not texts.
    pub fn score(&self, measure: Measure) -> Option<Score> {
        measure.rules().of_texts(self)
    }
}
