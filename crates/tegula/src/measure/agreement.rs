//! Agreement of signatures: equal slots over all slots. An estimate by definition (Broder's
//! sketches; Flamming; I-Match with random lexicons).

use super::bound::{Bound, Outlined, Partners, Prefix, Verify};
use super::marks::Marks;
use super::pair_measure::{Collection, Compares, Facts, PairMeasure};
use super::shingles::common;
use crate::block::Text;
use crate::threshold::Threshold;

/// The measure.
pub(super) struct Agreement;

impl PairMeasure for Agreement {
    fn facts(&self) -> Facts {
        let says = "slots that agree / all slots (of signatures)";
        Facts {
            says,
            compares: Compares::Slots,
            is_strict: false,
            is_directed: false,
            is_rounded: false,
        }
    }

    fn bound(&self, threshold: Threshold, of: &Collection) -> Option<Box<dyn Bound>> {
        Some(Box::new(Agreeing {
            threshold,
            slots: of.slots.max(1),
        }))
    }
}

/// Signatures with a fixed number of slots.
struct Agreeing {
    threshold: Threshold,
    slots: u32,
}

impl Prefix for Agreeing {
    fn suffixes(&self, _: Text, _: &mut Marks, out: &mut [u32]) {
        let all = out.len() as u32;
        (0..).zip(out).for_each(|(before, out)| *out = all - before);
    }

    fn indexes(&self, suffix: u32, _: u32) -> bool {
        u64::from(suffix) >= self.threshold.least(self.slots.into())
    }

    fn probes(&self, suffix: u32, size: u32, _: i32) -> bool {
        self.indexes(suffix, size)
    }

    fn partners(&self, _: u32) -> Partners {
        Partners::Earlier(0)
    }
}

impl Outlined for Agreeing {}

impl Verify for Agreeing {
    fn shared(&self, a: Text, b: Text, _: &mut Marks) -> Option<(u32, u32)> {
        let least = self.threshold.least(self.slots.into());
        common(a.ranks(), b.ranks(), least as usize).map(|shared| (shared as u32, self.slots))
    }

    fn admits(&self, (part, whole): (u32, u32), _: (u32, u32)) -> bool {
        self.threshold.admits(part.into(), whole.into())
    }
}
