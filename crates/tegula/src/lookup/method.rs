//! How two texts are scored by their overlap, and the most that a part of it allows.

use crate::measure::Measure;
use crate::pair::{Pair, Sizes};
use crate::recipe::Recipe;
use crate::threshold::Score;

/// How two texts are scored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Method {
    measure: Measure,
    /// Tokens in a shingle.
    n: u32,
    /// Whether the score is the share of the text that is asked about, if the measure is directed;
    /// otherwise it is that of the pair.
    of_asked: bool,
}

/// How large a text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Distinct shingles.
    pub(crate) shingles: u32,
    /// Tokens, at least 1.
    pub(crate) tokens: u32,
    /// Shingles that are not the first of their kind.
    pub(crate) repeats: u32,
    /// The weight of the distinct shingles, if they are weighted.
    pub(crate) weight: u64,
}

impl Size {
    /// The maximum of each size.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            shingles: self.shingles.max(other.shingles),
            tokens: self.tokens.max(other.tokens),
            repeats: self.repeats.max(other.repeats),
            weight: self.weight.max(other.weight),
        }
    }

    /// The minimum of each size.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            shingles: self.shingles.min(other.shingles),
            tokens: self.tokens.min(other.tokens),
            repeats: self.repeats.min(other.repeats),
            weight: self.weight.min(other.weight),
        }
    }
}

/// What some features of the text that is asked about can contribute.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rest {
    /// Distinct shingles.
    pub(crate) shingles: u32,
    /// Tokens of the text that they cover.
    pub(crate) covered: u32,
    /// What they weigh.
    pub(crate) weight: u64,
}

/// What a text and one that is asked about share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// Distinct shingles.
    pub(crate) shingles: u32,
    /// Tokens of each that are in shared shingles, if the measure compares them.
    pub(crate) covered: (u32, u32),
    /// The weight of the shared shingles, if they are weighted.
    pub(crate) weight: u64,
}

impl Method {
    /// That of a recipe.
    pub(crate) fn new(recipe: &Recipe, of_asked: bool) -> Self {
        Self {
            measure: recipe.measure,
            n: recipe.ngram as u32,
            of_asked: of_asked && recipe.measure.is_directed(),
        }
    }

    /// The measure.
    pub(crate) fn measure(self) -> Measure {
        self.measure
    }

    /// Whether the measure compares the tokens that shingles cover.
    pub(crate) fn covers(self) -> bool {
        self.measure.needs_positions()
    }

    /// Whether shingles are weighted.
    pub(crate) fn weighs(self) -> bool {
        self.measure.needs_rarity()
    }

    /// The score of a text and one that is asked about, of these sizes and with this overlap.
    pub(crate) fn score(self, (a, b): (Size, Size), overlap: Overlap) -> Score {
        let rules = self.measure.rules();
        let (in_a, in_b) = if self.covers() {
            overlap.covered
        } else if self.weighs() {
            let shares = (
                rules.share_of_weight(overlap.weight, a.weight, b.weight),
                rules.share_of_weight(overlap.weight, b.weight, a.weight),
            );
            (shares.0.unwrap_or(0), shares.1.unwrap_or(0))
        } else {
            (overlap.shingles, overlap.shingles)
        };
        let pair = Pair {
            a: 0,
            b: 1,
            in_a,
            in_b,
        };
        let sizes = Sizes {
            sets: &[a.shingles, b.shingles],
            lengths: &[a.tokens, b.tokens],
        };
        if self.of_asked {
            rules.shares(&pair, sizes).1
        } else {
            rules.score(&pair, sizes)
        }
    }

    /// An upper bound on the score of a text whose sizes are in this range and that shares no more
    /// than this: the best possible one consists of what it shares, as far as its size allows.
    pub(crate) fn most(self, (least, most): (Size, Size), asked: Size, rest: Rest) -> Score {
        let shingles = rest.shingles.min(most.shingles);
        let occurrences = rest.shingles.saturating_add(most.repeats);
        let covered = occurrences.saturating_mul(self.n).min(most.tokens);
        let weight = rest.weight.min(most.weight);
        let ideal = Size {
            shingles: shingles.max(least.shingles),
            tokens: covered.max(least.tokens).max(1),
            repeats: 0,
            weight: weight.max(least.weight),
        };
        let overlap = Overlap {
            shingles,
            covered: (covered, rest.covered),
            weight,
        };
        self.score((ideal, asked), overlap)
    }
}
