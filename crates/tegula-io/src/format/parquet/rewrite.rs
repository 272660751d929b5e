//! Rewrites a file: the same schema, metadata, row groups and codecs; rows removed, texts cut,
//! marks added.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use tegula::error::{Error, ErrorKind, Result};

use super::copy;
use super::marks::{self, Spans};
use super::open::{Footer, Opened};
use super::read::{Columns, RowBatches};
use crate::edit::Edit;
use crate::format::joined::JOINT;
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::tables::{guard, parquet_error};

/// A row group under construction.
pub(super) type Out<'a> = SerializedRowGroupWriter<'a, BufWriter<File>>;

/// Which columns of marks a file gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MarkColumns {
    /// None.
    None,
    /// `duplicate_of`, `duplicate_score`, `cluster_id`.
    Records,
    /// These and `duplicate_spans`.
    RecordsAndSpans,
}

/// How to write a file back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'a> {
    /// The prefix of the names of marks.
    pub(crate) prefix: &'a str,
    /// Columns of marks that the file gets in any case, so that all files of a collection get the
    /// same.
    pub(crate) columns: MarkColumns,
    /// Rows after this many are removed, regardless of the edits.
    pub(crate) limit: Option<u64>,
}

/// Counts of rows by edit, without bad ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) kept: u64,
    pub(crate) dropped: u64,
    pub(crate) cut: u64,
    pub(crate) marked: u64,
    /// All rows read, including bad ones.
    pub(crate) rows: u64,
}

/// Writes a file back. `edits` must return the same each time it is called for a row, which happens
/// several times: marks are not kept in memory.
pub(crate) fn rewrite(
    watch: &Arc<InputGuard>,
    options: &ReadOptions,
    (file, output): (File, &Path),
    plan: Plan<'_>,
    limits: &Limits,
    edits: &dyn Fn(u64) -> Edit,
) -> Result<Tally> {
    let opened = open(watch, options, limits)?;
    let mut plan = plan;
    for number in 1..=opened.rows.min(plan.limit.unwrap_or(u64::MAX)) {
        if plan.columns == MarkColumns::RecordsAndSpans {
            break;
        }
        if let Edit::Mark(marks) | Edit::Change { marks, .. } = edits(number) {
            plan.columns = plan.columns.max(match marks.spans {
                Some(_) => MarkColumns::RecordsAndSpans,
                None => MarkColumns::Records,
            });
        }
    }
    write(&opened, (file, output), plan, edits)
}

fn open(watch: &Arc<InputGuard>, options: &ReadOptions, limits: &Limits) -> Result<Arc<Opened>> {
    match Opened::open(watch, options, limits)? {
        Footer::Whole(opened) => Ok(opened),
        Footer::Damaged(error) => {
            Err(error.hint("fetch the file again; nothing of it can be written back"))
        }
    }
}

/// The edits to the rows of a row group.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// The index of the first row in the file.
    first: u64,
    kept: Vec<bool>,
    /// The cuts of each text column, by row.
    pub(super) cuts: HashMap<usize, Vec<Vec<Range<usize>>>>,
    /// The marked spans, by row.
    pub(super) spans: Spans,
}

impl Group {
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

    fn is_whole(&self) -> bool {
        self.kept.iter().all(|kept| *kept)
    }

    /// Adds the verdict on one row.
    fn push(&mut self, texts: Option<Vec<&str>>, tally: &mut Tally, edits: &dyn Fn(u64) -> Edit) {
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
                    && let Some(spans) = marks::code_points(&texts.join(JOINT), &marks)
                {
                    self.spans.insert(row, spans);
                }
            }
            Edit::Change { cuts, marks } => {
                let mut left = texts.join(JOINT);
                cuts.iter()
                    .rev()
                    .for_each(|cut| left.replace_range(cut.clone(), ""));
                if let Some(spans) = marks::code_points(&left, &marks.after(&cuts)) {
                    self.spans.insert(row, spans);
                }
                self.cuts.insert(row, deal(&texts, &cuts));
            }
        }
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

fn write(
    opened: &Arc<Opened>,
    (file, output): (File, &Path),
    plan: Plan<'_>,
    edits: &dyn Fn(u64) -> Edit,
) -> Result<Tally> {
    let Plan {
        prefix,
        columns,
        limit,
    } = plan;
    let limit = limit.unwrap_or(u64::MAX);
    let mut tally = Tally::default();
    let path = &opened.path;
    let schema = opened.meta.schema();
    marks::check_names(schema, columns, prefix).map_err(|error| error.at(path))?;
    let input = opened.guard.open()?;
    let again = input
        .try_clone()
        .map_err(|error| Error::io("open", path, error))?;
    let reader = guard(path, || {
        SerializedFileReader::new(again).map_err(|error| parquet_error("read", path, error))
    })?;
    let root = marks::schema(opened.meta.parquet_schema().root_schema(), columns, prefix)
        .map_err(|error| parquet_error("write", output, error))?;
    let mut writer = SerializedFileWriter::new(
        BufWriter::new(file),
        root,
        Arc::new(properties(opened, columns, prefix)),
    )
    .map_err(|error| parquet_error("write", output, error))?;

    let mut walk = RowBatches::new(Arc::clone(opened)).peekable();
    let mut first = 0;
    for index in 0..opened.meta.metadata().num_row_groups() {
        let mut group = Group {
            first,
            ..Group::default()
        };
        while let Some(piece) = walk.next_if(|piece| piece.group == index) {
            match piece.decode() {
                Ok(batches) => {
                    for batch in batches {
                        let texts = Columns::of(&batch, opened)?;
                        for row in 0..batch.num_rows() {
                            if tally.rows >= limit {
                                group.kept.push(false);
                                continue;
                            }
                            tally.rows += 1;
                            group.push(texts.texts(row), &mut tally, edits);
                        }
                    }
                }
                // What could not be read was reported and has no verdict; a disk that fails only
                // now is a different error.
                Err(error) if matches!(error.kind(), ErrorKind::Data | ErrorKind::Memory) => {
                    group.kept.resize(group.kept.len() + piece.rows, false);
                    tally.rows += piece.rows as u64;
                }
                Err(error) => return Err(error),
            }
        }
        first += group.rows() as u64;
        if group.kept().next().is_some() {
            let mut out = writer
                .next_row_group()
                .map_err(|error| parquet_error("write", output, error))?;
            write_group(opened, (&input, &reader), index, &group, &mut out)?;
            marks::write(&mut out, &group, columns, edits)
                .and_then(|()| out.close())
                .map_err(|error| parquet_error("write", output, error))?;
        }
    }
    let mut file = writer
        .into_inner()
        .map_err(|error| parquet_error("write", output, error))?;
    std::io::Write::flush(&mut file).map_err(|error| Error::io("write", output, error))?;
    Ok(tally)
}

/// Writes a row group's own columns.
fn write_group(
    opened: &Opened,
    (input, reader): (&File, &SerializedFileReader<File>),
    index: usize,
    group: &Group,
    out: &mut Out<'_>,
) -> Result<()> {
    let metadata = opened.meta.metadata().row_group(index);
    let index_of_pages = opened.meta.metadata().page_index_for_row_group(index);
    for (leaf, column) in metadata.columns().iter().enumerate() {
        let parts = column.column_path().parts();
        let text = opened.texts.iter().position(|key| key.path == parts);
        let is_cut = text.is_some_and(|text| {
            let mut all = group.cuts.values();
            all.any(|cuts| cuts.get(text).is_some_and(|cuts| !cuts.is_empty()))
        });
        let copied = guard(&opened.path, || {
            if group.is_whole() && !is_cut && copy::is_plain(column) {
                let offsets = index_of_pages.offset_index(leaf).cloned();
                return Ok(copy::whole(out, input, column, offsets, group.rows()));
            }
            opened.check_column(index, leaf)?;
            Ok(reader
                .get_row_group(index)
                .and_then(|rows| rows.get_column_reader(leaf))
                .and_then(|reader| copy::some(out, reader, column, group, text)))
        })?;
        copied.map_err(|error| copy_error(opened, index, &parts.join("/"), error))?;
    }
    Ok(())
}

/// The error for a column that cannot be copied: its rows have verdicts, so they must not be
/// dropped silently.
fn copy_error(opened: &Opened, group: usize, column: &str, error: ParquetError) -> Error {
    if matches!(error, ParquetError::External(_)) {
        return parquet_error("copy", &opened.path, error);
    }
    Error::data(format!(
        "expected readable pages in the column \"{column}\" (row group {}), found damage: {error}",
        group + 1
    ))
    .at(&opened.path)
    .hint("fetch the file again, or remove this column from it first")
}

/// Each column keeps its codec from the first row group.
fn properties(opened: &Opened, columns: MarkColumns, prefix: &str) -> WriterProperties {
    let metadata = opened.meta.metadata();
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("tegula {}", env!("CARGO_PKG_VERSION")))
        .set_max_row_group_row_count(None)
        .set_key_value_metadata(marks::metadata(
            metadata.file_metadata().key_value_metadata(),
            opened.meta.schema(),
            columns,
            prefix,
        ));
    if let Some(group) = metadata.row_groups().first() {
        if let Some(column) = group.columns().first() {
            builder = builder.set_compression(column.compression());
        }
        for column in group.columns() {
            builder =
                builder.set_column_compression(column.column_path().clone(), column.compression());
        }
    }
    builder.build()
}
