//! The definition of a measure: what it compares, how a pair and two texts are scored, its columns,
//! and its bound.

use super::bound::Bound;
use super::counts::Counts;
use super::weights::Weighing;
use crate::pair::{Pair, Sizes};
use crate::threshold::{Score, Threshold};

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
    /// Whether scores are rounded down to billionths.
    pub is_rounded: bool,
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
    /// Whether features are single shingles rather than chains of them.
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

    /// The part of a text that weighs `own` in one that weighs `other`, given the weight that they share,
    /// if shingles are weighted: as a pair stores it.
    fn share_of_weight(&self, shared: u64, own: u64, other: u64) -> Option<u32> {
        let _ = (shared, own, other);
        None
    }

    /// The score of two texts alone, as in the join; containment is that of the smaller text. None
    /// if they do not determine it: weights depend on a collection, and signatures are not texts.
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

/// The share of the smaller text; for texts of equal size the larger share.
pub(super) fn of_smaller((a, b): (Score, Score)) -> Score {
    match a.whole.cmp(&b.whole) {
        std::cmp::Ordering::Less => a,
        std::cmp::Ordering::Greater => b,
        std::cmp::Ordering::Equal => a.max(b),
    }
}

/// A share for a table.
pub(super) fn ratio_of(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole)
}
