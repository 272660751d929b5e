//! Measures: the definition of a score, and how all pairs at or above a threshold are found.
//!
//! A measure is a file. It defines what the measure compares, whether it is strict or directed, how
//! a pair and two texts are scored, the columns of its table, and the bound that drives its join
//! ([`Bound`]). All other code asks [`Measure::rules`] and names no measure.
//!
//! | measure | recipe | file |
//! | --- | --- | --- |
//! | shared shingles of either text | `ssr` | `resemblance.rs` |
//! | shared shingles of the text with fewer | `copies`, `ssr-containment` | `containment.rs` |
//! | tokens in shared shingles, of both texts | `sscr` | `coverage.rs` |
//! | tokens in shared shingles, of the shorter text | `sscr-containment` | `coverage_containment.rs` |
//! | shared shingles, weighted by rarity | `revisions` | `rarity.rs` |
//! | weighted terms | `cosine`, `simfinder` | `cosine.rs`, `weighted_resemblance.rs` |
//! | signatures | `simhash`, `sketch` and `i-match` as estimates | `hamming.rs`, `agreement.rs` |
//! | equal texts | `exact`, `plain` | `equality.rs` |
//! | previously seen n-grams, kept passages | `onion`, `passages` | `in_order.rs` |
//!
//! A new measure needs its file, its proof in `JOINS.md`, and a line each in [`Measure`] and
//! [`Measure::rules`]; the tests of this folder then run it through both joins.

mod agreement;
mod agreement_containment;
mod bound;
mod containment;
mod cosine;
mod counts;
mod coverage;
mod coverage_containment;
mod equality;
mod hamming;
mod in_order;
mod keys;
mod marks;
mod outline;
mod pair_measure;
mod rarity;
mod resemblance;
mod shingles;
mod weighted_resemblance;
mod weights;
mod windows;

pub use bound::{Bound, Outlined, Partners, Prefix, Verify};
pub use counts::Counts;
pub(crate) use hamming::agreeing;
pub(crate) use keys::Keys;
pub use marks::Marks;
pub use outline::{Apart, Bitmap128, Outline};
pub(crate) use outline::{Outlines, bitmap};
pub use pair_measure::{Collection, Columns, Compares, Facts, PairMeasure};
pub use shingles::Shingles;
pub use weights::Weighing;

use crate::threshold::{Score, Threshold};

/// What a score measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Equal token sequences; the score is 1.
    Equality,
    /// Shared shingles over all distinct shingles of both (ssr; Kupietz §2.3, Broder's
    /// resemblance).
    Resemblance,
    /// Tokens covered by shared shingles over all tokens of both (sscr; Kupietz §2.4).
    Coverage,
    /// Shared shingles over those of the unit that has fewer (Kupietz fn. 2, Broder's containment).
    ResemblanceContainment,
    /// Tokens of the shorter unit covered by shared shingles over its tokens (Kupietz fn. 2).
    CoverageContainment,
    /// The weight of shared shingles over that of the lighter unit; shingles are weighted by
    /// rarity.
    RarityContainment,
    /// The weight of shared shingles over the mean weight of both units.
    RarityDice,
    /// The mean of [`Measure::RarityContainment`] and [`Measure::RarityDice`].
    RarityMean,
    /// Tokens in previously seen n-grams, over all tokens of the unit (Onion; Benko 2013 §3): there
    /// are no pairs, and order matters.
    PreviouslySeen,
    /// Exact sequences of n tokens or more that already occur in kept text: there are no pairs, and
    /// order matters.
    Passages,
    /// The cosine of the angle between vectors of weighted terms (Wikipedia page, similarity
    /// measures).
    Cosine,
    /// Weights of shared terms over the weights of all terms of both (SimFinder, equation (4)).
    WeightedResemblance,
    /// Bits in which two simhashes agree, over 64: not a measure of the texts.
    Hamming,
    /// Slots in which two signatures agree, over all slots: an estimate.
    Agreement,
    /// Shared shingles over those of the unit that has fewer, estimated from the slots that agree and
    /// the numbers of distinct shingles.
    AgreementContainment,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 15] = [
        Self::Equality,
        Self::Resemblance,
        Self::Coverage,
        Self::ResemblanceContainment,
        Self::CoverageContainment,
        Self::RarityContainment,
        Self::RarityDice,
        Self::RarityMean,
        Self::PreviouslySeen,
        Self::Passages,
        Self::Cosine,
        Self::WeightedResemblance,
        Self::Hamming,
        Self::Agreement,
        Self::AgreementContainment,
    ];

    /// Its name in recipes.
    pub fn name(self) -> String {
        // A measure without parameters is written as its name.
        let written = toml::Value::try_from(self).ok();
        let name = written.as_ref().and_then(toml::Value::as_str);
        name.unwrap_or_default().to_owned()
    }

    /// Its definition.
    pub fn rules(self) -> &'static dyn PairMeasure {
        match self {
            Self::Equality => &equality::Equality,
            Self::Resemblance => &resemblance::Resemblance,
            Self::Coverage => &coverage::Coverage,
            Self::ResemblanceContainment => &containment::Containment,
            Self::CoverageContainment => &coverage_containment::CoverageContainment,
            Self::RarityContainment => &rarity::Rarity::Containment,
            Self::RarityDice => &rarity::Rarity::Dice,
            Self::RarityMean => &rarity::Rarity::Mean,
            Self::PreviouslySeen => &in_order::InOrder::PreviouslySeen,
            Self::Passages => &in_order::InOrder::Passages,
            Self::Cosine => &cosine::Cosine,
            Self::WeightedResemblance => &weighted_resemblance::WeightedResemblance,
            Self::Hamming => &hamming::Hamming,
            Self::Agreement => &agreement::Agreement,
            Self::AgreementContainment => &agreement_containment::AgreementContainment,
        }
    }

    /// What it compares.
    pub fn compares(self) -> Compares {
        self.rules().facts().compares
    }

    /// The definition of a score, in one line.
    pub fn says(self) -> &'static str {
        self.rules().facts().says
    }

    /// Whether it compares whole units for equality.
    pub fn is_equality(self) -> bool {
        self.compares() == Compares::Whole
    }

    /// Whether there are no pairs, as each text is compared with all that were kept before it.
    pub fn is_in_order(self) -> bool {
        matches!(self.compares(), Compares::Before | Compares::Passages)
    }

    /// Whether passages of texts are compared, wherever they begin and end.
    pub fn is_of_passages(self) -> bool {
        self.compares() == Compares::Passages
    }

    /// Whether pairs have scores.
    pub fn scores_pairs(self) -> bool {
        !self.is_equality() && !self.is_in_order()
    }

    /// Whether shingles are compared.
    pub fn needs_shingles(self) -> bool {
        matches!(
            self.compares(),
            Compares::Sets | Compares::Rarity | Compares::Sequences
        )
    }

    /// Whether shingles are weighted by rarity.
    pub fn needs_rarity(self) -> bool {
        self.compares() == Compares::Rarity
    }

    /// Whether distinct shingles are counted.
    pub fn needs_sets(self) -> bool {
        self.compares() == Compares::Sets
    }

    /// Whether positions of shingles are compared.
    pub fn needs_positions(self) -> bool {
        self.compares() == Compares::Sequences
    }

    /// Whether weighted terms are compared.
    pub fn needs_weights(self) -> bool {
        self.compares() == Compares::Terms
    }

    /// Whether signatures are compared rather than texts.
    pub fn is_of_signatures(self) -> bool {
        matches!(self.compares(), Compares::Slots | Compares::Bits)
    }

    /// Whether a pair's two numbers are the part and whole of its score.
    pub fn is_ratio(self) -> bool {
        self.needs_weights() || (self.is_of_signatures() && self != Self::AgreementContainment)
    }

    /// Whether only the contained unit of a pair may be removed.
    pub fn is_directed(self) -> bool {
        self.rules().facts().is_directed
    }

    /// Whether a score must be strictly above the threshold, as in the measure's paper.
    pub fn is_strict(self) -> bool {
        self.rules().facts().is_strict
    }

    /// A threshold as scores are compared with it: where these are rounded down to billionths, so is
    /// it, and a score of exactly 2/3 reaches 2/3.
    pub fn comparable(self, threshold: Threshold) -> Threshold {
        if self.rules().facts().is_rounded {
            threshold.in_billionths()
        } else {
            threshold
        }
    }

    /// Whether a score reaches a threshold.
    pub fn admits(self, threshold: Threshold, score: Score) -> bool {
        let threshold = self.comparable(threshold);
        if self.is_strict() {
            threshold.exceeded_by(score.part, score.whole)
        } else {
            threshold.admits(score.part, score.whole)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::{Pair, Sizes};

    #[test]
    fn columns_say_what_a_pair_shares() {
        let sizes = Sizes {
            sets: &[40, 50],
            lengths: &[60, 70],
        };
        for measure in Measure::ALL {
            let rules = measure.rules();
            let (in_a, in_b) = if measure.needs_positions() || measure.is_ratio() {
                (17, 23)
            } else {
                (17, 17)
            };
            let in_both = if rules.columns(
                &Pair {
                    a: 0,
                    b: 1,
                    in_a,
                    in_b,
                },
                sizes,
            ) == Columns::default()
            {
                (1, 1)
            } else {
                (in_a, in_b)
            };
            let pair = Pair {
                a: 0,
                b: 1,
                in_a,
                in_b,
            };
            assert_eq!(
                rules.parts(&rules.columns(&pair, sizes)),
                Some(in_both),
                "{measure:?}"
            );
            assert!(rules.score(&pair, sizes) <= Score::ONE && !measure.says().is_empty());
        }
    }

    #[test]
    fn a_text_and_its_equal_score_one() {
        let sizes = Sizes {
            sets: &[40, 40],
            lengths: &[60, 60],
        };
        for measure in Measure::ALL {
            let all = measure.rules().whole(0, sizes);
            assert_eq!(
                measure.rules().score(
                    &Pair {
                        a: 0,
                        b: 1,
                        in_a: all,
                        in_b: all
                    },
                    sizes
                ),
                Score::ONE,
                "{measure:?}"
            );
        }
    }
}
