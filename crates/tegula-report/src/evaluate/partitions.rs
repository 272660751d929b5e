//! The clusters of a result beside the groups of the gold standard, for the adjusted Rand index of
//! resamples.
//!
//! In a resample, a group that is drawn twice is two groups, whose documents are in the same clusters
//! as those of other groups. So pairs within a group are drawn as often as the group, and pairs
//! across two groups as often as the product of both.

use super::found::Pair;
use super::gold::Gold;
use super::judged::Judged;
use super::resample::{ByGroup, Draws, Interval, Sampled};
use super::sides::Sides;
use std::collections::BTreeMap;
use tegula::cluster::UnionFind;
use tegula::evaluation::adjusted_rand;

/// Counts of judged documents by cluster and group.
pub(super) struct Partitions {
    /// Pairs within a group, each once: positive are all, found and hits those in one cluster too.
    within: ByGroup,
    /// The clusters with documents of several groups: each group, and its documents.
    mixed: Vec<Vec<(u32, u64)>>,
}

impl Partitions {
    pub(super) fn of(gold: &Gold, pairs: &[Pair]) -> Self {
        let mut sets = UnionFind::new(gold.groups.len());
        for pair in pairs {
            sets.union(pair.a, pair.b);
        }
        let mut within = ByGroup::default();
        // The documents so far.
        let mut groups: BTreeMap<u32, u64> = BTreeMap::new();
        let mut cells: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for document in (0..gold.groups.len() as u32).filter(|id| gold.judged[*id as usize]) {
            let group = gold.groups[document as usize];
            let grouped = groups.entry(group).or_default();
            let both = cells.entry((sets.find(document), group)).or_default();
            let one = Sides {
                found: *both,
                hits: *both,
                positives: *grouped,
            };
            within.add(group, one);
            *grouped += 1;
            *both += 1;
        }
        let cells: Vec<_> = cells.into_iter().collect();
        let clusters = cells.chunk_by(|((one, _), _), ((other, _), _)| one == other);
        let groups_of = |cells: &[((u32, u32), u64)]| {
            let groups = cells.iter().map(|((_, group), count)| (*group, *count));
            groups.collect()
        };
        Self {
            within,
            mixed: clusters
                .filter(|cells| cells.len() > 1)
                .map(groups_of)
                .collect(),
        }
    }

    /// Pairs in one cluster across groups, each of which is drawn some times.
    fn across(&self, times: impl Fn(u32) -> u64) -> u64 {
        let in_cluster = |groups: &Vec<(u32, u64)>| {
            let (mut sum, mut squares) = (0, 0);
            for (group, count) in groups {
                let count = times(*group) * count;
                sum += count;
                squares += count * count;
            }
            (sum * sum - squares) / 2
        };
        self.mixed.iter().map(in_cluster).sum()
    }

    /// The interval of the adjusted Rand index; `documents` are those of each resample.
    pub(super) fn interval(&self, judged: &Judged, documents: &Sampled) -> Option<Interval> {
        let within = judged.sampled(&self.within)?;
        within.among(documents, |resample, counts, documents| {
            let draws = Draws::of(resample);
            let across = self.across(|group| draws.times(judged.key(group)));
            Some(index(counts, across, documents))
        })
    }
}

fn index(within: Sides, across: u64, documents: u64) -> f64 {
    let all = documents * documents.saturating_sub(1) / 2;
    adjusted_rand(within.hits, within.found + across, within.positives, all)
}

#[cfg(test)]
mod tests {
    use super::super::closing::Closing;
    use super::super::counting::tests::gold;
    use super::super::options::Half;
    use super::*;

    #[test]
    fn counts_add_up_to_the_adjusted_rand_index() {
        for half in [None, Some(Half::A), Some(Half::B)] {
            let (gold, pairs) = gold(half);
            let mut closing = Closing::new(&gold, false);
            for pair in &pairs {
                closing.merge(pair.a, pair.b);
            }
            let documents = gold.judged.iter().filter(|judged| **judged).count() as u64;
            let all = Partitions::of(&gold, &pairs);
            let found = index(all.within.total(), all.across(|_| 1), documents);
            assert_eq!(found.to_bits(), closing.rand_index().to_bits(), "{half:?}");
        }
    }

    #[test]
    fn pairs_across_groups_are_drawn_as_often_as_both() {
        let (gold, pairs) = gold(None);
        // One cluster of two, two, one and one document of four groups.
        let all = Partitions::of(&gold, &pairs);
        assert_eq!(all.across(|_| 1), 13);
        assert_eq!(all.across(|group| u64::from(group != 0)), 5);
        assert_eq!(all.across(|group| if group == 0 { 2 } else { 1 }), 21);
    }
}
