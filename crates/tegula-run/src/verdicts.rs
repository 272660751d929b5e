//! The verdicts of a stage on records and their units.

use std::ops::Range;
use tegula::cluster::Clusters;
use tegula::decide::{Decision, Fate, Standing};
use tegula::evidence::Findings;
use tegula::recipe::Action;
use tegula::record::Level;
use tegula_io::edit::{Marks, SpanMark};

/// The findings and decision of a stage.
#[derive(Clone, Copy)]
pub(crate) struct Verdicts<'a> {
    /// What was found.
    pub(crate) found: &'a Findings,
    /// Its clusters at the threshold of the decision.
    pub(crate) clusters: &'a Clusters,
    /// What was decided.
    pub(crate) decision: &'a Decision,
    /// What its kept units stand for, where that is asked for.
    pub(crate) standing: Option<&'a Standing>,
    /// The action on duplicates.
    pub(crate) action: Action,
}

/// The verdict on the units of one record.
pub(crate) enum Outcome {
    /// All are kept.
    Whole,
    /// Some are removed.
    Split,
    /// All are removed.
    Removed,
}

impl Verdicts<'_> {
    /// The number of records with some units removed.
    pub(crate) fn split(&self) -> u64 {
        let records = 0..self.found.units.records.len();
        records
            .filter(|record| matches!(self.outcome(*record), Outcome::Split))
            .count() as u64
    }

    /// Whether its units are parts of records.
    pub(crate) fn is_inside(&self) -> bool {
        self.found.units.level != Level::Document
    }

    /// The index of a record among those that the stage read.
    pub(crate) fn record(&self, file: u32, number: u64) -> Option<usize> {
        self.found.units.records.find(file, number)
    }

    /// The verdict on a record.
    pub(crate) fn outcome(&self, record: usize) -> Outcome {
        let units = self.found.units.of_record(record);
        let removed = units
            .clone()
            .filter(|unit| !self.decision.keeps(*unit))
            .count();
        match removed {
            0 => Outcome::Whole,
            removed if removed == units.len() => Outcome::Removed,
            _ => Outcome::Split,
        }
    }

    /// Adds the bytes of the removed units of a record.
    pub(crate) fn cuts(&self, record: usize, cuts: &mut Vec<Range<usize>>) {
        let units = &self.found.units;
        let removed = units
            .of_record(record)
            .filter(|unit| !self.decision.keeps(*unit));
        cuts.extend(removed.map(|unit| units.parts[unit as usize].part().cut));
    }

    /// The marks of a record: of itself, or of its removed units.
    pub(crate) fn marks(&self, record: usize) -> Marks {
        let units = &self.found.units;
        let range = units.of_record(record);
        if units.level == Level::Document {
            let (duplicate_of, duplicate_score) = self.witness(range.start);
            let cluster = self
                .clusters
                .get(self.found.groups.of_unit[range.start as usize]);
            let cluster_id = cluster.map(|cluster| units.id(cluster.first));
            return Marks {
                duplicate_of,
                duplicate_score,
                cluster_id,
                ..Marks::default()
            };
        }
        let spans = range
            .filter(|unit| !self.decision.keeps(*unit))
            .map(|unit| {
                let (witness, score) = self.witness(unit);
                // Passages are numbered in the run folder only.
                let of_text = || {
                    let mut id = String::new();
                    let witness = self.decision.fate(unit).because_of()?;
                    units.write_record_id(units.record_of(witness), &mut id);
                    Some(id)
                };
                SpanMark {
                    text: units.parts[unit as usize].part().text,
                    duplicate_of: if units.level == Level::Passage {
                        of_text()
                    } else {
                        witness
                    },
                    score: score.unwrap_or(1.0),
                }
            });
        Marks {
            spans: Some(spans.collect()),
            ..Marks::default()
        }
    }

    /// The witness's id and the score.
    pub(crate) fn witness(&self, unit: u32) -> (Option<String>, Option<f64>) {
        match self.decision.fate(unit) {
            Fate::Kept => (None, None),
            Fate::Duplicate { witness, score } => {
                (Some(self.found.units.id(witness)), Some(score.as_f64()))
            }
            Fate::Chained { survivor } => (Some(self.found.units.id(survivor)), None),
            Fate::Unwitnessed { score } => (None, Some(score.as_f64())),
            Fate::PreviouslySeen { source, score, .. } => (
                source.map(|unit| self.found.units.id(unit)),
                Some(score.as_f64()),
            ),
        }
    }
}
