//! What each kept unit stands for: the removed units whose witness it is, and its rank among the
//! kept units of its cluster.

use super::{Decision, Fate, Policy};
use crate::cluster::Clusters;
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::evidence::Findings;

/// What kept units stand for. Looking up a unit is a binary search.
#[derive(Debug)]
pub struct Standing {
    /// Witness and removed unit, ascending.
    removed: Vec<(u32, u32)>,
    /// Kept units of clusters and their ranks, ascending.
    ranks: Vec<(u32, u32)>,
    _held: Reservation,
}

impl Standing {
    /// Of all units of a decision.
    ///
    /// # Errors
    /// If the keep order names a field that was not read; errors of the memory ceiling.
    pub fn new(
        context: &Context,
        (found, clusters): (&Findings, &Clusters),
        (decision, policy): (&Decision, &Policy),
    ) -> Result<Self> {
        let units = found.units.len() as u32;
        let held = (context.budget).reserve(20 * u64::from(units), "what kept texts stand for")?;
        let removed = |unit| Some((decision.fate(unit).because_of()?, unit));
        let mut removed: Vec<(u32, u32)> = (0..units).filter_map(removed).collect();
        removed.sort_unstable();
        let order = policy.keep.order(&found.units)?;
        let cluster = |unit: u32| clusters.of_group[found.groups.of_unit[unit as usize] as usize];
        let mut kept: Vec<(u32, u32, u32)> = (0..units)
            .filter(|unit| decision.fate(*unit) == Fate::Kept && cluster(*unit) != Clusters::NONE)
            .map(|unit| (cluster(unit), order[unit as usize], unit))
            .collect();
        kept.sort_unstable();
        let mut ranks: Vec<(u32, u32)> = kept
            .chunk_by(|a, b| a.0 == b.0)
            .flat_map(|of_one| (1..).zip(of_one).map(|(rank, (_, _, unit))| (*unit, rank)))
            .collect();
        ranks.sort_unstable();
        Ok(Self {
            removed,
            ranks,
            _held: held,
        })
    }

    /// The removed units whose witness it is, in input order.
    pub fn stands_for(&self, unit: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.removed.partition_point(|(witness, _)| *witness < unit);
        let of_one = self.removed[from..].iter();
        of_one
            .take_while(move |(witness, _)| *witness == unit)
            .map(|(_, removed)| *removed)
    }

    /// Its rank among the kept units of its cluster, from 1 for the most preferred; none outside
    /// clusters.
    pub fn rank(&self, unit: u32) -> Option<u32> {
        let place = self.ranks.binary_search_by_key(&unit, |(unit, _)| *unit);
        place.ok().map(|place| self.ranks[place].1)
    }
}
