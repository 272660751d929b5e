//! Expands pairs of groups of equal units into pairs of units.

use super::Findings;
use crate::context::Context;
use crate::error::Result;
use crate::pair::Pair;
use std::ops::Range;

impl Findings {
    /// Calls `f` with each pair of units whose earlier one is in `window`, and the pair of their
    /// groups in the same orientation, in no particular order.
    ///
    /// # Errors
    /// If the run is cancelled, or scratch fails.
    pub fn each_pair(
        &self,
        context: &Context,
        window: Range<u32>,
        f: &mut dyn FnMut(((u32, u32), Pair)),
    ) -> Result<()> {
        let Some(pairs) = self.pairs() else {
            return Ok(());
        };
        let groups = &self.groups;
        let inside = |members: &[u32]| -> Range<usize> {
            members.partition_point(|unit| *unit < window.start)
                ..members.partition_point(|unit| *unit < window.end)
        };
        for group in (0..groups.len() as u32).filter(|group| groups.are_alike(*group)) {
            let members = groups.members(group);
            let pair = pairs.equal(group);
            for at in inside(members) {
                members[at + 1..]
                    .iter()
                    .for_each(|later| f(((members[at], *later), pair)));
            }
        }
        pairs.for_each(|pair| {
            context.check()?;
            let (of_a, of_b) = (groups.members(pair.a), groups.members(pair.b));
            for (pair, earlier, later) in [
                (pair, of_a, of_b),
                (pairs.scoring().turned(&pair), of_b, of_a),
            ] {
                for unit in &earlier[inside(earlier)] {
                    let from = later.partition_point(|other| other < unit);
                    later[from..]
                        .iter()
                        .for_each(|other| f(((*unit, *other), pair)));
                }
            }
            Ok(())
        })
    }
}
