//! All fields of every row, for other formats.

use std::iter::Peekable;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, new_null_array};
use arrow_schema::FieldRef;
use tegula::error::{Error, ErrorKind, Result};

use super::damage::Lost;
use super::group::run;
use super::open::{Footer, Opened};
use super::read::{RowBatch, RowBatches};
use crate::convert::Conversion;
use crate::format::arrow::{AllFields, Visit, conversions};
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::passed_over::Nulls;

/// What is found out about rows that are shown.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The columns whose types JSON lacks, with their representation.
    pub(crate) conversions: Vec<Conversion>,
    /// The values that are null, as they cannot be read, in rows that were written.
    pub(crate) nulls: Nulls,
}

/// Calls `visit` for each row, in order; damage is an error, except in rows that were passed over
/// when they were read, and in values that may be null.
pub(crate) fn for_each_row(
    watch: &Arc<InputGuard>,
    options: &ReadOptions,
    limits: &Limits,
    visit: Visit<'_>,
) -> Result<Shown> {
    let whole = |footer| match footer {
        Footer::Whole(opened) => Ok(opened),
        Footer::Damaged(error) => Err(error),
    };
    let opened = whole(Opened::open_all(watch, limits)?)?;
    let schema = opened.meta.schema();
    let conversions = conversions(watch.path(), schema, options)?;
    let mut row = Row {
        all: AllFields::new(schema, options),
        lost: Vec::new(),
        visit,
    };
    let mut mending = if options.needs.whole_rows {
        Some(Mending::new(
            &opened,
            whole(Opened::open(watch, options, limits)?)?,
        ))
    } else {
        None
    };
    let mut group = usize::MAX;
    for piece in RowBatches::new(Arc::clone(&opened)) {
        if let Some(mending) = mending.as_mut().filter(|_| piece.group != group) {
            group = piece.group;
            row.lost = mending.begin(group)?;
        }
        let rows = piece.first..piece.first + piece.rows as u64;
        if row.is_lost(&rows) {
            continue;
        }
        match (piece.decode(), &mut mending) {
            (Ok(_), Some(mending)) if mending.has_nulls() => {
                mending.visit(&piece, &mut row)?;
            }
            (Ok(batches), _) => {
                row.visit_all(piece.first, batches.iter().map(RecordBatch::columns))?;
            }
            // Part of it can be read.
            (Err(error), Some(mending)) if is_damage(&error) => {
                let is_same = |found: Error| if is_damage(&found) { error } else { found };
                mending.visit(&piece, &mut row).map_err(is_same)?;
            }
            (Err(error), _) => return Err(error),
        }
    }
    Ok(Shown {
        conversions,
        nulls: mending.map(|mending| mending.counts).unwrap_or_default(),
    })
}

/// Whether rows are lost by this error; a disk that fails is another matter.
fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Data | ErrorKind::Memory)
}

/// Shows what can be read of damaged row groups.
struct Mending<'o> {
    /// The file with all its columns.
    opened: &'o Opened,
    /// The file as its texts were read.
    read: Arc<Opened>,
    pieces: Peekable<RowBatches>,
    /// The columns of the current row group with values that cannot be read and may be null.
    nulls: Vec<(usize, Arc<[Lost]>)>,
    counts: Nulls,
}

impl<'o> Mending<'o> {
    fn new(opened: &'o Opened, read: Arc<Opened>) -> Self {
        Self {
            opened,
            pieces: RowBatches::new(Arc::clone(&read)).peekable(),
            read,
            nulls: Vec::new(),
            counts: Nulls::default(),
        }
    }

    /// Begins the next row group; returns the rows of the file that were passed over.
    fn begin(&mut self, group: usize) -> Result<Vec<Range<u64>>> {
        let mut lost = Vec::new();
        while let Some(piece) = self.pieces.next_if(|piece| piece.group == group) {
            match piece.decode() {
                Ok(_) => {}
                Err(error) if is_damage(&error) => {
                    lost.push(piece.first..piece.first + piece.rows as u64);
                }
                Err(error) => return Err(error),
            }
        }
        self.nulls.clear();
        for leaf in &self.opened.leaves {
            let nulls = self.read.nulls(group, *leaf)?;
            if !nulls.is_empty() {
                self.nulls.push((*leaf, nulls));
            }
        }
        Ok(lost)
    }

    fn has_nulls(&self) -> bool {
        !self.nulls.is_empty()
    }

    /// Shows what can be read of these rows, window by window.
    fn visit(&mut self, piece: &RowBatch, row: &mut Row) -> Result<()> {
        let window = self.opened.window(piece.group);
        let (mut at, end) = (piece.skip, piece.skip + piece.rows);
        while at < end {
            let mut next = end.min((at / window + 1) * window);
            let first = piece.first + (at - piece.skip) as u64;
            if !row.is_lost(&(first..first + (next - at) as u64)) {
                let mut lost = Vec::new();
                for (leaf, nulls) in &self.nulls {
                    let (is_null, alike) = run(nulls, |lost| &lost.rows, at, end);
                    next = next.min(at + alike);
                    if let (true, Some(first)) = (is_null, nulls.first()) {
                        lost.push((*leaf, first.why.message.clone()));
                    }
                }
                let batches = self.read(piece.group, at..next, &mut lost)?;
                let written = row.visit_all(first, batches.iter().map(Vec::as_slice))?;
                for (leaf, why) in lost {
                    let column = self.opened.column_name(leaf);
                    self.counts.count(&self.opened.path, &column, written, &why);
                }
            }
            at = next;
        }
        Ok(())
    }

    /// Decodes rows of a group, batch by batch, with nulls for the values of columns that are lost.
    /// Adds those to them whose values cannot be represented, such as damaged strings that are not
    /// UTF-8, which only a decoder of strings finds.
    fn read(
        &self,
        group: usize,
        rows: Range<usize>,
        lost: &mut Vec<(usize, String)>,
    ) -> Result<Vec<Vec<ArrayRef>>> {
        let (skip, count) = (rows.start, rows.len());
        let of = |leaves: &[usize]| self.opened.read_columns(leaves, group, skip, count);
        let others = |lost: &[(usize, String)]| -> Vec<usize> {
            let is_lost = |leaf: &usize| lost.iter().any(|(lost, _)| lost == leaf);
            let leaves = self.opened.leaves.iter().copied();
            leaves.filter(|leaf| !is_lost(leaf)).collect()
        };
        let batches = match of(&others(lost)) {
            Err(error) if error.kind() == ErrorKind::Data => {
                for leaf in others(lost) {
                    if !self.read.may_be_null(group, leaf) {
                        continue;
                    }
                    match of(&[leaf]) {
                        Err(error) if error.kind() == ErrorKind::Data => {
                            lost.push((leaf, error.message()));
                        }
                        alone => drop(alone?),
                    }
                }
                of(&others(lost))?
            }
            batches => batches?,
        };
        let columns = self.opened.meta.parquet_schema();
        let roots: Vec<usize> = lost
            .iter()
            .map(|(leaf, _)| columns.get_column_root_idx(*leaf))
            .collect();
        let complete = |batch: &RecordBatch| {
            let mut read = batch.columns().iter();
            let fields = self.opened.meta.schema().fields().iter().enumerate();
            let column = |(at, field): (usize, &FieldRef)| {
                if roots.contains(&at) {
                    Some(new_null_array(field.data_type(), batch.num_rows()))
                } else {
                    read.next().cloned()
                }
            };
            fields.map_while(column).collect()
        };
        Ok(batches.iter().map(complete).collect())
    }
}

/// Shows rows to a visitor.
struct Row<'v> {
    all: AllFields,
    /// The rows of the file that were passed over.
    lost: Vec<Range<u64>>,
    visit: Visit<'v>,
}

impl Row<'_> {
    /// Whether all these rows were passed over.
    fn is_lost(&self, rows: &Range<u64>) -> bool {
        is_lost(&self.lost, rows)
    }

    /// Shows rows from this one on, batch by batch; returns how many of them are written.
    fn visit_all<'b>(
        &mut self,
        first: u64,
        batches: impl Iterator<Item = &'b [ArrayRef]>,
    ) -> Result<u64> {
        let (mut index, mut written) = (first, 0);
        let lost = &self.lost;
        for columns in batches {
            let is_lost = |row: u64| is_lost(lost, &(row..row + 1));
            written += self.all.show(columns, index, &is_lost, self.visit)?;
            index += columns.first().map_or(0, Array::len) as u64;
        }
        Ok(written)
    }
}

/// Whether all these rows are among those that were passed over.
fn is_lost(all: &[Range<u64>], rows: &Range<u64>) -> bool {
    let mut at = rows.start;
    for lost in all {
        if lost.contains(&at) {
            at = lost.end;
        }
    }
    at >= rows.end
}
