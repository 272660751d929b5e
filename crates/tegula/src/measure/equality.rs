//! Equality: equal token sequences, and no others.

use super::counts::Counts;
use super::pair_measure::{Columns, Compares, Facts, PairMeasure};
use crate::pair::{Pair, Sizes};
use crate::threshold::Score;

/// The measure.
pub(super) struct Equality;

impl PairMeasure for Equality {
    fn facts(&self) -> Facts {
        Facts {
            says: "equal or not",
            compares: Compares::Whole,
            is_strict: false,
            is_directed: false,
            is_rounded: false,
        }
    }

    fn score(&self, _: &Pair, _: Sizes) -> Score {
        Score::ONE
    }

    fn columns(&self, _: &Pair, _: Sizes) -> Columns {
        Columns::default()
    }

    fn parts(&self, _: &Columns) -> Option<(u32, u32)> {
        Some((1, 1))
    }

    fn of_texts(&self, counts: &Counts) -> Option<Score> {
        Some(Score {
            part: u64::from(counts.equal),
            whole: 1,
        })
    }
}
