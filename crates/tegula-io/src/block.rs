//! Blocks: consecutive whole records of one file as bytes, the unit that is read, decoded on any
//! thread, and written back.

use crate::buffers::Buffer;
use crate::encoding::{Decision, Decoded};
use crate::file_fields::FileFields;
use crate::format::spot::{Spot, is_blank};
use crate::format::{Format, Records};
use crate::limits::Limits;
use crate::stand_in;
use encoding_rs::UTF_8;
use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use tegula::context::no_memory;
use tegula::error::{Error, ErrorKind, Result};
use tegula::large::Scales;
use tegula::record::{BadRecord, Batch, Chunk, LargeRecord};

/// Bytes of memory that a record may take to be decoded, beyond what its text does, in a block with
/// others.
pub(crate) const HEAVY: u64 = 4 << 20;

/// What is known about a file once it is open.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Its index in the collection.
    pub(crate) file: u32,
    /// The path, for messages.
    pub(crate) path: PathBuf,
    /// Its encoding.
    pub(crate) encoding: Decision,
    /// The fields that its records get from it.
    pub(crate) fields: FileFields,
    /// How its records are understood.
    pub(crate) format: Arc<dyn Format>,
}

impl Plan {
    /// Adds file and record to an error.
    pub(crate) fn place(&self, error: Error, number: u64) -> Error {
        error.at(&self.path).record(number)
    }
}

/// Consecutive whole records of one file, and everything between them.
#[derive(Debug)]
pub(crate) struct Block {
    /// What is known about the file.
    pub(crate) plan: Arc<Plan>,
    /// The number of the first record (for lines: of the first line).
    pub(crate) first: u64,
    /// Whether the file begins here.
    pub(crate) head: bool,
    /// The offset of the block in the file, after decompression.
    pub(crate) offset: u64,
    /// Its start in lines and columns, if the format counts them.
    pub(crate) spot: Spot,
    /// The bytes as found.
    pub(crate) raw: Buffer,
    /// The length of the byte-order mark.
    pub(crate) skip: usize,
    /// The text, unless the bytes are already UTF-8.
    pub(crate) decoded: Option<Decoded>,
    /// The records.
    pub(crate) records: Records,
    /// Bytes on disk that were read for it.
    pub(crate) disk: u64,
    /// The record, if it is alone in the block because of its size.
    pub(crate) large: Option<LargeRecord>,
    /// Whether it begins inside something that is not a record.
    pub(crate) is_inside: bool,
}

/// A file's next piece.
#[derive(Debug)]
pub(crate) enum Piece {
    /// Whole records.
    Block(Block),
    /// A record that is too long, or the rest of a file that cannot be read further.
    Damage(Damage),
}

impl Piece {
    /// The piece as a chunk.
    pub(crate) fn into_chunk(self) -> Box<dyn Chunk> {
        match self {
            Self::Block(block) => Box::new(block),
            Self::Damage(damage) => Box::new(damage),
        }
    }
}

impl Block {
    /// One record, of these bytes at an offset of its file.
    pub(crate) fn of_record(plan: &Arc<Plan>, number: u64, offset: u64, raw: Vec<u8>) -> Self {
        let encoding = plan.encoding.encoding;
        let decoded = (encoding != UTF_8 && !plan.encoding.is_bytes).then(|| {
            let mut decoded = Decoded::default();
            decoded.extend(&raw, encoding, true);
            decoded
        });
        let len = decoded
            .as_ref()
            .map_or(raw.len(), |decoded| decoded.text.len());
        Self {
            plan: Arc::clone(plan),
            first: number,
            head: false,
            offset,
            spot: Spot::default(),
            raw: raw.into(),
            skip: 0,
            decoded,
            records: Records::Ranges(std::iter::once(0..len).collect()),
            disk: 0,
            large: None,
            is_inside: false,
        }
    }

    /// Whether decoding takes so much memory, beyond what the text does, that a record is not with
    /// others.
    pub(crate) fn is_heavy(&self) -> bool {
        self.plan.format.burden(self.text()) > HEAVY
    }

    /// The block, whose only record makes it larger than normal, with the memory that it needs; or
    /// as damage, if that is too much.
    pub(crate) fn weighed(mut self, limits: &Limits) -> Piece {
        let record = self.scales(limits);
        if record.memory() > limits.memory {
            let error = limits.refuse(&record, true);
            return Piece::Damage(self.refused(error));
        }
        self.large = Some(LargeRecord {
            number: self.first,
            memory: record.memory(),
            tokens: record.tokens(),
        })
        .filter(|record| record.memory > 0);
        Piece::Block(self)
    }

    /// An estimate of the memory to read the block.
    pub(crate) fn scales(&self, limits: &Limits) -> Scales {
        let mut scales = Scales::new(limits.characters);
        scales.add(self.text());
        scales.hold(self.plan.format.burden(self.text()));
        if self.decoded.is_some() {
            // The bytes are held in addition to their text.
            scales.hold(2 * self.raw.len() as u64);
        }
        scales
    }

    /// The block as a record that is too long.
    pub(crate) fn refused(self, error: Error) -> Damage {
        let bytes = self.raw.len() as u64;
        Damage {
            plan: self.plan,
            number: self.first,
            offset: self.offset,
            bytes,
            raw: Vec::new(),
            error,
            disk: self.disk,
        }
    }

    /// The text: UTF-8, possibly with invalid bytes.
    pub(crate) fn text(&self) -> &[u8] {
        match &self.decoded {
            Some(decoded) => decoded.text.as_bytes(),
            None => &self.raw[self.skip..],
        }
    }

    /// The whole text, if it is valid.
    pub(crate) fn valid_text(&self) -> Option<&str> {
        match &self.decoded {
            Some(decoded) => Some(&decoded.text),
            None if self.plan.encoding.is_bytes => None,
            None => simdutf8::basic::from_utf8(&self.raw[self.skip..]).ok(),
        }
    }

    /// The text of one record: a character for each byte, if texts have their own encodings.
    /// `whole` is the result of [`Block::valid_text`].
    pub(crate) fn record<'a>(
        &'a self,
        range: Range<usize>,
        whole: Option<&'a str>,
    ) -> Result<Cow<'a, str>> {
        if self.plan.encoding.is_bytes {
            let encoding = self.plan.encoding.encoding;
            return Ok(encoding.decode_without_bom_handling(&self.raw[range]).0);
        }
        let invalid = match &self.decoded {
            Some(decoded) => decoded
                .invalid_in(self.inner_bytes(range.clone()))
                .map(|at| self.skip + at),
            None if whole.is_some() => None,
            None => {
                let bytes = &self.raw[self.skip..][range.clone()];
                match std::str::from_utf8(bytes) {
                    Ok(text) => return Ok(text.into()),
                    Err(error) => Some(self.skip + range.start + error.valid_up_to()),
                }
            }
        };
        match (invalid, whole.and_then(|whole| whole.get(range))) {
            (None, Some(text)) => Ok(text.into()),
            (at, _) => Err(self.invalid(at.unwrap_or_default())),
        }
    }

    /// The text of the block's first lines, up to the first invalid byte.
    pub(crate) fn head_text<'a>(&'a self, whole: Option<&'a str>) -> Result<&'a str> {
        if let Some(whole) = whole {
            return Ok(whole);
        }
        if self.plan.encoding.is_bytes {
            return Ok("");
        }
        let bytes = self.text();
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let text = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
        if text.contains('\n') {
            Ok(text)
        } else {
            Err(self.invalid(self.skip + valid).at(&self.plan.path))
        }
    }

    fn invalid(&self, at: usize) -> Error {
        let at_in_file = self.offset + at as u64;
        let found = self.raw.get(at).copied().unwrap_or_default();
        ErrorKind::Data
            .expected(self.plan.encoding.encoding.name())
            .found(format!("the invalid byte 0x{found:02x} at byte {at_in_file} of the file"))
        .hint("name the right encoding with ⟨encoding⟩, or skip such records with ⟨on_bad_record=skip⟩")
    }

    /// The bytes, without the byte-order mark, of a piece of text.
    fn inner_bytes(&self, range: Range<usize>) -> Range<usize> {
        match &self.decoded {
            Some(decoded) => {
                let raw = &self.raw[self.skip..];
                let encoding = self.plan.encoding.encoding;
                decoded.byte_of(raw, range.start, encoding)
                    ..decoded.byte_of(raw, range.end, encoding)
            }
            None => range,
        }
    }

    /// The bytes of the block for a piece of text.
    pub(crate) fn bytes_of(&self, range: Range<usize>) -> Range<usize> {
        let inner = self.inner_bytes(range);
        self.skip + inner.start..self.skip + inner.end
    }

    /// Calls `each` with the number of every record and its range in the text.
    pub(crate) fn try_each<E>(
        &self,
        mut each: impl FnMut(u64, Range<usize>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        match &self.records {
            Records::Ranges(ranges) => {
                for (number, range) in (self.first..).zip(ranges) {
                    each(number, range.clone())?;
                }
            }
            Records::Lines => {
                let text = self.text();
                let (mut start, mut number) = (0, self.first);
                while start < text.len() {
                    let end = memchr::memchr(b'\n', &text[start..])
                        .map_or(text.len(), |step| start + step + 1);
                    if !is_blank(&text[start..end]) {
                        each(number, start..end)?;
                    }
                    start = end;
                    number += 1;
                }
            }
        }
        Ok(())
    }

    /// Keeps at most `limit` records and returns their number.
    pub(crate) fn truncate(&mut self, limit: u64) -> u64 {
        let mut count = 0;
        let cut = self.try_each(|_, range| {
            if count == limit {
                return Err(range.start);
            }
            count += 1;
            Ok(())
        });
        let Err(end) = cut else { return count };
        if let Records::Ranges(ranges) = &mut self.records {
            ranges.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        let bytes = self.bytes_of(0..end).end;
        if let Some(decoded) = &mut self.decoded {
            *decoded = decoded.split(end, bytes - self.skip);
        }
        self.raw.truncate(bytes);
        limit
    }
}

impl Chunk for Block {
    fn file(&self) -> u32 {
        self.plan.file
    }

    fn disk_bytes(&self) -> u64 {
        self.disk
    }

    fn large(&self) -> Option<LargeRecord> {
        self.large
    }

    fn read(&self, batch: &mut Batch) {
        self.read_some(&|_| true, batch);
    }

    fn read_some(&self, wanted: &dyn Fn(u64) -> bool, batch: &mut Batch) {
        let from = batch.records.len();
        let whole = self.valid_text();
        let counts = self.plan.format.names_lines();
        let (mut spot, mut counted) = (self.spot, 0);
        let never: std::result::Result<(), std::convert::Infallible> =
            self.try_each(|number, range| {
                if !wanted(number) {
                    return Ok(());
                }
                let mark = batch.begin();
                let bytes = self.bytes_of(range.clone());
                let place = self.offset + bytes.start as u64..self.offset + bytes.end as u64;
                if counts {
                    spot.pass(&self.text()[counted..range.start]);
                    counted = range.start;
                }
                // Only a large record needs more than is available in any case.
                let room = self
                    .large
                    .map_or(Ok(()), |_| room_for_text(batch, range.len()));
                let format = &self.plan.format;
                let result = room.and_then(|()| {
                    if self.plan.encoding.is_bytes {
                        return format.decode_bytes(&self.raw[range], batch);
                    }
                    let text = self.record(range, whole)?;
                    format.decode_at(&text, spot, batch)
                });
                match result {
                    Ok(has_id) => {
                        batch.finish(&mark, number, place, has_id);
                        stand_in::represent(batch, || Cow::Borrowed(&self.raw[bytes]));
                    }
                    Err(error) => {
                        batch.undo(&mark);
                        batch.bad.push(BadRecord {
                            number,
                            bytes: place,
                            raw: self.raw[bytes].to_vec(),
                            error: self.plan.place(error, number),
                        });
                    }
                }
                Ok(())
            });
        let Ok(()) = never;
        self.plan.fields.fill(batch, from);
    }
}

/// Reserves space for the text of a large record.
pub(crate) fn room_for_text(batch: &mut Batch, bytes: usize) -> Result<()> {
    batch
        .text
        .try_reserve_exact(bytes)
        .map_err(|error| no_memory(bytes as u64, "a long record", error))
}

/// One bad record: the rest of a file with a broken compressed stream, or a record that is too long
/// to be read.
#[derive(Debug)]
pub(crate) struct Damage {
    /// What is known about the file.
    pub(crate) plan: Arc<Plan>,
    /// The number of the record that is truncated or lost.
    pub(crate) number: u64,
    /// The offset of the rest.
    pub(crate) offset: u64,
    /// Its length.
    pub(crate) bytes: u64,
    /// The part of it that was read.
    pub(crate) raw: Vec<u8>,
    /// The error.
    pub(crate) error: Error,
    /// Bytes on disk that were read for it.
    pub(crate) disk: u64,
}

impl Chunk for Damage {
    fn file(&self) -> u32 {
        self.plan.file
    }

    fn disk_bytes(&self) -> u64 {
        self.disk
    }

    fn read(&self, batch: &mut Batch) {
        batch.bad.push(BadRecord {
            number: self.number,
            bytes: self.offset..self.offset + self.bytes,
            raw: self.raw.clone(),
            error: self.plan.place(self.error.again(), self.number),
        });
    }
}
