//! An open file: its schema, the requested columns, and the division of its rows into windows.

use std::collections::HashSet;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::PageIndexPolicy;
use tegula::error::{Error, ErrorKind, Result};
use tegula::large::Scales;

use super::columns::{are_null, bytes_of, check_codecs, leaves_of, range};
use super::pages::{self, Pages};
use super::ranges::Ranges;
use crate::format::arrow::{self, Key, Wanted};
use crate::guard::InputGuard;
use crate::limits::{Limits, enough, size};
use crate::options::ReadOptions;
use crate::tables::{guard, parquet_error};

/// The maximum of rows decoded at a time.
const WINDOW_ROWS: usize = 8_192;
/// The approximate maximum of bytes of wanted columns decoded at a time.
const WINDOW_BYTES: u64 = 8 << 20;

/// Facts about a file for a dry run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Facts {
    /// Rows.
    pub rows: u64,
    /// Row groups.
    pub row_groups: usize,
    /// Top-level columns and their types.
    pub columns: Vec<(String, String)>,
    /// Bytes of the text columns before compression, according to the footer.
    pub text_bytes: u64,
}

/// Reads only the footer; gives the same errors as reading up to the first row.
pub fn check(path: &Path, options: &ReadOptions) -> Result<Facts> {
    let file = match Opened::open(&InputGuard::of(path)?, options, &Limits::default())? {
        Footer::Whole(file) => file,
        Footer::Damaged(error) => return Err(error),
    };
    let schema = file.meta.schema();
    let text_leaves = leaves_of(&file.meta, file.wanted.texts.iter());
    let groups = file.meta.metadata().row_groups();
    Ok(Facts {
        rows: file.rows,
        row_groups: groups.len(),
        columns: schema
            .fields()
            .iter()
            .map(|field| (field.name().clone(), field.data_type().to_string()))
            .collect(),
        text_bytes: groups
            .iter()
            .map(|group| bytes_of(group, &text_leaves))
            .sum(),
    })
}

/// The names of the columns; with `inner`, including those inside structs, as JSON Pointers. None
/// if the file is damaged.
pub(crate) fn names(watch: &Arc<InputGuard>, limits: &Limits, inner: bool) -> Result<Vec<String>> {
    let Footer::Whole(file) = Opened::open_all(watch, limits)? else {
        return Ok(Vec::new());
    };
    Ok(arrow::names(file.meta.schema(), inner))
}

/// A file with a readable footer, or the reason why there is none.
pub(super) enum Footer {
    Whole(Arc<Opened>),
    Damaged(Error),
}

/// An opened file.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) path: PathBuf,
    /// The guard of the file.
    pub(super) guard: Arc<InputGuard>,
    pub(super) bytes: u64,
    pub(super) meta: ArrowReaderMetadata,
    pub(super) rows: u64,
    /// The wanted columns.
    pub(super) wanted: Wanted,
    /// Leaves of all wanted columns.
    pub(super) leaves: Vec<usize>,
    /// Whether a row counts as read only if all its columns can be.
    pub(super) whole_rows: bool,
    /// Limits on the size of a page.
    limits: Limits,
    /// Facts about the pages of each row group, once they were read.
    pages: Vec<OnceLock<GroupPages>>,
}

/// Facts about the pages of a row group's wanted columns.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GroupPages {
    /// Bytes of the largest page or dictionary, its column, and the values before it.
    largest: (u64, usize, u64),
    /// Bytes of the largest dictionary.
    dictionary: u64,
    /// The approximate number of bytes per row from all dictionaries together.
    row: u64,
}

/// The reason why rows of a file are not read.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    pub(super) kind: ErrorKind,
    pub(super) message: String,
    pub(super) hint: String,
    /// Rows of the group before the one at fault.
    pub(super) before: u64,
    /// The column at fault, where it is known.
    pub(super) column: Option<String>,
}

impl Opened {
    /// Opens a file with all its columns wanted, as fields.
    pub(super) fn open_all(watch: &Arc<InputGuard>, limits: &Limits) -> Result<Footer> {
        let (meta, bytes) = match load(watch, limits) {
            Ok(loaded) => loaded,
            Err(error) if error.kind() == ErrorKind::Data => return Ok(Footer::Damaged(error)),
            Err(error) => return Err(error),
        };
        let leaves = (0..meta.parquet_schema().num_columns()).collect();
        let nothing = Wanted::nothing(watch.path());
        let wanted = (nothing, leaves, false);
        Ok(Self::checked(watch, (meta, bytes), wanted, limits))
    }

    /// Opens a file and finds the wanted columns. `Err` is for errors that no policy can skip: no
    /// file, no such column.
    pub(super) fn open(
        watch: &Arc<InputGuard>,
        options: &ReadOptions,
        limits: &Limits,
    ) -> Result<Footer> {
        let path = watch.path();
        let (meta, bytes) = match load(watch, limits) {
            Ok(loaded) => loaded,
            Err(error) if error.kind() == ErrorKind::Data => return Ok(Footer::Damaged(error)),
            Err(error) => return Err(error),
        };
        let is_null = |key: &Key| are_null(meta.metadata(), &key.path);
        let wanted = Wanted::of(path, meta.schema(), options, &is_null)?;
        let leaves = leaves_of(&meta, wanted.keys());
        check_codecs(path, &meta, &leaves)?;
        let wanted = (wanted, leaves, options.needs.whole_rows);
        Ok(Self::checked(watch, (meta, bytes), wanted, limits))
    }

    /// Checks the footer before anything relies on it.
    fn checked(
        watch: &Arc<InputGuard>,
        (meta, bytes): (ArrowReaderMetadata, u64),
        (wanted, leaves, whole_rows): (Wanted, Vec<usize>, bool),
        limits: &Limits,
    ) -> Footer {
        let path = watch.path();
        let mut rows = 0u64;
        for group in meta.metadata().row_groups() {
            let Ok(count) = u64::try_from(group.num_rows()) else {
                let error = ErrorKind::Data
                    .expected("a Parquet file")
                    .found("a negative row count");
                return Footer::Damaged(error.at(path));
            };
            rows = rows.saturating_add(count);
            // The decoder allocates according to the footer before it reads.
            if group.columns().iter().any(|column| {
                range(column).is_none_or(|(start, length)| start.saturating_add(length) > bytes)
            }) {
                let error = ErrorKind::Data
                    .expected("a Parquet file")
                    .found("a footer that points beyond its end");
                return Footer::Damaged(error.at(path));
            }
        }
        Footer::Whole(Arc::new(Self {
            path: path.to_path_buf(),
            guard: Arc::clone(watch),
            bytes,
            pages: vec![OnceLock::new(); meta.metadata().num_row_groups()],
            limits: limits.clone(),
            meta,
            rows,
            wanted,
            leaves,
            whole_rows,
        }))
    }

    /// Rows of a row group.
    pub(super) fn group_rows(&self, group: usize) -> usize {
        usize::try_from(self.meta.metadata().row_group(group).num_rows()).unwrap_or_default()
    }

    /// Rows decoded at a time in a row group. Reading and rewriting use the same windows, so that
    /// damage affects the same rows.
    pub(super) fn window(&self, group: usize) -> usize {
        let bytes = bytes_of(self.meta.metadata().row_group(group), &self.leaves).max(1);
        let rows = self.group_rows(group) as u64;
        // A footer need not reveal how much a repeated dictionary value expands.
        let bytes = bytes.max(self.pages(group).row.saturating_mul(rows));
        let fitting = u128::from(WINDOW_BYTES) * u128::from(rows) / u128::from(bytes);
        // A power of two, so that it is a multiple of any smaller power of two.
        power_of_two(usize::try_from(fitting).unwrap_or(usize::MAX)).min(WINDOW_ROWS)
    }

    /// Whether a window can be decoded independently, on any thread: it is the whole row group, or
    /// an index locates its pages. Without one, everything before a window must be decompressed.
    pub(super) fn is_seekable(&self, group: usize) -> bool {
        self.group_rows(group) <= self.window(group) || {
            let index = self.meta.metadata().page_index_for_row_group(group);
            let located = |leaf: &usize| {
                index
                    .offset_index(*leaf)
                    .is_some_and(|leaf| !leaf.page_locations().is_empty())
            };
            self.leaves.iter().all(located)
        }
    }

    /// Decodes rows of a row group: skips `skip` of them, then decodes at most `rows`.
    pub(super) fn reader(
        &self,
        group: usize,
        skip: usize,
        rows: usize,
    ) -> Result<ParquetRecordBatchReader> {
        self.reader_of(&self.leaves, group, skip, rows)
    }

    /// As [`Opened::reader`], for some of the wanted columns.
    fn reader_of(
        &self,
        leaves: &[usize],
        group: usize,
        skip: usize,
        rows: usize,
    ) -> Result<ParquetRecordBatchReader> {
        let file = Ranges::open(&self.guard)?;
        let columns = self.meta.parquet_schema();
        guard(&self.path, || {
            let mut builder =
                ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.meta.clone())
                    .with_projection(ProjectionMask::leaves(columns, leaves.iter().copied()))
                    .with_row_groups(vec![group])
                    .with_batch_size(self.step(group));
            if skip > 0 || rows < self.group_rows(group) {
                builder = builder.with_offset(skip).with_limit(rows);
            }
            builder
                .build()
                .map_err(|error| parquet_error("read", &self.path, error))
        })
    }

    /// Reads the headers of a row group's pages.
    fn pages(&self, group: usize) -> GroupPages {
        let look = || {
            let mut found = GroupPages::default();
            // A file that cannot be opened is an error when it is read.
            let Ok(mut file) = self.guard.open() else {
                return found;
            };
            let metadata = self.meta.metadata().row_group(group);
            for leaf in &self.leaves {
                let column = metadata.column(*leaf);
                let Some((start, length)) = range(column) else {
                    continue;
                };
                let Pages {
                    dictionary,
                    entries,
                    largest,
                    before,
                } = pages::look(&mut file, start, length).unwrap_or_default();
                for (bytes, before) in [(dictionary, 0), (largest, before)] {
                    if bytes > found.largest.0 {
                        found.largest = (bytes, *leaf, before);
                    }
                }
                found.dictionary = found.dictionary.max(dictionary);
                found.row += dictionary / entries.max(1);
            }
            found
        };
        self.pages
            .get(group)
            .map_or_else(GroupPages::default, |pages| *pages.get_or_init(look))
    }

    /// Rows decoded before their size is checked: as many as fit even if each has the longest value
    /// of the dictionary.
    fn step(&self, group: usize) -> usize {
        let fitting = self.limits.longest as u64 / self.pages(group).dictionary.max(1);
        power_of_two(usize::try_from(fitting).unwrap_or(usize::MAX)).min(self.window(group))
    }

    /// Refuses a row group with a page that does not fit under the memory ceiling.
    pub(super) fn refusal(&self, group: usize) -> Option<Refusal> {
        let (bytes, leaf, before) = self.pages(group).largest;
        let refusal = self.too_large(group, leaf, bytes)?;
        // In a column of lists, values are not rows.
        let before = if self.meta.parquet_schema().column(leaf).max_rep_level() == 0 {
            before
        } else {
            0
        };
        Some(Refusal {
            before: before.min((self.group_rows(group) as u64).saturating_sub(1)),
            ..refusal
        })
    }

    pub(super) fn too_large(&self, group: usize, leaf: usize, bytes: u64) -> Option<Refusal> {
        (bytes > self.limits.longest as u64).then(|| Refusal {
            kind: ErrorKind::Memory,
            message: format!(
                "expected pages that fit under the memory ceiling in the column \"{}\" (row group {}), found one of {}",
                self.meta.parquet_schema().column(leaf).path().parts().join("/"),
                group + 1,
                size(bytes)
            ),
            hint: enough(Scales::of_bytes(bytes).memory()),
            before: 0,
            column: None,
        })
    }

    /// The memory of a window of a row group beyond the normal.
    pub(super) fn memory(&self, group: usize) -> u64 {
        Scales::new(self.limits.characters)
            .with_text(self.pages(group).largest.0)
            .memory()
    }

    /// Decodes one window independently.
    pub(super) fn read_window(
        &self,
        group: usize,
        skip: usize,
        rows: usize,
    ) -> Result<Vec<RecordBatch>> {
        self.read_columns(&self.leaves, group, skip, rows)
    }

    /// Decodes some of the wanted columns of one window.
    pub(super) fn read_columns(
        &self,
        leaves: &[usize],
        group: usize,
        skip: usize,
        rows: usize,
    ) -> Result<Vec<RecordBatch>> {
        let mut reader = self.reader_of(leaves, group, skip, rows)?;
        self.next_batch(group, &mut reader, rows)
    }

    /// Decodes the next `rows` rows.
    pub(super) fn next_batch(
        &self,
        group: usize,
        reader: &mut ParquetRecordBatchReader,
        rows: usize,
    ) -> Result<Vec<RecordBatch>> {
        self.decode(reader, rows).map_err(|error| {
            // The decoder hides why it received no bytes. A changed file or a failing disk must not
            // be mistaken for a damaged file, which may be skipped.
            if error.kind() == ErrorKind::Memory {
                return error;
            }
            self.guard
                .check()
                .and_then(|()| self.read_bytes(group, &self.leaves))
                .err()
                .unwrap_or(error)
        })
    }

    /// Reads columns of a row group as bytes.
    pub(super) fn read_bytes(&self, group: usize, leaves: &[usize]) -> Result<()> {
        let failed = |error| Error::io("read", &self.path, error);
        let mut file = self.guard.open()?;
        for leaf in leaves {
            let Some((start, length)) = range(self.meta.metadata().row_group(group).column(*leaf))
            else {
                continue;
            };
            file.seek(SeekFrom::Start(start)).map_err(failed)?;
            std::io::copy(&mut file.by_ref().take(length), &mut std::io::sink()).map_err(failed)?;
        }
        Ok(())
    }

    fn decode(
        &self,
        reader: &mut ParquetRecordBatchReader,
        rows: usize,
    ) -> Result<Vec<RecordBatch>> {
        let (mut batches, mut found, mut bytes) = (Vec::new(), 0, 0);
        let mut seen = HashSet::new();
        while found < rows {
            let batch = guard(&self.path, || match reader.next() {
                Some(Ok(batch)) => Ok(Some(batch)),
                Some(Err(error)) => Err(Error::data(error.to_string()).at(&self.path)),
                None => Ok(None),
            })?;
            let Some(batch) = batch else { break };
            found += batch.num_rows();
            let columns = batch.columns().iter();
            bytes += columns
                .map(|column| added(column, &mut seen))
                .sum::<usize>();
            batches.push(batch);
            if found < rows
                && bytes
                    > self
                        .limits
                        .longest
                        .max(WINDOW_BYTES as usize)
                        .saturating_mul(2)
            {
                // Extrapolated from the bytes per row so far.
                let all = (bytes as u64 / found as u64).saturating_mul(rows as u64);
                let message = format!(
                    "expected rows that fit under the memory ceiling, found {found} of {}",
                    size(bytes as u64)
                );
                return Err(Error::new(ErrorKind::Memory, message)
                    .at(&self.path)
                    .hint(enough(Scales::of_bytes(all.saturating_mul(2)).memory())));
            }
        }
        if found == rows {
            return Ok(batches);
        }
        Err(ErrorKind::Data
            .expected(format!("{rows} rows in a page"))
            .found(found)
            .at(&self.path))
    }
}

/// Bytes of memory that a column adds to what was decoded before: strings as views share the pages
/// that they are in.
fn added(column: &ArrayRef, seen: &mut HashSet<*const u8>) -> usize {
    let (views, buffers) = if let Some(column) = column.as_string_view_opt() {
        (column.views().inner().len(), column.data_buffers())
    } else if let Some(column) = column.as_binary_view_opt() {
        (column.views().inner().len(), column.data_buffers())
    } else {
        return column.get_array_memory_size();
    };
    let fresh = buffers.iter().filter(|buffer| seen.insert(buffer.as_ptr()));
    fresh.fold(views, |bytes, buffer| bytes + buffer.len())
}

/// The largest power of two that is at most `number`; 1 for 0.
fn power_of_two(number: usize) -> usize {
    1 << number.max(1).ilog2()
}

/// Reads the footer.
fn load(watch: &InputGuard, limits: &Limits) -> Result<(ArrowReaderMetadata, u64)> {
    let path = watch.path();
    let failed = |error| Error::io("open", path, error);
    let (mut file, bytes) = (watch.open()?, watch.state().bytes);
    // The footer is decoded as a whole, into several times its length.
    let mut end = [0; 8];
    if bytes >= 12 {
        file.seek(SeekFrom::End(-8))
            .and_then(|_| file.read_exact(&mut end))
            .map_err(failed)?;
    }
    let footer = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]])).min(bytes);
    if end.ends_with(b"PAR1") && footer > limits.longest as u64 {
        return Err(Error::new(
            ErrorKind::Memory,
            format!(
                "expected a footer that fits under the memory ceiling, found {}",
                size(footer)
            ),
        )
        .at(path)
        .hint(enough(Scales::of_bytes(footer).memory())));
    }
    let options = ArrowReaderOptions::new().with_offset_index_policy(PageIndexPolicy::Optional);
    let meta = guard(path, || {
        ArrowReaderMetadata::load(&file, options)
            .or_else(|_| ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))
            .map_err(|error| parquet_error("read", path, error))
    })?;
    Ok((meta, bytes))
}
