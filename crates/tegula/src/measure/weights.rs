//! Joins of weighted terms, for the cosine and for weighted resemblance.
//!
//! Let S(c) be the total weight of a text from rank c on: the sum of its weights, or for the cosine
//! of their squares, including terms assumed to be in every text. If c is the rarest term that two
//! texts share, their common weight is at most S(c) of either, and their product at most the root
//! of S_A(c)·S_B(c) (Cauchy and Schwarz). A pair at threshold t needs S_X(c) ≥ t·W_X for both
//! texts, under the cosine S_X(c) ≥ t²·|X|². S falls with rank, so each text is indexed, and
//! probes, by the terms up to the last one that meets this.

use super::bound::{Outlined, Partners, Prefix, Verify};
use super::marks::Marks;
use super::outline::{self, Outline};
use crate::block::Text;
use crate::threshold::Threshold;

/// The total of a text when S is stored as a 32-bit share of it.
const ALL: u64 = 1 << 31;
/// Shares and cosines are rounded: this slack ensures that a bound does not refuse a pair at the
/// threshold.
const SLACK: u64 = 1 << 7;

/// How far below the threshold a floating-point bound must be to refuse a pair.
pub(super) const MARGIN: f64 = 1e-6;
/// The total of a text in an outline.
pub(super) const ONE: f64 = i16::MAX as f64;
/// The parts of an outline.
pub(super) type Parts = [i16; 4 * outline::WORDS];
/// Merge steps between two checks of the remaining weight.
const STEPS: usize = 16;

/// A share in units of 1 / [`ALL`] as a float, rounded up slightly.
fn part(share: u32) -> f64 {
    (u64::from(share) + SLACK) as f64 / ALL as f64
}

/// How weights are summed.
pub trait Weighing: Send + Sync {
    /// The contribution of a weight to the total of its text.
    fn amount(&self, weight: u32) -> u64;

    /// The contribution of a shared term to the overlap of two texts.
    fn both(&self, a: u32, b: u32) -> u128;
}

/// How the weights of two texts determine a score at a threshold.
pub(super) trait Scored: Weighing {
    /// The overlap of every two texts in addition to their terms.
    fn base(&self) -> u64 {
        0
    }

    /// The share of a text's total that a pair at the threshold needs, in units of 1 / [`ALL`],
    /// rounded down.
    fn least(&self) -> u64;

    /// Whether the score may still reach the threshold, given the weight shared so far and upper
    /// limits on the remaining share of each text; the weight common to all texts is in the first
    /// and may be in the others. Errs on the side of yes.
    fn may(&self, shared: f64, rest: (f64, f64), totals: (f64, f64)) -> bool;

    /// The share that must remain of a text if this one remains of the other and nothing is shared
    /// yet, whatever the totals.
    fn least_rest(&self, other: f64) -> f64;

    /// The value of an outline's part that has this share of a text.
    fn outlined(&self, share: f64) -> f64;

    /// Whether texts with these outlines, in units of 1 / [`ONE`], may reach the threshold.
    fn may_meet(&self, a: &Parts, b: &Parts, totals: (f64, f64)) -> bool;

    /// The score as part and whole in 32 bits, from the overlap and the totals of both texts, if it
    /// reaches the threshold.
    fn score(&self, shared: u128, totals: (u64, u64)) -> Option<(u32, u32)>;
}

/// All pairs that reach the threshold.
pub(super) struct Weighted<W>(pub(super) W);

impl<W: Scored> Prefix for Weighted<W> {
    fn suffixes(&self, text: Text, _: &mut Marks, out: &mut [u32]) {
        let total = u128::from(text.block.total(text.at));
        let mut rest = u128::from(self.0.base());
        for (weight, out) in text.amounts().iter().zip(out).rev() {
            rest += u128::from(self.0.amount(*weight));
            *out = (rest << ALL.ilog2())
                .div_ceil(total.max(1))
                .min(u128::from(ALL)) as u32;
        }
    }

    fn indexes(&self, suffix: u32, _: u32) -> bool {
        u64::from(suffix) + SLACK >= self.0.least()
    }

    fn probes(&self, suffix: u32, size: u32, _: i32) -> bool {
        self.indexes(suffix, size)
    }

    fn partners(&self, _: u32) -> Partners {
        Partners::Earlier(0)
    }

    fn least_key(&self, suffix: u32, _: u32) -> i32 {
        let least = self.0.least_rest(part(suffix)) * ALL as f64;

        (least.min(ALL as f64) as u64)
            .saturating_sub(SLACK)
            .min(i32::MAX as u64) as i32
    }
}

impl<W: Scored> Outlined for Weighted<W> {
    fn is_outlined(&self) -> bool {
        true
    }

    fn outline_words(&self, _: Text) -> usize {
        outline::WORDS
    }

    fn outline(&self, text: Text, out: &mut Outline) {
        // Terms of consecutive ranks are about equally frequent; this spreads the heaviest ones.
        let outline: &mut [i16] = bytemuck::cast_slice_mut(out);
        let mut sums = [0_u64; 4 * outline::WORDS];
        sums[0] = self.0.base();
        for (rank, weight) in text.ranks().iter().zip(text.amounts()) {
            sums[*rank as usize % sums.len()] += self.0.amount(*weight);
        }
        let total = text.block.total(text.at).max(1) as f64;
        for (part, sum) in outline.iter_mut().zip(sums) {
            *part = (self.0.outlined(sum as f64 / total) * ONE).ceil().min(ONE) as i16;
        }
    }

    fn may_meet(&self, (outline_a, outline_b): (&Outline, &Outline), a: Text, b: Text) -> bool {
        let totals = (a.block.total(a.at) as f64, b.block.total(b.at) as f64);
        let parts = |outline| bytemuck::cast_slice::<u64, i16>(outline).first_chunk();
        let (Some(a), Some(b)) = (parts(outline_a), parts(outline_b)) else {
            return true;
        };
        self.0.may_meet(a, b, totals)
    }
}

impl<W: Scored> Verify for Weighted<W> {
    fn shared(&self, a: Text, b: Text, _: &mut Marks) -> Option<(u32, u32)> {
        let (ranks_a, ranks_b) = (a.ranks(), b.ranks());
        let totals = (a.block.total(a.at), b.block.total(b.at));
        let amounts = (totals.0 as f64, totals.1 as f64);
        let (mut i, mut j) = (0, 0);
        let mut shared = u128::from(self.0.base());
        while i < ranks_a.len() && j < ranks_b.len() {
            // The remainders usually decide before the end.
            if let (Some(rest_a), Some(rest_b)) = (a.rest.get(i), b.rest.get(j))
                && !self
                    .0
                    .may(shared as f64, (part(*rest_a), part(*rest_b)), amounts)
            {
                return None;
            }
            for _ in 0..STEPS {
                let (Some(rank_a), Some(rank_b)) = (ranks_a.get(i), ranks_b.get(j)) else {
                    break;
                };
                if rank_a == rank_b {
                    shared += self.0.both(a.amounts()[i], b.amounts()[j]);
                }
                (i, j) = (
                    i + usize::from(rank_a <= rank_b),
                    j + usize::from(rank_b <= rank_a),
                );
            }
        }
        self.0.score(shared, totals)
    }

    fn admits(&self, _: (u32, u32), _: (u32, u32)) -> bool {
        // Checked on the shared weight already.
        true
    }
}

/// A threshold as a share in units of 1 / [`ALL`], rounded down, raised to `power`.
pub(super) fn share(threshold: Threshold, power: u32) -> u64 {
    let (p, q) = (
        u128::from(threshold.numerator()),
        u128::from(threshold.denominator()),
    );
    (u128::from(ALL) * p.pow(power) / q.pow(power)) as u64
}
