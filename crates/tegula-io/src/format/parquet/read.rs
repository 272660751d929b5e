//! Reads chunks of rows, decoded where it is cheapest.

use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::{BadRecord, Batch, Chunk, LargeRecord};

use super::json;
use super::key::{Key, Nested};
use super::open::{Footer, Opened, Refusal};
use crate::convert::{Conversion, FieldValue, Fields};
use crate::format::joined::JOINT;
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::stand_in;
use crate::tables::strings::Strings;

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
                message: error.marked().0.to_owned(),
                path,
            });
            Box::new(std::iter::once(Ok(chunk)))
        }
    })
}

/// Some consecutive rows of a row group.
#[derive(Debug)]
pub(super) struct RowBatch {
    pub(super) opened: Arc<Opened>,
    pub(super) group: usize,
    /// Row of the file, from 0.
    pub(super) first: u64,
    /// Row of the group, from 0.
    skip: usize,
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
    /// The rows' wanted columns, batch by batch. The error states which rows are lost.
    pub(super) fn decode(&self) -> Result<Vec<RecordBatch>> {
        let refusal = match &self.state {
            State::Decoded(batches) => return Ok(batches.clone()),
            State::Damaged(refusal) => refusal.clone(),
            State::Seekable => match self.opened.read_window(self.group, self.skip, self.rows) {
                Ok(batches) => return Ok(batches),
                Err(error) => Refusal::of(&error),
            },
        };
        let (first, last) = (self.first + 1, self.first + self.rows as u64);
        let message = match refusal.kind {
            ErrorKind::Memory => refusal.message,
            _ => format!(
                "expected readable pages in rows {first} to {last} (row group {}), found damage: {}",
                self.group + 1,
                refusal.message
            ),
        };
        let hint = match refusal.kind {
            ErrorKind::Memory => refusal.hint,
            _ => "fetch the file again, or skip these rows with ⟨on_bad_record=skip⟩".into(),
        };
        let record = (first + refusal.before.saturating_sub(self.skip as u64)).min(last);
        Err(Error::new(refusal.kind, message)
            .at(&self.opened.path)
            .record(record)
            .hint(hint))
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
    fn of(error: &Error) -> Self {
        let (message, hint) = error.marked();
        Self {
            kind: error.kind(),
            message: message.to_owned(),
            hint: hint.unwrap_or_default().to_owned(),
            before: 0,
        }
    }
}

/// Iterates over a file's rows in order, piece by piece.
pub(super) struct RowBatches {
    opened: Arc<Opened>,
    group: usize,
    skip: usize,
    first: u64,
    reader: Option<ParquetRecordBatchReader>,
}

impl RowBatches {
    pub(super) fn new(opened: Arc<Opened>) -> Self {
        Self {
            opened,
            group: 0,
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
        let groups = self.opened.meta.metadata().num_row_groups();
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
        let batches = match piece.decode() {
            Ok(batches) => batches,
            Err(error) => {
                let number = error.record_number().unwrap_or(first + 1);
                batch.bad.push(BadRecord {
                    number,
                    bytes: first..first + piece.rows as u64,
                    raw: Vec::new(),
                    error,
                });
                return;
            }
        };
        let mut place = first;
        for rows in batches {
            match Columns::of(&rows, &piece.opened) {
                Ok(columns) => (0..rows.num_rows())
                    .filter(|row| wanted(place + *row as u64 + 1))
                    .for_each(|row| columns.push(row, place + row as u64, batch)),
                Err(error) => {
                    let bytes = place..place + rows.num_rows() as u64;
                    batch.bad.push(BadRecord {
                        number: place + 1,
                        bytes,
                        raw: Vec::new(),
                        error: error.record(place + 1),
                    });
                }
            }
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

/// The wanted columns of some rows.
pub(super) struct Columns<'o> {
    opened: &'o Opened,
    texts: Vec<(Strings, Nested)>,
    id: Option<Nested>,
    fields: Vec<Option<Nested>>,
}

impl<'o> Columns<'o> {
    pub(super) fn of(batch: &RecordBatch, opened: &'o Opened) -> Result<Self> {
        let text = |key: &Key| {
            let nested = key.column(batch)?;
            Some((Strings::of(&nested.array)?, nested))
        };
        let texts = opened
            .texts
            .iter()
            .map(|key| {
                text(key).ok_or_else(|| {
                    Error::data(format!("expected strings in the column \"{}\"", key.name))
                        .at(&opened.path)
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            opened,
            texts,
            id: opened.id.as_ref().and_then(|key| key.column(batch)),
            fields: opened.fields.iter().map(|key| key.column(batch)).collect(),
        })
    }

    /// The texts of a row, one for each text column; none if any is null, which makes the record
    /// bad.
    pub(super) fn texts(&self, row: usize) -> Option<Vec<&str>> {
        self.texts
            .iter()
            .map(|(strings, nested)| (!nested.is_null(row)).then(|| strings.get(row)).flatten())
            .collect()
    }

    fn push(&self, row: usize, place: u64, batch: &mut Batch) {
        let Some(texts) = self.texts(row) else {
            batch.bad.push(self.without_text(row, place));
            return;
        };
        let mark = batch.begin();
        for (index, text) in texts.into_iter().enumerate() {
            if index > 0 {
                batch.text.push_str(JOINT);
            }
            batch.text.push_str(text);
        }
        let has_id = self
            .id
            .as_ref()
            .is_some_and(|id| !id.is_null(row) && json::plain(&id.array, row, &mut batch.ids));
        for field in &self.fields {
            batch.fields.push(field.as_ref().and_then(|field| {
                let mut value = String::new();
                (!field.is_null(row) && json::plain(&field.array, row, &mut value)).then_some(value)
            }));
        }
        batch.finish(&mark, place + 1, place..place + 1, has_id);
        stand_in::represent(batch, || identity(self.opened, place).into());
    }

    /// A row whose text is null; its other values go to the quarantine.
    fn without_text(&self, row: usize, place: u64) -> BadRecord {
        let null = self
            .texts
            .iter()
            .zip(&self.opened.texts)
            .find(|((strings, nested), _)| nested.is_null(row) || strings.get(row).is_none())
            .map_or("text", |(_, key)| key.name.as_str());
        let mut raw = String::from("{");
        let texts = self
            .opened
            .texts
            .iter()
            .zip(self.texts.iter().map(|(_, nested)| nested));
        let id = self.opened.id.iter().zip(&self.id);
        let fields = self.opened.fields.iter().zip(&self.fields);
        let fields = fields.filter_map(|(key, column)| Some((key, column.as_ref()?)));
        for (key, nested) in texts.chain(id).chain(fields) {
            if raw.len() > 1 {
                raw.push(',');
            }
            crate::tables::escape_json(&key.name, &mut raw);
            raw.push(':');
            if nested.is_null(row) {
                raw.push_str("null");
            } else {
                json::write(&nested.array, row, &mut raw);
            }
        }
        raw.push_str("}\n");
        BadRecord {
            number: place + 1,
            bytes: place..place + 1,
            raw: raw.into_bytes(),
            error: Error::data(format!(
                "expected a string in the column \"{null}\", found null"
            ))
            .at(&self.opened.path)
            .record(place + 1)
            .hint("skip such rows with ⟨on_bad_record=skip⟩"),
        }
    }
}

/// Calls `visit` with the number and all fields of each row, in order; damage is an error. Returns
/// the columns whose types JSON lacks, with their representation.
pub(crate) fn for_each_row(
    watch: &Arc<InputGuard>,
    limits: &Limits,
    visit: &mut dyn FnMut(u64, &Fields<'_>) -> Result<()>,
) -> Result<Vec<Conversion>> {
    let path = watch.path();
    let opened = match Opened::open_all(watch, limits)? {
        Footer::Whole(opened) => opened,
        Footer::Damaged(error) => return Err(error),
    };
    let schema = Arc::clone(opened.meta.schema());
    let mut conversions = Vec::new();
    for field in schema.fields() {
        if let Some(becomes) = json::conversion(field.data_type()).map_err(|found| {
            Error::data(format!(
                "expected types that JSON can represent, found {found} in the column \"{}\"",
                field.name()
            ))
            .at(path)
            .hint("write Parquet, or remove the column from the input")
        })? {
            conversions.push(Conversion {
                column: field.name().clone(),
                from: field.data_type().to_string(),
                to: becomes.to_owned(),
            });
        }
    }
    for piece in RowBatches::new(opened) {
        let mut number = piece.first;
        for batch in piece.decode()? {
            for row in 0..batch.num_rows() {
                let fields: Fields<'_> = schema
                    .fields()
                    .iter()
                    .zip(batch.columns())
                    .map(|(field, column)| {
                        (field.name().as_str().into(), FieldValue::of(column, row))
                    })
                    .collect();
                number += 1;
                visit(number, &fields)?;
            }
        }
    }
    Ok(conversions)
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

impl FieldValue<'_> {
    fn of(column: &arrow_array::ArrayRef, row: usize) -> Self {
        let mut text = String::new();
        match json::write(column, row, &mut text) {
            json::Shape::Null => Self::Null,
            json::Shape::Other => Self::Json(text.into()),
            json::Shape::Text => {
                text.clear();
                json::plain(column, row, &mut text);
                Self::Text(text.into())
            }
        }
    }
}
