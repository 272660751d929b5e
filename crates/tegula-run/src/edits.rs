//! Turns verdicts into edits: how each record is written to the output.

use crate::added::Figures;
use std::ops::Range;
use tegula::cluster::Clusters;
use tegula::decide::{Decision, Fate, Standing};
use tegula::evidence::Findings;
use tegula::recipe::Action;
use tegula::record::Level;
use tegula_io::edit::{Edit, Marks, SpanMark};

/// The findings and decisions of all stages, by record.
pub(crate) struct Edits<'a> {
    /// The stages, in order.
    pub(crate) stages: &'a [Verdicts<'a>],
    /// The figures that kept records get.
    pub(crate) figures: Option<Figures<'a>>,
    /// File and number of the records that could not be read, in order.
    pub(crate) bad: &'a [(u32, u64)],
}

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
enum Outcome {
    /// All are kept.
    Whole,
    /// Some are removed.
    Split,
    /// All are removed.
    Removed,
}

impl Edits<'_> {
    /// The edit for a record: duplicates are removed, or kept with marks that refer to their
    /// witness.
    pub(crate) fn output(&self, file: u32, number: u64) -> Edit {
        if self.bad.binary_search(&(file, number)).is_ok() {
            return Edit::Drop;
        }
        let mut cuts = Vec::new();
        let mut marks: Option<Marks> = None;
        let mut is_kept = true;
        for stage in self.stages {
            let record = stage.record(file, number);
            is_kept &= record.is_none_or(|record| matches!(stage.outcome(record), Outcome::Whole));
            match (stage.action, record) {
                (Action::Remove, None) => {}
                (Action::Remove, Some(record)) => match stage.outcome(record) {
                    Outcome::Whole => {}
                    Outcome::Removed => return Edit::Drop,
                    Outcome::Split => stage.cuts(record, &mut cuts),
                },
                // An earlier stage removed it, or stored evidence does not list it, as it has no
                // unit.
                (Action::Mark, None) => join(
                    &mut marks,
                    Marks {
                        spans: stage.is_inside().then(Vec::new),
                        ..Marks::default()
                    },
                ),
                (Action::Mark, Some(record)) => join(&mut marks, stage.marks(record)),
            }
        }
        if let (Some(figures), true) = (&self.figures, is_kept) {
            let counts = figures.of(file, number);
            marks.get_or_insert_default().counts = counts;
        }
        tile(&mut cuts);
        match (cuts.is_empty(), marks) {
            (true, None) => Edit::Keep,
            (false, None) => Edit::Cut(cuts),
            (true, Some(marks)) => Edit::Mark(marks),
            (false, Some(marks)) => Edit::Change { cuts, marks },
        }
    }

    /// The numbers of the records of a file, in order.
    pub(crate) fn numbers(&self, file: u32) -> Vec<u64> {
        let bad = self.bad.iter().filter(|(of, _)| *of == file);
        let mut numbers: Vec<u64> = bad.map(|(_, number)| *number).collect();
        if let Some(first) = self.stages.first() {
            let records = &first.found.units.records;
            let from = records.file.partition_point(|of| *of < file);
            let to = records.file.partition_point(|of| *of <= file);
            numbers.extend_from_slice(&records.number[from..to]);
        }
        numbers.sort_unstable();
        numbers
    }

    /// `--removed`: the records removed wholly or partly, marked; no others.
    pub(crate) fn removed(&self, file: u32, number: u64) -> Edit {
        let mut marks = None;
        for stage in self
            .stages
            .iter()
            .filter(|stage| stage.action == Action::Remove)
        {
            if let Some(record) = stage.record(file, number)
                && !matches!(stage.outcome(record), Outcome::Whole)
            {
                join(&mut marks, stage.marks(record));
            }
        }
        marks.map_or(Edit::Drop, Edit::Mark)
    }
}

/// Adds the marks of a stage to those of the stages before it.
fn join(all: &mut Option<Marks>, more: Marks) {
    let Some(marks) = all else {
        *all = Some(more);
        return;
    };
    if more.duplicate_of.is_some() || more.duplicate_score.is_some() {
        (marks.duplicate_of, marks.duplicate_score) = (more.duplicate_of, more.duplicate_score);
    }
    marks.cluster_id = marks.cluster_id.take().or(more.cluster_id);
    match (&mut marks.spans, more.spans) {
        (Some(spans), Some(mut more)) => {
            spans.append(&mut more);
            spans.sort_by_key(|span| (span.text.start, std::cmp::Reverse(span.text.end)));
        }
        (spans @ None, more) => *spans = more,
        (Some(_), None) => {}
    }
}

/// Makes cuts ascending and disjoint: structures of a format may be nested.
pub(crate) fn tile(cuts: &mut Vec<Range<usize>>) {
    cuts.sort_unstable_by_key(|cut| (cut.start, cut.end));
    cuts.dedup_by(|next, last| {
        let meets = next.start <= last.end;
        if meets {
            last.end = last.end.max(next.end);
        }
        meets
    });
}

impl Verdicts<'_> {
    /// The number of records with some units removed.
    pub(crate) fn split(&self) -> u64 {
        let records = 0..self.found.units.records.len();
        records
            .filter(|record| matches!(self.outcome(*record), Outcome::Split))
            .count() as u64
    }

    fn is_inside(&self) -> bool {
        self.found.units.level != Level::Document
    }

    /// The index of a record among those that the stage read.
    pub(crate) fn record(&self, file: u32, number: u64) -> Option<usize> {
        self.found.units.records.find(file, number)
    }

    fn outcome(&self, record: usize) -> Outcome {
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

    fn cuts(&self, record: usize, cuts: &mut Vec<Range<usize>>) {
        let units = &self.found.units;
        let removed = units
            .of_record(record)
            .filter(|unit| !self.decision.keeps(*unit));
        cuts.extend(removed.map(|unit| units.parts[unit as usize].part().cut));
    }

    fn marks(&self, record: usize) -> Marks {
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
