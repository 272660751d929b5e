//! Bits in which two simhashes agree, over 64 (Charikar; Manku): not a measure of the texts.

use super::pair_measure::{Compares, Facts, PairMeasure};
use crate::threshold::Threshold;

/// Bits of a simhash.
pub(crate) const BITS: u32 = 64;

/// The measure.
pub(super) struct Hamming;

impl PairMeasure for Hamming {
    fn facts(&self) -> Facts {
        Facts {
            says: "bits that agree / 64 (of signatures)",
            compares: Compares::Bits,
            is_strict: false,
            is_directed: false,
            is_rounded: false,
        }
    }
}

/// The number of equal bits of two simhashes, and of all bits, if the difference is within the
/// threshold.
pub(crate) fn agreeing(threshold: Threshold, a: u64, b: u64) -> Option<(u32, u32)> {
    let agree = BITS - (a ^ b).count_ones();
    threshold
        .admits(agree.into(), BITS.into())
        .then_some((agree, BITS))
}
