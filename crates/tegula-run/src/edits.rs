//! Turns verdicts into edits: how each record is written to the output.

use crate::added::Figures;
use crate::verdicts::{Outcome, Verdicts};
use std::ops::Range;
use tegula::recipe::Action;
use tegula_io::edit::{Edit, Marks};

/// The findings and decisions of all stages, by record.
pub(crate) struct Edits<'a> {
    /// The stages, in order.
    pub(crate) stages: &'a [Verdicts<'a>],
    /// The figures that kept records get.
    pub(crate) figures: Option<Figures<'a>>,
    /// File and number of the records that could not be read, in order.
    pub(crate) bad: &'a [(u32, u64)],
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
