//! Candidates from keys: all pairs that share a key. The case without a bound: nothing is scored.

use super::bound::{Bound, Partners};
use super::marks::Marks;
use crate::block::Text;

/// All texts with a key in common.
pub(crate) struct Keys;

impl Bound for Keys {
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

    fn may(&self, _: (u32, u32), _: (i32, u32)) -> bool {
        true
    }

    fn shared(&self, _: Text, _: Text, _: &mut Marks) -> Option<(u32, u32)> {
        Some((0, 0))
    }

    fn admits(&self, _: (u32, u32), _: (u32, u32)) -> bool {
        true
    }
}
