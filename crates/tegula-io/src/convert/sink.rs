//! Writes converted records.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tegula::error::{Error, ErrorKind, Result};

use super::columns::ParquetSink;
use super::output::{OutputRecord, SinkOptions, mark_columns, text_span};
use super::{Columns, Conversion, FieldValue, Fields};
use crate::edit::SpanMark;
use crate::format::{MarkColumn, MarkValue};
use crate::options::FormatName;
use crate::outputs::{Outputs, Packed};
use crate::tables::escape_json;

enum Sink {
    Jsonl(Packed),
    Table { draft: Packed, delimiter: char },
    Parquet(Box<ParquetSink>),
}

/// Writes records in one format, whatever their original one. After [`RecordSink::finish`] the file
/// is ready to be renamed into place.
pub struct RecordSink {
    sink: Sink,
    path: PathBuf,
    marks: Vec<MarkColumn>,
    names: Vec<String>,
    conversions: Vec<Conversion>,
    /// Lines to be written together.
    pending: String,
    records: u64,
}

/// Bytes of lines written at a time.
const PENDING: usize = 1 << 16;

impl RecordSink {
    /// Creates a file. The text formats are compressed according to its name (`.gz`, `.zst`, ...).
    /// All formats except JSON Lines need the `columns` of all records.
    pub fn create(
        outputs: &Outputs,
        path: &Path,
        format: FormatName,
        columns: Option<&Columns>,
        options: &SinkOptions,
    ) -> Result<Self> {
        let needed = || {
            columns.ok_or_else(|| {
                ErrorKind::Usage
                    .expected("the columns of all records before the first is written")
                    .at(path)
            })
        };
        let marks = mark_columns(options);
        if let Some(name) = columns.and_then(|columns| {
            columns
                .names()
                .find(|name| marks.iter().any(|mark| mark.name == **name))
        }) {
            return Err(clash(name).at(path));
        }
        let (sink, conversions) = match format {
            FormatName::Jsonl => (Sink::Jsonl(Packed::create(outputs, path)?), Vec::new()),
            FormatName::Parquet => {
                let columns = needed()?;
                let sink = ParquetSink::create(outputs, path, columns, options)?;
                (Sink::Parquet(Box::new(sink)), columns.conversions())
            }
            FormatName::Csv | FormatName::Tsv => {
                let columns = needed()?;
                let delimiter = if format == FormatName::Tsv { '\t' } else { ',' };
                (
                    Sink::Table {
                        draft: Packed::create(outputs, path)?,
                        delimiter,
                    },
                    columns.nested(),
                )
            }
            _ => {
                return Err(ErrorKind::Usage
                    .expected("an output format that holds records with fields")
                    .found("text")
                    .at(path)
                    .hint("use the extension .jsonl, .csv, .tsv or .parquet"));
            }
        };
        let names = columns
            .map(|columns| columns.names().map(Into::into).collect())
            .unwrap_or_default();
        let mut sink = Self {
            sink,
            path: path.to_path_buf(),
            marks,
            names,
            conversions,
            pending: String::new(),
            records: 0,
        };
        sink.write_header()?;
        Ok(sink)
    }

    fn write_header(&mut self) -> Result<()> {
        let Sink::Table { delimiter, .. } = &self.sink else {
            return Ok(());
        };
        let marks = self.marks.iter().map(|mark| &mark.name);
        for (place, name) in self.names.iter().chain(marks).enumerate() {
            if place > 0 {
                self.pending.push(*delimiter);
            }
            cell(name, *delimiter, &mut self.pending);
        }
        self.end_line(0)
    }

    /// Ends the line that began at `start`, and writes pending lines if there are enough.
    fn end_line(&mut self, start: usize) -> Result<()> {
        if matches!(self.sink, Sink::Table { .. }) && self.pending.len() == start {
            // Readers skip blank lines; this one is a row with an empty cell.
            self.pending.push_str("\"\"");
        }
        self.pending.push('\n');
        if self.pending.len() >= PENDING {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> Result<()> {
        if let Sink::Jsonl(draft) | Sink::Table { draft, .. } = &mut self.sink {
            draft.put(self.pending.as_bytes())?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Writes a record.
    pub fn push(&mut self, record: &OutputRecord<'_>) -> Result<()> {
        self.records += 1;
        let start = self.pending.len();
        match &mut self.sink {
            Sink::Parquet(sink) => return sink.push(record, self.records),
            Sink::Jsonl(_) => {
                let taken = record
                    .fields
                    .iter()
                    .find(|(name, _)| self.marks.iter().any(|mark| mark.name == **name));
                if let Some((name, _)) = taken {
                    return Err(clash(name).at(&self.path).record(self.records));
                }
                write_object(record, &self.marks, &mut self.pending);
            }
            Sink::Table { delimiter, .. } => {
                write_row(
                    record,
                    (&self.names, &self.marks),
                    *delimiter,
                    &mut self.pending,
                );
            }
        }
        self.end_line(start)
    }

    /// The number of records so far.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Writes pending lines; the file is then ready to be renamed. Returns the columns whose types
    /// the format does not support.
    pub fn finish(mut self) -> Result<Vec<Conversion>> {
        self.flush()?;
        match self.sink {
            Sink::Parquet(sink) => sink.finish()?,
            Sink::Jsonl(draft) | Sink::Table { draft, .. } => draft.finish()?,
        }
        Ok(self.conversions)
    }
}

/// The error for a field with the name of a mark.
pub(super) fn clash(name: &str) -> Error {
    ErrorKind::Data
        .expected(format!("no field \"{name}\", as it is the name of a mark"))
        .found("one")
        .hint("give the marks other names with ⟨mark_prefix⟩")
}

/// Appends fields as they stand in an object.
pub(super) fn write_fields(fields: &Fields<'_>, out: &mut String) {
    for (place, (name, value)) in fields.iter().enumerate() {
        out.push_str(if place > 0 { "," } else { "" });
        escape_json(name, out);
        out.push(':');
        match value {
            FieldValue::Null => out.push_str("null"),
            FieldValue::Text(text) => escape_json(text, out),
            FieldValue::Json(json) => out.push_str(json),
        }
    }
}

fn write_object(record: &OutputRecord<'_>, marks: &[MarkColumn], out: &mut String) {
    out.push('{');
    write_fields(record.fields, out);
    let mut separator = if record.fields.is_empty() { "" } else { "," };
    for column in marks {
        out.push_str(separator);
        separator = ",";
        escape_json(&column.name, out);
        out.push(':');
        match record.marks.and_then(|marks| column.of(marks)) {
            Some(MarkValue::Text(text)) => escape_json(text, out),
            Some(value) => write_value(record, value, out),
            None => out.push_str("null"),
        }
    }
    out.push('}');
}

/// Writes the value of a mark, the same in JSON as in a cell if it is no text.
fn write_value(record: &OutputRecord<'_>, value: MarkValue, out: &mut String) {
    match value {
        MarkValue::Text(text) | MarkValue::Json(text) => out.push_str(text),
        MarkValue::Score(score) => number(score, out),
        MarkValue::Count(count) => {
            let _ = write!(out, "{count}");
        }
        MarkValue::Spans(spans) => write_spans(record.text, spans, out),
    }
}

fn write_spans(text: &str, spans: &[SpanMark], out: &mut String) {
    out.push('[');
    for (place, span) in spans.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        let (start, end) = text_span(text, &span.text);
        let _ = write!(out, "{{\"start\":{start},\"end\":{end},\"duplicate_of\":");
        match &span.duplicate_of {
            Some(id) => escape_json(id, out),
            None => out.push_str("null"),
        }
        out.push_str(",\"score\":");
        number(span.score, out);
        out.push('}');
    }
    out.push(']');
}

/// The shortest decimal that represents the same number.
fn number(score: f64, out: &mut String) {
    if score.is_finite() {
        let _ = write!(out, "{score}");
    } else {
        out.push_str("null");
    }
}

fn write_row(
    record: &OutputRecord<'_>,
    (names, marks): (&[String], &[MarkColumn]),
    delimiter: char,
    out: &mut String,
) {
    for (place, name) in names.iter().enumerate() {
        if place > 0 {
            out.push(delimiter);
        }
        match record.fields.iter().find(|(field, _)| field == name) {
            Some((_, FieldValue::Text(text))) => cell(text, delimiter, out),
            Some((_, FieldValue::Json(json))) => cell(json, delimiter, out),
            Some((_, FieldValue::Null)) | None => {}
        }
    }
    for (place, column) in marks.iter().enumerate() {
        if place > 0 || !names.is_empty() {
            out.push(delimiter);
        }
        let mut value = String::new();
        if let Some(mark) = record.marks.and_then(|marks| column.of(marks)) {
            write_value(record, mark, &mut value);
        }
        cell(&value, delimiter, out);
    }
}

/// A cell according to RFC 4180, quoted only if necessary.
fn cell(text: &str, delimiter: char, out: &mut String) {
    let edge = |c: Option<char>| c.is_some_and(char::is_whitespace);
    if !text.contains([delimiter, '"', '\n', '\r'])
        && !edge(text.chars().next())
        && !edge(text.chars().next_back())
    {
        out.push_str(text);
        return;
    }
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}
