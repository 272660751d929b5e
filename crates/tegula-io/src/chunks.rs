//! The text of a collection in pieces, and its records in chunks.

use crate::block::Block;
use crate::block::Piece;
use crate::collection::{Collection, no_file};
use crate::compress::Compression;
use crate::file_fields::FileFields;
use crate::format::parquet;
use crate::memory::TableChunks;
use crate::options::FormatName;
use crate::section::{Begins, Section};
use crate::stream::FileStream;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use tegula::error::{Error, Result};
use tegula::record::{self, Batch, Chunk, LargeRecord};

impl Collection {
    /// The chunks of all files.
    pub(crate) fn all_chunks(&self) -> Chunks<'_> {
        Chunks {
            collection: self,
            file: 0,
            end: self.list().len() as u32,
            current: None,
            left: self.options().limit,
        }
    }

    /// The chunks of one file, whatever the limit.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn chunks_of(&self, file: u32) -> Result<tegula::record::Chunks<'_>> {
        Ok(Box::new(self.file_chunks(file)?))
    }

    /// The chunks of one file, whatever the limit.
    pub(crate) fn file_chunks(&self, file: u32) -> Result<Chunks<'_>> {
        if self.format(file).is_none() {
            return Err(no_file(file));
        }
        Ok(Chunks {
            collection: self,
            file,
            end: file + 1,
            current: None,
            left: None,
        })
    }

    /// The pieces of one file, with at most `left` records.
    pub(crate) fn pieces(&self, file: u32, left: Option<u64>) -> Pieces {
        Pieces {
            stream: None,
            opening: Some(self.stream(file)),
            left,
        }
    }
}

impl Collection {
    /// Whether a file may have sections, by its format.
    pub fn may_have_sections(&self, file: u32) -> bool {
        let is_jsonl = self.format(file) == Some((FormatName::Jsonl, Compression::None));
        self.options().limit.is_none() && (is_jsonl || self.is_stored_parquet(file))
    }

    fn is_stored_parquet(&self, file: u32) -> bool {
        let format = self.format(file).map(|(format, _)| format);
        format == Some(FormatName::Parquet) && self.layout(file).is_none()
    }

    /// The records that begin in these bytes of a file; none if it must be read as a whole. Reads these
    /// bytes, and the beginning of the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn begins(&self, file: u32, bytes: Range<u64>) -> Result<Option<Begins>> {
        if !self.may_have_sections(file) {
            return Ok(None);
        }
        let guard = &self.guards()[file as usize];
        if self.is_stored_parquet(file) {
            return parquet::begins(guard, &bytes, self.options(), self.limits());
        }
        if !self.stream(file)?.is_utf8() {
            return Ok(None);
        }
        let failed = |error| Error::io("read", guard.path(), error);
        // A line begins after the end of another.
        let from = bytes.start.saturating_sub(1);
        let mut open = guard.open()?;
        open.seek(SeekFrom::Start(from)).map_err(failed)?;
        let end = bytes.end.saturating_sub(1);
        let mut rest = BufReader::with_capacity(1 << 20, open.take(end.saturating_sub(from)));
        let mut found = Begins {
            at: (bytes.start == 0).then_some(0),
            records: u64::from(bytes.start == 0),
        };
        let mut place = from;
        loop {
            self.limits().check()?;
            let piece = rest.fill_buf().map_err(failed)?;
            if piece.is_empty() {
                return Ok(Some(found));
            }
            let ends = memchr::memchr_iter(b'\n', piece);
            if let Some(at) = ends.clone().next() {
                found.at.get_or_insert(place + at as u64 + 1);
            }
            found.records += ends.count() as u64;
            let read = piece.len();
            place += read as u64;
            rest.consume(read);
        }
    }

    /// The chunks of a section of a file, whatever the limit.
    ///
    /// # Errors
    /// If the file cannot be opened, or has no sections.
    pub fn chunks_of_section(&self, file: u32, section: &Section) -> Result<record::Chunks<'_>> {
        if !self.may_have_sections(file) {
            return Err(no_file(file));
        }
        if self.is_stored_parquet(file) {
            let guard = &self.guards()[file as usize];
            let name = &self.list()[file as usize].name;
            let fields = FileFields::of(name, guard, FormatName::Parquet, self.settings());
            let of = (self.options(), self.limits());
            let chunks = parquet::chunks_of_groups((file, guard), of, section)?;
            return Ok(Box::new(chunks.map(move |chunk| Ok(fields.on(chunk?)))));
        }
        let stream =
            FileStream::section(self.stream(file)?, &self.guards()[file as usize], section)?;
        Ok(Box::new(Chunks {
            collection: self,
            file: 0,
            end: 0,
            current: Some(Current::Pieces(Box::new(Pieces {
                opening: Some(Ok(stream)),
                stream: None,
                left: None,
            }))),
            left: None,
        }))
    }
}

/// The pieces of one file.
pub(crate) struct Pieces {
    opening: Option<Result<FileStream>>,
    stream: Option<FileStream>,
    left: Option<u64>,
}

impl Pieces {
    /// The number of records that the limit still allows.
    pub(crate) fn left(&self) -> Option<u64> {
        self.left
    }
}

impl Iterator for Pieces {
    type Item = Result<Piece>;

    fn next(&mut self) -> Option<Result<Piece>> {
        match self.opening.take() {
            Some(Ok(stream)) => self.stream = Some(stream),
            Some(Err(error)) => return Some(Err(error)),
            None => {}
        }
        if self.left == Some(0) {
            return None;
        }
        match self.stream.as_mut()?.next() {
            Ok(Some(Piece::Block(mut block))) => {
                if let Some(left) = &mut self.left {
                    *left -= block.truncate(*left);
                }
                Some(Ok(Piece::Block(block)))
            }
            Ok(Some(Piece::Damage(damage))) => {
                self.left = self.left.map(|left| left.saturating_sub(1));
                Some(Ok(Piece::Damage(damage)))
            }
            Ok(None) => None,
            Err(error) => {
                self.stream = None;
                Some(Err(error))
            }
        }
    }
}

type Boxed = Box<dyn Iterator<Item = Result<Box<dyn Chunk>>> + Send>;

/// The chunks of all files, one after the other.
pub(crate) struct Chunks<'a> {
    collection: &'a Collection,
    file: u32,
    end: u32,
    current: Option<Current>,
    left: Option<u64>,
}

enum Current {
    Pieces(Box<Pieces>),
    Parquet(Boxed),
    Table(Box<TableChunks>, FileFields),
}

impl Chunks<'_> {
    fn open(&mut self) -> Option<Result<Current>> {
        let file = self.file;
        if file >= self.end {
            return None;
        }
        let (format, _) = self.collection.format(file)?;
        self.file += 1;
        if format == FormatName::Parquet {
            let collection = self.collection;
            let guard = &collection.guards()[file as usize];
            let name = &collection.list()[file as usize].name;
            let fields = FileFields::of(name, guard, format, collection.settings());
            if let Some(layout) = collection.layout(file) {
                let (options, limits) = (collection.options(), collection.limits());
                let chunks = TableChunks::new((file, layout), options, limits, self.left);
                return Some(chunks.map(|chunks| Current::Table(Box::new(chunks), fields)));
            }
            let chunks = parquet::chunks(file, guard, collection.options(), collection.limits());
            let filled = |chunks: Boxed| -> Boxed {
                Box::new(chunks.map(move |chunk| Ok(fields.on(chunk?))))
            };
            return Some(chunks.map(filled).map(Current::Parquet));
        }
        Some(Ok(Current::Pieces(Box::new(
            self.collection.pieces(file, self.left),
        ))))
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Box<dyn Chunk>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match &mut self.current {
                Some(Current::Pieces(pieces)) => {
                    let piece = pieces.next();
                    self.left = pieces.left;
                    match piece {
                        Some(Ok(Piece::Block(block))) => {
                            if is_idle(&block) {
                                continue;
                            }
                            return Some(Ok(Box::new(block)));
                        }
                        Some(Ok(Piece::Damage(damage))) => return Some(Ok(Box::new(damage))),
                        Some(Err(error)) => return Some(Err(error)),
                        None => self.current = None,
                    }
                }
                Some(Current::Parquet(chunks)) => match (chunks.next(), &mut self.left) {
                    (Some(Ok(chunk)), Some(left)) => {
                        let chunk = Limited::new(&*chunk, left);
                        return Some(Ok(Box::new(chunk)));
                    }
                    (Some(chunk), _) => return Some(chunk),
                    (None, _) => self.current = None,
                },
                Some(Current::Table(chunks, fields)) => {
                    let chunk = chunks.next();
                    self.left = chunks.left();
                    match chunk {
                        Some(chunk) => return Some(Ok(fields.on(chunk))),
                        None => self.current = None,
                    }
                }
                None => {}
            }
            if self.left == Some(0) {
                return None;
            }
            if self.current.is_none() {
                match self.open()? {
                    Ok(current) => self.current = Some(current),
                    Err(error) => {
                        self.file = u32::MAX;
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}

/// Whether a block contains nothing to read: only a byte-order mark.
fn is_idle(block: &Block) -> bool {
    block.text().is_empty() && block.disk == 0
}

/// The first records of a chunk whose records can only be counted by reading.
struct Limited {
    file: u32,
    disk: u64,
    large: Option<LargeRecord>,
    batch: Batch,
}

impl Limited {
    fn new(chunk: &dyn Chunk, left: &mut u64) -> Self {
        let mut batch = Batch::default();
        chunk.read(&mut batch);
        let room = usize::try_from(*left).unwrap_or(usize::MAX);
        let records = batch.records.iter().map(|record| record.number);
        let mut numbers: Vec<u64> = records
            .chain(batch.bad.iter().map(|bad| bad.number))
            .collect();
        numbers.sort_unstable();
        if let Some(end) = numbers.get(room) {
            batch.records.retain(|record| record.number < *end);
            batch.bad.retain(|bad| bad.number < *end);
        }
        *left -= (batch.records.len() + batch.bad.len()) as u64;
        Self {
            file: chunk.file(),
            disk: chunk.disk_bytes(),
            large: chunk.large(),
            batch,
        }
    }
}

impl Chunk for Limited {
    fn file(&self) -> u32 {
        self.file
    }

    fn disk_bytes(&self) -> u64 {
        self.disk
    }

    fn large(&self) -> Option<LargeRecord> {
        self.large
    }

    fn read(&self, batch: &mut Batch) {
        for record in &self.batch.records {
            let mark = batch.begin();
            batch.text.push_str(self.batch.text_of(record));
            let id = self.batch.id_of(record);
            batch.ids.push_str(id.unwrap_or_default());
            batch
                .segments
                .extend_from_slice(self.batch.segments_of(record));
            batch.fields.extend_from_slice(self.batch.fields_of(record));
            batch.tokens.extend_from_slice(self.batch.tokens_of(record));
            batch.finish(&mark, record.number, record.bytes.clone(), id.is_some());
        }
        for bad in &self.batch.bad {
            batch.bad.push(tegula::record::BadRecord {
                number: bad.number,
                bytes: bad.bytes.clone(),
                raw: bad.raw.clone(),
                error: bad.error.again().record(bad.number),
            });
        }
    }
}
