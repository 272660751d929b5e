//! Weighted resemblance: weights of shared terms over the weights of all terms of both (SimFinder,
//! equation (4)). As in the paper, a pair must be strictly above the threshold.

use super::bound::Bound;
use super::pair_measure::{Collection, Compares, Facts, PairMeasure};
use super::weights::{MARGIN, ONE, Parts, Scored, Weighing, Weighted, share};
use crate::threshold::Threshold;

/// The measure.
pub(super) struct WeightedResemblance;

impl PairMeasure for WeightedResemblance {
    fn facts(&self) -> Facts {
        let says = "weight of shared terms / weight of all terms";
        Facts {
            says,
            compares: Compares::Terms,
            is_strict: true,
            is_directed: false,
            is_rounded: false,
        }
    }

    fn weighing(&self) -> Option<&dyn Weighing> {
        Some(self)
    }

    fn bound(&self, threshold: Threshold, _: &Collection) -> Option<Box<dyn Bound>> {
        Some(Box::new(Weighted(Common { threshold })))
    }
}

impl Weighing for WeightedResemblance {
    fn amount(&self, weight: u32) -> u64 {
        u64::from(weight)
    }

    fn both(&self, a: u32, b: u32) -> u128 {
        u128::from(a.min(b))
    }
}

/// Common weights.
struct Common {
    threshold: Threshold,
}

impl Weighing for Common {
    fn amount(&self, weight: u32) -> u64 {
        WeightedResemblance.amount(weight)
    }

    fn both(&self, a: u32, b: u32) -> u128 {
        WeightedResemblance.both(a, b)
    }
}

impl Scored for Common {
    fn least(&self) -> u64 {
        share(self.threshold, 1)
    }

    fn may(&self, shared: f64, rest: (f64, f64), totals: (f64, f64)) -> bool {
        let most = shared + (rest.0 * totals.0).min(rest.1 * totals.1);
        most / (totals.0 + totals.1 - most).max(1.0) >= self.threshold.as_f64() - MARGIN
    }

    fn outlined(&self, share: f64) -> f64 {
        share
    }

    fn may_meet(&self, a: &Parts, b: &Parts, totals: (f64, f64)) -> bool {
        let both = |(a, b): (&i16, &i16)| (f64::from(*a) * totals.0).min(f64::from(*b) * totals.1);
        let most = a.iter().zip(b).map(both).sum::<f64>() / ONE;
        most / (totals.0 + totals.1 - most).max(1.0) >= self.threshold.as_f64() - MARGIN
    }

    fn least_rest(&self, other: f64) -> f64 {
        // The score is greatest if the same amount m remains of both: with shares a and b, the texts
        // have totals m / a and m / b, and the score is a·b / (a + b − a·b).
        let least = self.threshold.as_f64() - MARGIN;
        least * other / (other * (1.0 + least) - least).max(f64::MIN_POSITIVE)
    }

    fn score(&self, shared: u128, (a, b): (u64, u64)) -> Option<(u32, u32)> {
        let either = u128::from(a) + u128::from(b) - shared;
        // Pairs hold 32 bits: both numbers are halved until they fit.
        let shift = (128 - either.leading_zeros()).saturating_sub(32);
        let (part, whole) = ((shared >> shift) as u32, ((either >> shift) as u32).max(1));
        self.threshold
            .exceeded_by(part.into(), whole.into())
            .then_some((part, whole))
    }
}
