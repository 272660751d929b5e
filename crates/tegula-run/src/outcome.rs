//! The findings and decisions of a run, for the calling program.

use crate::stage_report::Report;
use crate::verdicts::Verdicts;
use std::path::PathBuf;
use tegula::cluster::Clusters;
use tegula::decide::Decision;
use tegula::evidence::Findings;
use tegula::recipe::Action;
use tegula::record::NoDates;

/// The findings and decisions of a run. All requested outputs have been written.
pub struct Outcome {
    pub(crate) reports: Vec<Report>,
    pub(crate) rows: Option<u64>,
    pub(crate) decided: Vec<Decided>,
    /// The path of each file, references last.
    pub(crate) paths: Vec<PathBuf>,
    /// Other names of files, by their indexes.
    pub(crate) links: Vec<(u32, PathBuf)>,
}

/// The findings and decision of a stage.
pub(crate) struct Decided {
    pub(crate) found: Findings,
    pub(crate) clusters: Clusters,
    pub(crate) decision: Option<Decision>,
    pub(crate) action: Action,
}

/// A unit that a run removed or marked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Removed {
    /// The index of the stage that decided.
    pub stage: usize,
    /// The name of its file in the run.
    pub file: String,
    /// The number of its record in the file, from 1.
    pub record: u64,
    /// Its id, as in outputs and tables.
    pub id: String,
    /// The id of the unit that it is a duplicate of; none if the recipe or the policy has no
    /// witnesses.
    pub witness: Option<String>,
    /// The score of the two; none for texts of a cluster that were not compared.
    pub score: Option<f64>,
}

/// A unit that has copies, or is one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Copy {
    /// Its file.
    pub path: PathBuf,
    /// The number of its record in the file, from 1.
    pub record: u64,
    /// Its id, as in outputs and tables.
    pub id: String,
    /// Bytes of its record in the file, after decompression.
    pub bytes: u64,
    /// Its date, as written.
    pub date: Option<String>,
    /// Whether it is kept, as the original of the others.
    pub is_kept: bool,
    /// The id of the unit that it is a duplicate of.
    pub witness: Option<String>,
    /// The score of the two; none for texts of a cluster that were not compared.
    pub score: Option<f64>,
    /// Other names of its file (hard links).
    pub links: Vec<PathBuf>,
}

impl Outcome {
    /// The clusters of the last stage, the largest first: the units that are kept, then the others,
    /// each in the order of their dates in the field `date`, if the run has read it.
    pub fn copies(&self, date: &str) -> Vec<Vec<Copy>> {
        let Some(decided) = self.decided.last() else {
            return Vec::new();
        };
        let mut all: Vec<Vec<Copy>> = decided
            .members()
            .into_iter()
            .map(|units| self.copies_of(decided, units, date))
            .collect();
        all.sort_by_key(|cluster| std::cmp::Reverse(cluster.len()));
        all
    }

    fn copies_of(&self, decided: &Decided, units: Vec<u32>, date: &str) -> Vec<Copy> {
        let Decided {
            found, decision, ..
        } = decided;
        let records = &found.units.records;
        let column = tegula::field::find(&records.fields, date).ok();
        let mut rows: Vec<(Option<_>, Copy)> = Vec::with_capacity(units.len());
        for unit in units {
            let record = found.units.record_of(unit);
            let file = records.file[record];
            let value = column.and_then(|column| column.get(record));
            let removed = decided.removed(0, unit);
            let (witness, score) = removed.map_or((None, None), |it| (it.witness, it.score));
            let of_file = self.links.iter().filter(|(of, _)| *of == file);
            let copy = Copy {
                path: self.paths[file as usize].clone(),
                record: records.number[record],
                id: found.units.id(unit),
                bytes: records.byte_len[record],
                date: value.map(str::to_owned),
                is_kept: decision
                    .as_ref()
                    .is_none_or(|decision| decision.keeps(unit)),
                witness,
                score,
                links: of_file.map(|(_, path)| path.clone()).collect(),
            };
            let date = value.and_then(|value| column?.date(value));
            rows.push((date, copy));
        }
        // Texts without a date come last.
        rows.sort_by_key(|(date, copy)| (!copy.is_kept, date.is_none(), *date));
        rows.into_iter().map(|(_, copy)| copy).collect()
    }

    /// Dates of texts that were none, for which those of their files stand: how many, and the first.
    pub fn no_dates(&self) -> Option<(u64, &str)> {
        let found = &self.decided.last()?.found;
        let NoDates { count, first } = &found.units.records.no_dates;
        Some((*count, first.as_deref()?))
    }

    /// The summary of each stage.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// The number of rows in the table of pairs, if one was written.
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }

    /// The number of units removed or marked, in all stages.
    pub fn duplicates(&self) -> u64 {
        self.reports
            .iter()
            .filter(|report| report.verb.is_some())
            .map(|report| report.summary.balance.removed.units)
            .sum()
    }

    /// All units removed or marked, stage by stage, in input order.
    pub fn removed(&self) -> impl Iterator<Item = Removed> {
        self.decided
            .iter()
            .enumerate()
            .flat_map(|(stage, decided)| {
                let units = 0..decided.found.units.len() as u32;
                units.filter_map(move |unit| decided.removed(stage, unit))
            })
    }

    /// The clusters of the last stage: the ids of their units, in input order.
    pub fn clusters(&self) -> Vec<Vec<String>> {
        self.decided.last().map_or_else(Vec::new, Decided::clusters)
    }
}

impl Decided {
    fn removed(&self, stage: usize, unit: u32) -> Option<Removed> {
        let decision = self
            .decision
            .as_ref()
            .filter(|decision| !decision.keeps(unit))?;
        let Self {
            found,
            clusters,
            action,
            ..
        } = self;
        let (witness, score) = Verdicts {
            standing: None,
            found,
            clusters,
            decision,
            action: *action,
        }
        .witness(unit);
        let record = found.units.record_of(unit);
        let records = &found.units.records;
        Some(Removed {
            stage,
            file: found.units.files[records.file[record] as usize].clone(),
            record: records.number[record],
            id: found.units.id(unit),
            witness,
            score,
        })
    }

    fn clusters(&self) -> Vec<Vec<String>> {
        let ids = |units: Vec<u32>| {
            units
                .iter()
                .map(|unit| self.found.units.id(*unit))
                .collect()
        };
        self.members().into_iter().map(ids).collect()
    }

    /// The units of each cluster, in input order.
    fn members(&self) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new(); self.clusters.list.len()];
        for (unit, group) in self.found.groups.of_unit.iter().enumerate() {
            let cluster = self.clusters.of_group[*group as usize];
            if cluster != Clusters::NONE {
                all[cluster as usize].push(unit as u32);
            }
        }
        all
    }
}
