//! Decisions: which units are kept, and a kept witness for each removed one.
//!
//! A unit is removed only if a kept one matches it, and no two kept units match: the kept set is
//! the first maximal independent set in keep order, computed in rounds of local minima with the
//! same result as the sequential greedy choice. The witness is the best-scoring kept neighbour,
//! with ties broken by input order. Under a directed measure only the contained unit of a pair may
//! be removed.

mod by_pairs;
mod chain;
mod fates;
mod keep;
mod policy;
mod restored;
pub(crate) mod settle;
mod standing;

pub use chain::chain;
pub use fates::Fate;
pub use keep::{Keep, KeepRule};
pub use policy::Policy;
pub use standing::Standing;

use crate::error::Result;
use crate::evidence::{Coverage, Evidence, Findings, Spans};
use crate::onion;
use crate::threshold::{Score, Threshold};
use by_pairs::ByPairs;
use fates::Fates;

/// The verdict on each unit.
#[derive(Debug)]
pub struct Decision {
    fates: Fates,
}

impl Decision {
    /// Bytes that are reserved for a unit while texts are compared, which the decision takes over.
    pub(crate) const SHARED_BYTES: u64 = 24;
    /// Bytes for the decision on a unit: about 25 for its node and state, and 32 for the verdict if
    /// it is removed, as about a third are.
    pub(crate) const BYTES: u64 = 36;

    /// The verdict on a unit.
    pub fn fate(&self, unit: u32) -> Fate {
        self.fates.of(unit)
    }

    /// Whether a unit is kept.
    pub fn keeps(&self, unit: u32) -> bool {
        self.fates.of(unit) == Fate::Kept
    }

    /// By group, whether it is kept, and an estimate of the number of pairs of groups: those of a
    /// kept and a removed one, and all pairs removed because of the same one.
    ///
    /// # Errors
    /// If scratch fails.
    pub(crate) fn pairs_about(&self, found: &Findings) -> Result<(Vec<bool>, u64)> {
        let groups = &found.groups;
        let mut kept = vec![true; groups.len()];
        let mut removed_for = vec![0_u64; groups.len()];
        for ((group, kept), first) in kept.iter_mut().enumerate().zip(&groups.first) {
            if let Fate::Duplicate { witness, .. } = self.fate(*first) {
                let witness = groups.of_unit[witness as usize] as usize;
                *kept = witness == group;
                removed_for[witness] += u64::from(!*kept);
            }
        }
        let mut pairs: u64 = removed_for
            .iter()
            .map(|removed| removed * removed.saturating_sub(1) / 2)
            .sum();
        let Some(scored) = found.pairs() else {
            return Ok((kept, pairs));
        };
        scored.for_each(|pair| {
            pairs += u64::from(kept[pair.a as usize] != kept[pair.b as usize]);
            Ok(())
        })?;
        Ok((kept, pairs))
    }

    /// Decides on the findings at `threshold`.
    ///
    /// # Errors
    /// Usage errors if the policy names a field that was not read or has an invalid value; errors
    /// of scratch.
    pub fn new(found: &Findings, policy: &Policy, threshold: Threshold) -> Result<Self> {
        match &found.evidence {
            Evidence::Coverage(coverage) => {
                policy.check_order_decides()?;
                Ok(Self::of_coverage(found, coverage))
            }
            Evidence::Spans(spans) => {
                policy.check_of_passages()?;
                Ok(Self::of_spans(found, spans))
            }
            Evidence::Pairs(pairs) => ByPairs::new(found, pairs, policy, threshold)?.run(),
        }
    }

    fn of_coverage(found: &Findings, coverage: &Coverage) -> Self {
        let fates = (0..found.units.len() as u32).map(|unit| {
            let smoothed = match coverage.fates[unit as usize] {
                onion::Fate::Kept => return Fate::Kept,
                onion::Fate::Duplicate => false,
                onion::Fate::Smoothed => true,
            };
            let source = coverage
                .sources_of(unit)
                .first()
                .map(|source| source.source);
            Fate::PreviouslySeen {
                source,
                score: coverage.share(&found.units, unit),
                smoothed,
            }
        });
        Self {
            fates: fates.collect(),
        }
    }

    /// The keep order was applied when the passages were found: each depends on those before it.
    fn of_spans(found: &Findings, spans: &Spans) -> Self {
        let mut fates = vec![Fate::Kept; found.units.len()];
        for span in &spans.list {
            let score = Score::ONE;
            fates[span.unit as usize] = match &span.source {
                Some(source) => Fate::Duplicate {
                    witness: source.unit,
                    score,
                },
                None => Fate::Unwitnessed { score },
            };
        }
        Self {
            fates: fates.into_iter().collect(),
        }
    }
}
