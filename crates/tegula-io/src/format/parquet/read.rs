//! Reads chunks of rows, decoded where it is cheapest.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::file::metadata::RowGroupMetaData;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::{BadRecord, Batch, Chunk, LargeRecord};

use super::open::{Footer, Opened, Refusal};
use crate::format::arrow::Columns;
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::section::{Begins, Section};

/// The chunks of one file.
pub(crate) type Chunks = Box<dyn Iterator<Item = Result<Box<dyn Chunk>>> + Send>;

/// The chunks of a file. Damage in a row group affects the rest of that group and is reported by
/// the chunk; only errors that no policy can skip, such as a missing column, are returned here.
pub(crate) fn chunks(
    file: u32,
    watch: &Arc<InputGuard>,
    options: &ReadOptions,
    limits: &Limits,
) -> Result<Chunks> {
    Ok(match Opened::open(watch, options, limits)? {
        Footer::Whole(opened) => Box::new(RowBatches::new(opened).map(move |piece| {
            let chunk: Box<dyn Chunk> = Box::new(ParquetChunk { file, piece });
            Ok(chunk)
        })),
        Footer::Damaged(error) => {
            let (path, bytes) = (watch.path().to_path_buf(), watch.state().bytes);
            let chunk: Box<dyn Chunk> = Box::new(DamagedFile {
                file,
                bytes,
                message: error.marked().0,
                path,
            });
            Box::new(std::iter::once(Ok(chunk)))
        }
    })
}

/// The row groups that begin in these bytes; none if the footer cannot be read.
pub(crate) fn begins(
    watch: &Arc<InputGuard>,
    bytes: &Range<u64>,
    options: &ReadOptions,
    limits: &Limits,
) -> Result<Option<Begins>> {
    let Footer::Whole(opened) = Opened::open(watch, options, limits)? else {
        return Ok(None);
    };
    let groups = opened.meta.metadata().row_groups();
    let start = |group: &RowGroupMetaData| {
        let columns = group.columns().iter();
        columns.map(|column| column.byte_range().0).min()
    };
    // Groups are nearly always in the order of their bytes; otherwise the file is read as a whole.
    if !groups.is_sorted_by_key(start) {
        return Ok(None);
    }
    let before = |end: u64| groups.partition_point(|group| start(group).unwrap_or(0) < end);
    let own = before(bytes.start)..before(bytes.end);
    Ok(Some(Begins {
        at: (!own.is_empty()).then_some(own.start as u64),
        records: own.map(|group| opened.group_rows(group) as u64).sum(),
    }))
}

/// The chunks of some row groups.
pub(crate) fn chunks_of_groups(
    (file, watch): (u32, &Arc<InputGuard>),
    (options, limits): (&ReadOptions, &Limits),
    section: &Section,
) -> Result<Chunks> {
    let Footer::Whole(opened) = Opened::open(watch, options, limits)? else {
        return Err(watch.changed("it had a footer"));
    };
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let rows = RowBatches {
        group: place(section.places.start),
        end: place(section.places.end),
        first: section.first - 1,
        ..RowBatches::new(opened)
    };
    Ok(Box::new(rows.map(move |piece| {
        let chunk: Box<dyn Chunk> = Box::new(ParquetChunk { file, piece });
        Ok(chunk)
    })))
}

/// Some consecutive rows of a row group.
#[derive(Debug)]
pub(super) struct RowBatch {
    pub(super) opened: Arc<Opened>,
    pub(super) group: usize,
    /// Row of the file, from 0.
    pub(super) first: u64,
    /// Row of the group, from 0.
    pub(super) skip: usize,
    pub(super) rows: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Decoded on demand.
    Seekable,
    /// Decoded while iterating.
    Decoded(Vec<RecordBatch>),
    /// Not decodable, nor anything after it in its group.
    Damaged(Refusal),
}

impl RowBatch {
    /// The rows' wanted columns, batch by batch, if all columns can be written back. The error
    /// states which rows are lost.
    pub(super) fn decode(&self) -> Result<Vec<RecordBatch>> {
        let batches = self.decode_wanted()?;
        self.check_others()?;
        Ok(batches)
    }

    /// The rows' wanted columns, batch by batch.
    fn decode_wanted(&self) -> Result<Vec<RecordBatch>> {
        let refusal = match &self.state {
            State::Decoded(batches) => return Ok(batches.clone()),
            State::Damaged(refusal) => refusal.clone(),
            State::Seekable => match self.opened.read_window(self.group, self.skip, self.rows) {
                Ok(batches) => return Ok(batches),
                Err(error) => Refusal::of(&error),
            },
        };
        let column = match refusal.kind {
            ErrorKind::Data => self.opened.culprit(self.group),
            _ => None,
        };
        Err(self.refused(Refusal { column, ..refusal }))
    }

    /// Refuses the rows if a column that is not wanted cannot be read here.
    fn check_others(&self) -> Result<()> {
        let rows = self.skip..self.skip + self.rows;
        match self.opened.lost(self.group, &rows)? {
            Some(refusal) => Err(self.refused(refusal)),
            None => Ok(()),
        }
    }

    fn refused(&self, refusal: Refusal) -> Error {
        let (first, last) = (self.first + 1, self.first + self.rows as u64);
        let column = refusal
            .column
            .map(|name| format!(" of the column \"{name}\""));
        let message = match refusal.kind {
            ErrorKind::Memory => refusal.message,
            _ => format!(
                "expected readable pages{} in rows {first} to {last} (row group {}), found damage: {}",
                column.unwrap_or_default(),
                self.group + 1,
                refusal.message
            ),
        };
        let hint = match refusal.kind {
            ErrorKind::Memory => refusal.hint,
            _ => "fetch the file again, or skip these rows with ⟨on_bad_record=skip⟩".into(),
        };
        let record = (first + refusal.before.saturating_sub(self.skip as u64)).min(last);
        Error::new(refusal.kind, message)
            .at(&self.opened.path)
            .record(record)
            .hint(hint)
    }

    /// The record that makes this chunk larger than normal.
    fn large(&self) -> Option<LargeRecord> {
        let memory = match &self.state {
            State::Damaged(_) => 0,
            _ => self.opened.memory(self.group),
        };
        (memory > 0).then_some(LargeRecord {
            number: self.first + 1,
            memory,
            tokens: 0,
        })
    }
}

impl Refusal {
    pub(super) fn of(error: &Error) -> Self {
        let (message, hint) = error.marked();
        Self {
            kind: error.kind(),
            message,
            hint: hint.unwrap_or_default().to_owned(),
            before: 0,
            column: None,
        }
    }
}

/// Iterates over a file's rows in order, piece by piece.
pub(super) struct RowBatches {
    opened: Arc<Opened>,
    group: usize,
    /// The first row group that is not read.
    end: usize,
    skip: usize,
    first: u64,
    reader: Option<ParquetRecordBatchReader>,
}

impl RowBatches {
    pub(super) fn new(opened: Arc<Opened>) -> Self {
        Self {
            opened,
            group: 0,
            end: usize::MAX,
            skip: 0,
            first: 0,
            reader: None,
        }
    }

    /// The next `rows` rows of a group that must be decoded from its beginning.
    fn decode(&mut self, rows: usize) -> Result<Vec<RecordBatch>> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => none.insert(self.opened.reader(
                self.group,
                0,
                self.opened.group_rows(self.group),
            )?),
        };
        self.opened.next_batch(self.group, reader, rows)
    }
}

impl Iterator for RowBatches {
    type Item = RowBatch;

    fn next(&mut self) -> Option<RowBatch> {
        let groups = self.opened.meta.metadata().num_row_groups().min(self.end);
        while self.group < groups && self.skip >= self.opened.group_rows(self.group) {
            self.group += 1;
            self.skip = 0;
            self.reader = None;
        }
        if self.group >= groups {
            return None;
        }
        let left = self.opened.group_rows(self.group) - self.skip;
        let rows = left.min(self.opened.window(self.group));
        // A decoder that has failed cannot find the next row.
        let lost = |refusal| (left, State::Damaged(refusal));
        let (rows, state) = if let Some(refusal) = self.opened.refusal(self.group) {
            lost(refusal)
        } else if self.opened.is_seekable(self.group) {
            (rows, State::Seekable)
        } else {
            match self.decode(rows) {
                Ok(batches) => (rows, State::Decoded(batches)),
                Err(error) => lost(Refusal::of(&error)),
            }
        };
        let piece = RowBatch {
            opened: Arc::clone(&self.opened),
            group: self.group,
            first: self.first,
            skip: self.skip,
            rows,
            state,
        };
        self.skip += rows;
        self.first += rows as u64;
        Some(piece)
    }
}

struct ParquetChunk {
    file: u32,
    piece: RowBatch,
}

impl Chunk for ParquetChunk {
    fn file(&self) -> u32 {
        self.file
    }

    fn disk_bytes(&self) -> u64 {
        // Shares of the whole file, so that they add up to its size.
        let share = |row: u64| {
            let opened = &self.piece.opened;
            let share = u128::from(opened.bytes) * u128::from(row) / u128::from(opened.rows.max(1));
            u64::try_from(share).unwrap_or(opened.bytes)
        };
        share(self.piece.first + self.piece.rows as u64) - share(self.piece.first)
    }

    fn large(&self) -> Option<LargeRecord> {
        self.piece.large()
    }

    fn read(&self, batch: &mut Batch) {
        self.read_some(&|_| true, batch);
    }

    fn read_some(&self, wanted: &dyn Fn(u64) -> bool, batch: &mut Batch) {
        let piece = &self.piece;
        let numbers = piece.first + 1..=piece.first + piece.rows as u64;
        if !numbers.clone().any(wanted) {
            return;
        }
        let first = piece.first;
        let mut bad = |error: Error, raw: Vec<u8>| {
            let number = error.record_number().unwrap_or(first + 1);
            batch.bad.push(BadRecord {
                number,
                bytes: first..first + piece.rows as u64,
                raw,
                error,
            });
        };
        let batches = match piece.decode_wanted() {
            Ok(batches) => batches,
            Err(error) => return bad(error, Vec::new()),
        };
        if let Err(error) = piece.check_others() {
            // What can be read of them goes to the quarantine.
            let mut raw = String::new();
            for rows in &batches {
                let columns = Columns::of(rows, &piece.opened.wanted);
                (0..rows.num_rows()).for_each(|row| columns.write_json(row, &mut raw));
            }
            return bad(error, raw.into_bytes());
        }
        let mut place = first;
        for rows in batches {
            let columns = Columns::of(&rows, &piece.opened.wanted);
            (0..rows.num_rows())
                .filter(|row| wanted(place + *row as u64 + 1))
                .for_each(|row| {
                    let place = place + row as u64;
                    columns.push(row, place, batch, || identity(&piece.opened, place).into());
                });
            place += rows.num_rows() as u64;
        }
    }
}

/// A file without a readable footer.
struct DamagedFile {
    file: u32,
    bytes: u64,
    message: String,
    path: std::path::PathBuf,
}

impl Chunk for DamagedFile {
    fn file(&self) -> u32 {
        self.file
    }

    fn disk_bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, batch: &mut Batch) {
        batch.bad.push(BadRecord {
            number: 1,
            bytes: 0..1,
            raw: Vec::new(),
            error: Error::data(self.message.clone())
                .at(&self.path)
                .record(1)
                .hint("fetch the file again, or skip it with ⟨on_bad_record=skip⟩"),
        });
    }
}

/// What tells a row from all others without reading it: its number, and where the values of its
/// file lie and how large they are.
fn identity(opened: &Opened, row: u64) -> Vec<u8> {
    let mut all = row.to_le_bytes().to_vec();
    for group in opened.meta.metadata().row_groups() {
        for column in group.columns() {
            let (start, length) = column.byte_range();
            all.extend(start.to_le_bytes());
            all.extend(length.to_le_bytes());
            if let Some(values) = column.statistics() {
                all.extend(values.min_bytes_opt().unwrap_or_default());
                all.extend(values.max_bytes_opt().unwrap_or_default());
            }
        }
    }
    // So that nothing at the end is taken for a line end.
    all.push(b'.');
    all
}
