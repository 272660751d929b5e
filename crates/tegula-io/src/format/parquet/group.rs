//! The edits to the rows of one row group: which rows are kept, what is cut from their texts, and
//! where their marked spans are.

use std::collections::HashMap;
use std::io::BufWriter;
use std::ops::Range;

use parquet::file::writer::SerializedRowGroupWriter;

use crate::edit::{Edit, Marks};
use crate::format::joined::JOINT;
use crate::format::marks::CodePoints;
use crate::outputs::Handle;
use crate::passed_over::Nulls;

/// A row group under construction.
pub(super) type Out<'a> = SerializedRowGroupWriter<'a, BufWriter<Handle>>;

/// Counts of rows by edit, without bad ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) kept: u64,
    pub(crate) dropped: u64,
    pub(crate) cut: u64,
    pub(crate) marked: u64,
    /// All rows read, including bad ones.
    pub(crate) rows: u64,
    /// The values that are null in the rows written.
    pub(crate) nulls: Nulls,
}

/// The edits to the rows of a row group.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// The index of the first row in the file.
    first: u64,
    kept: Vec<bool>,
    /// The rows that could not be read, in order.
    lost: Vec<Range<usize>>,
    /// The cuts of each text column, by row.
    pub(super) cuts: HashMap<usize, Vec<Vec<Range<usize>>>>,
    /// The marked spans, by row.
    pub(super) spans: Spans,
}

impl Group {
    /// A group whose first row has this index in the file.
    pub(super) fn starting_at(first: u64) -> Self {
        Self {
            first,
            ..Self::default()
        }
    }

    /// Adds rows that are not kept.
    pub(super) fn leave_out(&mut self, rows: usize) {
        self.kept.resize(self.kept.len() + rows, false);
    }

    /// Adds rows that could not be read.
    pub(super) fn lose(&mut self, rows: usize) {
        self.lost.push(self.rows()..self.rows() + rows);
        self.leave_out(rows);
    }

    /// Whether some rows could not be read.
    pub(super) fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Whether this row could be read, and how many rows from it on are alike.
    pub(super) fn readable(&self, row: usize) -> (bool, usize) {
        let (is_lost, rows) = run(&self.lost, |lost| lost, row, self.rows());
        (!is_lost, rows)
    }

    /// The index after the last kept row.
    pub(super) fn kept_end(&self) -> usize {
        self.kept
            .iter()
            .rposition(|kept| *kept)
            .map_or(0, |last| last + 1)
    }

    pub(super) fn rows(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn is_kept(&self, row: usize) -> bool {
        self.kept.get(row).copied().unwrap_or_default()
    }

    /// The indices of the kept rows in the group.
    pub(super) fn kept(&self) -> impl Iterator<Item = usize> {
        (0..self.rows()).filter(|row| self.is_kept(*row))
    }

    /// The row's number in the file, from 1.
    pub(super) fn number(&self, row: usize) -> u64 {
        self.first + row as u64 + 1
    }

    /// Whether all rows are kept.
    pub(super) fn is_whole(&self) -> bool {
        self.kept.iter().all(|kept| *kept)
    }

    /// Adds the verdict on one row.
    pub(super) fn push(
        &mut self,
        texts: Option<Vec<&str>>,
        tally: &mut Tally,
        edits: &dyn Fn(u64) -> Edit,
    ) {
        let row = self.rows();
        let Some(texts) = texts else {
            self.kept.push(false);
            return;
        };
        let edit = edits(self.number(row));
        *match &edit {
            Edit::Keep => &mut tally.kept,
            Edit::Drop => &mut tally.dropped,
            Edit::Cut(_) | Edit::Change { .. } => &mut tally.cut,
            Edit::Mark(_) => &mut tally.marked,
        } += 1;
        self.kept.push(edit != Edit::Drop);
        match edit {
            Edit::Keep | Edit::Drop => {}
            Edit::Cut(cuts) => {
                self.cuts.insert(row, deal(&texts, &cuts));
            }
            Edit::Mark(marks) => {
                if marks.spans.is_some()
                    && let Some(spans) = code_points(&texts.join(JOINT), &marks)
                {
                    self.spans.insert(row, spans);
                }
            }
            Edit::Change { cuts, marks } => {
                let mut left = texts.join(JOINT);
                cuts.iter()
                    .rev()
                    .for_each(|cut| left.replace_range(cut.clone(), ""));
                if let Some(spans) = code_points(&left, &marks.after(&cuts)) {
                    self.spans.insert(row, spans);
                }
                self.cuts.insert(row, deal(&texts, &cuts));
            }
        }
    }
}

/// Whether a row is in one of these ranges, which ascend, and how many rows from it on are alike.
pub(super) fn run<L>(
    all: &[L],
    range: impl Fn(&L) -> &Range<usize>,
    row: usize,
    rows: usize,
) -> (bool, usize) {
    let next = all.partition_point(|lost| range(lost).end <= row);
    match all.get(next).map(range) {
        Some(lost) if lost.start <= row => (true, lost.end - row),
        Some(lost) => (false, lost.start - row),
        None => (false, rows - row),
    }
}

/// Distributes cuts of the joined text to its columns; the separators between them are not stored.
fn deal(texts: &[&str], cuts: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
    let mut start = 0;
    texts
        .iter()
        .map(|text| {
            let end = start + text.len();
            let mine = cuts
                .iter()
                .map(|cut| cut.start.max(start)..cut.end.min(end))
                .filter(|cut| cut.start < cut.end)
                .map(|cut| cut.start - start..cut.end - start)
                .collect();
            start = end + JOINT.len();
            mine
        })
        .collect()
}

/// Spans of a row in code points.
pub(super) type Spans = HashMap<usize, Vec<(i64, i64)>>;

/// The code points before the boundaries of each span.
fn code_points(text: &str, marks: &Marks) -> Option<Vec<(i64, i64)>> {
    let spans = marks.spans.as_ref()?;
    let mut points = CodePoints::new(text);
    let mut of = |at: usize| points.of(at.min(text.len())) as i64;
    Some(
        spans
            .iter()
            .map(|span| (of(span.text.start), of(span.text.end)))
            .collect(),
    )
}
