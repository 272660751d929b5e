//! Data from one pass over the units of a stage: scores, rows for the search box, and cases.

use std::collections::{BinaryHeap, HashSet};
use tegula::error::Result;

use super::clusters::Cluster;
use crate::run::Stage;

/// The maximum number of verdicts in the page, those of removed units first.
pub(super) const ROWS: usize = 10_000;
/// The number of bars in the chart of scores.
pub(super) const BINS: usize = 20;

/// A row of the table of verdicts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) fate: String,
    pub(super) score: Option<f64>,
    pub(super) witness: Option<String>,
    pub(super) label: Option<String>,
}

/// Two units and the deciding score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Case {
    /// The removed unit, or the earlier of a pair.
    pub(super) a: u64,
    /// Its witness, or the later of a pair; none if the run lists none.
    pub(super) b: Option<u64>,
    pub(super) score: f64,
}

/// The data of a pass.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Removed units by score: below 1 in twentieths, then those at 1.
    pub(super) scores: Vec<u64>,
    pub(super) rows: Vec<Row>,
    /// The number of units with a verdict.
    pub(super) units: u64,
    /// Randomly sampled cases.
    pub(super) drawn: Vec<Case>,
    /// Cases with the lowest scores.
    pub(super) least: Vec<Case>,
    /// Removed members of the largest cluster: of those listed, the ones least like their witnesses.
    pub(super) largest: Vec<Case>,
    /// The number of units that are the witness of another.
    pub(super) witnesses: u64,
    /// Whether each unit was kept, by number.
    pub(super) kept: Vec<bool>,
}

impl Seen {
    /// Makes one pass over the units of a stage, of which `largest` is the largest cluster; keeps
    /// `cases` of each kind.
    pub(super) fn of(stage: &Stage, cases: usize, largest: Option<&Cluster>) -> Result<Self> {
        let mut seen = Self {
            scores: vec![0; BINS + 1],
            ..Self::default()
        };
        let (mut removed, mut kept): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
        let mut lot = Best::new(cases);
        let mut least = Best::new(cases);
        let mut of_largest = Best::new(cases);
        let members: HashSet<u64> = largest
            .into_iter()
            .flat_map(|cluster| cluster.members.iter().filter_map(|(unit, _)| *unit))
            .collect();
        let mut is_witness: Vec<bool> = Vec::new();
        let seed = seed(&stage.info().recipe_hash);
        stage.for_each(|unit| {
            let Some(verdict) = unit.verdict() else {
                return Ok(());
            };
            seen.units += 1;
            let number = unit.number() as usize;
            seen.kept.resize(seen.kept.len().max(number + 1), false);
            seen.kept[number] = !unit.is_removed();
            let rows = if unit.is_removed() {
                &mut removed
            } else {
                &mut kept
            };
            if rows.len() < ROWS {
                rows.push(Row {
                    id: unit.id().to_owned(),
                    fate: verdict.verdict.to_owned(),
                    score: verdict.score,
                    witness: verdict.witness_id.map(str::to_owned),
                    label: verdict.label.map(str::to_owned),
                });
            }
            if let (true, Some(score)) = (unit.is_removed(), verdict.score) {
                seen.scores[bin(score)] += 1;
                if let Some(witness) = verdict.witness {
                    let case = Case {
                        a: unit.number(),
                        b: Some(witness),
                        score,
                    };
                    let at = witness as usize;
                    is_witness.resize(is_witness.len().max(at + 1), false);
                    seen.witnesses += u64::from(!std::mem::replace(&mut is_witness[at], true));
                    if members.contains(&unit.number()) {
                        of_largest.offer(order(score), case);
                    }
                    lot.offer(mix(seed ^ unit.number()), case);
                    least.offer(order(score), case);
                }
            }
            Ok(())
        })?;
        removed.extend(kept.into_iter().take(ROWS - removed.len()));
        seen.rows = removed;
        seen.drawn = lot.into_sorted();
        seen.least = least.into_sorted();
        seen.largest = of_largest.into_sorted();
        Ok(seen)
    }
}

/// The bar of a score: below 1 in twentieths, and one for 1.
pub(super) fn bin(score: f64) -> usize {
    if score >= 1.0 {
        BINS
    } else {
        ((score.max(0.0) * BINS as f64 + 1e-9) as usize).min(BINS - 1)
    }
}

/// The name of a bar of scores.
pub(super) fn bin_name(bin: usize) -> String {
    if bin == BINS {
        "1".to_owned()
    } else {
        format!("{:.2}", bin as f64 / BINS as f64)
    }
}

/// Maps scores to numbers in the same order.
pub(super) fn order(score: f64) -> u64 {
    score.max(0.0).to_bits()
}

/// Keeps the cases with the lowest numbers; of equals the first.
pub(super) struct Best {
    most: usize,
    heap: BinaryHeap<(u64, u64, usize)>,
    cases: Vec<Case>,
    met: u64,
}

impl Best {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            heap: BinaryHeap::new(),
            cases: Vec::new(),
            met: 0,
        }
    }

    pub(super) fn offer(&mut self, number: u64, case: Case) {
        self.met += 1;
        if self.cases.len() < self.most {
            self.heap.push((number, self.met, self.cases.len()));
            self.cases.push(case);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && number < worst.0
        {
            self.cases[worst.2] = case;
            *worst = (number, self.met, worst.2);
        }
    }

    pub(super) fn into_sorted(self) -> Vec<Case> {
        self.heap
            .into_sorted_vec()
            .into_iter()
            .map(|(_, _, place)| self.cases[place])
            .collect()
    }
}

/// A number from the recipe's hash: the same run draws the same cases.
pub(super) fn seed(hash: &str) -> u64 {
    hash.bytes().fold(0xcbf2_9ce4_8422_2325, |seed, byte| {
        mix(seed ^ u64::from(byte))
    })
}

/// The final steps of SplitMix64: consecutive numbers are spread apart.
pub(super) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_hold_the_scores_they_name() {
        assert_eq!(
            [0.0, 0.05, 0.8, 0.85, 0.999, 1.0].map(bin),
            [0, 1, 16, 17, 19, 20]
        );
        assert_eq!([0, 16, 20].map(bin_name), ["0.00", "0.80", "1"]);
    }

    #[test]
    fn the_lowest_are_kept_in_order() {
        let mut best = Best::new(2);
        for (number, a) in [(5, 0), (3, 1), (3, 2), (9, 3), (1, 4)] {
            best.offer(
                number,
                Case {
                    a,
                    b: None,
                    score: 0.0,
                },
            );
        }
        assert_eq!(
            best.into_sorted()
                .iter()
                .map(|case| case.a)
                .collect::<Vec<_>>(),
            [4, 1]
        );
    }
}
