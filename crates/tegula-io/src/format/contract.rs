//! What a byte format must say: where records end, what a record contains, and which of its bytes an
//! edit changes.

use super::csv_dialect::Dialect;
use super::extent::{Cut, PassOver, Place};
use super::mark_place::{MarkPlace, MarkStyle};
use super::patch::{Note, Patch};
use super::spot::Spot;
use crate::convert::{FieldValue, Fields, json_fields};
use crate::edit::Marks;
use crate::options::ReadOptions;
use encoding_rs::{Encoding, WINDOWS_1252};
use regex::Regex;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Range;
use tegula::error::Result;
use tegula::record::Batch;

/// The bytes of a record of a format that is read as bytes.
pub(crate) fn bytes(record: &str) -> Cow<'_, [u8]> {
    WINDOWS_1252.encode(record).0
}

/// Checked options for all files of a collection.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The options of the user.
    pub(crate) options: ReadOptions,
    /// The encoding of all files, if set.
    pub(crate) encoding: Option<&'static Encoding>,
    /// Extracts fields from file names.
    pub(crate) name_pattern: Option<Regex>,
}

impl Settings {
    /// The fields that hold the text.
    pub(crate) fn text_keys(&self) -> Vec<String> {
        if self.options.text_key.is_empty() {
            vec!["text".into()]
        } else {
            self.options.text_key.clone()
        }
    }
}

/// A format read as bytes. Errors have no location yet.
pub(crate) trait Format: Debug + Send + Sync {
    /// Splits `text`, which begins at a record boundary and may end anywhere.
    fn cut(&self, text: &[u8], place: Place) -> Cut;

    /// Searches for the end of a record too long to be held; the first piece is its beginning. None
    /// if that requires the whole record.
    fn pass_over(&self) -> Option<Box<dyn PassOver + '_>> {
        None
    }

    /// The number of bytes at the beginning of a file that belong to no record, and must not be
    /// removed with the first.
    fn head(&self, text: &[u8]) -> usize {
        let _ = text;
        0
    }

    /// How much of the beginning of a record separates it from the one before, and is removed if
    /// there is none before it.
    fn lead(&self, record: &str) -> usize {
        let _ = record;
        0
    }

    /// What closes a file of which this block, the last one read, is the last one written.
    fn close(&self, text: &[u8]) -> &'static str {
        let _ = text;
        ""
    }

    /// Where the separately compressed parts begin in the output of a block, which begins with one:
    /// a reader can open each by itself.
    fn members(&self, bytes: &[u8]) -> Vec<usize> {
        let _ = bytes;
        Vec::new()
    }

    /// Pushes the text, id, segments and fields of a record to `batch` and says whether there is an
    /// id.
    fn decode(&self, record: &str, batch: &mut Batch) -> Result<bool>;

    /// As [`Format::decode`], for a record that begins here in its file: for formats whose errors
    /// state lines.
    fn decode_at(&self, record: &str, spot: Spot, batch: &mut Batch) -> Result<bool> {
        let _ = spot;
        self.decode(record, batch)
    }

    /// As [`Format::decode`], from the bytes of a record: for formats that are read as bytes.
    fn decode_bytes(&self, record: &[u8], batch: &mut Batch) -> Result<bool> {
        self.decode(&WINDOWS_1252.decode_without_bom_handling(record).0, batch)
    }

    /// Bytes of memory that decoding a record takes beyond its text.
    fn burden(&self, record: &[u8]) -> u64 {
        let _ = record;
        0
    }

    /// Whether errors state lines, so that lines must be counted.
    fn names_lines(&self) -> bool {
        false
    }

    /// Whether the file is one record, so that they are removed together.
    fn file_is_record(&self) -> bool {
        false
    }

    /// The fields of a record, for other formats.
    fn fields<'a>(&'a self, record: &'a str) -> Result<Fields<'a>>;

    /// The names of a record's metadata fields; with `inner`, including those inside objects, as
    /// JSON Pointers.
    fn names(&self, record: &str, inner: bool) -> Vec<String> {
        let names = self.fields(record).unwrap_or_default();
        let filled = names.iter().filter(|(_, value)| *value != FieldValue::Null);
        filled
            .flat_map(|(name, value)| field_names(name, value, inner))
            .collect()
    }

    /// Counts the tags in a piece of text.
    fn tags(&self, text: &str, tally: &mut BTreeMap<String, u64>) {
        let _ = (text, tally);
    }

    /// Whether a mark makes the record a document, rather than just the absence of marks in the
    /// file.
    fn is_marked(&self, record: &str) -> bool {
        let _ = record;
        true
    }

    /// The patches that remove bytes of the record's text, as returned by [`Format::decode`];
    /// `cuts` are ascending and disjoint.
    fn remove(&self, record: &str, cuts: &[Range<usize>]) -> Result<Vec<Patch>>;

    /// The patches that add marks to a record.
    fn mark(&self, record: &str, marks: &Marks, style: &MarkStyle) -> Result<Vec<Patch>>;

    /// The entries for a record in a file next to the output.
    fn standoff(&self, record: &str, marks: &Marks) -> Result<Vec<Note>> {
        let _ = (record, marks);
        Err(MarkPlace::Standoff.unknown("this format", "attribute"))
    }

    /// The patches that prepare the text before the first record for marks, given the text of the
    /// first block.
    fn mark_head(&self, text: &str, style: &MarkStyle) -> Result<Vec<Patch>> {
        let _ = (text, style);
        Ok(Vec::new())
    }

    /// Whether a record without marks must be marked as such, because all records have the same
    /// columns.
    fn marks_all(&self, style: &MarkStyle) -> bool {
        let _ = style;
        false
    }

    /// The escape for characters that the file's encoding lacks.
    fn escape(&self) -> fn(char) -> String {
        |_| "?".into()
    }

    /// The dialect, for CSV.
    fn dialect(&self) -> Option<&Dialect> {
        None
    }
}

/// A field's name, and those inside it if it is an object.
fn field_names(name: &str, value: &FieldValue<'_>, inner: bool) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    if let (FieldValue::Json(json), true) = (value, inner)
        && let Ok(fields) = json_fields(json)
    {
        let token = |name: &str| name.replace('~', "~0").replace('/', "~1");
        names.extend(
            fields
                .iter()
                .map(|(key, _)| format!("/{}/{}", token(name), token(key))),
        );
    }
    names
}

/// Counts a tag.
pub(crate) fn count_tag(name: &str, tally: &mut BTreeMap<String, u64>) {
    *tally.entry(format!("<{name}>")).or_default() += 1;
}
