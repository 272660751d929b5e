//! Rows as records: texts, ids, fields, and what is said of a row without a text.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::{BadRecord, Batch};

use super::json;
use super::key::{Key, Nested};
use super::texts::{Text, Texts, holds_bytes};
use crate::format::joined::JOINT;
use crate::memory::OtherTypes;
use crate::options::ReadOptions;
use crate::stand_in;
use crate::tables::escape_json;
use crate::tables::strings::Strings;

/// The columns that are read.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// The file or table, for messages.
    pub(crate) path: PathBuf,
    /// The text columns.
    pub(crate) texts: Vec<Key>,
    /// The id column, if there is one.
    pub(crate) id: Option<Key>,
    /// Metadata fields; a missing column makes the value missing.
    pub(crate) fields: Vec<Key>,
    /// The types of values in memory that are no strings, and are null here.
    pub(crate) other_types: Arc<OtherTypes>,
}

impl Wanted {
    /// No columns.
    pub(crate) fn nothing(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            texts: Vec::new(),
            id: None,
            fields: Vec::new(),
            other_types: Arc::default(),
        }
    }

    /// The columns that the options name. `is_null` says whether a text column has no value at all:
    /// its type then says nothing.
    ///
    /// # Errors
    /// If there is no such column, or the texts are no strings; lists the columns.
    pub(crate) fn of(
        path: &Path,
        schema: &Schema,
        options: &ReadOptions,
        is_null: &dyn Fn(&Key) -> bool,
    ) -> Result<Self> {
        let keys = |names: &[&str]| names.iter().map(|name| Key::new(name)).collect();
        let texts: Vec<Key> = keys(&options.text_keys());
        for key in &texts {
            find_text(path, schema, key, is_null)?;
        }
        let id = match &options.id_key {
            Some(name) => {
                let key = Key::new(name);
                if key.field(schema).is_none() {
                    return Err(missing(path, schema, name, "⟨id_key⟩"));
                }
                Some(key)
            }
            None => Some(Key::new("id")).filter(|key| key.field(schema).is_some()),
        };
        let fields = options.needs.fields.iter();
        Ok(Self {
            path: path.to_path_buf(),
            texts,
            id,
            fields: fields.map(|name| Key::new(name)).collect(),
            other_types: Arc::default(),
        })
    }

    /// All columns.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.texts.iter().chain(&self.id).chain(&self.fields)
    }
}

fn find_text(
    path: &Path,
    schema: &Schema,
    key: &Key,
    is_null: &dyn Fn(&Key) -> bool,
) -> Result<()> {
    let field = key
        .field(schema)
        .ok_or_else(|| missing(path, schema, &key.name, "⟨text_key⟩"))?;
    if Texts::fits(field.data_type()) || is_null(key) {
        return Ok(());
    }
    Err(ErrorKind::Data
        .expected(format!("strings in the column \"{}\"", key.name))
        .found(format!("the type {}", field.data_type()))
        .at(path)
        .hint("set ⟨text_key⟩ to the column of the text"))
}

fn missing(path: &Path, schema: &Schema, name: &str, option: &str) -> Error {
    let present: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    let present = if present.is_empty() {
        "none".to_owned()
    } else {
        present.join(", ")
    };
    ErrorKind::Data
        .expected(format!("a column \"{name}\""))
        .found(format!("the columns {present}"))
        .at(path)
        .hint(format!(
            "set {option} to one of them, or to a field of a struct as /column/field"
        ))
}

/// The wanted columns of some rows.
pub(crate) struct Columns<'w> {
    wanted: &'w Wanted,
    texts: Vec<(Texts, Option<Nested>)>,
    id: Option<Labels>,
    fields: Vec<Option<Labels>>,
}

impl<'w> Columns<'w> {
    pub(crate) fn of(batch: &RecordBatch, wanted: &'w Wanted) -> Self {
        let texts = wanted.texts.iter().map(|key| {
            let nested = key.column(batch);
            let texts = nested
                .as_ref()
                .map_or(Texts::Nothing, |nested| Texts::of(&nested.array));
            (texts, nested)
        });
        let labels = |key: &Key| key.column(batch).map(Labels::of);
        Self {
            wanted,
            texts: texts.collect(),
            id: wanted.id.as_ref().and_then(labels),
            fields: wanted.fields.iter().map(labels).collect(),
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
    pub(crate) fn texts(&self, row: usize) -> Option<Vec<&str>> {
        self.each_text(row).map(Text::as_str).collect()
    }

    /// Adds a row to the batch: its record, or what is bad about it. `place` is its index in the
    /// file, and `identity` tells a row in which no text is found from all others.
    pub(crate) fn push<'i>(
        &self,
        row: usize,
        place: u64,
        batch: &mut Batch,
        identity: impl FnOnce() -> Cow<'i, [u8]>,
    ) {
        let mark = batch.begin();
        for (index, text) in self.each_text(row).enumerate() {
            let Text::Some(text) = text else {
                batch.undo(&mark);
                batch.bad.push(self.without_text(row, place));
                return;
            };
            if index > 0 {
                batch.text.push_str(JOINT);
            }
            batch.text.push_str(text);
        }
        let has_id = self
            .id
            .as_ref()
            .is_some_and(|id| id.push(row, &mut batch.ids));
        for field in &self.fields {
            batch.fields.push(field.as_ref().and_then(|field| {
                let mut value = String::new();
                field.push(row, &mut value).then_some(value)
            }));
        }
        batch.finish(&mark, place + 1, place..place + 1, has_id);
        stand_in::represent(batch, identity);
    }

    /// Appends the wanted columns of a row as a line of JSON.
    pub(crate) fn write_json(&self, row: usize, out: &mut String) {
        let start = out.len();
        for (key, text) in self.wanted.texts.iter().zip(self.each_text(row)) {
            out.push(if out.len() > start { ',' } else { '{' });
            escape_json(&key.name, out);
            out.push(':');
            match text {
                Text::Some(text) => escape_json(text, out),
                Text::Null => out.push_str("null"),
                Text::Invalid(bytes) => json::bytes(bytes, out),
            }
        }
        let id = self.wanted.id.iter().zip(&self.id);
        let fields = self.wanted.fields.iter().zip(&self.fields);
        let fields = fields.filter_map(|(key, column)| Some((key, column.as_ref()?)));
        for (key, Labels { nested, .. }) in id.chain(fields) {
            out.push(',');
            escape_json(&key.name, out);
            out.push(':');
            if nested.is_null(row) {
                out.push_str("null");
            } else {
                json::write(&nested.array, row, out);
            }
        }
        out.push_str("}\n");
    }

    /// The bad record with a row's values, which go to the quarantine.
    pub(crate) fn bad(&self, row: usize, place: u64, error: Error) -> BadRecord {
        let mut raw = String::new();
        self.write_json(row, &mut raw);
        BadRecord {
            number: place + 1,
            bytes: place..place + 1,
            raw: raw.into_bytes(),
            error: error.at(&self.wanted.path).record(place + 1),
        }
    }

    /// A row without a text.
    fn without_text(&self, row: usize, place: u64) -> BadRecord {
        let bad = self
            .each_text(row)
            .zip(&self.wanted.texts)
            .find(|(text, _)| !matches!(text, Text::Some(_)));
        let (found, name) = match bad {
            Some((Text::Invalid(bytes), key)) => {
                let valid = std::str::from_utf8(bytes).map_or_else(|e| e.valid_up_to(), str::len);
                let found = format!("bytes that are not UTF-8 (from byte {})", valid + 1);
                (found, key.name.as_str())
            }
            Some((_, key)) => {
                let other = self.wanted.other_types.get(&place);
                let found = other.map_or("null", String::as_str);
                (found.to_owned(), key.name.as_str())
            }
            None => ("null".into(), "text"),
        };
        let error = ErrorKind::Data
            .expected(format!("a string in the column \"{name}\""))
            .found(found)
            .hint("skip such rows with ⟨on_bad_record=skip⟩");
        self.bad(row, place, error)
    }
}

/// A column whose values are labels: ids and fields.
struct Labels {
    nested: Nested,
    /// Its strings, which need no conversion; bytes are strings where they can be.
    strings: Option<Texts>,
}

impl Labels {
    fn of(nested: Nested) -> Self {
        let data_type = nested.array.data_type();
        let has_strings = Strings::fits(data_type) || holds_bytes(data_type);
        Self {
            strings: has_strings.then(|| Texts::of(&nested.array)),
            nested,
        }
    }

    /// Appends the value of a row; false if it has none.
    fn push(&self, row: usize, out: &mut String) -> bool {
        if self.nested.is_null(row) {
            return false;
        }
        match self.strings.as_ref().map(|strings| strings.get(row)) {
            Some(Text::Some(text)) => {
                out.push_str(text);
                true
            }
            _ => json::plain(&self.nested.array, row, out),
        }
    }
}
