//! Files from which a text is extracted: each is a document, and its name the id. They are read and
//! copied, not changed.

use super::marks::notes;
use super::{Cut, Format, MarkPlace, MarkStyle, Note, Patch, Place, Settings, bytes};
use crate::convert::{FieldValue, Fields};
use crate::edit::Marks;
use std::fmt::Debug;
use std::ops::Range;
use tegula::error::{Error, Result};
use tegula::record::Batch;

/// The field with the ranges of a page that are not main text, which is JSON.
pub(super) const BOILERPLATE: &str = "boilerplate";

/// What is extracted from a file.
#[derive(Debug, Default)]
pub(super) struct Extracted {
    pub(super) text: String,
    pub(super) fields: Vec<(&'static str, Option<String>)>,
}

/// Extracts the text of files of a format.
pub(super) trait Extract: Debug + Send + Sync {
    /// The text and the fields of a file; of the fields, these are wanted, or all.
    fn read(&self, file: &[u8], wanted: Option<&[String]>) -> Result<Extracted>;

    /// The names of the fields.
    fn names(&self) -> Vec<&'static str>;

    /// Bytes of memory that reading a file takes beyond its text.
    fn burden(&self, file: &[u8]) -> u64;

    /// What the files are.
    fn noun(&self) -> &'static str;
}

/// The reader of a file.
#[derive(Debug)]
pub(crate) struct ExtractedFile<E> {
    id: String,
    wanted: Vec<String>,
    extract: E,
}

impl<E: Extract> ExtractedFile<E> {
    /// For the file of this name.
    pub(super) fn new(name: &str, settings: &Settings, extract: E) -> Self {
        Self {
            id: name.to_owned(),
            wanted: settings.options.needs.fields.clone(),
            extract,
        }
    }
}

/// The values of all fields for other formats.
pub(super) fn all_fields<'a>(
    id: Option<&str>,
    text: &str,
    fields: impl IntoIterator<Item = (&'static str, Option<String>)>,
) -> Fields<'a> {
    let value = |name: &str, value: Option<String>| match value {
        None => FieldValue::Null,
        Some(value) if name == BOILERPLATE => FieldValue::Json(value.into()),
        Some(value) => FieldValue::Text(value.into()),
    };
    let own = [
        ("id", id.map(str::to_owned)),
        ("text", Some(text.to_owned())),
    ];
    (own.into_iter().chain(fields))
        .map(|(name, found)| (name.into(), value(name, found)))
        .collect()
}

/// The error for an edit inside a text that was extracted from its record.
pub(super) fn no_place() -> Error {
    Error::usage("parts of texts cannot be removed inside web pages, archives and mail").hint(
        "write the texts to JSON Lines or Parquet with the name of ⟨output⟩, or remove whole documents",
    )
}

/// The entries for a record next to the output.
pub(super) fn standoff_of(len: usize, id: Option<String>, marks: &Marks) -> Result<Vec<Note>> {
    if marks.spans.is_some() {
        return Err(no_place());
    }
    Ok(notes(0..len, id, marks))
}

impl<E: Extract> Format for ExtractedFile<E> {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        Cut::of_file(text, place)
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        self.decode_bytes(&bytes(record), batch)
    }

    fn decode_bytes(&self, record: &[u8], batch: &mut Batch) -> Result<bool> {
        let Extracted { text, fields } = self.extract.read(record, Some(&self.wanted))?;
        batch.text.push_str(&text);
        batch.ids.push_str(&self.id);
        batch.fields.extend(self.wanted.iter().map(|wanted| {
            let found = fields.iter().find(|(name, _)| name == wanted);
            found.and_then(|(_, value)| value.clone())
        }));
        Ok(true)
    }

    fn file_is_record(&self) -> bool {
        true
    }

    fn burden(&self, record: &[u8]) -> u64 {
        self.extract.burden(record)
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        let Extracted { text, fields } = self.extract.read(&bytes(record), None)?;
        Ok(all_fields(Some(&self.id), &text, fields))
    }

    fn names(&self, _record: &str, _inner: bool) -> Vec<String> {
        self.extract
            .names()
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    fn remove(&self, _record: &str, _cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        Err(no_place())
    }

    fn mark(&self, _record: &str, _marks: &Marks, _style: &MarkStyle) -> Result<Vec<Patch>> {
        Err(MarkPlace::Attribute.unknown(self.extract.noun(), "standoff"))
    }

    fn standoff(&self, record: &str, marks: &Marks) -> Result<Vec<Note>> {
        standoff_of(bytes(record).len(), None, marks)
    }
}
