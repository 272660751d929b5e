//! How the pairs of a run are scored and compared with a threshold.
//!
//! The recipe determines this in advance, and all code that shows scores uses it: decisions,
//! clusters, tables, near misses. So scores and thresholds mean the same everywhere.

use crate::measure::Measure;
use crate::pair::{Pair, Sizes};
use crate::recipe::{ByLength, Recipe};
use crate::threshold::{Score, Threshold};

/// The measure behind the scores, and how they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scoring {
    measure: Measure,
    estimate: bool,
    transitive: bool,
    by_length: ByLength,
}

impl Scoring {
    /// The scoring of a recipe.
    pub fn of(recipe: &Recipe) -> Self {
        Self {
            measure: recipe.measure,
            estimate: recipe.is_estimate(),
            transitive: recipe.transitive,
            by_length: recipe.thresholds,
        }
    }

    /// What a score measures.
    pub fn measure(self) -> Measure {
        self.measure
    }

    /// Whether scores are estimates by definition.
    pub fn is_estimate(self) -> bool {
        self.estimate
    }

    /// Whether texts of one cluster count as similar without each pair being compared.
    pub fn is_transitive(self) -> bool {
        self.transitive
    }

    /// The score of a pair of groups; for containment, that of the smaller text.
    pub fn score(self, pair: &Pair, sizes: Sizes) -> Score {
        self.measure.rules().score(pair, sizes)
    }

    /// Whether a score reaches the threshold: it is at or above it, or strictly above if the
    /// measure's paper requires that.
    pub fn admits(self, threshold: Threshold, score: Score) -> bool {
        self.measure.admits(threshold, score)
    }

    /// The threshold of a pair: a higher one if its shorter text is short and the recipe has one.
    pub fn threshold_of(self, pair: &Pair, sizes: Sizes, threshold: Threshold) -> Threshold {
        if self.by_length.is_none() {
            return threshold;
        }
        let tokens = |group: u32| sizes.lengths.get(group as usize).copied().unwrap_or(0);
        let shorter = tokens(pair.a).min(tokens(pair.b));
        self.by_length.of(shorter, threshold).unwrap_or(threshold)
    }

    /// Which units of a pair that reaches the threshold may be removed because of the other: both,
    /// unless the measure is directed. Then it is the smaller, contained one; either, if sizes are
    /// equal; and the larger if its own share also reaches the threshold.
    pub fn removable(self, pair: &Pair, sizes: Sizes, threshold: Threshold) -> (bool, bool) {
        if !self.measure.is_directed() {
            return (true, true);
        }
        let threshold = self.threshold_of(pair, sizes, threshold);
        let (a, b) = self.measure.rules().shares(pair, sizes);
        (
            a.whole <= b.whole || self.admits(threshold, a),
            b.whole <= a.whole || self.admits(threshold, b),
        )
    }

    /// The pair with its sides swapped.
    pub fn turned(self, pair: &Pair) -> Pair {
        // A ratio has one part and whole for both sides.
        let (in_a, in_b) = if self.measure.is_ratio() {
            (pair.in_a, pair.in_b)
        } else {
            (pair.in_b, pair.in_a)
        };
        Pair {
            a: pair.b,
            b: pair.a,
            in_a,
            in_b,
        }
    }

    /// Whether equal units reach the threshold.
    pub(crate) fn equals_match(self, threshold: Threshold) -> bool {
        self.admits(threshold, Score::ONE)
    }

    /// The pair of two equal units of one group: each fully contains the other.
    pub fn equal(self, group: u32, sizes: Sizes) -> Pair {
        let all = self.measure.rules().whole(group, sizes);
        Pair {
            a: group,
            b: group,
            in_a: all,
            in_b: all,
        }
    }
}

/// Whether a score read from a table reaches a threshold: it is at or above it, or strictly above
/// if the method is `strict` ([`Measure::is_strict`]). If both are available as fractions,
/// [`Scoring::admits`] gives the same result.
pub fn reaches(strict: bool, threshold: f64, score: f64) -> bool {
    if strict {
        score > threshold
    } else {
        score >= threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scoring(name: &str) -> Scoring {
        Scoring::of(&Recipe::named(name).unwrap())
    }

    #[test]
    fn simfinder_is_above_its_threshold_and_others_may_be_at_it() {
        let (half, at) = ("0.5".parse().unwrap(), Score { part: 1, whole: 2 });
        for name in [
            "copies", "sscr", "ssr", "cosine", "simhash", "i-match", "sketch",
        ] {
            assert!(scoring(name).admits(half, at), "{name}");
        }
        assert!(!scoring("simfinder").admits(half, at));
        assert!(scoring("simfinder").admits(half, Score { part: 2, whole: 3 }));
    }

    #[test]
    fn a_turned_pair_scores_the_same() {
        let sizes = Sizes {
            sets: &[4, 8],
            lengths: &[10, 20],
        };
        let pair = Pair {
            a: 0,
            b: 1,
            in_a: 3,
            in_b: 4,
        };
        for card in crate::recipe::cards() {
            let scoring = Scoring::of(&card.recipe());
            // Two sets have the same number of shared shingles.
            let shared = scoring.measure().needs_sets();
            let pair = if shared {
                Pair { in_b: 3, ..pair }
            } else {
                pair
            };
            assert_eq!(
                scoring.score(&scoring.turned(&pair), sizes),
                scoring.score(&pair, sizes),
                "{}",
                card.name
            );
        }
    }
}
