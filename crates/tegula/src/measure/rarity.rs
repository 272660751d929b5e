//! Shared shingles weighted by rarity: containment, the Dice coefficient, and their mean.
//!
//! Let w be the weight of the shingles that two texts share, and W the weight of all shingles of a
//! text ([`crate::rarity`]). The share of text X in text Y is, with a = 1, 0 or 1/2,
//!
//! ```text
//! a · w / W_X  +  (1 − a) · 2w / (W_X + W_Y)
//! ```
//!
//! which is containment, the Dice coefficient, or the mean of both. The score of a pair is the share
//! of the text that weighs less, and is at most w / W of that text. So a pair at threshold t needs
//! w ≥ t·W, and the rarest shared shingle is among those shingles of the lighter text after which,
//! including themselves, a weight of at least t·W remains: the lighter text probes these, against
//! all shingles of the heavier one (`JOINS.md`, §18).

use super::bound::{Bound, Outlined, Partners, Prefix, Verify};
use super::marks::Marks;
use super::pair_measure::{Collection, Columns, Compares, Facts, PairMeasure, of_smaller};
use crate::block::Text;
use crate::pair::{Pair, Sizes};
use crate::rarity::{above, value};
use crate::threshold::{BILLION, Score, Threshold};

/// How far below the threshold a floating-point bound must be to refuse a pair.
const MARGIN: f64 = 1e-6;

/// Which share is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rarity {
    /// w / W of the text.
    Containment,
    /// 2w over the weights of both.
    Dice,
    /// The mean of both.
    Mean,
}

impl Rarity {
    /// How often containment and the Dice coefficient count in twice the share.
    fn parts(self) -> (u32, u32) {
        match self {
            Self::Containment => (2, 0),
            Self::Dice => (0, 2),
            Self::Mean => (1, 1),
        }
    }

    /// The share of a text in another, given the weight that they share and what each weighs, rounded
    /// down to billionths.
    fn share(self, shared: u64, own: u64, other: u64) -> u32 {
        // Billionths of a whole, and the remainder.
        let divided = |part: u64, whole: u64| {
            let (scaled, whole) = (u128::from(part) * u128::from(BILLION), u128::from(whole));
            (scaled / whole.max(1), scaled % whole.max(1))
        };
        let all = own.saturating_add(other);
        let (contained, both) = (divided(shared, own), divided(shared.saturating_mul(2), all));
        let twice = match self {
            Self::Containment => 2 * contained.0,
            Self::Dice => 2 * both.0,
            Self::Mean => {
                // Two remainders may make one more.
                let (own, all) = (u128::from(own), u128::from(all));
                let rest = (contained.1 * all).saturating_add(both.1 * own);
                contained.0 + both.0 + u128::from(own > 0 && rest >= own * all)
            }
        };
        (twice / 2).min(u128::from(BILLION)) as u32
    }

    /// The same in floating point.
    fn share_of(self, shared: f64, own: f64, other: f64) -> f64 {
        let (contained, both) = self.parts();
        f64::from(contained) / 2.0 * shared / own + f64::from(both) * shared / (own + other)
    }
}

impl PairMeasure for Rarity {
    fn facts(&self) -> Facts {
        Facts {
            says: match self {
                Self::Containment => "weight of shared shingles / weight of the lighter text",
                Self::Dice => "weight of shared shingles / mean weight of both texts",
                Self::Mean => {
                    "weight of shared shingles: mean of the shares in the lighter and in both texts"
                }
            },
            compares: Compares::Rarity,
            is_strict: false,
            is_directed: *self != Self::Dice,
            is_rounded: true,
        }
    }

    fn score(&self, pair: &Pair, sizes: Sizes) -> Score {
        of_smaller(self.shares(pair, sizes))
    }

    fn shares(&self, pair: &Pair, _: Sizes) -> (Score, Score) {
        // The heavier text has the smaller share. Its whole is twice as large, so that it counts as
        // the larger text.
        let share = |own: u32, other: u32| {
            let times = if own < other { 2 } else { 1 };
            Score {
                part: times * u64::from(own),
                whole: times * u64::from(BILLION),
            }
        };
        (share(pair.in_a, pair.in_b), share(pair.in_b, pair.in_a))
    }

    fn whole(&self, _: u32, _: Sizes) -> u32 {
        BILLION
    }

    fn share_of_weight(&self, shared: u64, own: u64, other: u64) -> Option<u32> {
        Some(self.share(shared, own, other))
    }

    fn columns(&self, pair: &Pair, _: Sizes) -> Columns {
        let share = |part: u32| Some(f64::from(part) / f64::from(BILLION));
        Columns {
            containment_a: share(pair.in_a),
            containment_b: share(pair.in_b),
            ..Columns::default()
        }
    }

    fn parts(&self, columns: &Columns) -> Option<(u32, u32)> {
        let part = |share: f64| (share * f64::from(BILLION)).round() as u32;
        Some((part(columns.containment_a?), part(columns.containment_b?)))
    }

    fn bound(&self, threshold: Threshold, _: &Collection) -> Option<Box<dyn Bound>> {
        let threshold = threshold.in_billionths();
        Some(Box::new(Rare {
            threshold,
            least: threshold.as_f64() * (1.0 - MARGIN),
            rarity: *self,
        }))
    }
}

/// Shares at a threshold. Sizes, suffixes and keys are weights as [`above`] and
/// [`crate::rarity::below`] store them.
struct Rare {
    threshold: Threshold,
    /// Slightly less than the threshold.
    least: f64,
    rarity: Rarity,
}

impl Rare {
    /// Whether texts of these sizes that share this weight may reach the threshold.
    fn may_share(&self, shared: f64, a: f64, b: f64) -> bool {
        self.rarity.share_of(shared, a.min(b), a.max(b)) >= self.least
    }
}

impl Prefix for Rare {
    fn suffixes(&self, text: Text, _: &mut Marks, out: &mut [u32]) {
        let mut rest = 0_u64;
        for (weight, out) in text.amounts().iter().zip(out).rev() {
            rest += u64::from(*weight);
            *out = above(rest);
        }
    }

    fn indexes(&self, _: u32, _: u32) -> bool {
        true
    }

    fn probes(&self, suffix: u32, size: u32, _: i32) -> bool {
        value(suffix) >= self.least * value(size)
    }

    fn partners(&self, _: u32) -> Partners {
        Partners::Later
    }

    fn may(&self, (suffix, size_a): (u32, u32), (key, size_b): (i32, u32)) -> bool {
        let shared = value(suffix).min(value(key as u32));
        self.may_share(shared, value(size_a), value(size_b))
    }
}

impl Outlined for Rare {}

impl Verify for Rare {
    fn shared(&self, a: Text, b: Text, _: &mut Marks) -> Option<(u32, u32)> {
        let (ranks_a, ranks_b, weights) = (a.ranks(), b.ranks(), a.amounts());
        let (own, other) = (a.block.total(a.at), b.block.total(b.at));
        let (mut i, mut j, mut shared) = (0, 0, 0_u64);
        while i < ranks_a.len() && j < ranks_b.len() {
            // The remainders usually decide before the end.
            if let (Some(rest_a), Some(rest_b)) = (a.rest.get(i), b.rest.get(j)) {
                let most = shared as f64 + value(*rest_a).min(value(*rest_b));
                if !self.may_share(most, own as f64, other as f64) {
                    return None;
                }
            }
            for _ in 0..STEPS {
                let (Some(rank_a), Some(rank_b)) = (ranks_a.get(i), ranks_b.get(j)) else {
                    break;
                };
                if rank_a == rank_b {
                    shared += u64::from(weights[i]);
                }
                (i, j) = (
                    i + usize::from(rank_a <= rank_b),
                    j + usize::from(rank_b <= rank_a),
                );
            }
        }
        let shares = (
            self.rarity.share(shared, own, other),
            self.rarity.share(shared, other, own),
        );
        self.admits(shares, (0, 0)).then_some(shares)
    }

    fn admits(&self, (in_a, in_b): (u32, u32), _: (u32, u32)) -> bool {
        self.threshold.admits(in_a.max(in_b).into(), BILLION.into())
    }
}

/// Merge steps between two checks of the remaining weight.
const STEPS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_definition() {
        // The lighter text weighs 10, the heavier 30, and they share 8.
        for (rarity, light, heavy) in [
            (Rarity::Containment, 800_000_000, 266_666_666),
            (Rarity::Dice, 400_000_000, 400_000_000),
            (Rarity::Mean, 600_000_000, 333_333_333),
        ] {
            assert_eq!(rarity.share(8, 10, 30), light);
            assert_eq!(rarity.share(8, 30, 10), heavy);
            assert_eq!(rarity.share(10, 10, 10), BILLION);
            assert_eq!(rarity.share(0, 0, 0), 0);
            let float = rarity.share_of(8.0, 10.0, 30.0);
            assert!((float - f64::from(light) / 1e9).abs() < 1e-8);
        }
        // 2/3 and 1/3, neither of which ends, are 1/2 on average.
        assert_eq!(Rarity::Mean.share(2, 3, 9), 500_000_000);
        // No overflow at the largest weights.
        assert_eq!(Rarity::Mean.share(u64::MAX, u64::MAX, u64::MAX), BILLION);
        assert_eq!(Rarity::Mean.share(1 << 50, 1 << 50, 1 << 50), BILLION);
    }

    #[test]
    fn the_lighter_text_of_a_pair_is_the_contained_one() {
        let sizes = Sizes {
            sets: &[],
            lengths: &[],
        };
        let pair = Pair {
            a: 0,
            b: 1,
            in_a: 333_333_333,
            in_b: 600_000_000,
        };
        let (a, b) = Rarity::Mean.shares(&pair, sizes);
        assert!(a.whole > b.whole && a < b);
        assert_eq!(Rarity::Mean.score(&pair, sizes), b);
    }
}
