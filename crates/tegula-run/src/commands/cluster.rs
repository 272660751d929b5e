//! Clusters of stored pairs at another threshold.
//!
//! The pairs are read once, from front to back. Memory holds one entry for each id and each cluster
//! and, if the pairs are not in order, one for each pair, so that a repeated pair is counted once.

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::opened::claims;
use crate::options::{FormulaOptions, Shown};
use crate::search::check_recut;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tegula::cluster::UnionFind;
use tegula::error::{Error, ErrorKind, Result};
use tegula::evidence::reaches;
use tegula::recipe::{Measure, Recipe};
use tegula::threshold::Threshold;
use tegula_io::outputs::Outputs;
use tegula_io::store;
use tegula_io::tables::{
    ClusterRow, Clusters, DECIMALS, Formulas, Groups, PairRow, Pairs, RunFolder, TableFileWriter,
    TableInfo, TableReader, check_table_name, decimals, is_tsv, read_table,
};

tegula::options! {
    /// Clusters of stored pairs.
    pub struct ClusterSpec under "" {
        /// Pairs (.parquet, .tsv or .jsonl; .tsv.gz, .jsonl.zst, ...), or the folder of a run that kept
        /// all pairs
        #[serde(with = "tegula_io::path")]
        pub pairs: PathBuf => "PAIRS",
    } under "Options" {
        /// The table to write: .parquet, .tsv or .jsonl
        #[serde(with = "tegula_io::path")]
        pub output: PathBuf => "CLUSTERS",

        /// Lowest score of a pair that counts [default: all stored pairs]
        ///
        /// Scores in .tsv and .jsonl tables are truncated to six decimals; for them the threshold is
        /// truncated in the same way.
        pub threshold: Option<Threshold> => "T",
    }
    blocks {
        /// What is done with formulas.
        pub formulas: FormulaOptions,
    }
    besides {}
}

/// What was clustered.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Clustered {
    /// The number of pairs that counted.
    pub pairs: u64,
    /// The number of clusters.
    pub clusters: u64,
    /// The number of their units.
    pub units: u64,
    /// The largest.
    pub largest: Option<Largest>,
    /// Rows that pair an id with itself, which were ignored.
    pub loops: u64,
    /// Whether scores must be above the threshold, as the run's were.
    pub strict: bool,
}

/// The largest cluster.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Largest {
    /// Its id: that of its earliest member.
    pub id: String,
    /// The number of its units.
    pub units: u64,
    /// The lowest score among its pairs.
    pub min_edge: f64,
    /// Its pairs over all possible pairs.
    pub density: f64,
}

impl Answer for Clustered {
    fn json(&self) -> Result<Value> {
        Ok(json!(self))
    }
}

impl Command for ClusterSpec {
    const NAME: &'static str = "cluster";
    const ABOUT: &'static str = "Cluster stored pairs at another threshold";
    const EXAMPLES: &'static str = "Examples:
  tegula cluster pairs.parquet -o clusters.parquet --threshold 0.9
  tegula cluster run/ -o clusters.tsv

Any table with the columns id_a, id_b and score is accepted.";
    const SHOWN: Shown = Shown::only(&["quiet"]);
    type Answer = Clustered;

    fn run(&self, host: &Host) -> Result<Clustered> {
        check_table_name(&self.output)?;
        let outputs = claims::files(
            host,
            [self.pairs.as_path()],
            &[("⟨output⟩", Some(&self.output))],
        )?;
        let mut tables = [&self.pairs, &self.output].into_iter();
        let mut graph = Graph {
            formulas: self.formulas.of(tables.any(|path| is_tsv(path)))?,
            ..Graph::default()
        };
        let mut info = TableInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            recipe: String::new(),
            fields: Vec::new(),
        };
        if let Some(root) = RunFolder::of_pairs(&self.pairs) {
            let folder = RunFolder::open(&root)?;
            graph.of_run = true;
            info.recipe = graph.groups_of(host, &folder, self.threshold)?;
            graph.read(&folder.table::<Pairs>(), self.threshold)?;
        } else {
            graph.read(&self.pairs, self.threshold)?;
        }
        let clusters = graph.clusters();
        write(&outputs, &self.output, &info, &graph, &clusters)?;
        claims::publish(host, &outputs)?;
        Ok(graph.summary(&clusters))
    }
}

/// Ids, the pairs between them, and the clusters they are merged into.
#[derive(Default)]
struct Graph {
    numbers: HashMap<Box<str>, u32>,
    ids: Vec<Box<str>>,
    units: Vec<Option<u64>>,
    sets: Option<UnionFind>,
    /// By id: the number of pairs with this id first, and their lowest score; summed by cluster at
    /// the end.
    edges: Vec<u64>,
    lowest: Vec<f64>,
    /// Whether the pairs are those of a run folder, which also has groups.
    of_run: bool,
    /// For an id that stands for a group of equal units of a run: the group's size.
    weights: HashMap<u32, u64>,
    /// Pairs that count, if repeats must be detected, and how many pairs of units each stands for.
    pairs: Vec<((u32, u32), u64)>,
    /// Rows that pair an id with itself.
    loops: u64,
    read: u64,
    /// What was done with formulas in pairs in TSV, and is done in clusters.
    formulas: Formulas,
    /// The measure of the run's scores.
    measure: Option<Measure>,
}

/// A cluster.
struct Cluster {
    members: Vec<u32>,
    edges: u64,
    min_edge: f64,
}

impl Cluster {
    fn density(&self) -> f64 {
        let size = self.members.len() as f64;
        self.edges as f64 / (size * (size - 1.0) / 2.0)
    }
}

impl Graph {
    /// Whether scores must be above the threshold, as the run's were.
    fn is_strict(&self) -> bool {
        self.measure.is_some_and(Measure::is_strict)
    }

    fn number(&mut self, id: &str, unit: Option<u64>) -> Result<u32> {
        if let Some(number) = self.numbers.get(id) {
            return Ok(*number);
        }
        let number = u32::try_from(self.ids.len()).map_err(|_| {
            ErrorKind::Data
                .expected("fewer than 4,294,967,296 different ids")
                .hint("split the pairs")
        })?;
        self.numbers.insert(id.into(), number);
        self.ids.push(id.into());
        self.units.push(unit);
        self.edges.push(0);
        self.lowest.push(f64::INFINITY);
        self.sets.get_or_insert_with(|| UnionFind::new(0)).push();
        Ok(number)
    }

    fn merge(&mut self, a: u32, b: u32) {
        if let Some(sets) = &mut self.sets {
            sets.union(a, b);
        }
    }

    /// Adopts the groups of equal units of a run, whose pairs are those of the groups' first
    /// members; returns the recipe's hash.
    fn groups_of(
        &mut self,
        host: &Host,
        folder: &RunFolder,
        threshold: Option<Threshold>,
    ) -> Result<String> {
        let info = folder.info()?;
        if !store::is_file(&folder.table::<Pairs>()) {
            return Err(Error::new(
                ErrorKind::Run,
                "the run kept the witness of each duplicate, but not all pairs",
            )
            .at(folder.path())
            .hint("repeat it with ⟨evidence=all⟩, or with tegula pairs and ⟨run⟩"));
        }
        if let Ok(recipe) = serde_json::from_value::<Recipe>(info.recipe.clone()) {
            self.measure = Some(recipe.measure);
            match threshold {
                Some(threshold) if threshold.as_f64() < recipe.threshold.as_f64() => {
                    host.warn(&format!("the run kept no pairs below {}", recipe.threshold));
                }
                Some(threshold) if threshold != recipe.threshold => {
                    check_recut(host, &recipe, threshold)?;
                }
                _ => {}
            }
        }
        // Other groups are one cluster, as a match of one member matches all, but their members are
        // not pairs of each other.
        let alike = info.alike_below();
        let path = folder.table::<Groups>();
        if store::is_file(&path) {
            let mut first: Option<(u64, u32)> = None;
            TableReader::<Groups>::open(&path)?.for_each(|row| {
                let number = self.number(row.id, Some(row.unit))?;
                match first {
                    Some((group, first)) if group == row.group => {
                        let size = self.weights.entry(first).or_insert(1);
                        *size += 1;
                        if row.unit < alike {
                            self.edges[first as usize] += *size - 1;
                            self.lowest[first as usize] = 1.0;
                        }
                        self.merge(first, number);
                    }
                    _ => first = Some((row.group, number)),
                }
                Ok(())
            })?;
        }
        Ok(info.recipe_hash)
    }

    /// Reads the pairs; pairs in order cannot repeat, and need not be kept.
    fn read(&mut self, path: &Path, threshold: Option<Threshold>) -> Result<()> {
        let name = path.to_string_lossy().to_ascii_lowercase();
        let is_text = [".tsv", ".jsonl"]
            .iter()
            .any(|ending| name.contains(ending));
        let least = threshold.map_or(0.0, |threshold| {
            let compared = (self.measure).map_or(threshold, |of| of.comparable(threshold));
            let exact = compared.as_f64();
            if is_text {
                decimals(exact, DECIMALS).parse().unwrap_or(exact)
            } else {
                exact
            }
        });
        let edges = self.edges.clone();
        if !self.read_through(path, least, true)? {
            // They are not in order: start over, and keep all.
            let ids = self.edges.len();
            self.edges = edges;
            self.edges.resize(ids, 0);
            self.pairs.clear();
            self.read_through(path, least, false)?;
            self.pairs.sort_unstable();
            self.pairs.dedup_by_key(|(pair, _)| *pair);
        }
        self.count_pairs();
        Ok(())
    }

    /// Reads all pairs; gives up, and says so, if they must be in order and are not.
    fn read_through(&mut self, path: &Path, least: f64, in_order: bool) -> Result<bool> {
        let strict = self.is_strict();
        let mut last = None;
        (self.loops, self.read) = (0, 0);
        for rows in read_table::<Pairs>(path, self.formulas)? {
            for row in rows?.iter() {
                self.read += 1;
                if !(0.0..=1.0).contains(&row.score) {
                    return Err(ErrorKind::Data
                        .expected("a score from 0 to 1")
                        .found(row.score)
                        .at(path)
                        .record(self.read));
                }
                let place = row.unit_a.zip(row.unit_b);
                if in_order && !(place.is_some_and(|(a, b)| a < b) && last < place) {
                    return Ok(false);
                }
                last = place;
                if reaches(strict, least, row.score) {
                    self.pair(&row)
                        .map_err(|error| error.at(path).record(self.read))?;
                }
            }
            if in_order {
                self.count_pairs();
            }
        }
        Ok(true)
    }

    fn pair(&mut self, row: &PairRow) -> Result<()> {
        if row.id_a == row.id_b {
            self.loops += 1;
            return Ok(());
        }
        let units = row.stands_for().or(self.of_run.then_some(1)).ok_or_else(|| {
            ErrorKind::Data
                .expected("the columns equal_a and equal_b, which say how many equal texts a row stands for")
                .found("none")
                .hint("use the folder of the run that it is from, or write the pairs again with tegula pairs")
        })?;
        let (a, b) = (
            self.number(row.id_a, row.unit_a)?,
            self.number(row.id_b, row.unit_b)?,
        );
        self.merge(a, b);
        self.lowest[a as usize] = self.lowest[a as usize].min(row.score);
        self.pairs.push(((a.min(b), a.max(b)), units));
        Ok(())
    }

    /// Counts the pairs set aside.
    fn count_pairs(&mut self) {
        let weight = |id: u32| self.weights.get(&id).copied().unwrap_or(1);
        for ((a, b), units) in self.pairs.drain(..) {
            self.edges[a as usize] += units * weight(a) * weight(b);
        }
    }

    /// The clusters of two or more, in order of their earliest members; members in order.
    fn clusters(&mut self) -> Vec<Cluster> {
        let mut order: Vec<u32> = (0..self.ids.len() as u32).collect();
        // Pairs are in input order, so without unit numbers the first to appear is the earliest.
        order.sort_by_key(|id| (self.units[*id as usize], *id));
        let Some(sets) = &mut self.sets else {
            return Vec::new();
        };
        let mut place_of_root: Vec<Option<usize>> = vec![None; self.ids.len()];
        let mut clusters: Vec<Cluster> = Vec::new();
        for id in order {
            let place = *place_of_root[sets.find(id) as usize].get_or_insert_with(|| {
                clusters.push(Cluster {
                    members: Vec::new(),
                    edges: 0,
                    min_edge: f64::INFINITY,
                });
                clusters.len() - 1
            });
            let cluster = &mut clusters[place];
            cluster.members.push(id);
            cluster.edges += self.edges[id as usize];
            cluster.min_edge = cluster.min_edge.min(self.lowest[id as usize]);
        }
        clusters.retain(|cluster| cluster.edges > 0);
        clusters
    }

    fn summary(&self, clusters: &[Cluster]) -> Clustered {
        // Of equally large ones the first.
        let largest = clusters.iter().reduce(|a, b| {
            if b.members.len() > a.members.len() {
                b
            } else {
                a
            }
        });
        let largest = largest.and_then(|largest| {
            Some(Largest {
                id: self.ids[*largest.members.first()? as usize].to_string(),
                units: largest.members.len() as u64,
                min_edge: largest.min_edge,
                density: largest.density(),
            })
        });
        Clustered {
            pairs: clusters.iter().map(|cluster| cluster.edges).sum(),
            clusters: clusters.len() as u64,
            units: clusters.iter().map(|it| it.members.len() as u64).sum(),
            largest,
            loops: self.loops,
            strict: self.is_strict(),
        }
    }
}

fn write(
    outputs: &Outputs,
    path: &Path,
    info: &TableInfo,
    graph: &Graph,
    clusters: &[Cluster],
) -> Result<()> {
    let mut table = TableFileWriter::<Clusters>::create(outputs, path, graph.formulas, info)?;
    for cluster in clusters {
        let Some(first) = cluster.members.first() else {
            continue;
        };
        for member in &cluster.members {
            table.push(&ClusterRow {
                cluster_id: &graph.ids[*first as usize],
                id: &graph.ids[*member as usize],
                unit: graph.units[*member as usize],
                size: cluster.members.len() as u32,
                min_edge: cluster.min_edge,
                density: Some(cluster.density()),
            })?;
        }
    }
    table.finish().map(drop)
}
