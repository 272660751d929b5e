//! Plain text: each file is a document, and its name the id. The text is the whole file except its
//! byte-order mark.

use super::{Cut, Format, MarkStyle, Patch, Place};
use crate::convert::{Fields, text_fields};
use crate::edit::Marks;
use crate::format::MarkPlace;
use crate::format::facts::{self, FormatFacts};
use crate::options::FormatName;
use std::ops::Range;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::Batch;

/// What is known about the format before a file is opened.
pub(super) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Text,
    noun: "plain text",
    endings: &["txt", "md"],
    recognises: facts::never,
    has_fields: false,
    has_marks: false,
    has_tokens: false,
    is_bytes: false,
    places: &[MarkPlace::Attribute],
    texts: |_| "the whole file".into(),
};

/// The reader and editor of plain text.
#[derive(Debug)]
pub(crate) struct Text {
    id: String,
    fields: usize,
}

impl Text {
    /// For the file of this name; plain text has no fields, so all requested ones are missing.
    pub(crate) fn new(name: &str, fields: usize) -> Self {
        Self {
            id: name.to_owned(),
            fields,
        }
    }
}

impl Format for Text {
    fn cut(&self, text: &[u8], place: Place) -> Cut {
        Cut::of_file(text, place)
    }

    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool> {
        // Whatever encoding was guessed for it.
        if let Some(at) = memchr::memchr(0, record.as_bytes()) {
            let line = 1 + memchr::memchr_iter(b'\n', &record.as_bytes()[..at]).count();
            return Err(ErrorKind::Data
                .expected("text")
                .found(format!("binary data: a NUL in line {line}")));
        }
        batch.text.push_str(record);
        batch.ids.push_str(&self.id);
        batch.fields.resize(batch.fields.len() + self.fields, None);
        Ok(true)
    }

    fn file_is_record(&self) -> bool {
        true
    }

    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>> {
        Ok(text_fields(Some(&self.id), record, []))
    }

    fn names(&self, _record: &str, _inner: bool) -> Vec<String> {
        Vec::new()
    }

    fn remove(&self, _record: &str, cuts: &[Range<usize>]) -> Result<Vec<Patch>> {
        Ok(cuts.iter().cloned().map(Patch::remove).collect())
    }

    fn mark(&self, _record: &str, _marks: &Marks, _style: &MarkStyle) -> Result<Vec<Patch>> {
        Err(Error::usage("plain text cannot hold marks").hint(
            "write the marks to a list with ⟨list=removed⟩, remove the duplicates with dedup, or choose another output format",
        ))
    }
}
