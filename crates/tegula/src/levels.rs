//! Pairs, units and clusters by the values of a field: counted separately among the units of each
//! value.

use crate::cluster::UnionFind;
use crate::context::Context;
use crate::error::Result;
use crate::evidence::{Findings, ScoredPairs};
use crate::field::{FieldColumn, FieldKey};
use crate::threshold::Threshold;
use serde::Serialize;

/// Pairs and clusters at one threshold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LevelCount {
    /// The threshold.
    pub threshold: Threshold,
    /// Pairs of units at or above it, including equal units.
    pub pairs: u64,
    /// Units in at least one of them.
    pub units: u64,
    /// Clusters that they form.
    pub clusters: u64,
}

/// A value of a field with its pairs and clusters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValueLevels {
    /// The value, or the part of a date.
    pub name: String,
    /// By threshold, like those of all units.
    pub levels: Vec<LevelCount>,
}

/// A field, and the counts of its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldLevels {
    /// The field, or the part of a date.
    pub field: String,
    /// The values in order; values without any match are skipped.
    pub values: Vec<ValueLevels>,
    /// The number of values not listed.
    pub more: u64,
}

impl FieldLevels {
    /// The maximum number of values listed.
    pub const LISTED: usize = 1000;

    /// Counts the pairs whose units have the same value, at each threshold, the run's own first.
    /// Holds twelve bytes for each value of each group of equal units, the counts of each value at
    /// one threshold, and the counts at all thresholds for values with a match; reads the pairs
    /// once for each threshold.
    ///
    /// # Errors
    /// If memory does not suffice, or scratch fails.
    pub fn of(
        context: &Context,
        (found, pairs): (&Findings, &ScoredPairs),
        key: &FieldKey,
        column: &FieldColumn,
        thresholds: &[Threshold],
    ) -> Result<Self> {
        let units = found.units.len() as u64;
        let of_value = (size_of::<LevelCount>() + 2 * size_of::<String>()) as u64;
        let texts = column
            .values()
            .iter()
            .map(|value| 2 * value.len() as u64 + of_value)
            .sum::<u64>();
        let nodes = 4 * found.groups.len() as u64 + Nodes::BYTES * units;
        let _held = context
            .budget
            .reserve(nodes + texts, "the counts by the values of a field (⟨by⟩)")?;
        let (codes, names) = key.parts(column);
        let nodes = Nodes::of(found, |record| codes[column.code(record) as usize]);
        let all = names.len();
        let mut names: Vec<Option<String>> = names.into_iter().map(Some).collect();
        // A value without pairs at the lowest threshold has none at others.
        let mut values: Vec<(usize, ValueLevels)> = Vec::new();
        let mut _kept = None;
        for (place, threshold) in thresholds.iter().enumerate() {
            let counts = nodes.count((found, pairs), *threshold, all)?;
            if place == 0 {
                let paired = counts.iter().filter(|count| count.pairs > 0).count() as u64;
                let each =
                    size_of::<(usize, ValueLevels)>() + thresholds.len() * size_of::<LevelCount>();
                _kept = Some(context.budget.reserve(
                    paired * each as u64,
                    "the counts by the values of a field (⟨by⟩)",
                )?);
                let named = counts
                    .iter()
                    .zip(&mut names)
                    .enumerate()
                    .filter(|(_, (count, _))| count.pairs > 0);
                values = named
                    .filter_map(|(at, (_, name))| {
                        Some((
                            at,
                            ValueLevels {
                                name: name.take()?,
                                levels: Vec::new(),
                            },
                        ))
                    })
                    .collect();
                names = Vec::new();
            }
            for (at, value) in &mut values {
                value.levels.reserve_exact(thresholds.len() - place);
                value.levels.push(counts[*at].clone());
            }
        }
        let mut values: Vec<ValueLevels> = values.into_iter().map(|(_, value)| value).collect();
        values.sort_by(|a, b| a.name.cmp(&b.name));
        let more = values.len().saturating_sub(Self::LISTED) as u64;
        values.truncate(Self::LISTED);
        Ok(Self {
            field: key.to_string(),
            values,
            more,
        })
    }
}

/// Nodes: the units of a group with the same value.
struct Nodes {
    /// The first node of each group, followed by the number of nodes.
    starts: Vec<u32>,
    values: Vec<u32>,
    counts: Vec<u32>,
}

impl Nodes {
    /// Bytes per node: its value, its units, its cluster, and whether it is paired.
    const BYTES: u64 = 13;

    fn of(found: &Findings, value: impl Fn(usize) -> u32) -> Self {
        let groups = &found.groups;
        let mut nodes = Self {
            starts: Vec::with_capacity(groups.len() + 1),
            values: Vec::new(),
            counts: Vec::new(),
        };
        let mut here: Vec<u32> = Vec::new();
        for group in 0..groups.len() as u32 {
            nodes.starts.push(nodes.values.len() as u32);
            here.clear();
            here.extend(
                groups
                    .members(group)
                    .iter()
                    .map(|unit| value(found.units.record_of(*unit))),
            );
            here.sort_unstable();
            for run in here.chunk_by(|a, b| a == b) {
                nodes.values.push(run[0]);
                nodes.counts.push(run.len() as u32);
            }
        }
        nodes.starts.push(nodes.values.len() as u32);
        nodes
    }

    fn of_group(&self, group: u32) -> std::ops::Range<usize> {
        self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize
    }

    /// Counts for each value at a threshold.
    fn count(
        &self,
        (found, pairs): (&Findings, &ScoredPairs),
        threshold: Threshold,
        values: usize,
    ) -> Result<Vec<LevelCount>> {
        let mut counts = vec![
            LevelCount {
                threshold,
                pairs: 0,
                units: 0,
                clusters: 0
            };
            values
        ];
        let mut sets = UnionFind::new(self.values.len());
        let mut paired = vec![false; self.values.len()];
        for group in (0..found.groups.len() as u32).filter(|group| found.groups.are_alike(*group)) {
            for node in self.of_group(group).filter(|node| self.counts[*node] > 1) {
                let units = u64::from(self.counts[node]);
                counts[self.values[node] as usize].pairs += units * (units - 1) / 2;
                paired[node] = true;
            }
        }
        pairs.for_each(|pair| {
            if pairs.admitted(&pair, threshold).is_none() {
                return Ok(());
            }
            let (mut of_a, mut of_b) = (
                self.of_group(pair.a).peekable(),
                self.of_group(pair.b).peekable(),
            );
            while let (Some(a), Some(b)) = (of_a.peek().copied(), of_b.peek().copied()) {
                match self.values[a].cmp(&self.values[b]) {
                    std::cmp::Ordering::Less => drop(of_a.next()),
                    std::cmp::Ordering::Greater => drop(of_b.next()),
                    std::cmp::Ordering::Equal => {
                        counts[self.values[a] as usize].pairs +=
                            u64::from(self.counts[a]) * u64::from(self.counts[b]);
                        (paired[a], paired[b]) = (true, true);
                        sets.union(a as u32, b as u32);
                        of_a.next();
                        of_b.next();
                    }
                }
            }
            Ok(())
        })?;
        for node in (0..self.values.len()).filter(|node| paired[*node]) {
            let count = &mut counts[self.values[node] as usize];
            count.units += u64::from(self.counts[node]);
            count.clusters += u64::from(sets.find(node as u32) == node as u32);
        }
        Ok(counts)
    }
}
