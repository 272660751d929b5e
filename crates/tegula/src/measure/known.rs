//! Tokens in n-grams that were seen before, over all tokens of the unit (Onion; Benko 2013 §3): no pairs, and the order decides.

use super::{Columns, Compares, Counts, Facts, PairMeasure};
use crate::pair::{Pair, Sizes};
use crate::threshold::Score;

/// The measure.
pub(super) struct Known;

impl PairMeasure for Known {
    fn facts(&self) -> Facts {
        let says = "tokens in n-grams seen before / all tokens of the text";
        Facts { says, compares: Compares::Before, is_strict: true, is_directed: false }
    }

    fn score(&self, _: &Pair, _: Sizes) -> Score {
        // Previously seen tokens make no pairs.
        Score::ONE
    }

    fn columns(&self, _: &Pair, _: Sizes) -> Columns {
        Columns::default()
    }

    fn parts(&self, _: &Columns) -> Option<(u32, u32)> {
        Some((1, 1))
    }

    fn of_texts(&self, counts: &Counts) -> Option<Score> {
        // How much of the later text the earlier one has: the two by themselves, as Onion would see them.
        Some(counts.token_containment().1)
    }
}
