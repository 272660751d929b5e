//! What each text repeats of those before it: there are no pairs, and order matters. Tokens in
//! previously seen n-grams (Onion; Benko 2013 §3), or passages that already occur in kept text.

use super::counts::Counts;
use super::pair_measure::{Columns, Compares, Facts, PairMeasure};
use crate::pair::{Pair, Sizes};
use crate::threshold::Score;

/// What is repeated.
pub(super) enum InOrder {
    /// N-grams, over all tokens of the unit.
    PreviouslySeen,
    /// Exact sequences of n tokens or more.
    Passages,
}

impl PairMeasure for InOrder {
    fn facts(&self) -> Facts {
        match self {
            Self::PreviouslySeen => Facts {
                says: "tokens in previously seen n-grams / all tokens of the text",
                compares: Compares::Before,
                is_strict: true,
                is_directed: false,
                is_rounded: false,
            },
            Self::Passages => Facts {
                says: "1 for a passage that occurs word for word in kept text",
                compares: Compares::Passages,
                is_strict: false,
                is_directed: false,
                is_rounded: false,
            },
        }
    }

    fn score(&self, _: &Pair, _: Sizes) -> Score {
        // There are no pairs.
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
