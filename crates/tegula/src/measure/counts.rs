//! Counts of what two texts share, from which the measures compute scores.

use crate::threshold::Score;

/// Counts of what two texts share, from which scores are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Whether the token sequences are equal.
    pub equal: bool,
    /// Distinct shingles of both.
    pub common: u64,
    /// Distinct shingles of both that do not count as common, because they are in the ignored text.
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
    /// Resemblance: shared distinct shingles over all distinct shingles (Kupietz §2.3).
    pub fn ssr(&self) -> Score {
        Score {
            part: self.common,
            whole: self.set_a + self.set_b - self.common - self.ignored,
        }
    }

    /// Coverage: covered tokens over all tokens (Kupietz §2.4).
    pub fn sscr(&self) -> Score {
        Score {
            part: self.covered_a + self.covered_b,
            whole: self.tokens_a + self.tokens_b,
        }
    }

    /// The share of each text's shingles that are in the other (Kupietz fn. 2, Broder).
    pub fn shingle_containment(&self) -> (Score, Score) {
        let share = |whole| Score {
            part: self.common,
            whole,
        };
        (share(self.set_a), share(self.set_b))
    }

    /// The share of each text's tokens in common shingles (Kupietz fn. 2).
    pub fn token_containment(&self) -> (Score, Score) {
        (
            Score {
                part: self.covered_a,
                whole: self.tokens_a,
            },
            Score {
                part: self.covered_b,
                whole: self.tokens_b,
            },
        )
    }
}
