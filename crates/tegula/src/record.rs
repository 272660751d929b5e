//! Records: the contents of a collection's files, as readers pass them on.
//!
//! A [`Source`] yields [`Chunk`]s in input order; each contains whole records and can be decoded on
//! any thread into a [`Batch`] of reusable flat buffers. A source can be read several times, and
//! yields the same chunks each time for the same input.

use crate::error::{Error, Result};
use crate::field::{Expected, FieldColumn};
use crate::hash::Fingerprint;
pub use crate::text::classes::Tagged;
pub use crate::text::segment::{Level, Segment};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// One file of a collection, in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path to open.
    pub path: PathBuf,
    /// The name shown to users and mirrored in an output folder: relative to the named folder, or
    /// the file name.
    pub name: String,
    /// Bytes on disk.
    pub bytes: u64,
}

/// Iterates over the chunks of a collection.
pub type Chunks<'a> = Box<dyn Iterator<Item = Result<Box<dyn Chunk>>> + Send + 'a>;

/// A collection of records that can be read several times.
pub trait Source: Sync {
    /// The files, in reading order. A record's `file` is an index into it.
    fn files(&self) -> &[SourceFile];

    /// The approximate size of the text in bytes; it affects only sizes of tables.
    fn text_bytes(&self) -> u64;

    /// The metadata fields of every record in [`Batch::fields`], in this order.
    fn field_names(&self) -> &[String];

    /// The expected type of a field's values.
    #[doc(hidden)]
    fn expected(&self, field: &str) -> Expected {
        let _ = field;
        Expected::default()
    }

    /// Iterates over the chunks in input order; each is read from disk on demand. An `Err` ends the
    /// run: damage inside a file that a policy may skip is reported by [`Chunk::read`] as a
    /// [`BadRecord`] instead.
    ///
    /// # Errors
    /// If a file cannot be opened.
    fn chunks(&self) -> Result<Chunks<'_>>;

    /// Reads wanted records again, in a later pass: iterates in input order over chunks that
    /// contain all of them, with the numbers, bytes and texts of the first pass. Chunks may contain
    /// other records too. Costs a pass over the collection, unless a source has a faster way.
    ///
    /// # Errors
    /// As [`Source::chunks`].
    #[doc(hidden)]
    fn fetch<'a>(&'a self, wanted: Wanted<'a>) -> Result<Fetched<'a>> {
        let _ = wanted;
        Ok(Fetched {
            chunks: self.chunks()?,
            bytes: bytes_of(self.files()),
        })
    }
}

fn bytes_of(files: &[SourceFile]) -> u64 {
    files.iter().map(|file| file.bytes).sum()
}

/// Where a record is, according to its first reading.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1 in its file.
    pub number: u64,
    /// As [`Record::bytes`].
    pub bytes: Range<u64>,
}

/// Iterates over records of a file in input order.
#[doc(hidden)]
pub type Places<'a> = Box<dyn Iterator<Item = Place> + Send + 'a>;

/// The records that a pass needs again.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    of_file: &'a (dyn Fn(u32) -> Places<'a> + Sync),
    /// The number of files before those of the source.
    before: u32,
}

impl<'a> Wanted<'a> {
    /// For the index of a file, `of_file` lists its wanted records; it can be asked several times.
    pub fn new(of_file: &'a (dyn Fn(u32) -> Places<'a> + Sync)) -> Self {
        Self { of_file, before: 0 }
    }

    /// The wanted records of a file.
    pub fn of_file(&self, file: u32) -> Places<'a> {
        (self.of_file)(self.before + file)
    }

    /// Those of a source whose files follow this many others.
    #[must_use]
    pub fn behind(self, files: u32) -> Self {
        Self {
            before: self.before + files,
            ..self
        }
    }
}

/// What is read to get at wanted records.
#[doc(hidden)]
pub struct Fetched<'a> {
    /// The chunks, in input order.
    pub chunks: Chunks<'a>,
    /// The sum of [`Chunk::disk_bytes`] over all of them, for the progress display.
    pub bytes: u64,
}

impl<'a> Fetched<'a> {
    /// All chunks of a source.
    ///
    /// # Errors
    /// As [`Source::chunks`].
    pub fn all(source: &'a dyn Source) -> Result<Self> {
        Ok(Self {
            chunks: source.chunks()?,
            bytes: bytes_of(source.files()),
        })
    }

    /// These chunks of a source with this many files, then those of another, whose files follow.
    #[must_use]
    pub fn before(self, files: u32, second: Self) -> Self {
        Self {
            chunks: behind(self.chunks, files, second.chunks),
            bytes: self.bytes + second.bytes,
        }
    }
}

/// The empty columns of a source's fields.
pub fn columns(source: &dyn Source) -> Vec<FieldColumn> {
    source
        .field_names()
        .iter()
        .map(|name| FieldColumn::new(name).expecting(source.expected(name)))
        .collect()
}

/// Some consecutive whole records of one file, not yet decoded.
pub trait Chunk: Send {
    /// The index of the file in [`Source::files`].
    fn file(&self) -> u32;

    /// Bytes of the file on disk that this chunk represents, for the progress display.
    fn disk_bytes(&self) -> u64;

    /// The record that makes this chunk larger than normal, if there is one; it is then the only
    /// record.
    fn large(&self) -> Option<LargeRecord> {
        None
    }

    /// Decodes the records and appends them to `batch`, in order; bad ones go to [`Batch::bad`].
    fn read(&self, batch: &mut Batch);

    /// As [`Chunk::read`], but only for records with wanted numbers: others, including bad ones,
    /// may be skipped.
    fn read_some(&self, wanted: &dyn Fn(u64) -> bool, batch: &mut Batch) {
        let _ = wanted;
        self.read(batch);
    }
}

/// The chunks of a collection with this many files, then those of another, whose files follow.
#[doc(hidden)]
pub fn behind<'a>(first: Chunks<'a>, files: u32, second: Chunks<'a>) -> Chunks<'a> {
    let shift = move |chunk: Result<Box<dyn Chunk>>| {
        chunk.map(|chunk| Box::new(Shifted { chunk, by: files }) as Box<dyn Chunk>)
    };
    Box::new(first.chain(second.map(shift)))
}

/// A chunk of a file that follows others.
struct Shifted {
    chunk: Box<dyn Chunk>,
    by: u32,
}

impl Chunk for Shifted {
    fn file(&self) -> u32 {
        self.chunk.file() + self.by
    }

    fn disk_bytes(&self) -> u64 {
        self.chunk.disk_bytes()
    }

    fn large(&self) -> Option<LargeRecord> {
        self.chunk.large()
    }

    fn read(&self, batch: &mut Batch) {
        self.chunk.read(batch);
    }

    fn read_some(&self, wanted: &dyn Fn(u64) -> bool, batch: &mut Batch) {
        self.chunk.read_some(wanted, batch);
    }
}

/// A record that takes more memory than a chunk of usual size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargeRecord {
    /// Counted from 1 in its file.
    pub number: u64,
    /// Bytes of memory, as estimated by [`crate::large::Scales`].
    pub memory: u64,
    /// An upper bound on the number of tokens; 0 if unknown.
    pub tokens: u64,
}

/// One record of a [`Batch`]. Ranges are into the batch's buffers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Counted from 1 in its file: the row, line or document number.
    pub number: u64,
    /// The bytes of the record in the file, after decompression; for Parquet the row alone (`number - 1 .. number`).
    pub bytes: Range<u64>,
    /// The text, in [`Batch::text`].
    pub text: Range<usize>,
    /// The format's own id or the id field's value, in [`Batch::ids`]; without one the id is
    /// `FILE:ROW`.
    pub id: Option<Range<usize>>,
    /// Paragraphs and sentences that the format marks, in [`Batch::segments`].
    #[serde(skip)]
    pub segments: Range<usize>,
    /// The values of [`Source::field_names`], in [`Batch::fields`].
    pub fields: Range<usize>,
    /// The word classes, in [`Batch::tags`]; empty if the input has no tags, or they are not
    /// requested.
    #[serde(skip)]
    pub tags: Range<usize>,
    /// The tokens that the format itself marks, in [`Batch::tokens`]; empty if it marks none, or
    /// they are not requested.
    #[serde(skip)]
    pub tokens: Range<usize>,
}

/// A token that the format itself marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnToken {
    /// Its offset in the record's text.
    pub at: usize,
    /// The fingerprint by which it is compared.
    pub fingerprint: Fingerprint,
}

/// A record that could not be decoded, or the rest of a damaged file.
#[derive(Debug, Serialize, Deserialize)]
pub struct BadRecord {
    /// Counted from 1 in its file.
    pub number: u64,
    /// The bad bytes in the file, after decompression.
    pub bytes: Range<u64>,
    /// The raw bytes, for the quarantine; empty if they cannot be read at all.
    pub raw: Vec<u8>,
    /// What was expected, with file and record.
    pub error: Error,
}

/// Decoded records in flat buffers: [`Batch::push`] adds one; records that cannot be decoded go to
/// [`Batch::bad`].
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Batch {
    /// The concatenated texts.
    #[doc(hidden)]
    pub text: String,
    /// The concatenated ids.
    #[doc(hidden)]
    pub ids: String,
    /// The records, in order.
    #[doc(hidden)]
    pub records: Vec<Record>,
    /// All segments, in text order within a record; a paragraph precedes its sentences.
    #[doc(hidden)]
    #[serde(skip)]
    pub segments: Vec<Segment>,
    /// Field values, `field_names().len()` for each record; `None` is a missing value.
    #[doc(hidden)]
    pub fields: Vec<Option<String>>,
    /// All word classes, in text order within a record.
    #[doc(hidden)]
    #[serde(skip)]
    pub tags: Vec<Tagged>,
    /// The records' own tokens, in text order within a record.
    #[doc(hidden)]
    #[serde(skip)]
    pub tokens: Vec<OwnToken>,
    /// Records that could not be decoded, in order.
    pub bad: Vec<BadRecord>,
    /// Parts removed by an earlier stage: index in `records` and bytes of the record's text,
    /// ascending.
    #[doc(hidden)]
    #[serde(skip)]
    pub out: Vec<(u32, Range<usize>)>,
    /// Values that were no dates, and gave way to the dates of their files: how many, and the first.
    #[doc(hidden)]
    pub no_dates: NoDates,
}

/// Values of a field of dates that were none.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoDates {
    /// How many there were.
    pub count: u64,
    /// The first.
    pub first: Option<String>,
}

impl NoDates {
    /// Adds those that follow.
    pub fn add(&mut self, later: Self) {
        self.count += later.count;
        self.first = self.first.take().or(later.first);
    }
}

impl Batch {
    /// Clears all buffers without freeing them.
    #[doc(hidden)]
    pub fn clear(&mut self) {
        self.text.clear();
        self.ids.clear();
        self.records.clear();
        self.segments.clear();
        self.fields.clear();
        self.tags.clear();
        self.tokens.clear();
        self.bad.clear();
        self.out.clear();
        self.no_dates = NoDates::default();
    }

    /// The text of a record.
    #[doc(hidden)]
    pub fn text_of(&self, record: &Record) -> &str {
        &self.text[record.text.clone()]
    }

    /// The id of a record, if the input has one.
    #[doc(hidden)]
    pub fn id_of(&self, record: &Record) -> Option<&str> {
        record.id.clone().map(|range| &self.ids[range])
    }

    /// The segments of a record.
    #[doc(hidden)]
    pub fn segments_of(&self, record: &Record) -> &[Segment] {
        &self.segments[record.segments.clone()]
    }

    /// The field values of a record.
    #[doc(hidden)]
    pub fn fields_of(&self, record: &Record) -> &[Option<String>] {
        &self.fields[record.fields.clone()]
    }

    /// The classes of a record's words, starting at this byte of its text; the first word may begin
    /// before it.
    #[doc(hidden)]
    pub fn tags_of(&self, record: &Record, from: usize) -> &[Tagged] {
        let all = &self.tags[record.tags.clone()];
        &all[all.partition_point(|tag| tag.at <= from).saturating_sub(1)..]
    }

    /// The tokens of a record that the format marks.
    #[doc(hidden)]
    pub fn tokens_of(&self, record: &Record) -> &[OwnToken] {
        &self.tokens[record.tokens.clone()]
    }

    /// Begins a record: push its text, id, segments, fields, tags and tokens to the buffers, then
    /// call [`Batch::finish`] or [`Batch::undo`].
    #[doc(hidden)]
    pub fn begin(&self) -> Mark {
        Mark {
            text: self.text.len(),
            ids: self.ids.len(),
            segments: self.segments.len(),
            fields: self.fields.len(),
            tags: self.tags.len(),
            tokens: self.tokens.len(),
        }
    }

    /// Turns everything pushed since `mark` into one record. `has_id` says whether an id was
    /// pushed.
    #[doc(hidden)]
    pub fn finish(&mut self, mark: &Mark, number: u64, bytes: Range<u64>, has_id: bool) {
        self.records.push(Record {
            number,
            bytes,
            text: mark.text..self.text.len(),
            id: has_id.then_some(mark.ids..self.ids.len()),
            segments: mark.segments..self.segments.len(),
            fields: mark.fields..self.fields.len(),
            tags: mark.tags..self.tags.len(),
            tokens: mark.tokens..self.tokens.len(),
        });
    }

    /// Appends a record of another batch: its text, id and fields.
    pub(crate) fn push_of(&mut self, other: &Self, record: &Record) {
        let mark = self.begin();
        self.text.push_str(other.text_of(record));
        let id = other.id_of(record);
        self.ids.push_str(id.unwrap_or_default());
        self.fields.extend_from_slice(other.fields_of(record));
        self.finish(&mark, record.number, record.bytes.clone(), id.is_some());
    }

    /// Removes everything pushed since `mark`.
    #[doc(hidden)]
    pub fn undo(&mut self, mark: &Mark) {
        self.text.truncate(mark.text);
        self.ids.truncate(mark.ids);
        self.segments.truncate(mark.segments);
        self.fields.truncate(mark.fields);
        self.tags.truncate(mark.tags);
        self.tokens.truncate(mark.tokens);
    }
}

/// The buffers' lengths at the start of a record.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    text: usize,
    ids: usize,
    segments: usize,
    fields: usize,
    tags: usize,
    tokens: usize,
}
