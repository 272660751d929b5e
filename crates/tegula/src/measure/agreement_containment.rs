//! Containment estimated from minima: the share of slots in which two sketches agree estimates the
//! resemblance r, and with the numbers of distinct shingles |A| and |B|, which are counted exactly,
//! r / (1 + r) · (|A| + |B|) of them are shared (Broder 1997 §2; Flamming, sketches).
//!
//! An estimate: with k slots the standard error of r is the root of r (1 − r) / k. A text contained
//! in one ten times as long has a resemblance of 0.1 at most, so that its estimate is rough.

use super::bound::{Bound, Outlined, Partners, Prefix, Verify};
use super::containment::Containment;
use super::marks::Marks;
use super::pair_measure::{Collection, Columns, Compares, Facts, PairMeasure};
use super::shingles::common;
use crate::block::Text;
use crate::pair::{Pair, Sizes};
use crate::threshold::{Score, Threshold};

/// The measure.
pub(super) struct AgreementContainment;

impl PairMeasure for AgreementContainment {
    fn facts(&self) -> Facts {
        Facts {
            says: "shared distinct shingles, by the slots that agree / those of the text with fewer",
            compares: Compares::Slots,
            is_strict: false,
            is_directed: true,
            is_rounded: false,
        }
    }

    fn score(&self, pair: &Pair, sizes: Sizes) -> Score {
        Containment.score(pair, sizes)
    }

    fn shares(&self, pair: &Pair, sizes: Sizes) -> (Score, Score) {
        Containment.shares(pair, sizes)
    }

    fn whole(&self, group: u32, sizes: Sizes) -> u32 {
        Containment.whole(group, sizes)
    }

    fn columns(&self, pair: &Pair, sizes: Sizes) -> Columns {
        Containment.columns(pair, sizes)
    }

    fn parts(&self, columns: &Columns) -> Option<(u32, u32)> {
        Containment.parts(columns)
    }

    fn bound(&self, threshold: Threshold, of: &Collection) -> Option<Box<dyn Bound>> {
        Some(Box::new(Estimated {
            threshold,
            slots: of.slots.max(1),
        }))
    }
}

/// Sketches with a fixed number of slots, over sets of known sizes.
struct Estimated {
    threshold: Threshold,
    slots: u32,
}

/// The estimated number of shared shingles of two sets whose sketches agree in `agree` of `slots`
/// slots, rounded, and at most all of the smaller set.
fn shared(agree: u32, slots: u32, (a, b): (u32, u32)) -> u32 {
    let (agree, all) = (u64::from(agree), u64::from(a) + u64::from(b));
    let whole = u64::from(slots) + agree;
    let estimate = (2 * agree * all + whole) / (2 * whole);
    estimate.min(u64::from(a.min(b))) as u32
}

impl Prefix for Estimated {
    fn suffixes(&self, _: Text, _: &mut Marks, out: &mut [u32]) {
        out.fill(1);
    }

    fn indexes(&self, _: u32, _: u32) -> bool {
        true
    }

    fn probes(&self, _: u32, _: u32, _: i32) -> bool {
        true
    }

    fn partners(&self, _: u32) -> Partners {
        Partners::Earlier(0)
    }
}

impl Outlined for Estimated {}

impl Verify for Estimated {
    fn shared(&self, a: Text, b: Text, _: &mut Marks) -> Option<(u32, u32)> {
        let agree = common(a.ranks(), b.ranks(), 1)?;
        let sizes = (a.set(), b.set());
        let shared = shared(agree as u32, self.slots, sizes);
        self.admits((shared, shared), sizes)
            .then_some((shared, shared))
    }

    fn admits(&self, (shared, _): (u32, u32), (a, b): (u32, u32)) -> bool {
        self.threshold.admits(shared.into(), a.min(b).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_shingles_follow_from_resemblance_and_sizes() {
        // All slots agree: equal sets.
        assert_eq!(shared(112, 112, (50, 50)), 50);
        // A half of 100 shingles: a resemblance of a half.
        assert_eq!(shared(56, 112, (50, 100)), 50);
        // A third of the slots of sets of 90: 45 shared of 135.
        assert_eq!(shared(40, 120, (90, 90)), 45);
        assert_eq!(shared(0, 120, (90, 90)), 0);
        // Sketches agree by chance more than these sizes allow.
        assert_eq!(shared(100, 100, (10, 1000)), 10);
    }
}
