//! Clusters as lists of their members.

use super::Place;
use crate::cluster::Clusters;
use crate::group::Groups;
use crate::threshold::Score;
use crate::unit::Units;

/// Two or more units linked by pairs. Members need not be similar to each other: if A matches B and
/// B matches C, A need not match C. [`Cluster::lowest`] and [`Cluster::density`] reveal such
/// chains.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Cluster {
    /// The members in the order of the texts; the cluster is named after the first.
    pub members: Vec<Place>,
    /// The lowest score of its pairs.
    pub lowest: Score,
    /// Pairs at or above the threshold.
    pub pairs: u64,
    /// Pairs divided by all possible pairs: 1 if all members match each other. None if there were
    /// too many pairs to list.
    pub density: Option<f64>,
}

impl Cluster {
    /// All clusters, ordered by first member.
    pub(super) fn all(
        clusters: &Clusters,
        units: &Units,
        groups: &Groups,
        own: usize,
    ) -> Vec<Self> {
        let empty = clusters.list.iter().map(|cluster| Self {
            members: Vec::with_capacity(cluster.size as usize),
            lowest: cluster.min_edge,
            pairs: cluster.edges,
            density: cluster.density(),
        });
        let mut all: Vec<Self> = empty.collect();
        for unit in 0..units.len() as u32 {
            let place = clusters.of_group[groups.of_unit[unit as usize] as usize];
            if let Some(cluster) = all.get_mut(place as usize) {
                cluster.members.push(Place::of(units, own, unit));
            }
        }
        all
    }
}
