//! Tokens in previously seen n-grams, over all tokens of the unit (Onion; Benko 2013 §3): there are
//! no pairs, and order matters.

use super::{Columns, Compares, Counts, Facts, PairMeasure};
use crate::pair::{Pair, Sizes};
use crate::threshold::Score;

/// The measure.
pub(super) struct PreviouslySeen;

impl PairMeasure for PreviouslySeen {
    fn facts(&self) -> Facts {
        let says = "tokens in previously seen n-grams / all tokens of the text";
        Facts {
            says,
            compares: Compares::Before,
            is_strict: true,
            is_directed: false,
        }
    }

    fn score(&self, _: &Pair, _: Sizes) -> Score {
        // Previously seen tokens do not form pairs.
        Score::ONE
    }

    fn columns(&self, _: &Pair, _: Sizes) -> Columns {
        Columns::default()
    }

    fn parts(&self, _: &Columns) -> Option<(u32, u32)> {
        Some((1, 1))
    }

    fn of_texts(&self, counts: &Counts) -> Option<Score> {
        // The share of the later text that is in the earlier one, as Onion computes it for these
        // two alone.
        Some(counts.token_containment().1)
    }
}
