//! The findings and decisions of a run, for the calling program.

use crate::edits::Verdicts;
use crate::report::Report;
use tegula::cluster::Clusters;
use tegula::decide::Decision;
use tegula::evidence::Findings;
use tegula::recipe::Action;

/// The findings and decisions of a run. All requested outputs have been written.
pub struct Outcome {
    pub(crate) reports: Vec<Report>,
    pub(crate) rows: Option<u64>,
    pub(crate) decided: Vec<Decided>,
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
    /// The id of the unit that it is a duplicate of; none if the recipe or the policy has no witnesses.
    pub witness: Option<String>,
    /// The score of the two; none for texts of a cluster that were not compared.
    pub score: Option<f64>,
}

impl Outcome {
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
        let mut all = vec![Vec::new(); self.clusters.list.len()];
        for (unit, group) in self.found.groups.of_unit.iter().enumerate() {
            let cluster = self.clusters.of_group[*group as usize];
            if cluster != Clusters::NONE {
                all[cluster as usize].push(self.found.units.id(unit as u32));
            }
        }
        all
    }
}
