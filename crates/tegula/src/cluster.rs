//! Clusters: connected components of the pairs, with the figures that reveal chains.
//!
//! Two texts of a cluster need not be similar: A ~ B ~ C does not imply A ~ C. `min_edge` and
//! `density` distinguish such chains from true clusters.

use crate::error::Result;
use crate::evidence::Findings;
use crate::threshold::{Score, Threshold};
pub use crate::union_find::UnionFind;

/// A cluster of at least two units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// The earliest member, after which it is named.
    pub first: u32,
    /// The number of units.
    pub size: u32,
    /// The lowest score among its pairs.
    pub min_edge: Score,
    /// Pairs of units at or above the threshold.
    pub edges: u64,
    /// Whether these are all pairs, rather than only those of a kept and a removed unit.
    pub has_all: bool,
}

impl Cluster {
    /// Pairs over all possible pairs: 1 if all members match each other. None if not all pairs were
    /// listed.
    pub fn density(&self) -> Option<f64> {
        let size = f64::from(self.size);
        self.has_all
            .then(|| self.edges as f64 / (size * (size - 1.0) / 2.0))
    }
}

/// All clusters, ordered by earliest member.
#[derive(Debug, Default)]
pub struct Clusters {
    /// The clusters, ordered by earliest member.
    pub list: Vec<Cluster>,
    /// For each group the index of its cluster in `list`, or [`Clusters::NONE`].
    pub of_group: Vec<u32>,
    /// Pairs of units at or above the threshold, including those inside groups.
    pub pairs: u64,
}

impl Clusters {
    /// The cluster index of a group without a cluster.
    pub const NONE: u32 = u32::MAX;

    /// The clusters of the findings at `threshold`. Reads the pairs twice.
    ///
    /// # Errors
    /// If scratch fails.
    pub fn new(found: &Findings, threshold: Threshold) -> Result<Self> {
        let groups = &found.groups;
        // Without pairs there are no clusters.
        let Some(pairs) = found.pairs() else {
            return Ok(Self {
                of_group: vec![Self::NONE; groups.len()],
                ..Self::default()
            });
        };
        let mut sets = UnionFind::new(groups.len());
        pairs.for_each(|pair| {
            if pairs.admitted(&pair, threshold).is_some() {
                sets.union(pair.a, pair.b);
            }
            Ok(())
        })?;
        // Groups are numbered by their first members, so the smallest group of a set contains the
        // earliest unit.
        let mut sizes = vec![0_u32; groups.len()];
        for group in 0..groups.len() as u32 {
            sizes[sets.find(group) as usize] += groups.members(group).len() as u32;
        }
        let mut clusters = Self {
            of_group: vec![Self::NONE; groups.len()],
            ..Self::default()
        };
        for group in 0..groups.len() as u32 {
            let root = sets.find(group);
            let lone = groups.members(root).len() as u32 == sizes[root as usize];
            if sizes[root as usize] < 2 || (lone && !groups.are_alike(root)) {
                continue;
            }
            if root == group {
                clusters.of_group[group as usize] = clusters.list.len() as u32;
                let first = groups.first[group as usize];
                clusters.list.push(Cluster {
                    first,
                    size: sizes[root as usize],
                    min_edge: Score::ONE,
                    edges: 0,
                    has_all: pairs.settled.is_none(),
                });
            }
            let place = clusters.of_group[root as usize];
            clusters.of_group[group as usize] = place;
            if groups.are_alike(group) {
                let members = groups.members(group).len() as u64;
                clusters.list[place as usize].edges += members * (members - 1) / 2;
            }
        }
        pairs.for_each(|pair| {
            if let Some(score) = pairs.admitted(&pair, threshold) {
                let cluster = &mut clusters.list[clusters.of_group[pair.a as usize] as usize];
                cluster.edges +=
                    groups.members(pair.a).len() as u64 * groups.members(pair.b).len() as u64;
                cluster.min_edge = cluster.min_edge.min(score);
            }
            Ok(())
        })?;
        clusters.pairs = clusters.list.iter().map(|cluster| cluster.edges).sum();
        Ok(clusters)
    }

    /// The number of units in clusters.
    pub fn units(&self) -> u64 {
        self.list
            .iter()
            .map(|cluster| u64::from(cluster.size))
            .sum()
    }

    /// The cluster of a group.
    pub fn get(&self, group: u32) -> Option<&Cluster> {
        self.list.get(self.of_group[group as usize] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_by_their_smallest_member() {
        let mut sets = UnionFind::new(6);
        sets.union(5, 3);
        sets.union(3, 4);
        sets.union(2, 5);
        assert_eq!(
            (0..6).map(|x| sets.find(x)).collect::<Vec<_>>(),
            [0, 1, 2, 2, 2, 2]
        );
    }
}
