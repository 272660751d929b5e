//! Clusters that grow pair by pair, with their agreement with the gold standard at every step.

use super::gold::{Gold, Kind};
use super::sides::Sides;
use std::collections::BTreeMap;
use tegula::cluster::UnionFind;
use tegula::evaluation::adjusted_rand;

/// Clusters, with sums over them that are updated when they are merged.
///
/// # Cost
/// The smaller cluster is always merged into the larger, so n documents are moved at most n log n
/// times.
pub(super) struct Closing<'a> {
    gold: &'a Gold,
    labelled: bool,
    sets: UnionFind,
    /// By the first member of a cluster, its members; empty for a singleton.
    members: Vec<Vec<u32>>,
    /// By the first member, the number of judged members.
    judged: Vec<u64>,
    /// By the first member, the number of members by group; empty for a singleton.
    groups: Vec<BTreeMap<u32, u64>>,
    sides: Sides,
    /// Pairs of judged documents in one cluster.
    pairs: u64,
    /// Pairs of judged documents in one cluster and one group.
    both: u64,
    /// Pairs of judged documents in one group, and all pairs.
    grouped: u64,
    all: u64,
}

impl<'a> Closing<'a> {
    /// Each document as a singleton. With `labelled`, only labelled pairs count as found.
    pub(super) fn new(gold: &'a Gold, labelled: bool) -> Self {
        let ids = gold.groups.len();
        let positives = (0..ids)
            .filter(|id| gold.judged[*id])
            .map(|id| u64::from(gold.copies(id as u32)))
            .sum();
        let two = |count: u64| count * count.saturating_sub(1) / 2;
        let judged = (0..ids).filter(|id| gold.judged[*id]);
        let grouped = judged.clone().map(|id| two(gold.sizes[id].into())).sum();
        Self {
            gold,
            labelled,
            sets: UnionFind::new(ids),
            members: vec![Vec::new(); ids],
            judged: gold
                .judged
                .iter()
                .map(|judged| u64::from(*judged))
                .collect(),
            groups: vec![BTreeMap::new(); ids],
            sides: Sides {
                found: 0,
                hits: 0,
                positives,
            },
            pairs: 0,
            both: 0,
            grouped,
            all: two(judged.count() as u64),
        }
    }

    /// Merges the clusters of two documents.
    pub(super) fn merge(&mut self, a: u32, b: u32) {
        let (a, b) = (self.sets.find(a), self.sets.find(b));
        if a == b {
            return;
        }
        let [of_a, of_b] = [a, b].map(|root| std::mem::take(&mut self.members[root as usize]));
        let whole = |root: u32, members: Vec<u32>| {
            if members.is_empty() {
                vec![root]
            } else {
                members
            }
        };
        let (of_a, of_b) = (whole(a, of_a), whole(b, of_b));
        let (small, mut large, small_root, large_root) = if of_a.len() < of_b.len() {
            (of_a, of_b, a, b)
        } else {
            (of_b, of_a, b, a)
        };
        let (judged_small, judged_large) = (
            self.judged[small_root as usize],
            self.judged[large_root as usize],
        );
        self.pairs += judged_small * judged_large;
        if !(self.labelled && matches!(self.gold.kind, Kind::Pairs(_))) {
            self.sides.found +=
                judged_small * large.len() as u64 + judged_large * small.len() as u64;
        }
        self.count_labelled(&small, large_root);
        let groups = self.merged_groups(small_root, large_root);
        self.sets.union(a, b);
        let root = self.sets.find(a);
        large.extend(small);
        self.members[root as usize] = large;
        self.judged[root as usize] = judged_small + judged_large;
        self.groups[root as usize] = groups;
    }

    /// Counts the labelled pairs between a cluster and another.
    fn count_labelled(&mut self, small: &[u32], large_root: u32) {
        let Kind::Pairs(pairs) = &self.gold.kind else {
            return;
        };
        for id in small {
            for (other, positive) in pairs.partners(*id) {
                if self.sets.find(*other) == large_root {
                    let sides = u64::from(self.gold.judged[*id as usize])
                        + u64::from(self.gold.judged[*other as usize]);
                    self.sides.hits += if *positive { sides } else { 0 };
                    self.sides.found += if self.labelled { sides } else { 0 };
                }
            }
        }
    }

    /// Merges the groups of two clusters; counts their common pairs.
    fn merged_groups(&mut self, small_root: u32, large_root: u32) -> BTreeMap<u32, u64> {
        let [small, mut large] = [small_root, large_root].map(|root| {
            let groups = std::mem::take(&mut self.groups[root as usize]);
            if groups.is_empty() {
                BTreeMap::from([(self.gold.groups[root as usize], 1)])
            } else {
                groups
            }
        });
        for (group, count) in small {
            let there = large.entry(group).or_default();
            // Either all documents of a group are judged, or none.
            if self.gold.judged[group as usize] {
                self.both += count * *there;
                if matches!(self.gold.kind, Kind::Groups) {
                    self.sides.hits += 2 * count * *there;
                }
            }
            *there += count;
        }
        large
    }

    /// The counts by pair, of all pairs inside clusters.
    pub(super) fn sides(&self) -> Sides {
        self.sides
    }

    /// The adjusted Rand index of the judged documents' clusters and groups (Hubert and Arabie
    /// 1985).
    pub(super) fn rand_index(&self) -> f64 {
        adjusted_rand(self.both, self.pairs, self.grouped, self.all)
    }
}
