//! Rewrites a file: the same schema, metadata, row groups and codecs; rows removed, texts cut,
//! marks added.

use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use tegula::error::{Error, ErrorKind, Result};

use super::copy;
use super::group::{Group, Out, Tally};
use super::marks;
use super::open::{Footer, Opened};
use super::read::RowBatches;
use crate::edit::Edit;
use crate::format::arrow::Columns;
use crate::format::{MarkColumn, MarkStyle};
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::outputs::Handle;
use crate::passed_over::Nulls;
use crate::store::File;
use crate::tables::{guard, parquet_error};

/// How to write a file back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'a> {
    /// Which marks there are, and their names.
    pub(crate) style: &'a MarkStyle,
    /// Whether the file gets the columns of records' marks in any case, so that all files of a
    /// collection get the same.
    pub(crate) marks: bool,
    /// Rows after this many are removed, regardless of the edits.
    pub(crate) limit: Option<u64>,
}

/// Writes a file back. `edits` must return the same each time it is called for a row, which happens
/// several times: marks are not kept in memory.
pub(crate) fn rewrite(
    watch: &Arc<InputGuard>,
    options: &ReadOptions,
    (file, output): (Handle, &Path),
    plan: Plan<'_>,
    limits: &Limits,
    edits: &dyn Fn(u64) -> Edit,
) -> Result<Tally> {
    let opened = open(watch, options, limits)?;
    let (mut has_marks, mut has_spans) = (plan.marks, false);
    for number in 1..=opened.rows.min(plan.limit.unwrap_or(u64::MAX)) {
        if has_spans {
            break;
        }
        if let Edit::Mark(marks) | Edit::Change { marks, .. } = edits(number) {
            has_marks = true;
            has_spans = marks.spans.is_some();
        }
    }
    let columns = has_marks.then(|| plan.style.marks(has_spans));
    let columns = columns.unwrap_or_default();
    write(&opened, (file, output), (&columns, plan.limit), edits)
}

fn open(watch: &Arc<InputGuard>, options: &ReadOptions, limits: &Limits) -> Result<Arc<Opened>> {
    match Opened::open(watch, options, limits)? {
        Footer::Whole(opened) => Ok(opened),
        Footer::Damaged(error) => {
            Err(error.hint("fetch the file again; nothing of it can be written back"))
        }
    }
}

fn write(
    opened: &Arc<Opened>,
    (file, output): (Handle, &Path),
    (columns, limit): (&[MarkColumn], Option<u64>),
    edits: &dyn Fn(u64) -> Edit,
) -> Result<Tally> {
    let limit = limit.unwrap_or(u64::MAX);
    let mut tally = Tally::default();
    let path = &opened.path;
    let schema = opened.meta.schema();
    marks::check_names(schema, columns).map_err(|error| error.at(path))?;
    let input = opened.guard.open()?;
    let root = marks::schema(opened.meta.parquet_schema().root_schema(), columns)
        .map_err(|error| parquet_error("write", output, error))?;
    let mut writer = SerializedFileWriter::new(
        BufWriter::new(file),
        root,
        Arc::new(properties(opened, columns)),
    )
    .map_err(|error| parquet_error("write", output, error))?;

    let mut walk = RowBatches::new(Arc::clone(opened)).peekable();
    let mut first = 0;
    for index in 0..opened.meta.metadata().num_row_groups() {
        let mut group = Group::starting_at(first);
        while let Some(piece) = walk.next_if(|piece| piece.group == index) {
            match piece.decode() {
                Ok(batches) => {
                    for batch in batches {
                        let texts = Columns::of(&batch, &opened.wanted);
                        for row in 0..batch.num_rows() {
                            if tally.rows >= limit {
                                group.leave_out(1);
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
                    group.lose(piece.rows);
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
            write_group(opened, &input, index, &group, &mut out, &mut tally.nulls)?;
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

/// Writes a row group's own columns, and counts values that are null as they cannot be read.
fn write_group(
    opened: &Opened,
    input: &File,
    index: usize,
    group: &Group,
    out: &mut Out<'_>,
    counts: &mut Nulls,
) -> Result<()> {
    let metadata = opened.meta.metadata().row_group(index);
    let index_of_pages = opened.meta.metadata().page_index_for_row_group(index);
    for (leaf, column) in metadata.columns().iter().enumerate() {
        let parts = column.column_path().parts();
        let text = opened.wanted.texts.iter().position(|key| key.path == parts);
        let is_cut = text.is_some_and(|text| {
            let mut all = group.cuts.values();
            all.any(|cuts| cuts.get(text).is_some_and(|cuts| !cuts.is_empty()))
        });
        let nulls = opened.nulls(index, leaf)?;
        for lost in &*nulls {
            let kept = lost.rows.clone().filter(|row| group.is_kept(*row)).count();
            counts.count(&opened.path, &lost.column, kept as u64, &lost.why.message);
        }
        let copied = guard(&opened.path, || {
            if group.is_whole() && !is_cut && nulls.is_empty() && copy::is_plain(column) {
                let offsets = index_of_pages.offset_index(leaf).cloned();
                return Ok(copy::whole(out, input, column, offsets, group.rows()));
            }
            if nulls.is_empty() {
                opened.check_column(index, leaf)?;
            }
            let changes = copy::Changes {
                group,
                text,
                nulls: &nulls,
            };
            let is_indexed = group.has_lost() || !nulls.is_empty();
            Ok(opened
                .column_reader(index, leaf, is_indexed)
                .and_then(|reader| copy::some(out, reader, column, changes)))
        })?;
        copied.map_err(|error| copy_error(opened, index, &parts.join("/"), error))?;
    }
    Ok(())
}

/// The error for a column that cannot be copied: its rows have verdicts, so they must not be
/// dropped silently.
fn copy_error(opened: &Opened, group: usize, column: &str, error: ParquetError) -> Error {
    // A decompressor reports damage in the same way as a disk that fails.
    if let ParquetError::External(cause) = &error
        && let Some(io) = cause.downcast_ref::<std::io::Error>()
        && io.raw_os_error().is_some()
    {
        return parquet_error("copy", &opened.path, error);
    }
    ErrorKind::Data
        .expected(format!("readable pages in the column \"{column}\" (row group {})", group + 1))
        .found(format!("damage: {error}"))
    .at(&opened.path)
    .hint(if opened.whole_rows {
        "fetch the file again, or remove this column from it first"
    } else {
        "fetch the file again, remove this column from it first, or go on without what cannot be read with ⟨on_bad_record=skip⟩"
    })
}

/// Each column keeps its codec from the first row group.
fn properties(opened: &Opened, columns: &[MarkColumn]) -> WriterProperties {
    let metadata = opened.meta.metadata();
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("tegula {}", env!("CARGO_PKG_VERSION")))
        .set_max_row_group_row_count(None)
        .set_key_value_metadata(marks::metadata(
            metadata.file_metadata().key_value_metadata(),
            opened.meta.schema(),
            columns,
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
