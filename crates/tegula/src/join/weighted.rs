//! Joins of weighted terms: the cosine, and weighted resemblance.
//!
//! Terms are in the order of their ranks, the rarest first. Let S(c) be what the weights of a text from rank c on come to: their sum, or
//! under the cosine the sum of their squares, the terms taken to be everywhere included. If c is the rarest term that two texts share, all
//! they share has rank c or later. So their common weight is at most S(c) of either, and their product at most the root of S_A(c)·S_B(c)
//! (Cauchy and Schwarz). A pair at threshold t needs S_X(c) ≥ t·W_X of both texts, under the cosine S_X(c) ≥ t²·|X|². S falls with rank,
//! so each text is indexed, and probed, by the terms up to the last one that meets this: none is missed.

use super::{Allow, Entry, Index, Listing, OrderedJoin, Pair, Probe, Verify, Worker, for_each_met, ordered};
use crate::engine::block::Block;
use crate::threshold::Threshold;
use std::ops::Range;

/// The join for [`crate::recipe::Measure::Cosine`] and [`crate::recipe::Measure::WeightedResemblance`].
#[derive(Debug, Clone, Copy)]
pub struct Weighted {
    threshold: Threshold,
    /// Under the cosine what the terms that are taken to be everywhere add to every product.
    cosine: Option<u64>,
}

/// The whole of a cosine, whose part is counted in billionths.
pub const BILLION: u32 = 1_000_000_000;

impl Weighted {
    /// All pairs at or above the threshold, in products of vectors; `base` is what every two texts have in common.
    pub fn cosine(threshold: Threshold, base: u64) -> Self {
        Self { threshold, cosine: Some(base) }
    }

    /// All pairs above the threshold, in common weights.
    pub fn resemblance(threshold: Threshold) -> Self {
        Self { threshold, cosine: None }
    }

    /// Whether terms from here on, which come to `rest`, can still make a pair of a text that comes to `total`.
    fn may(&self, rest: u64, total: u64) -> bool {
        let (p, q) = (u128::from(self.threshold.numerator()), u128::from(self.threshold.denominator()));
        let (rest, total) = (u128::from(rest), u128::from(total));
        match self.cosine {
            // A cosine is rounded to billionths, so a bound that is as close must not refuse it.
            Some(_) => rest.saturating_mul(q * q) + (total >> 24) * q * q >= total.saturating_mul(p * p),
            None => rest * q >= total * p,
        }
    }

    /// How many of a group's terms are indexed, and probe.
    fn prefix(&self, block: &Block, i: usize) -> usize {
        let features = block.features(i);
        let amount = |weight: u32| match self.cosine {
            Some(_) => u64::from(weight) * u64::from(weight),
            None => u64::from(weight),
        };
        let total = block.total(i);
        let numbers = &block.positions[features];
        let base = self.cosine.unwrap_or(0);
        let mut rest = numbers.iter().fold(base, |sum, weight| sum.saturating_add(amount(*weight)));
        for (place, weight) in numbers.iter().enumerate() {
            if !self.may(rest, total) {
                return place;
            }
            rest = rest.saturating_sub(amount(*weight));
        }
        numbers.len()
    }
}

impl OrderedJoin for Weighted {
    fn reaches(&self, _: (u32, u32), _: (u32, u32)) -> bool {
        true
    }

    fn list(&self, block: &Block, range: Range<usize>) -> Listing {
        let mut listing = Listing::default();
        for i in range {
            let prefix = self.prefix(block, i);
            block.ranks_of(i)[..prefix].iter().for_each(|rank| listing.push(*rank, Entry { key: 0, local: i as u32 }));
        }
        listing
    }

    fn probe(&self, index: &Index, probe: Probe, range: Range<usize>, allow: Allow, worker: &mut Worker) {
        for i in range {
            let ranks = &probe.block.ranks_of(i)[..self.prefix(probe.block, i)];
            for_each_met(index, (probe, i), ranks, allow, worker, |j, worker| {
                self.verify((probe.block, i), (index.block, j), worker);
            });
        }
    }
}

impl Verify for Weighted {
    fn verify(&self, a: (&Block, usize), b: (&Block, usize), worker: &mut Worker) {
        let (in_a, in_b) = (a.0.features(a.1), b.0.features(b.1));
        let (mut i, mut j) = (in_a.start, in_b.start);
        let mut shared = u128::from(self.cosine.unwrap_or(0));
        while i < in_a.end && j < in_b.end {
            match a.0.ranks[i].cmp(&b.0.ranks[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    let (x, y) = (u128::from(a.0.positions[i]), u128::from(b.0.positions[j]));
                    shared += if self.cosine.is_some() { x * y } else { x.min(y) };
                    i += 1;
                    j += 1;
                }
            }
        }
        let (of_a, of_b) = (u128::from(a.0.total(a.1)), u128::from(b.0.total(b.1)));
        let (part, whole) = if self.cosine.is_some() {
            // The product is moved up as far as it can be, so that its root keeps 64 bits.
            let product = (of_a * of_b).max(1);
            let up = product.leading_zeros() / 2;
            let length = (product << (2 * up)).isqrt();
            (((shared << up) * u128::from(BILLION) / length).min(u128::from(BILLION)) as u64, u64::from(BILLION))
        } else {
            let either = of_a + of_b - shared;
            // Pairs hold 32 bits: both are halved alike until they fit.
            let shift = (128 - either.leading_zeros()).saturating_sub(32);
            ((shared >> shift) as u64, (either >> shift).max(1) as u64)
        };
        let enough = match self.cosine {
            Some(_) => self.threshold.admits(part, whole),
            None => self.threshold.exceeded_by(part, whole),
        };
        if enough {
            worker.pairs.push(Pair { in_a: part as u32, in_b: whole as u32, ..ordered(a.0.groups[a.1], b.0.groups[b.1], 0) });
        }
    }
}
