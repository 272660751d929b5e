//! Measures: the definition of a score, and how all pairs at or above a threshold are found.
//!
//! A measure is a file. It defines what the measure compares, whether it is strict or directed, how
//! a pair and two texts are scored, the columns of its table, and the bound that drives its join
//! ([`Bound`]). All other code asks [`Measure::rules`] and names no measure.
//!
//! | measure | recipe | file |
//! | --- | --- | --- |
//! | shared shingles of either text | `ssr` | `resemblance.rs` |
//! | shared shingles of the shorter text | `copies`, `ssr-containment` | `containment.rs` |
//! | tokens in shared shingles, of both texts | `sscr` | `coverage.rs` |
//! | tokens in shared shingles, of the shorter text | `sscr-containment` | `coverage_containment.rs` |
//! | shared shingles, weighted by rarity | `revisions` | `rarity.rs` |
//! | weighted terms | `cosine`, `simfinder` | `cosine.rs`, `weighted_resemblance.rs` |
//! | signatures | `simhash`, `sketch` and `i-match` as estimates | `hamming.rs`, `agreement.rs` |
//! | equal texts | `exact`, `plain` | `equality.rs` |
//! | previously seen n-grams | `onion` | `previously_seen.rs` |
//!
//! A new measure needs its file, its proof in `docs/joins.md`, and a line each in [`Measure`] and
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
mod keys;
mod marks;
mod outline;
mod passages;
mod previously_seen;
mod rarity;
mod resemblance;
mod shingles;
mod weighted_resemblance;
mod weights;

pub use bound::{Bound, Partners};
pub use counts::Counts;
pub(crate) use hamming::agreeing;
pub(crate) use keys::Keys;
pub use marks::Marks;
pub use outline::{Apart, Bitmap128, Outline};
pub(crate) use outline::{Outlines, bitmap};
pub use shingles::Shingles;
pub use weights::Weighing;

use crate::pair::{Pair, Sizes};
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

/// What a measure compares of two units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compares {
    /// The units as wholes: equal or not.
    Whole,
    /// Their sets of shingles.
    Sets,
    /// Their sets of shingles, weighted by rarity.
    Rarity,
    /// Their sequences of shingles, with positions.
    Sequences,
    /// Their weighted terms.
    Terms,
    /// The slots of their signatures.
    Slots,
    /// The bits of their signatures.
    Bits,
    /// A unit with all preceding ones: there are no pairs.
    Before,
    /// The passages of a text with those that are kept: there are no pairs.
    Passages,
}

/// The properties of a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The definition of a score in one line: part / whole.
    pub says: &'static str,
    /// What it compares.
    pub compares: Compares,
    /// Whether a score must be strictly above the threshold, as in the measure's paper.
    pub is_strict: bool,
    /// Whether only the contained unit of a pair may be removed.
    pub is_directed: bool,
}

/// What a measure needs to know about a collection and its features.
#[derive(Debug, Clone, Copy, Default)]
pub struct Collection {
    /// Tokens in a shingle.
    pub n: usize,
    /// Tokens of the longest text.
    pub longest: u32,
    /// The weight common to all texts.
    pub base: u64,
    /// The signature length.
    pub slots: u32,
    /// Whether features are single shingles rather than runs of them.
    pub singly: bool,
}

/// The columns that a measure computes for a pair.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Columns {
    /// Shared distinct shingles.
    pub common: Option<u32>,
    /// Distinct shingles of the first unit.
    pub size_a: Option<u32>,
    /// Distinct shingles of the second unit.
    pub size_b: Option<u32>,
    /// Covered tokens of the first unit.
    pub covered_a: Option<u32>,
    /// Covered tokens of the second unit.
    pub covered_b: Option<u32>,
    /// The part of a ratio.
    pub part: Option<u32>,
    /// The whole of a ratio.
    pub whole: Option<u32>,
    /// Resemblance.
    pub ssr: Option<f64>,
    /// Coverage.
    pub sscr: Option<f64>,
    /// The share of the first unit contained in the second.
    pub containment_a: Option<f64>,
    /// The share of the second unit contained in the first.
    pub containment_b: Option<f64>,
}

/// The definition of a measure.
pub trait PairMeasure: Sync {
    /// Its properties.
    fn facts(&self) -> Facts;

    /// The score of a pair of groups; for a directed measure, that of the smaller text. By default
    /// the two numbers of a pair are part and whole.
    fn score(&self, pair: &Pair, sizes: Sizes) -> Score {
        let _ = sizes;
        Score {
            part: pair.in_a.into(),
            whole: pair.in_b.into(),
        }
    }

    /// The share of `a` contained in `b`, and of `b` in `a`, if the measure is directed.
    fn shares(&self, pair: &Pair, sizes: Sizes) -> (Score, Score) {
        let score = self.score(pair, sizes);
        (score, score)
    }

    /// The overlap of a text with an equal one.
    fn whole(&self, group: u32, sizes: Sizes) -> u32 {
        let _ = (group, sizes);
        1
    }

    /// Its columns for a pair.
    fn columns(&self, pair: &Pair, sizes: Sizes) -> Columns {
        let _ = sizes;
        Columns {
            part: Some(pair.in_a),
            whole: Some(pair.in_b),
            ..Columns::default()
        }
    }

    /// The overlap of a pair, from its columns; none if they are not the columns of this measure.
    fn parts(&self, columns: &Columns) -> Option<(u32, u32)> {
        columns.part.zip(columns.whole)
    }

    /// The score of two texts alone; none if they do not determine it: weights depend on a
    /// collection, and signatures are not texts.
    fn of_texts(&self, counts: &Counts) -> Option<Score> {
        let _ = counts;
        None
    }

    /// How weights are summed, if it compares terms.
    fn weighing(&self) -> Option<&dyn Weighing> {
        None
    }

    /// The bound for a join over ranked features; none if pairs are found in another way.
    fn bound(&self, threshold: Threshold, of: &Collection) -> Option<Box<dyn Bound>> {
        let _ = (threshold, of);
        None
    }
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
            Self::PreviouslySeen => &previously_seen::PreviouslySeen,
            Self::Passages => &passages::Passages,
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

    /// Whether a score reaches a threshold.
    pub fn admits(self, threshold: Threshold, score: Score) -> bool {
        if self.is_strict() {
            threshold.exceeded_by(score.part, score.whole)
        } else {
            threshold.admits(score.part, score.whole)
        }
    }
}

/// The share of the smaller text; for texts of equal size the larger share.
fn of_smaller((a, b): (Score, Score)) -> Score {
    match a.whole.cmp(&b.whole) {
        std::cmp::Ordering::Less => a,
        std::cmp::Ordering::Greater => b,
        std::cmp::Ordering::Equal => a.max(b),
    }
}

/// A share for a table.
fn ratio_of(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

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
