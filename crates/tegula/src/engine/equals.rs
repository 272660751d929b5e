//! Equal texts that a constraint splits into several groups: their score is 1 under every recipe,
//! whatever their features.

use super::run::Run;
use crate::constraint::Allowed;
use crate::error::Result;
use crate::evidence::{AT_ONCE, PairSink, Pairs, Scoring};
use crate::pair::{Pair, Sizes};

impl Run<'_> {
    /// Replaces or adds the pairs of groups with equal token sequences: the method may have missed
    /// or misjudged them, as a text may have no keys, no terms with a weight, or fewer slots than
    /// the signature length. `sizes` are the distinct shingles by group.
    ///
    /// # Cost
    /// None without constraints, as equal units then form one group; otherwise a sort of the
    /// groups, and one step per pair of equal ones.
    pub(super) fn with_equals(
        &self,
        allowed: &Allowed,
        found: Pairs,
        sizes: &mut [u32],
    ) -> Result<Pairs> {
        if self.allow.all() {
            return Ok(found);
        }
        let scoring = Scoring::of(self.recipe);
        if !scoring.equals_match(self.recipe.threshold) {
            // No score is above a strict threshold of 1.
            return Ok(found);
        }
        let (units, groups) = (self.firsts.units, self.firsts.groups);
        let first = |group: u32| groups.first[group as usize] as usize;
        let digest = |group: u32| units.digest[first(group)];
        let _held = self
            .context
            .budget
            .reserve(4 * groups.len() as u64, "the order of equal texts")?;
        let mut order: Vec<u32> = (0..groups.len() as u32)
            .filter(|group| !allowed.leave_out(units, groups.first[*group as usize]))
            .collect();
        order.sort_unstable_by_key(|group| (digest(*group), *group));
        let is_counted = self.recipe.measure.needs_sets();
        let sink = PairSink::new(self.context);
        let mut some: Vec<Pair> = Vec::new();
        let mut any = false;
        for run in order
            .chunk_by(|a, b| digest(*a) == digest(*b))
            .filter(|run| run.len() > 1)
        {
            if is_counted {
                // A text that was never a candidate was not shingled: it counts as one shingle.
                let size = run
                    .iter()
                    .map(|group| sizes[*group as usize])
                    .max()
                    .unwrap_or(0)
                    .max(1);
                for group in run {
                    sizes[*group as usize] = size;
                }
            }
            for (at, a) in run.iter().enumerate() {
                let equal = scoring.equal(
                    *a,
                    Sizes {
                        sets: sizes,
                        lengths: self.lengths,
                    },
                );
                for b in run[at + 1..].iter().filter(|b| self.allow.pair(*a, **b)) {
                    some.push(Pair { b: *b, ..equal });
                    any = true;
                    if some.len() >= AT_ONCE {
                        sink.take(&mut some)?;
                    }
                }
            }
            self.context.check()?;
        }
        if !any {
            return Ok(found);
        }
        sink.take(&mut some)?;
        found.pass(&sink, |pair| {
            (digest(pair.a) != digest(pair.b)).then_some(pair)
        })?;
        self.context.pool()?.install(|| sink.finish())
    }
}
