//! Copies that are kept besides those that the witness rule keeps: one for each value of a field in
//! every cluster, and up to a number of each cluster.
//!
//! They are taken from the removed units, in keep order. What was kept stays, so that a unit that is
//! still removed keeps a witness. A unit that matches a reference is not taken.

use crate::cluster::Clusters;
use crate::error::Result;
use crate::evidence::Findings;
use crate::threshold::Threshold;
use std::collections::HashSet;

/// Some units, ascending.
#[derive(Debug, Default)]
pub(super) struct Restored(Vec<u32>);

impl Restored {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a unit is among them.
    pub(super) fn has(&self, unit: u32) -> bool {
        self.0.binary_search(&unit).is_ok()
    }

    /// All of them.
    pub(super) fn each(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// Of the clusters at a threshold, those that are kept besides the units that `is_kept` names, of
    /// those that `may` be: one for each of the values by record, and as many as make `most` in all.
    /// `order` has each unit's position in keep order.
    ///
    /// # Errors
    /// Errors of scratch.
    pub(super) fn of(
        (found, threshold): (&Findings, Threshold),
        order: &[u32],
        (values, most): (Option<&[u32]>, usize),
        is_kept: &dyn Fn(u32) -> bool,
        may: &dyn Fn(u32) -> bool,
    ) -> Result<Self> {
        let clusters = Clusters::new(found, threshold)?;
        let of_group = &found.groups.of_unit;
        let mut members: Vec<(u32, u32, u32)> = (0..of_group.len() as u32)
            .filter(|unit| !found.allowed.is_reference(found.units.record_of(*unit)))
            .map(|unit| (clusters.of_group[of_group[unit as usize] as usize], unit))
            .filter(|(cluster, _)| *cluster != Clusters::NONE)
            .map(|(cluster, unit)| (cluster, order[unit as usize], unit))
            .collect();
        members.sort_unstable();
        let mut restored = Vec::new();
        for cluster in members.chunk_by(|a, b| a.0 == b.0) {
            let (kept, removed): (Vec<u32>, Vec<u32>) = (cluster.iter())
                .map(|(_, _, unit)| *unit)
                .partition(|unit| is_kept(*unit));
            let value = |unit: u32| {
                let record = found.units.record_of(unit);
                values.map(|values| values[record])
            };
            let mut seen: HashSet<Option<u32>> = kept.iter().map(|unit| value(*unit)).collect();
            seen.insert(None);
            let (first, others): (Vec<u32>, Vec<u32>) = (removed.into_iter())
                .filter(|unit| may(*unit))
                .partition(|unit| seen.insert(value(*unit)));
            let more = most.saturating_sub(kept.len() + first.len());
            restored.extend(first.into_iter().chain(others.into_iter().take(more)));
        }
        restored.sort_unstable();
        Ok(Self(restored))
    }
}
