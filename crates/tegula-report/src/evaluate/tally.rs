//! Counts by document, from which all measures of one result are computed.
//!
//! A pair is counted once for each of its two documents. So the measures can be computed for a half
//! of the documents, in which a pair across the halves counts half, and the figures by pair and by
//! document come from the same counts.

use super::found::Pair;
use super::gold::{Gold, Kind};
use super::resample::ByGroup;
use super::sides::Sides;
use serde::Serialize;
use std::collections::HashMap;
use tegula::cluster::UnionFind;
use tegula::evaluation::Scores;

/// By document, its copies in the gold standard, its partners in the result, and those of them that
/// are copies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tally {
    pub(super) copies: Vec<u32>,
    pub(super) partners: Vec<u32>,
    pub(super) hits: Vec<u32>,
}

/// Figures by document, for the classes "duplicate" and "no duplicate".
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DocumentScores {
    /// Duplicates found.
    pub right: u64,
    /// Documents wrongly found as duplicates.
    pub wrong: u64,
    /// Duplicates not found.
    pub missed: u64,
    /// All others.
    pub rest: u64,
    /// Scores of the class of duplicates.
    pub duplicates: Scores,
    /// Scores of the class of non-duplicates.
    pub others: Scores,
    /// The mean of the F1 of both classes, if both have one.
    pub macro_f1: Option<f64>,
    /// The share of documents whose partners are exactly their copies.
    pub accuracy: f64,
}

/// When a document counts as correctly found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// If it has copies and partners, whichever they are.
    Any,
    /// If all its copies are among its partners; one that lacks some counts as wrongly found (the
    /// rule of the CORE benchmark).
    All,
}

/// How a document was judged.
enum Outcome {
    /// A duplicate that was found.
    Right,
    /// Wrongly found.
    Wrong,
    /// A duplicate that was not found.
    Missed,
    /// Neither.
    Rest,
}

impl Tally {
    fn empty(gold: &Gold) -> Self {
        let ids = gold.groups.len();
        let copies = (0..ids as u32).map(|id| gold.copies(id)).collect();
        Self {
            copies,
            partners: vec![0; ids],
            hits: vec![0; ids],
        }
    }

    /// Counts the listed pairs. With `labelled`, unlabelled ones are skipped.
    pub(super) fn of_pairs(gold: &Gold, pairs: &[Pair], labelled: bool) -> Self {
        let mut tally = Self::empty(gold);
        for pair in pairs {
            let truth = gold.says(pair.a, pair.b);
            if truth.is_none() && labelled {
                continue;
            }
            for id in [pair.a, pair.b] {
                tally.partners[id as usize] += 1;
                tally.hits[id as usize] += u32::from(truth == Some(true));
            }
        }
        tally
    }

    /// Counts all pairs inside the clusters of these pairs.
    pub(super) fn of_clusters(gold: &Gold, pairs: &[Pair], labelled: bool) -> Self {
        let mut tally = Self::empty(gold);
        let ids = gold.groups.len() as u32;
        let mut sets = UnionFind::new(ids as usize);
        for pair in pairs {
            sets.union(pair.a, pair.b);
        }
        let roots: Vec<u32> = (0..ids).map(|id| sets.find(id)).collect();
        let mut sizes = vec![0_u32; ids as usize];
        let mut cells: HashMap<(u32, u32), u32> = HashMap::new();
        for (root, group) in roots.iter().zip(&gold.groups) {
            sizes[*root as usize] += 1;
            *cells.entry((*root, *group)).or_default() += 1;
        }
        for id in 0..ids as usize {
            tally.partners[id] = sizes[roots[id] as usize] - 1;
            match &gold.kind {
                Kind::Groups => {
                    tally.hits[id] = cells
                        .get(&(roots[id], gold.groups[id]))
                        .map_or(0, |cell| cell - 1);
                }
                Kind::Pairs(pairs) => {
                    let inside = pairs
                        .partners(id as u32)
                        .iter()
                        .filter(|(other, _)| roots[*other as usize] == roots[id]);
                    let (all, hits) = inside.fold((0, 0), |(all, hits), (_, positive)| {
                        (all + 1, hits + u32::from(*positive))
                    });
                    tally.hits[id] = hits;
                    if labelled {
                        tally.partners[id] = all;
                    }
                }
            }
        }
        tally
    }

    /// The sums over the judged documents.
    pub(super) fn sides(&self, gold: &Gold) -> Sides {
        let sum = |counts: &[u32]| -> u64 {
            counts
                .iter()
                .zip(&gold.judged)
                .filter(|(_, judged)| **judged)
                .map(|(count, _)| u64::from(*count))
                .sum()
        };
        Sides {
            found: sum(&self.partners),
            hits: sum(&self.hits),
            positives: sum(&self.copies),
        }
    }

    /// How a document was judged.
    fn outcome(&self, id: usize, rule: Rule) -> Outcome {
        let (copies, partners, hits) = (self.copies[id], self.partners[id], self.hits[id]);
        let is_right = copies > 0 && (rule == Rule::Any || hits == copies);
        match (partners > 0, is_right, copies > 0) {
            (true, true, _) => Outcome::Right,
            (true, false, _) => Outcome::Wrong,
            (false, _, true) => Outcome::Missed,
            (false, _, false) => Outcome::Rest,
        }
    }

    /// The judged documents by their groups, each counted as found.
    pub(super) fn documents_by_group(gold: &Gold) -> ByGroup {
        let mut groups = ByGroup::default();
        for id in (0..gold.groups.len()).filter(|id| gold.judged[*id]) {
            let one = Sides {
                found: 1,
                ..Sides::default()
            };
            groups.add(gold.groups[id], one);
        }
        groups
    }

    /// The documents of the class of duplicates, by their groups.
    pub(super) fn by_group(&self, gold: &Gold, rule: Rule) -> ByGroup {
        let mut groups = ByGroup::default();
        for id in (0..gold.groups.len()).filter(|id| gold.judged[*id]) {
            let (found, hits, positives) = match self.outcome(id, rule) {
                Outcome::Right => (1, 1, 1),
                Outcome::Wrong => (1, 0, 0),
                Outcome::Missed => (0, 0, 1),
                Outcome::Rest => continue,
            };
            let one = Sides {
                found,
                hits,
                positives,
            };
            groups.add(gold.groups[id], one);
        }
        groups
    }

    /// The figures by document.
    pub(super) fn documents(&self, gold: &Gold, rule: Rule) -> DocumentScores {
        let (mut right, mut wrong, mut missed, mut rest, mut exact) = (0, 0, 0, 0, 0);
        for id in (0..gold.groups.len()).filter(|id| gold.judged[*id]) {
            match self.outcome(id, rule) {
                Outcome::Right => right += 1,
                Outcome::Wrong => wrong += 1,
                Outcome::Missed => missed += 1,
                Outcome::Rest => rest += 1,
            }
            let copies = self.copies[id];
            exact += u64::from(copies == self.partners[id] && copies == self.hits[id]);
        }
        let all = right + wrong + missed + rest;
        let sides = Sides {
            found: right + wrong,
            hits: right,
            positives: right + missed,
        };
        let [duplicates, others] = of_classes(sides, all);
        DocumentScores {
            right,
            wrong,
            missed,
            rest,
            duplicates,
            others,
            macro_f1: macro_f1([duplicates, others]),
            accuracy: if all == 0 {
                0.0
            } else {
                exact as f64 / all as f64
            },
        }
    }
}

/// The scores of duplicates, from the counts of the class, and of all other documents.
pub(super) fn of_classes(sides: Sides, documents: u64) -> [Scores; 2] {
    let Sides {
        found,
        hits,
        positives,
    } = sides;
    let rest = documents + hits - found - positives;
    [
        Scores::of(hits, found, positives),
        Scores::of(rest, documents - found, documents - positives),
    ]
}

/// The mean of the F1 of both classes, if both have one.
pub(super) fn macro_f1([duplicates, others]: [Scores; 2]) -> Option<f64> {
    let both = duplicates.f1.zip(others.f1);
    both.map(|(a, b)| f64::midpoint(a, b))
}
