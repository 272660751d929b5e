//! Reads chunks of rows, decoded where it is cheapest.

use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::{BadRecord, Batch, Chunk, LargeRecord};

use super::json;
use super::key::Nested;
use super::open::{Footer, Opened, Refusal};
use super::texts::{Text, Texts, holds_bytes};
use crate::format::joined::JOINT;
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::stand_in;

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
            message: message.to_owned(),
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
                let columns = Columns::of(rows, &piece.opened);
                (0..rows.num_rows()).for_each(|row| columns.write_json(row, &mut raw));
            }
            return bad(error, raw.into_bytes());
        }
        let mut place = first;
        for rows in batches {
            let columns = Columns::of(&rows, &piece.opened);
            (0..rows.num_rows())
                .filter(|row| wanted(place + *row as u64 + 1))
                .for_each(|row| columns.push(row, place + row as u64, batch));
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
    texts: Vec<(Texts, Option<Nested>)>,
    id: Option<Nested>,
    fields: Vec<Option<Nested>>,
}

impl<'o> Columns<'o> {
    pub(super) fn of(batch: &RecordBatch, opened: &'o Opened) -> Self {
        let texts = opened.texts.iter().map(|key| {
            let nested = key.column(batch);
            let texts = nested
                .as_ref()
                .map_or(Texts::Nothing, |nested| Texts::of(&nested.array));
            (texts, nested)
        });
        Self {
            opened,
            texts: texts.collect(),
            id: opened.id.as_ref().and_then(|key| key.column(batch)),
            fields: opened.fields.iter().map(|key| key.column(batch)).collect(),
        }
    }

    /// The text of a row in each text column.
    fn each_text(&self, row: usize) -> impl Iterator<Item = Text<'_>> {
        self.texts.iter().map(move |(texts, nested)| match nested {
            Some(nested) if !nested.is_null(row) => texts.get(row),
            _ => Text::Null,
        })
    }

    /// The texts of a row, one for each text column; none if any is null or not UTF-8, which makes
    /// the record bad.
    pub(super) fn texts(&self, row: usize) -> Option<Vec<&str>> {
        self.each_text(row)
            .map(|text| match text {
                Text::Some(text) => Some(text),
                Text::Null | Text::Invalid(_) => None,
            })
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
            .is_some_and(|id| !id.is_null(row) && label(id, row, &mut batch.ids));
        for field in &self.fields {
            batch.fields.push(field.as_ref().and_then(|field| {
                let mut value = String::new();
                (!field.is_null(row) && label(field, row, &mut value)).then_some(value)
            }));
        }
        batch.finish(&mark, place + 1, place..place + 1, has_id);
        stand_in::represent(batch, || identity(self.opened, place).into());
    }

    /// Appends the wanted columns of a row as a line of JSON.
    fn write_json(&self, row: usize, out: &mut String) {
        let start = out.len();
        for (key, text) in self.opened.texts.iter().zip(self.each_text(row)) {
            out.push(if out.len() > start { ',' } else { '{' });
            crate::tables::escape_json(&key.name, out);
            out.push(':');
            match text {
                Text::Some(text) => crate::tables::escape_json(text, out),
                Text::Null => out.push_str("null"),
                Text::Invalid(bytes) => json::bytes(bytes, out),
            }
        }
        let id = self.opened.id.iter().zip(&self.id);
        let fields = self.opened.fields.iter().zip(&self.fields);
        let fields = fields.filter_map(|(key, column)| Some((key, column.as_ref()?)));
        for (key, nested) in id.chain(fields) {
            out.push(',');
            crate::tables::escape_json(&key.name, out);
            out.push(':');
            if nested.is_null(row) {
                out.push_str("null");
            } else {
                json::write(&nested.array, row, out);
            }
        }
        out.push_str("}\n");
    }

    /// A row without a text; its values go to the quarantine.
    fn without_text(&self, row: usize, place: u64) -> BadRecord {
        let bad = self
            .each_text(row)
            .zip(&self.opened.texts)
            .find(|(text, _)| !matches!(text, Text::Some(_)));
        let (found, name) = match bad {
            Some((Text::Invalid(bytes), key)) => {
                let valid = std::str::from_utf8(bytes).map_or_else(|e| e.valid_up_to(), str::len);
                let found = format!("bytes that are not UTF-8 (from byte {})", valid + 1);
                (found, key.name.as_str())
            }
            Some((_, key)) => ("null".into(), key.name.as_str()),
            None => ("null".into(), "text"),
        };
        let mut raw = String::new();
        self.write_json(row, &mut raw);
        BadRecord {
            number: place + 1,
            bytes: place..place + 1,
            raw: raw.into_bytes(),
            error: Error::data(format!(
                "expected a string in the column \"{name}\", found {found}"
            ))
            .at(&self.opened.path)
            .record(place + 1)
            .hint("skip such rows with ⟨on_bad_record=skip⟩"),
        }
    }
}

/// Appends a value as a label: bytes are strings where they can be.
fn label(column: &Nested, row: usize, out: &mut String) -> bool {
    if holds_bytes(column.array.data_type())
        && let Text::Some(text) = Texts::of(&column.array).get(row)
    {
        out.push_str(text);
        return true;
    }
    json::plain(&column.array, row, out)
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
