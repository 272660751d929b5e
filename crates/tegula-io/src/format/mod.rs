//! The formats. A byte format determines where records end, what a record contains, and which of
//! its bytes an edit changes; reading, encodings, numbering and copying are the same for all.

mod conllu;
mod conllu_doc;
mod csv;
mod csv_dialect;
mod eml;
pub(crate) mod facts;
mod html;
pub(crate) mod joined;
pub(crate) mod json;
mod json_array;
pub(crate) mod jsonl;
pub(crate) mod marks;
mod mbox;
pub(crate) mod parquet;
pub(crate) mod spot;
pub(crate) mod tei;
mod tei_doc;
mod text;
mod vertical;
mod vertical_doc;
mod warc;
mod warc_record;
pub(crate) mod xml;

pub(crate) use vertical::escaped;
pub(crate) use vertical_doc::opened;

use crate::convert::{FieldValue, Fields, json_fields};
use crate::edit::Marks;
use crate::options::{FormatName, ReadOptions};
use encoding_rs::{Encoding, WINDOWS_1252};
use facts::FormatFacts;
use regex::Regex;
use spot::Spot;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use tegula::error::{Error, Result};
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
        if self.options.text_keys.is_empty() {
            vec!["text".into()]
        } else {
            self.options.text_keys.clone()
        }
    }
}

/// The position of a piece of text in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// It is at the beginning of the file.
    pub(crate) head: bool,
    /// It is at the end of the file.
    pub(crate) end: bool,
}

/// The records of a block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Records {
    /// Every line that is not blank; blank ones count in the numbering.
    Lines,
    /// These bytes of the text, numbered consecutively.
    Ranges(Vec<Range<usize>>),
}

/// The complete records at the beginning of a piece of text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Their length in bytes, with everything between them; 0 if none is complete. At the end of a
    /// file, everything.
    pub(crate) len: usize,
    /// The increment of the record number.
    pub(crate) count: u64,
    /// Their positions.
    pub(crate) records: Records,
    /// How many bytes of the file after them belong to no record, and need not be held to be
    /// copied.
    pub(crate) beyond: u64,
}

impl Cut {
    /// No complete record.
    pub(crate) fn nothing() -> Self {
        Self {
            len: 0,
            count: 0,
            records: Records::Ranges(Vec::new()),
            beyond: 0,
        }
    }

    /// Only the first of the records in `text`; an empty one after it, which says that something is
    /// missing there, is kept with it.
    pub(crate) fn first(self, text: &[u8]) -> Self {
        match &self.records {
            Records::Ranges(ranges) if ranges.len() > 1 && !ranges[1].is_empty() => {
                let first = ranges[0].clone();
                Self::ranges(first.end, vec![first])
            }
            Records::Lines => {
                let len = memchr::memchr(b'\n', &text[..self.len]).map_or(self.len, |at| at + 1);
                Self {
                    len,
                    count: 1,
                    records: Records::Lines,
                    beyond: 0,
                }
            }
            Records::Ranges(_) => self,
        }
    }

    /// Without the first record that `is_heavy` and all after it; or that record alone, if it is the
    /// first, and then true.
    pub(crate) fn lightened(self, text: &[u8], is_heavy: impl Fn(&[u8]) -> bool) -> (Self, bool) {
        let Records::Ranges(ranges) = &self.records else {
            return (self, false);
        };
        match ranges.iter().position(|at| is_heavy(&text[at.clone()])) {
            None => (self, false),
            Some(0) => (self.first(text), true),
            Some(heavy) => {
                let ranges = ranges[..heavy].to_vec();
                (Self::ranges(ranges[heavy - 1].end, ranges), false)
            }
        }
    }

    /// The whole file as one record, once all of it is there.
    pub(crate) fn of_file(text: &[u8], place: Place) -> Self {
        if place.end && !text.is_empty() {
            Self::ranges(text.len(), std::iter::once(0..text.len()).collect())
        } else {
            Self::nothing()
        }
    }

    /// These records in the first `len` bytes.
    pub(crate) fn ranges(len: usize, ranges: Vec<Range<usize>>) -> Self {
        Self {
            len,
            count: ranges.len() as u64,
            records: Records::Ranges(ranges),
            beyond: 0,
        }
    }
}

/// A change to a record: replaces these bytes by that text. If a record has a character for each
/// byte, these are positions in its [`bytes`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch {
    /// Bytes of the record.
    pub(crate) at: Range<usize>,
    /// The replacement.
    pub(crate) with: String,
}

impl Patch {
    /// Removes bytes.
    pub(crate) fn remove(at: Range<usize>) -> Self {
        Self {
            at,
            with: String::new(),
        }
    }

    /// Inserts text at an offset.
    pub(crate) fn insert(at: usize, with: String) -> Self {
        Self { at: at..at, with }
    }
}

/// The marks of one element, for a file next to the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// Bytes of the element in its record.
    pub(crate) at: Range<usize>,
    /// Its id.
    pub(crate) id: Option<String>,
    /// Names and values.
    pub(crate) values: Vec<(&'static str, String)>,
}

/// Scans a record that is too long to be held in memory, piece by piece.
pub(crate) trait PassOver {
    /// Processes the next piece, preceded by the unprocessed rest of the previous one.
    fn next(&mut self, text: &[u8]) -> Passed;
}

/// The extent of a record in a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    /// It ends here.
    Ends(usize),
    /// These bytes belong to it; those after them may too.
    Through(usize),
}

/// A record that is the rest of a line.
pub(crate) struct Line;

impl PassOver for Line {
    fn next(&mut self, text: &[u8]) -> Passed {
        memchr::memchr(b'\n', text).map_or(Passed::Through(text.len()), |at| Passed::Ends(at + 1))
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

/// Whether only white space remains of a part of a text after removing `cuts`, which are ascending.
pub(crate) fn is_cut(text: &str, part: &Range<usize>, cuts: &[Range<usize>]) -> bool {
    let blank = |range: Range<usize>| {
        text.get(range)
            .is_none_or(|text| text.chars().all(char::is_whitespace))
    };
    let mut at = part.start;
    for cut in &cuts[cuts.partition_point(|cut| cut.end <= part.start)..] {
        if cut.start >= part.end || !blank(at..cut.start.max(at)) {
            break;
        }
        at = cut.end;
    }
    blank(at..part.end.max(at))
}

/// The marks of a record, relocated to what is `left` of it after removing `cuts`.
///
/// If a format marks units, the separator after a removed one is also removed: spans are again
/// those of the same units.
pub(crate) fn moved(
    format: &dyn Format,
    record: &str,
    left: &str,
    cuts: &[Range<usize>],
    marks: &Marks,
) -> Result<Marks> {
    let mut moved = marks.after(cuts);
    let (Some(before), Some(after)) = (&marks.spans, &mut moved.spans) else {
        return Ok(moved);
    };
    let (mut old, mut new) = (Batch::default(), Batch::default());
    format.decode(record, &mut old)?;
    format.decode(left, &mut new)?;
    let stay: Vec<_> = old
        .segments
        .iter()
        .filter(|unit| !is_cut(&old.text, &unit.text, cuts))
        .collect();
    if !stay
        .iter()
        .map(|unit| unit.level)
        .eq(new.segments.iter().map(|unit| unit.level))
    {
        return Ok(moved);
    }
    for (span, after) in before.iter().zip(after) {
        if let Some((_, unit)) = stay
            .iter()
            .zip(&new.segments)
            .find(|(unit, _)| unit.text == span.text)
        {
            after.text = unit.text.clone();
        }
    }
    Ok(moved)
}

/// The style of marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkStyle {
    /// The prefix of the names `duplicate_of`, `duplicate_score`, `cluster_id` and
    /// `duplicate_spans`.
    pub prefix: String,
    /// Whether units inside texts are marked, so that CSV gets a column for them.
    pub spans: bool,
    /// Where to write the mark, in formats with several places.
    pub place: MarkPlace,
}

impl MarkStyle {
    /// The name of a mark.
    pub(crate) fn name(&self, mark: &str) -> String {
        format!("{}{mark}", self.prefix)
    }
}

/// Where a file stores its marks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkPlace {
    /// With the structure that is marked: attributes of its tag (vertical, TEI), comments
    /// (CoNLL-U), fields (JSONL, CSV, Parquet), headers (mail).
    #[default]
    Attribute,
    /// A first column of every token line: `1` in a duplicate, else `0`.
    FirstColumn,
    /// A last column of every token line: `1` in a duplicate, else `0`.
    LastColumn,
    /// CoNLL-U: the last column of every token of a duplicate.
    Misc,
    /// TEI, web pages and mail: a file next to the output, with `.standoff` appended to the output's
    /// name.
    Standoff,
    /// Web archives: the record of a duplicate becomes a `revisit` that refers to its witness.
    Revisit,
}

impl MarkPlace {
    /// The value of `--mark-place`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attribute => "attribute",
            Self::FirstColumn => "first-column",
            Self::LastColumn => "last-column",
            Self::Misc => "misc",
            Self::Standoff => "standoff",
            Self::Revisit => "revisit",
        }
    }

    /// The error if a format does not support this place.
    pub(crate) fn unknown(self, format: &str, known: &str) -> Error {
        Error::usage(format!(
            "⟨mark_place⟩: expected {known} for {format}, found {}",
            self.name()
        ))
    }
}

/// The dialect of a CSV file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Dialect {
    /// Separates the cells.
    pub delimiter: char,
    /// Encloses a cell; none if quotes have no meaning.
    pub quote: Option<char>,
    /// Whether the first row contains the column names.
    pub header: bool,
    /// The names of the columns, `1`, `2`, ... without a header.
    pub columns: Vec<String>,
}

impl FormatName {
    /// What is known about the format before a file is opened.
    pub fn facts(self) -> &'static FormatFacts {
        match self {
            Self::Jsonl => &jsonl::FACTS,
            Self::Json => &json_array::FACTS,
            Self::Csv => &csv::FACTS,
            Self::Tsv => &csv::TSV_FACTS,
            Self::Parquet => &parquet::FACTS,
            Self::Text => &text::FACTS,
            Self::Vertical => &vertical::FACTS,
            Self::Conllu => &conllu::FACTS,
            Self::Tei => &tei::FACTS,
            Self::Html => &html::FACTS,
            Self::Warc => &warc::FACTS,
            Self::Eml => &eml::FACTS,
            Self::Mbox => &mbox::FACTS,
        }
    }
}

/// Creates the format of one file. `sample` is the text of its beginning, `whole` says whether that
/// is the whole file.
pub(crate) fn build(
    name: FormatName,
    sample: &[u8],
    whole: bool,
    file: &str,
    settings: &Settings,
) -> Arc<dyn Format> {
    match name {
        FormatName::Json => Arc::new(json_array::JsonArray::new(sample, whole, settings)),
        FormatName::Csv | FormatName::Tsv => Arc::new(csv::Csv::new(name, sample, whole, settings)),
        FormatName::Text => Arc::new(text::Text::new(file, settings.options.fields.len())),
        FormatName::Html => Arc::new(html::Html::new(file, settings)),
        FormatName::Warc => Arc::new(warc::Warc::new(settings)),
        FormatName::Eml => Arc::new(eml::Eml::new(file, settings)),
        FormatName::Mbox => Arc::new(mbox::Mbox::new(sample, settings)),
        FormatName::Conllu => Arc::new(conllu::Conllu::new(settings)),
        FormatName::Tei => Arc::new(tei::Tei::new(sample, settings)),
        FormatName::Vertical => Arc::new(vertical::Vertical::new(settings)),
        // Parquet is not a byte format; its files are handled elsewhere.
        FormatName::Jsonl | FormatName::Parquet => Arc::new(jsonl::Jsonl::new(settings)),
    }
}
