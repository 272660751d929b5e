//! Counts pairs by the group of their documents, for resamples, and by classes of documents.

use super::found::Pair;
use super::gold::Gold;
use super::sides::Sides;
use super::tally::Tally;
use tegula::cluster::UnionFind;

/// How pairs are counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counting {
    /// All pairs inside the clusters, rather than only those that were listed.
    pub(super) transitive: bool,
    /// Only labelled pairs.
    pub(super) labelled: bool,
}

/// A count at a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count {
    /// The document.
    pub(super) document: u32,
    /// The group with which it is drawn.
    pub(super) group: u32,
    /// What is counted.
    pub(super) sides: Sides,
}

/// Calls `add` with the counts of every judged document. True pairs lie within a group, and are
/// drawn with it; a wrong pair is drawn with the group of its earlier document, and all wrong pairs
/// inside a cluster with that of the cluster's earliest.
pub(super) fn count(gold: &Gold, pairs: &[Pair], counting: Counting, mut add: impl FnMut(Count)) {
    let is_judged = |id: u32| gold.judged[id as usize];
    let group_of = |id: u32| gold.groups[id as usize];
    let ids = 0..gold.groups.len() as u32;
    for document in ids.clone().filter(|id| is_judged(*id)) {
        let positives = u64::from(gold.copies(document));
        if positives > 0 {
            let sides = Sides {
                positives,
                ..Sides::default()
            };
            add(Count {
                document,
                group: group_of(document),
                sides,
            });
        }
    }
    let mut found = |document: u32, group: u32, found: u64, hits: u64| {
        if found > 0 {
            let sides = Sides {
                found,
                hits,
                positives: 0,
            };
            add(Count {
                document,
                group,
                sides,
            });
        }
    };
    if !counting.transitive {
        for pair in pairs {
            let truth = gold.says(pair.a, pair.b);
            if truth.is_none() && counting.labelled {
                continue;
            }
            let hits = u64::from(truth == Some(true));
            let both = [pair.a, pair.b];
            let earlier = both.into_iter().find(|id| is_judged(*id));
            for document in both.into_iter().filter(|id| is_judged(*id)) {
                found(document, group_of(earlier.unwrap_or(document)), 1, hits);
            }
        }
        return;
    }
    let tally = Tally::of_clusters(gold, pairs, counting.labelled);
    let mut sets = UnionFind::new(gold.groups.len());
    for pair in pairs {
        sets.union(pair.a, pair.b);
    }
    let mut earliest = vec![None; gold.groups.len()];
    for document in ids.filter(|id| is_judged(*id)) {
        let at = document as usize;
        let first = *earliest[sets.find(document) as usize].get_or_insert(document);
        let [partners, hits] = [tally.partners[at], tally.hits[at]].map(u64::from);
        found(document, group_of(document), hits, hits);
        found(document, group_of(first), partners - hits, 0);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::gold::{self, Read};
    use super::super::ids::Ids;
    use super::super::resample::ByGroup;
    use super::super::{Half, ReadOptions};
    use super::*;

    /// Three copies, two copies, two alone.
    pub(in super::super) fn gold(half: Option<Half>) -> (Gold, Vec<Pair>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gold.tsv");
        let list = "id\tgroup\na\t1\nb\t1\nc\t1\nd\t2\ne\t2\nf\t3\ng\t4\n";
        std::fs::write(&path, list).unwrap();
        let mut ids = Ids::default();
        let read: Read = gold::read(&path, &ReadOptions::default(), &mut ids, &mut []).unwrap();
        let pair = |(a, b)| Pair { a, b, score: 1.0 };
        let pairs = [(0, 1), (1, 3), (3, 4), (4, 5), (0, 6)].map(pair);
        let mut gold = Gold::new(read, &ids);
        gold.judge(&ids, half, false);
        (gold, pairs.to_vec())
    }

    #[test]
    fn counts_by_group_add_up_to_those_of_all_documents() {
        for half in [None, Some(Half::A), Some(Half::B)] {
            let (gold, pairs) = gold(half);
            for transitive in [false, true] {
                let counting = Counting {
                    transitive,
                    labelled: false,
                };
                let mut all = ByGroup::default();
                count(&gold, &pairs, counting, |one| all.add(one.group, one.sides));
                let tally = if transitive {
                    Tally::of_clusters(&gold, &pairs, false)
                } else {
                    Tally::of_pairs(&gold, &pairs, false)
                };
                assert_eq!(all.total(), tally.sides(&gold), "{half:?} {transitive}");
            }
        }
    }

    #[test]
    fn wrong_pairs_are_drawn_with_the_earlier_document() {
        let (gold, pairs) = gold(None);
        let wrong = |transitive: bool| {
            let counting = Counting {
                transitive,
                labelled: false,
            };
            let mut groups = std::collections::BTreeMap::new();
            count(&gold, &pairs, counting, |one| {
                *groups.entry(one.group).or_insert(0) += one.sides.found - one.sides.hits;
            });
            groups.into_iter().collect::<Vec<_>>()
        };
        // Groups 0 and 3: b with d and a with g, e with f.
        assert_eq!(wrong(false), [(0, 4), (3, 2)]);
        // One cluster of a, b, d, e, f and g: 15 pairs, 2 of them right.
        assert_eq!(wrong(true), [(0, 26), (3, 0)]);
    }
}
