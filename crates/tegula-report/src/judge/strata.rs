//! The pairs that runs list, in strata.

use crate::run::Stage;
use std::collections::BTreeMap;
use tegula::error::Result;
use tegula::hash;
use tegula_io::tables::{Pairs, RunFolder, TableReader, Units, Verdicts};

/// What pairs are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    /// Pairs; those of equal units are not listed one by one.
    Pairs,
    /// Removed units with their witnesses.
    Removals,
}

/// A class of pairs, of which a sample is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stratum {
    /// Whether its pairs are found: at or above the threshold.
    pub found: bool,
    /// With two runs, which has its pairs: 0 both, 1 only the first, 2 only the second.
    pub who: Option<usize>,
    /// The score in tenths, rounded down; 10 is 1.
    pub tenth: u32,
}

impl Stratum {
    pub(super) fn of(score: f64, found: bool) -> Self {
        Self {
            found,
            who: None,
            // A decimal tenth may be slightly less in binary.
            tenth: ((score * 10.0 + 1e-9).max(0.0) as u32).min(10),
        }
    }

    pub(super) fn found(score: f64, who: Option<usize>) -> Self {
        Self {
            who,
            ..Self::of(score, true)
        }
    }

    /// Its scores in words.
    pub(super) fn scores(self) -> String {
        if self.tenth == 10 {
            return "1".to_owned();
        }
        let tenth = |tenth: u32| f64::from(tenth) / 10.0;
        format!(
            "{:.1}\u{2013}{:.1}",
            tenth(self.tenth),
            tenth(self.tenth + 1)
        )
    }
}

/// A listed pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'a> {
    /// Its ids; of a removal first the witness.
    pub(super) ids: [&'a str; 2],
    /// Its units.
    pub(super) units: [u64; 2],
    pub(super) score: f64,
}

/// A hash of a pair of ids, in any order.
pub(super) fn key(ids: [&str; 2]) -> u128 {
    let [a, b] = ids.map(|id| hash::token(id.as_bytes()));
    let (low, high) = (a.min(b), a.max(b));
    let mut sequence = hash::Sequence::default();
    sequence.push(low);
    sequence.push(high);
    sequence.finish().digest()
}

impl Pair<'_> {
    pub(super) fn key(&self) -> u128 {
        key(self.ids)
    }

    /// What identifies a pair in two runs: the pair itself, or the removed unit, whatever its
    /// witness.
    pub(super) fn name(&self, listed: Listed) -> u128 {
        match listed {
            Listed::Pairs => self.key(),
            Listed::Removals => hash::token(self.ids[1].as_bytes()).digest(),
        }
    }
}

/// The pairs of a stage.
pub(super) struct Source<'a> {
    pub(super) folder: &'a RunFolder,
    pub(super) listed: Listed,
    /// Whether removals of units that are equal to their witness are left out: under a recipe that finds
    /// others.
    pub(super) leaves_equal: bool,
    /// Whether a score counts as found.
    pub(super) is_found: Box<dyn Fn(f64) -> bool + 'a>,
}

impl Source<'_> {
    /// Calls `each` with every pair, and whether it counts as found.
    pub(super) fn for_each(&self, mut each: impl FnMut(Pair, bool) -> Result<()>) -> Result<()> {
        match self.listed {
            Listed::Pairs => {
                TableReader::<Pairs>::open(&self.folder.table::<Pairs>())?.for_each(|row| {
                    let Some((a, b)) = row.unit_a.zip(row.unit_b) else {
                        return Ok(());
                    };
                    let pair = Pair {
                        ids: [row.id_a, row.id_b],
                        units: [a, b],
                        score: row.score,
                    };
                    each(pair, (self.is_found)(row.score))
                })
            }
            Listed::Removals => {
                let groups = if self.leaves_equal {
                    self.groups()?
                } else {
                    Vec::new()
                };
                let group = |unit: u64| groups.get(unit as usize).copied().flatten();
                TableReader::<Verdicts>::open(&self.folder.table::<Verdicts>())?.for_each(|row| {
                    let (Some(witness), Some(id)) = (row.witness, row.witness_id) else {
                        return Ok(());
                    };
                    if row.verdict == "kept" || row.label == Some("reference") {
                        return Ok(());
                    }
                    if group(row.unit).is_some() && group(row.unit) == group(witness) {
                        return Ok(());
                    }
                    let score = row.score.unwrap_or(1.0);
                    let pair = Pair {
                        ids: [id, row.id],
                        units: [witness, row.unit],
                        score,
                    };
                    each(pair, (self.is_found)(score))
                })
            }
        }
    }

    /// By unit, its group of equal units, if there is one.
    fn groups(&self) -> Result<Vec<Option<u64>>> {
        let mut groups = Vec::new();
        TableReader::<Units>::open(&self.folder.table::<Units>())?.for_each(|row| {
            groups.resize(groups.len().max(row.unit as usize + 1), None);
            groups[row.unit as usize] = row.group;
            Ok(())
        })?;
        Ok(groups)
    }

    /// Calls `each` with pairs of units that are not listed.
    pub(super) fn near(
        &self,
        stage: &Stage,
        below: &[(u64, u64, f64)],
        mut each: impl FnMut(Pair),
    ) -> Result<()> {
        let mut ids: BTreeMap<u64, String> = below
            .iter()
            .flat_map(|(a, b, _)| [*a, *b])
            .map(|unit| (unit, String::new()))
            .collect();
        TableReader::<Units>::open(&self.folder.table::<Units>())?.for_each(|row| {
            if let Some(id) = ids.get_mut(&row.unit) {
                row.id.clone_into(id);
            }
            Ok(())
        })?;
        for (a, b, score) in below {
            let (Some(of_a), Some(of_b)) = (ids.get(a), ids.get(b)) else {
                return Err(stage.damaged("units.parquet lacks units of pairs"));
            };
            each(Pair {
                ids: [of_a, of_b],
                units: [*a, *b],
                score: *score,
            });
        }
        Ok(())
    }
}

/// Strata, with their sizes, in order of first appearance.
#[derive(Debug)]
pub(super) struct Strata {
    pub(super) list: Vec<Stratum>,
    pub(super) pairs: Vec<u64>,
    places: BTreeMap<Stratum, usize>,
}

impl Strata {
    pub(super) fn new() -> Self {
        Self {
            list: Vec::new(),
            pairs: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    /// Counts a pair; returns the place of its stratum.
    pub(super) fn push(&mut self, stratum: Stratum) -> usize {
        let next = self.list.len();
        let at = *self.places.entry(stratum).or_insert(next);
        if at == next {
            self.list.push(stratum);
            self.pairs.push(0);
        }
        self.pairs[at] += 1;
        at
    }

    /// The places of the strata: those below the threshold first, each kind by score.
    pub(super) fn order(&self) -> Vec<usize> {
        self.places.values().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strata_are_tenths() {
        let tenths = |score| Stratum::of(score, true).tenth;
        assert_eq!(
            [0.0, 0.3, 0.75, 0.7, 0.999_999, 1.0].map(tenths),
            [0, 3, 7, 7, 9, 10]
        );
        assert_eq!(Stratum::of(0.75, true).scores(), "0.7\u{2013}0.8");
        assert_eq!(Stratum::of(1.0, true).scores(), "1");
        let mut strata = Strata::new();
        let places = [0.9, 0.3, 0.95].map(|score| strata.push(Stratum::of(score, score > 0.5)));
        assert_eq!((places, strata.order()), ([0, 1, 0], vec![1, 0]));
        assert_eq!(strata.pairs, [2, 1]);
    }

    #[test]
    fn a_pair_is_one_in_either_order() {
        assert_eq!(key(["a", "b"]), key(["b", "a"]));
        assert_ne!(key(["a", "b"]), key(["ab", ""]));
    }
}
