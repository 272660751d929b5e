//! The cosine of the angle between vectors of weighted terms (Wikipedia page, similarity measures).

use super::bound::Bound;
use super::pair_measure::{Collection, Compares, Facts, PairMeasure};
use super::weights::{MARGIN, ONE, Parts, Scored, Weighing, Weighted, share};
use crate::threshold::{BILLION, Threshold};

/// The measure.
pub(super) struct Cosine;

impl PairMeasure for Cosine {
    fn facts(&self) -> Facts {
        Facts {
            says: "cosine of the weights",
            compares: Compares::Terms,
            is_strict: false,
            is_directed: false,
            is_rounded: true,
        }
    }

    fn weighing(&self) -> Option<&dyn Weighing> {
        Some(self)
    }

    fn bound(&self, threshold: Threshold, of: &Collection) -> Option<Box<dyn Bound>> {
        Some(Box::new(Weighted(Angle {
            threshold: threshold.in_billionths(),
            base: of.base,
        })))
    }
}

impl Weighing for Cosine {
    fn amount(&self, weight: u32) -> u64 {
        u64::from(weight) * u64::from(weight)
    }

    fn both(&self, a: u32, b: u32) -> u128 {
        u128::from(a) * u128::from(b)
    }
}

/// Products of vectors.
struct Angle {
    threshold: Threshold,
    /// The contribution to every product of terms assumed to be in every text.
    base: u64,
}

impl Weighing for Angle {
    fn amount(&self, weight: u32) -> u64 {
        Cosine.amount(weight)
    }

    fn both(&self, a: u32, b: u32) -> u128 {
        Cosine.both(a, b)
    }
}

impl Scored for Angle {
    fn base(&self) -> u64 {
        self.base
    }

    fn least(&self) -> u64 {
        share(self.threshold, 2)
    }

    fn may(&self, shared: f64, rest: (f64, f64), totals: (f64, f64)) -> bool {
        // The product of the remainders is at most that of their lengths (Cauchy and Schwarz).
        shared / (totals.0 * totals.1).sqrt() + (rest.0 * rest.1).sqrt()
            >= self.threshold.as_f64() - MARGIN
    }

    fn outlined(&self, share: f64) -> f64 {
        share.sqrt()
    }

    fn may_meet(&self, a: &Parts, b: &Parts, _: (f64, f64)) -> bool {
        // Both have length ONE, slightly more if parts were rounded up: the sum stays below 2^31.
        let product: i32 = a
            .iter()
            .zip(b)
            .map(|(a, b)| i32::from(*a) * i32::from(*b))
            .sum();
        f64::from(product) / (ONE * ONE) >= self.threshold.as_f64() - MARGIN
    }

    fn least_rest(&self, other: f64) -> f64 {
        (self.threshold.as_f64() * self.threshold.as_f64() - MARGIN) / other
    }

    fn score(&self, shared: u128, (a, b): (u64, u64)) -> Option<(u32, u32)> {
        // The product is shifted left as far as possible, so that its root keeps 64 bits.
        let product = (u128::from(a) * u128::from(b)).max(1);
        let up = product.leading_zeros() / 2;
        let length = (product << (2 * up)).isqrt();
        let part = ((shared << up) * u128::from(BILLION) / length).min(u128::from(BILLION)) as u32;
        self.threshold
            .admits(part.into(), BILLION.into())
            .then_some((part, BILLION))
    }
}
