//! JSONL: one JSON object per line. Blank lines are skipped, but count: a record's number is its
//! line.
//!
//! The text is one field or several, joined by a blank line; a key with a leading `/` is a JSON
//! Pointer. If a key occurs twice in an object, the last one counts. An edit changes only the bytes
//! it must: a cut changes the text field's string, marks are added before the closing brace.

use super::Records;
use super::joined::{JOINT, split_cuts};
use super::json::{self, Fault, Kind, Value};
use super::json_value;
use super::marks::{clashing, spans_json};
use super::{Cut, Format, Line, MarkStyle, PassOver, Patch, Place, Settings};
use crate::convert::{Fields, json_fields};
use crate::edit::{Marks, SpanMark};
use crate::format::facts::{self, FormatFacts};
use crate::format::{MarkColumn, MarkPlace};
use crate::options::FormatName;
use crate::tables::escape_json;
use serde_json::value::RawValue;
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::Batch;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Jsonl,
    noun: "a JSONL file",
    endings: &["jsonl", "ndjson", "json"],
    recognises,
    has_fields: true,
    has_marks: false,
    has_tokens: false,
    is_bytes: false,
    places: &[MarkPlace::Attribute],
    texts: facts::in_fields,
};

/// Recognises a first line that is, or begins, a JSON object; and objects in most lines, so that a
/// damaged first one is a bad record and does not make a plain text of them all.
fn recognises(sample: &facts::Sample) -> bool {
    let is_object = |line: &str| line.starts_with('{') && json::object(line, |_, _| ()).is_ok();
    // The last line of a sample may go on.
    let (text, is_cut) = match sample.text.rsplit_once('\n') {
        Some((lines, _)) if !sample.whole && !lines.trim().is_empty() => (lines, false),
        _ => (sample.text, !sample.whole),
    };
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines().next().is_some_and(|first| {
        is_object(first)
            || (is_cut && first.starts_with('{'))
            || lines().filter(|line| is_object(line)).count() * 2 > lines().count()
    })
}

/// The reader and editor of JSONL.
#[derive(Debug)]
pub(crate) struct Jsonl {
    /// Text fields, the id, metadata fields, in this order.
    wanted: Vec<FieldPath>,
    texts: usize,
}

/// A field by its top-level key and the rest of the pointer.
#[derive(Debug)]
struct FieldPath {
    shown: String,
    key: String,
    rest: String,
}

impl FieldPath {
    fn new(shown: &str) -> Self {
        let (key, rest) = match shown.strip_prefix('/') {
            Some(pointer) => {
                let slash = pointer.find('/').unwrap_or(pointer.len());
                let (key, rest) = pointer.split_at(slash);
                (key.replace("~1", "/").replace("~0", "~"), rest.to_owned())
            }
            None => (shown.to_owned(), String::new()),
        };
        Self {
            shown: shown.to_owned(),
            key,
            rest,
        }
    }
}

impl Jsonl {
    /// Uses the names of the fields from the options.
    pub(crate) fn new(settings: &Settings) -> Self {
        let texts = settings.text_keys();
        let id = settings.options.id_key.as_deref().unwrap_or("id");
        let wanted = texts
            .iter()
            .map(String::as_str)
            .chain([id])
            .chain(settings.options.needs.fields.iter().map(String::as_str))
            .map(FieldPath::new)
            .collect();
        Self {
            wanted,
            texts: texts.len(),
        }
    }

    /// The values of the wanted fields, and the offset of the closing brace.
    fn find(&self, line: &str) -> Result<(Vec<Option<Value>>, usize)> {
        let mut found: Vec<Option<Value>> = vec![None; self.wanted.len()];
        let end = json::object(line, |key, value| {
            for (wanted, found) in self.wanted.iter().zip(&mut found) {
                if json::is_key(key, &wanted.key) {
                    *found = Some(value.clone());
                }
            }
        })
        .map_err(|fault| not_json(line, &fault))?;
        for (wanted, found) in self.wanted.iter().zip(&mut found) {
            if !wanted.rest.is_empty()
                && let Some(value) = found.take()
            {
                *found = json::resolve(line, &value, &wanted.rest);
            }
        }
        Ok((found, end))
    }

    /// The raw strings of the text fields, without their quotes.
    fn texts(&self, line: &str, found: &[Option<Value>]) -> Result<Vec<Range<usize>>> {
        (self.wanted.iter().zip(found).take(self.texts))
            .map(|(wanted, value)| match value {
                Some(Value {
                    kind: Kind::String,
                    at,
                }) => Ok(at.start + 1..at.end - 1),
                other => Err(no_text(line, wanted, other.as_ref())),
            })
            .collect()
    }
}

/// A line that is not JSON.
fn not_json(line: &str, fault: &Fault) -> Error {
    let error = ErrorKind::Data
        .expected(format!(
            "one JSON object: {} at byte {} of the record",
            fault.what,
            fault.at + 1
        ))
        .found(
            line[..]
                .get(fault.at..)
                .and_then(|rest| rest.chars().next())
                .filter(|c| !matches!(c, '\n' | '\r'))
                .map_or_else(|| "its end".into(), |c| format!("{c:?}")),
        );
    let whole = line.trim();
    if whole.starts_with('[') && fault.what.starts_with("an object") {
        match serde_json::from_str::<Vec<&RawValue>>(whole) {
            Ok(list) if !list.is_empty() => error.hint(
                "each line is an array: write objects with named fields instead, one per line, such as {\"id\": 1, \"text\": \"...\"}",
            ),
            _ => error.hint("the file is a JSON array: read it with ⟨format=json⟩"),
        }
    } else if json_value::is_several(whole) {
        error.hint("the line holds several objects: read the file with ⟨format=json⟩")
    } else {
        error.hint("repair the record, skip such records with ⟨on_bad_record=skip⟩, or name another format with ⟨format⟩")
    }
}

/// The error for a line without the text.
fn no_text(line: &str, wanted: &FieldPath, value: Option<&Value>) -> Error {
    let mut keys = Vec::new();
    let _ = json::object(line, |key, _| {
        let key = json::unescape(key).into_owned();
        if !keys.contains(&key) {
            keys.push(key);
        }
    });
    let found = value.map_or("no such field", |value| value.kind.name());
    let keys = if keys.is_empty() {
        "it has no fields".into()
    } else {
        format!("its fields are: {}", keys.join(", "))
    };
    ErrorKind::Data
        .expected(format!("a string in `{}`", wanted.shown))
        .found(format!("{found}; {keys}"))
        .hint("set ⟨text_key⟩ to the field of the text")
}

/// The error for a field that is read and holds no JSON value.
fn not_finite(name: &str, found: &str) -> Error {
    ErrorKind::Data
        .expected(format!("a JSON value in `{name}`"))
        .found(format!("{found}, for which JSON has no number"))
        .hint("write null where a value is missing, or skip such records with ⟨on_bad_record=skip⟩")
}

/// A value as text; `None` for null.
fn scalar(line: &str, value: &Value) -> Option<String> {
    let raw = &line[value.at.clone()];
    match value.kind {
        Kind::Null => None,
        Kind::String => Some(json::unescape(&raw[1..raw.len() - 1]).into_owned()),
        _ => Some(raw.to_owned()),
    }
}

impl Format for Jsonl {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        let len = if place.end {
            text.len()
        } else {
            memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)
        };
        let lines = memchr::memchr_iter(b'\n', &text[..len]).count();
        let open = len > 0 && text[len - 1] != b'\n';
        Cut {
            len,
            count: lines as u64 + u64::from(open),
            records: Records::Lines,
            beyond: 0,
            beside: Vec::new(),
        }
    }

    fn pass_over(&self) -> Option<Box<dyn PassOver + '_>> {
        Some(Box::new(Line))
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        let (found, _) = self.find(record)?;
        for (index, raw) in self.texts(record, &found)?.into_iter().enumerate() {
            if index > 0 {
                batch.text.push_str(JOINT);
            }
            json::unescape_into(&record[raw], &mut batch.text);
        }
        let has_id = match &found[self.texts] {
            Some(value) if value.kind == Kind::String => {
                json::unescape_into(
                    &record[value.at.start + 1..value.at.end - 1],
                    &mut batch.ids,
                );
                true
            }
            Some(value) if value.kind == Kind::Number => {
                batch.ids.push_str(&record[value.at.clone()]);
                true
            }
            _ => false,
        };
        let mut read = self.wanted.iter().zip(&found);
        if let Some((wanted, Some(value))) = read
            .find(|(_, value)| (value.as_ref()).is_some_and(|value| value.kind == Kind::NotFinite))
        {
            return Err(not_finite(&wanted.shown, &record[value.at.clone()]));
        }
        for value in &found[self.texts + 1..] {
            batch
                .fields
                .push(value.as_ref().and_then(|value| scalar(record, value)));
        }
        Ok(has_id)
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        json_fields(record)
    }

    fn remove(&self, record: &str, cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        let (found, _) = self.find(record)?;
        let raws = self.texts(record, &found)?;
        let lengths = raws
            .iter()
            .map(|raw| json::unescape(&record[raw.clone()]).len());
        let parts = split_cuts(lengths, cuts);
        let mut patches = Vec::new();
        for (raw, cuts) in raws.iter().zip(parts) {
            for cut in json::raw_ranges(&record[raw.clone()], &cuts) {
                patches.push(Patch::remove(raw.start + cut.start..raw.start + cut.end));
            }
        }
        patches.sort_by_key(|patch| patch.at.start);
        Ok(patches)
    }

    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>> {
        let columns = style.marks(marks.spans.is_some());
        let (mut clash, mut any) = (None, false);
        let end = json::object(record, |key, _| {
            any = true;
            clash = clash.or_else(|| columns.iter().find(|mark| json::is_key(key, &mark.name)));
        })
        .map_err(|fault| not_json(record, &fault))?;
        if let Some(column) = clash {
            return Err(clashing(&column.name));
        }
        let mut with = String::new();
        for column in &columns {
            with.push_str(if any { "," } else { "" });
            any = true;
            escape_json(&column.name, &mut with);
            with.push(':');
            match column.of(marks) {
                Some(value) => {
                    with.push_str(&MarkColumn::json(value, |spans| self.spans(record, spans))?);
                }
                None => with.push_str("null"),
            }
        }
        Ok(vec![Patch::insert(end, with)])
    }

    fn escape(&self) -> fn(char) -> String {
        json::unicode_escape
    }
}

impl Jsonl {
    /// Where to insert another field with this name in a record, and whether others precede it.
    pub(crate) fn place_of(record: &str, name: &str) -> Result<(usize, bool)> {
        let (mut any, mut taken) = (false, false);
        let end = json::object(record, |key, _| {
            any = true;
            taken |= json::is_key(key, name);
        })
        .map_err(|fault| not_json(record, &fault))?;
        if taken {
            return Err(Error::data(format!(
                "the record already has a field `{name}`"
            )));
        }
        Ok((end, any))
    }

    /// The value of `duplicate_spans`.
    fn spans(&self, record: &str, spans: &[SpanMark]) -> Result<String> {
        let mut batch = Batch::default();
        self.decode(record, &mut batch)?;
        Ok(spans_json(&batch.text, spans))
    }
}
