//! Bits in which two simhashes agree, over 64 (Charikar; Manku): no measure of the texts.

use super::{Columns, Compares, Facts, PairMeasure};
use crate::pair::{Pair, Sizes};
use crate::threshold::{Score, Threshold};

/// Bits of a simhash.
pub(crate) const BITS: u32 = 64;

/// The measure.
pub(super) struct Hamming;

impl PairMeasure for Hamming {
    fn facts(&self) -> Facts {
        Facts { says: "bits that agree / 64 (of signatures)", compares: Compares::Bits, is_strict: false, is_directed: false }
    }

    fn score(&self, pair: &Pair, _: Sizes) -> Score {
        super::ratio(pair)
    }

    fn columns(&self, pair: &Pair, _: Sizes) -> Columns {
        Columns::of_ratio(pair)
    }

    fn parts(&self, columns: &Columns) -> Option<(u32, u32)> {
        Some((columns.part?, columns.whole?))
    }
}

/// The bits that two simhashes agree in, and all, if they differ in no more than the threshold allows.
pub(crate) fn agreeing(threshold: Threshold, a: u64, b: u64) -> Option<(u32, u32)> {
    let agree = BITS - (a ^ b).count_ones();
    threshold.admits(agree.into(), BITS.into()).then_some((agree, BITS))
}
