//! The pairs that Tegula itself finds: a library call, groups expanded.

use crate::source;
use std::collections::HashMap;
use std::path::Path;
use tegula::constraint::Constraints;
use tegula::context::Context;
use tegula::engine::bad_records::FailOnBad;
use tegula::engine::{Job, Tuning, find};
use tegula::evidence::{Evidence, Findings, ScoredPairs};
use tegula::recipe::Recipe;
use tegula::scratch::Scratch;
use tegula::threshold::Threshold;
use tegula::{Error, Result};
use tegula_io::collection::Collection;

/// What a run may use.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Means {
    /// Threads.
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// Bytes of memory.
    #[arg(help = "Megabytes of memory", long = "memory-mb", value_name = "MB", default_value = "4096", value_parser = megabytes)]
    pub memory: u64,
}

/// Bytes of so many megabytes.
fn megabytes(text: &str) -> std::result::Result<u64, std::num::ParseIntError> {
    text.parse::<u64>().map(|megabytes| megabytes << 20)
}

impl Means {
    /// The context of a run that has no more.
    pub fn context(self) -> Context {
        Context::new(self.threads, self.memory, Scratch::system())
    }
}

/// A collection and what `ssr` with 5-grams found in it.
pub struct Found {
    /// What was read.
    pub collection: Collection,
    /// What was found.
    pub findings: Findings,
}

/// Two texts and what their score is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The units, the earlier one first.
    pub units: [u32; 2],
    /// Their distinct shingles.
    pub sizes: [u64; 2],
    /// Shingles in common.
    pub common: u64,
}

impl Match {
    /// Distinct shingles of both together.
    pub fn union(self) -> u64 {
        self.sizes[0] + self.sizes[1] - self.common
    }
}

/// Runs `ssr` over a file or folder.
///
/// # Errors
/// What opening, reading and finding give.
pub fn resemblance(path: &Path, threshold: Threshold, means: Means) -> Result<Found> {
    let collection = source::open(path)?;
    let recipe = Recipe::named("ssr")?
        .with("ngram", "5")?
        .with("threshold", &format!("\"{threshold}\""))?;
    let constraints = Constraints::default();
    let job = Job {
        source: &collection,
        recipe: &recipe,
        constraints: &constraints,
        statistics: None,
        checkpoint: None,
        elsewhere: None,
        tuning: Tuning::default(),
    };
    let findings = find(&means.context(), job, &mut FailOnBad)?;
    match &findings.evidence {
        Evidence::Pairs(_) => Ok(Found {
            collection,
            findings,
        }),
        Evidence::Coverage(_) | Evidence::Spans(_) => {
            Err(Error::usage("expected a recipe that knows pairs"))
        }
    }
}

impl Found {
    /// Texts.
    pub fn len(&self) -> usize {
        self.findings.units.len()
    }

    fn scored(&self) -> &ScoredPairs {
        match &self.findings.evidence {
            Evidence::Pairs(pairs) => pairs,
            Evidence::Coverage(_) | Evidence::Spans(_) => unreachable!("refused when it was found"),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of a text.
    pub fn id(&self, unit: u32) -> &str {
        self.findings.units.records.given_id(unit as usize)
    }

    /// The texts by id.
    ///
    /// # Errors
    /// When an id occurs twice, or a text has none: then a listing by id has no meaning.
    pub fn by_id(&self) -> Result<HashMap<&str, u32>> {
        let mut units = HashMap::with_capacity(self.len());
        for unit in 0..self.len() as u32 {
            let id = self.id(unit);
            if id.is_empty() || units.insert(id, unit).is_some() {
                return Err(Error::data(format!(
                    "expected a different id for each text, found \"{id}\" again or none"
                )));
            }
        }
        Ok(units)
    }

    /// Distinct shingles of a text.
    pub fn size(&self, unit: u32) -> u64 {
        u64::from(self.scored().set_sizes()[self.findings.groups.of_unit[unit as usize] as usize])
    }

    /// Calls `each` with every pair of texts at or above the threshold, those in one group among
    /// them. Texts that `wanted` refuses are skipped.
    ///
    /// # Errors
    /// What `each` or scratch gives.
    pub fn for_each(
        &self,
        wanted: impl Fn(u32) -> bool,
        mut each: impl FnMut(Match) -> Result<()>,
    ) -> Result<()> {
        let groups = &self.findings.groups;
        let members = |group: u32| {
            groups
                .members(group)
                .iter()
                .copied()
                .filter(|unit| wanted(*unit))
        };
        self.scored().for_each(|pair| {
            let sizes = [
                self.scored().set_sizes()[pair.a as usize],
                self.scored().set_sizes()[pair.b as usize],
            ]
            .map(u64::from);
            for a in members(pair.a) {
                for b in members(pair.b) {
                    let (units, sizes) = if a < b {
                        ([a, b], sizes)
                    } else {
                        ([b, a], [sizes[1], sizes[0]])
                    };
                    each(Match {
                        units,
                        sizes,
                        common: u64::from(pair.in_a),
                    })?;
                }
            }
            Ok(())
        })?;
        for group in 0..groups.len() as u32 {
            let size = u64::from(self.scored().set_sizes()[group as usize]);
            let all: Vec<u32> = members(group).collect();
            for (at, a) in all.iter().enumerate() {
                for b in &all[at + 1..] {
                    each(Match {
                        units: [*a, *b],
                        sizes: [size; 2],
                        common: size,
                    })?;
                }
            }
        }
        Ok(())
    }

    /// The number of pairs of texts, those in one group among them, without listing them.
    ///
    /// # Errors
    /// What scratch gives.
    pub fn pairs(&self) -> Result<u64> {
        let groups = &self.findings.groups;
        let count = |group: u32| groups.members(group).len() as u64;
        let mut pairs = (0..groups.len() as u32)
            .map(|group| count(group) * (count(group) - 1) / 2)
            .sum();
        self.scored().for_each(|pair| {
            pairs += count(pair.a) * count(pair.b);
            Ok(())
        })?;
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn pairs_are_expanded_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.jsonl");
        let mut file = std::fs::File::create(&path).unwrap();
        for (id, text) in [
            ("a", "one two three four five six seven"),
            ("b", "something else that nobody has seen before"),
            ("c", "One, two, three, four, five, six, seven."),
            ("d", "one two three four five six"),
        ] {
            writeln!(file, "{}", serde_json::json!({ "id": id, "text": text })).unwrap();
        }
        let means = Means {
            threads: 2,
            memory: 1 << 30,
        };
        let found = resemblance(&path, "0.1".parse().unwrap(), means).unwrap();
        assert_eq!(found.pairs().unwrap(), 3);
        let mut pairs = Vec::new();
        found
            .for_each(
                |_| true,
                |pair| {
                    pairs.push((
                        found.id(pair.units[0]).to_owned() + found.id(pair.units[1]),
                        pair.common,
                        pair.union(),
                    ));
                    Ok(())
                },
            )
            .unwrap();
        pairs.sort();
        assert_eq!(
            pairs,
            [
                ("ac".into(), 3, 3),
                ("ad".into(), 2, 3),
                ("cd".into(), 2, 3)
            ]
        );
        assert_eq!(found.by_id().unwrap()["d"], 3);
    }
}
