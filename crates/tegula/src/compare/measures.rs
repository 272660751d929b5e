//! All measures of a pair.

use super::Side;
use crate::recipe::Measure;
use crate::threshold::Score;

/// Counts of what two texts share, from which every score follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Measures {
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

/// The mark of a shingle that does not count.
const IGNORED: u8 = 4;

impl Measures {
    pub(super) fn of(a: &Side, b: &Side) -> Self {
        let count = a.shingles.iter().chain(&b.shingles).max().map_or(0, |last| *last as usize + 1);
        let mut seen = vec![0_u8; count];
        for (side, bit) in [(a, 1), (b, 2)] {
            for (at, shingle) in side.shingles.iter().enumerate() {
                seen[*shingle as usize] |= if side.counts(at) { bit } else { bit | IGNORED };
            }
        }
        let having = |bits: u8| seen.iter().filter(|held| **held & bits == bits).count() as u64;
        let covered = |side: &Side| {
            let (mut sum, mut end) = (0, 0);
            for (at, shingle) in side.shingles.iter().enumerate() {
                if seen[*shingle as usize] == 3 {
                    sum += (end.max(at)..at + side.cover()).filter(|token| !side.is_ignored(*token)).count();
                    end = at + side.cover();
                }
            }
            sum as u64
        };
        Self {
            equal: a.words == b.words,
            common: having(3) - having(3 | IGNORED),
            ignored: having(3 | IGNORED),
            set_a: having(1),
            set_b: having(2),
            covered_a: covered(a),
            covered_b: covered(b),
            tokens_a: a.len() as u64,
            tokens_b: b.len() as u64,
        }
    }

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
        let smaller = |(a, b): (Score, Score)| match a.whole.cmp(&b.whole) {
            std::cmp::Ordering::Less => a,
            std::cmp::Ordering::Greater => b,
            std::cmp::Ordering::Equal => a.max(b),
        };
        match measure {
            Measure::Equality => Some(Score { part: u64::from(self.equal), whole: 1 }),
            Measure::Cosine | Measure::WeightedResemblance | Measure::Hamming | Measure::Agreement => None,
            Measure::Resemblance => Some(self.ssr()),
            Measure::Coverage => Some(self.sscr()),
            // How much of the later text the earlier one has: the two by themselves, as Onion would see them.
            Measure::Known => Some(self.token_containment().1),
            Measure::ResemblanceContainment => Some(smaller(self.shingle_containment())),
            Measure::CoverageContainment => Some(smaller(self.token_containment())),
        }
    }
}
