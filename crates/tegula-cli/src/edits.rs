//! From verdicts to edits: what becomes of each record when the collection is written back.

use std::ops::Range;
use tegula::cluster::Clusters;
use tegula::decide::{Decision, Fate};
use tegula::engine::Findings;
use tegula::record::Level;
use tegula_io::edit::{Edit, Marks, SpanMark};

/// What was found and decided, seen record by record.
#[derive(Clone, Copy)]
pub(crate) struct Verdicts<'a> {
    /// What was found.
    pub(crate) found: &'a Findings,
    /// Its clusters at the threshold of the decision.
    pub(crate) clusters: &'a Clusters,
    /// What was decided.
    pub(crate) decision: &'a Decision,
    /// File and number of the records that could not be read, in order.
    pub(crate) bad: &'a [(u32, u64)],
}

/// Where a record stands among those that were found.
enum Place {
    /// Here.
    Known(usize),
    /// It could not be read, and has no place in the output.
    Bad,
    /// It has no unit, and stored evidence does not list it.
    Empty,
}

/// What becomes of the units of one record.
enum Outcome {
    /// All stay.
    Whole,
    /// Some go.
    Parted,
    /// All go.
    Gone,
}

impl Verdicts<'_> {
    /// `dedup`: duplicates are left out.
    pub(crate) fn dedup(&self, file: u32, number: u64) -> Edit {
        let record = match self.record(file, number) {
            Place::Known(record) => record,
            Place::Bad => return Edit::Drop,
            Place::Empty => return Edit::Keep,
        };
        match self.outcome(record) {
            Outcome::Whole => Edit::Keep,
            Outcome::Gone => Edit::Drop,
            Outcome::Parted => Edit::Cut(self.cuts(record)),
        }
    }

    /// `mark`: duplicates stay and say what they are duplicates of.
    pub(crate) fn mark(&self, file: u32, number: u64) -> Edit {
        match self.record(file, number) {
            Place::Known(record) => Edit::Mark(self.marks(record)),
            Place::Bad => Edit::Drop,
            Place::Empty => Edit::Mark(Marks { spans: Some(Vec::new()), ..Marks::default() }),
        }
    }

    /// `--removed`: what `dedup` leaves out in whole or in part, marked; nothing else.
    pub(crate) fn removed(&self, file: u32, number: u64) -> Edit {
        match self.record(file, number) {
            Place::Known(record) if !matches!(self.outcome(record), Outcome::Whole) => Edit::Mark(self.marks(record)),
            _ => Edit::Drop,
        }
    }

    /// Records whose units go in part.
    pub(crate) fn parted(&self) -> u64 {
        let records = 0..self.found.units.records.len();
        records.filter(|record| matches!(self.outcome(*record), Outcome::Parted)).count() as u64
    }

    fn record(&self, file: u32, number: u64) -> Place {
        match self.found.units.records.find(file, number) {
            Some(record) => Place::Known(record),
            None if self.bad.binary_search(&(file, number)).is_ok() => Place::Bad,
            None => Place::Empty,
        }
    }

    fn outcome(&self, record: usize) -> Outcome {
        let units = self.found.units.of_record(record);
        let gone = units.clone().filter(|unit| !self.decision.keeps(*unit)).count();
        match gone {
            0 => Outcome::Whole,
            gone if gone == units.len() => Outcome::Gone,
            _ => Outcome::Parted,
        }
    }

    fn cuts(&self, record: usize) -> Vec<Range<usize>> {
        let units = &self.found.units;
        let gone = units.of_record(record).filter(|unit| !self.decision.keeps(*unit));
        let mut cuts: Vec<Range<usize>> = gone.map(|unit| units.parts[unit as usize].part().cut).collect();
        // Structures of a format may lie inside each other.
        cuts.sort_unstable_by_key(|cut| (cut.start, cut.end));
        cuts.dedup_by(|next, last| {
            let meets = next.start <= last.end;
            if meets {
                last.end = last.end.max(next.end);
            }
            meets
        });
        cuts
    }

    fn marks(&self, record: usize) -> Marks {
        let units = &self.found.units;
        let range = units.of_record(record);
        if units.level == Level::Document {
            let (duplicate_of, duplicate_score) = self.witness(range.start);
            let cluster = self.clusters.get(self.found.groups.of_unit[range.start as usize]);
            let cluster_id = cluster.map(|cluster| units.id(cluster.first));
            return Marks { duplicate_of, duplicate_score, cluster_id, spans: None };
        }
        let spans = range.filter(|unit| !self.decision.keeps(*unit)).map(|unit| {
            let (duplicate_of, score) = self.witness(unit);
            SpanMark { text: units.parts[unit as usize].part().text, duplicate_of, score: score.unwrap_or(1.0) }
        });
        Marks { spans: Some(spans.collect()), ..Marks::default() }
    }

    /// The witness's id and the score.
    pub(crate) fn witness(&self, unit: u32) -> (Option<String>, Option<f64>) {
        match self.decision.fate(unit) {
            Fate::Kept => (None, None),
            Fate::Duplicate { witness, score } => (Some(self.found.units.id(witness)), Some(score.as_f64())),
            Fate::Unwitnessed { score } => (None, Some(score.as_f64())),
        }
    }
}
