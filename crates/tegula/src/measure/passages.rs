//! Passages that already occur in kept text: exact sequences of n tokens or more. There are no
//! pairs of texts, and order matters.

use super::{Columns, Compares, Counts, Facts, PairMeasure};
use crate::pair::{Pair, Sizes};
use crate::threshold::Score;

/// The measure.
pub(super) struct Passages;

impl PairMeasure for Passages {
    fn facts(&self) -> Facts {
        Facts {
            says: "1 for a passage that occurs word for word in kept text",
            compares: Compares::Passages,
            is_strict: false,
            is_directed: false,
        }
    }

    fn score(&self, _: &Pair, _: Sizes) -> Score {
        // Passages do not form pairs of texts.
        Score::ONE
    }

    fn columns(&self, _: &Pair, _: Sizes) -> Columns {
        Columns::default()
    }

    fn parts(&self, _: &Columns) -> Option<(u32, u32)> {
        Some((1, 1))
    }

    fn of_texts(&self, counts: &Counts) -> Option<Score> {
        // The share of the later text that is in the earlier one.
        Some(counts.token_containment().1)
    }
}
