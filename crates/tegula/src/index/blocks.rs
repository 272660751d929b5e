//! Records in compressed blocks, in the order in which they were added.
//!
//! A record is an id, values of fields, and a body: its text, or its tokens if texts are not kept.

use super::bits::{Bytes, put, word};
use super::pages::{PageWriter, Pages};
use super::primer::{ENOUGH, Primer};
use crate::error::{ErrorKind, Result};
use std::sync::Arc;
use zstd::zstd_safe::{CCtx, DCtx, compress_bound};

/// Bytes of records in a block, before compression; a longer record has a block of its own.
const BLOCK: usize = 1 << 14;
/// The same if there is a primer.
const PRIMED: usize = 1 << 11;
/// How well blocks are compressed: higher levels take several times as long, for a tenth less.
pub(super) const LEVEL: i32 = 1;
/// Bytes for each block in the table: its first record, and its place.
const ROW: usize = 12;

/// A record as it is stored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stored<'a> {
    /// Its id.
    pub(super) id: &'a str,
    /// The values of its fields, and its body.
    rest: Bytes<'a>,
}

impl<'a> Stored<'a> {
    /// Appends a record to a buffer.
    pub(super) fn write<'v>(
        id: &str,
        fields: impl IntoIterator<Item = Option<&'v str>>,
        body: &[u8],
        out: &mut Vec<u8>,
    ) {
        put(id.len() as u64, out);
        out.extend_from_slice(id.as_bytes());
        for value in fields {
            put(value.map_or(0, |value| value.len() as u64 + 1), out);
            out.extend_from_slice(value.unwrap_or_default().as_bytes());
        }
        out.extend_from_slice(body);
    }

    pub(super) fn parse(record: &'a [u8]) -> Option<Self> {
        let mut rest = Bytes(record);
        let id = rest.text()?;
        Some(Self { id, rest })
    }

    /// The values of so many fields, and the body; none if the record is damaged.
    pub(super) fn parts(&self, fields: usize) -> Option<(Vec<Option<&'a str>>, &'a [u8])> {
        let mut rest = self.rest;
        let mut value = || match rest.length()? {
            0 => Some(None),
            length => Some(Some(std::str::from_utf8(rest.take(length - 1)?).ok()?)),
        };
        let values = (0..fields).map(|_| value()).collect::<Option<Vec<_>>>()?;
        Some((values, rest.0))
    }
}

/// Writes blocks to a section.
pub(super) struct BlockWriter {
    compressor: CCtx<'static>,
    primer: Option<Arc<Primer>>,
    /// Whether records are held until there are enough for a primer.
    trains: bool,
    packed: Vec<u8>,
    /// The table of blocks.
    rows: Vec<u8>,
    records: u32,
    pending: Vec<u8>,
    lengths: Vec<usize>,
    block: Vec<u8>,
}

impl BlockWriter {
    /// No records yet. Without a primer, one may be made of the first records.
    pub(super) fn new(primer: Option<Arc<Primer>>, trains: bool) -> Result<Self> {
        let memory = || ErrorKind::Memory.expected("memory for a compressor");
        Ok(Self {
            compressor: CCtx::try_create().ok_or_else(memory)?,
            trains: trains && primer.is_none(),
            primer,
            packed: Vec::new(),
            rows: Vec::new(),
            records: 0,
            pending: Vec::new(),
            lengths: Vec::new(),
            block: Vec::new(),
        })
    }

    /// The records so far.
    pub(super) fn records(&self) -> u32 {
        self.records + self.lengths.len() as u32
    }

    /// Bytes held.
    pub(super) fn heap_bytes(&self) -> u64 {
        (self.rows.capacity() + self.pending.capacity() + self.block.capacity()) as u64
    }

    /// Adds a record, as [`Stored::write`] writes it.
    pub(super) fn push(&mut self, file: &mut PageWriter, record: &[u8]) -> Result<()> {
        let most = match (self.trains, &self.primer) {
            (true, _) => ENOUGH,
            (_, Some(_)) => PRIMED,
            (_, None) => BLOCK,
        };
        if !self.lengths.is_empty() && self.pending.len() + record.len() > most {
            if self.trains {
                self.primer = Primer::train(&self.pending, &self.lengths, LEVEL).map(Arc::new);
                self.release(file)?;
            } else {
                self.end_block(file)?;
            }
        }
        self.pending.extend_from_slice(record);
        self.lengths.push(record.len());
        Ok(())
    }

    /// Writes the records that were held.
    fn release(&mut self, file: &mut PageWriter) -> Result<()> {
        self.trains = false;
        let (held, lengths) = (
            std::mem::take(&mut self.pending),
            std::mem::take(&mut self.lengths),
        );
        let mut from = 0;
        for length in lengths {
            self.push(file, &held[from..from + length])?;
            from += length;
        }
        Ok(())
    }

    /// With what blocks are compressed.
    pub(super) fn primer(&self) -> Option<&Arc<Primer>> {
        self.primer.as_ref()
    }

    /// Adds a block of another file as it is, if it is large enough not to be joined with others.
    /// Returns whether it was.
    pub(super) fn push_block(&mut self, file: &mut PageWriter, block: &Block) -> Result<bool> {
        let (least, is_same) = match (&self.primer, block.primer) {
            (Some(own), Some(other)) => (PRIMED / 2, Arc::ptr_eq(own, other) || own.is(other)),
            (None, None) => (BLOCK / 2, !self.trains),
            _ => (0, false),
        };
        if block.raw < least || !is_same {
            return Ok(false);
        }
        self.end_block(file)?;
        self.add_row(file);
        self.records += block.records;
        file.put(block.bytes)?;
        Ok(true)
    }

    fn add_row(&mut self, file: &PageWriter) {
        self.rows.extend_from_slice(&self.records.to_le_bytes());
        self.rows.extend_from_slice(&file.position().to_le_bytes());
    }

    fn end_block(&mut self, file: &mut PageWriter) -> Result<()> {
        if self.lengths.is_empty() {
            return Ok(());
        }
        let block = &mut self.block;
        block.clear();
        put(self.lengths.len() as u64, block);
        for length in &self.lengths {
            put(*length as u64, block);
        }
        block.extend_from_slice(&self.pending);
        let (count, raw) = (self.lengths.len() as u32, self.block.len());
        self.packed.clear();
        self.packed.reserve(compress_bound(raw));
        let packed = match &self.primer {
            Some(primer) => {
                let (to, from) = (&mut self.packed, &self.block);
                self.compressor
                    .compress_using_cdict(to, from, &primer.compresses)
            }
            None => self
                .compressor
                .compress(&mut self.packed, &self.block, LEVEL),
        };
        packed.map_err(|_| ErrorKind::Memory.expected("memory to compress texts"))?;
        self.add_row(file);
        self.records += count;
        file.put(&(raw as u32).to_le_bytes())?;
        file.put(&self.packed)?;
        self.pending.clear();
        self.lengths.clear();
        Ok(())
    }

    /// Ends the section of blocks, and writes that of the table.
    pub(super) fn finish(mut self, file: &mut PageWriter) -> Result<()> {
        if self.trains {
            self.release(file)?;
        }
        self.end_block(file)?;
        self.add_row(file);
        file.end_section();
        file.put(&self.rows)?;
        file.end_section();
        Ok(())
    }
}

/// A block as it lies in a file.
#[derive(Clone, Copy)]
pub(super) struct Block<'p> {
    /// Its first record.
    pub(super) first: u32,
    /// Its records.
    pub(super) records: u32,
    /// Their bytes, before compression.
    raw: usize,
    bytes: &'p [u8],
    /// With what it is compressed.
    primer: Option<&'p Arc<Primer>>,
}

/// The records of a block, decompressed.
#[derive(Default)]
pub(super) struct Records {
    decompressor: Option<DCtx<'static>>,
    bytes: Vec<u8>,
    /// The end of each, and where the first begins.
    ends: Vec<usize>,
    /// What the bytes are: a file, and the number of a block.
    of: Option<(u64, usize)>,
}

/// The blocks of a file.
#[derive(Clone)]
pub(super) struct Blocks {
    section: usize,
    primer: Option<Arc<Primer>>,
    /// The blocks.
    pub(super) count: usize,
}

impl Blocks {
    /// Those in this section and the next.
    pub(super) fn open(pages: &Pages, section: usize, primer: Option<Arc<Primer>>) -> Result<Self> {
        let rows = pages.len(section + 1);
        if rows == 0 || !rows.is_multiple_of(ROW) {
            return Err(pages.damaged("a table of blocks", "something else"));
        }
        Ok(Self {
            section,
            primer,
            count: rows / ROW - 1,
        })
    }

    fn row(&self, pages: &Pages, block: usize) -> Result<(u32, usize)> {
        let row = pages.get(self.section + 1, ROW * block..ROW * (block + 1))?;
        Ok((word(row, 0) as u32, word(row, 4) as usize))
    }

    /// Where a block begins in its section.
    pub(super) fn place(&self, pages: &Pages, block: usize) -> Result<usize> {
        Ok(self.row(pages, block)?.1)
    }

    /// The number of the block with a record.
    fn of_record(&self, pages: &Pages, record: u32) -> Result<usize> {
        let (mut from, mut to) = (0, self.count);
        while to - from > 1 {
            let middle = usize::midpoint(from, to);
            if self.row(pages, middle)?.0 <= record {
                from = middle;
            } else {
                to = middle;
            }
        }
        Ok(from)
    }

    /// A block.
    ///
    /// # Errors
    /// If the file is damaged.
    pub(super) fn block<'p>(&'p self, pages: &'p Pages, block: usize) -> Result<Block<'p>> {
        let (first, from) = self.row(pages, block)?;
        let (next, to) = self.row(pages, block + 1)?;
        let bytes = pages.get(self.section, from..to)?;
        let records = next.checked_sub(first).filter(|_| bytes.len() > 4);
        let records = records.ok_or_else(|| pages.damaged("a block of texts", "something else"))?;
        Ok(Block {
            first,
            records,
            raw: word(bytes, 0) as u32 as usize,
            bytes,
            primer: self.primer.as_ref(),
        })
    }

    /// A record, with the buffers of a thread; `file` is a number that no other open file has.
    ///
    /// # Errors
    /// If the file is damaged.
    pub(super) fn record<'r>(
        &self,
        (pages, file): (&Pages, u64),
        record: u32,
        room: &'r mut Records,
    ) -> Result<Stored<'r>> {
        let number = self.of_record(pages, record)?;
        let block = self.block(pages, number)?;
        if room.of != Some((file, number)) {
            room.of = None;
            room.read(&block)
                .ok_or_else(|| pages.damaged("a block of texts", "something else"))?;
            room.of = Some((file, number));
        }
        let at = record.checked_sub(block.first);
        let stored = at.and_then(|at| Stored::parse(room.get(at as usize)?));
        stored.ok_or_else(|| pages.damaged("a record", "something else"))
    }
}

impl Records {
    /// Decompresses a block; none if it is damaged.
    pub(super) fn read(&mut self, block: &Block) -> Option<()> {
        self.of = None;
        self.ends.clear();
        let decompressor = match &mut self.decompressor {
            Some(decompressor) => decompressor,
            none => none.insert(DCtx::try_create()?),
        };
        self.bytes.clear();
        self.bytes.try_reserve(block.raw).ok()?;
        let packed = block.bytes.get(4..)?;
        let done = match block.primer {
            Some(primer) => {
                decompressor.decompress_using_ddict(&mut self.bytes, packed, &primer.decompresses)
            }
            None => decompressor.decompress(&mut self.bytes, packed),
        };
        done.ok()?;
        let mut bytes = Bytes(&self.bytes);
        let count = bytes.length()?;
        let is_whole = self.bytes.len() == block.raw && count <= block.raw;
        if count != block.records as usize || !is_whole {
            return None;
        }
        self.ends.reserve(count + 1);
        self.ends.push(0);
        let mut end = 0_usize;
        for _ in 0..count {
            end = end.checked_add(bytes.length()?)?;
            self.ends.push(end);
        }
        let head = self.bytes.len() - bytes.0.len();
        self.ends.iter_mut().for_each(|end| *end += head);
        (self.ends.last() == Some(&self.bytes.len())).then_some(())
    }

    /// The bytes of a record of the block.
    pub(super) fn get(&self, at: usize) -> Option<&[u8]> {
        self.bytes.get(*self.ends.get(at)?..*self.ends.get(at + 1)?)
    }
}
