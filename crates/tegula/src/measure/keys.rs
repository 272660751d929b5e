//! Candidates from keys: all pairs that share enough of them. Nothing is scored.

use super::bound::{Outlined, Partners, Prefix, Verify};
use super::marks::Marks;
use super::shingles::common;
use crate::block::Text;

/// All texts with at least this many keys in common.
pub(crate) struct Keys(pub(crate) u32);

impl Prefix for Keys {
    fn suffixes(&self, _: Text, _: &mut Marks, out: &mut [u32]) {
        if self.0 < 2 {
            return out.fill(1);
        }
        let all = out.len() as u32;
        (0..).zip(out).for_each(|(before, out)| *out = all - before);
    }

    fn indexes(&self, suffix: u32, _: u32) -> bool {
        suffix >= self.0
    }

    fn probes(&self, suffix: u32, _: u32, _: i32) -> bool {
        suffix >= self.0
    }

    fn partners(&self, _: u32) -> Partners {
        Partners::Earlier(0)
    }
}

impl Outlined for Keys {}

impl Verify for Keys {
    fn shared(&self, a: Text, b: Text, _: &mut Marks) -> Option<(u32, u32)> {
        if self.0 < 2 {
            return Some((0, 0)); // They met at one.
        }
        common(a.ranks(), b.ranks(), self.0 as usize).map(|_| (0, 0))
    }

    fn admits(&self, _: (u32, u32), _: (u32, u32)) -> bool {
        true
    }
}
