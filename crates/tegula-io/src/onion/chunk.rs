//! The input in chunks of whole documents.

use super::parse::Tags;
use crate::compress::{Ending, Input};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tegula::context::{Context, Reservation};
use tegula::error::{Error, ErrorKind, Result};

/// Bytes of a chunk, unless a document is larger.
pub(super) const CHUNK: usize = 512 << 10;
/// Chunks above this size reserve memory.
const LARGE: usize = 8 << 20;
/// Bytes of memory for each byte of a chunk: it is read, copied, and made n-grams of.
const MEMORY: u64 = 8;

/// Bytes that begin and end between documents.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// Bytes taken from disk for it.
    pub(super) disk: u64,
    /// For a chunk that is unusually large; given back with it.
    _memory: Option<Reservation>,
}

/// Buffers that are used again.
#[derive(Debug, Default)]
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    pub(super) fn take(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn give(&self, used: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(used);
    }
}

/// Reads chunks.
pub(super) struct Chunks<'a> {
    context: &'a Context,
    input: Input,
    path: PathBuf,
    tags: &'a Tags,
    pool: &'a Pool<Vec<u8>>,
    size: usize,
    /// Read already, and not yet handed over.
    rest: Vec<u8>,
    disk: u64,
    done: bool,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(context: &'a Context, input: Input, path: PathBuf, tags: &'a Tags, pool: &'a Pool<Vec<u8>>) -> Self {
        Self { context, input, path, tags, pool, size: CHUNK, rest: Vec::new(), disk: 0, done: false }
    }

    /// Smaller or larger chunks.
    pub(super) fn sized(mut self, bytes: usize) -> Self {
        self.size = bytes.max(1);
        self
    }

    fn read(&mut self) -> Result<Option<Chunk>> {
        let mut bytes = self.pool.take();
        bytes.clear();
        bytes.append(&mut self.rest);
        let mut wanted = self.size;
        let mut memory: Option<Reservation> = None;
        loop {
            let ending = self.input.fill(&mut bytes, wanted, &self.path)?;
            if let Ending::Damaged(message) = ending {
                return Err(Error::data(message).at(&self.path).hint("get the file again, or decompress what can be read"));
            }
            let end = ending == Ending::End;
            let cut = if end { Some(bytes.len()) } else { self.tags.last_border(&bytes) };
            if let Some(cut) = cut {
                self.rest.extend_from_slice(&bytes[cut..]);
                bytes.truncate(cut);
                self.done = end;
                let disk = self.input.disk_bytes();
                let chunk = Chunk { bytes, disk: disk - self.disk, _memory: memory };
                self.disk = disk;
                return Ok((!chunk.bytes.is_empty()).then_some(chunk));
            }
            wanted = bytes.len().max(wanted).saturating_mul(2);
            if wanted > LARGE {
                drop(memory.take());
                memory = Some(self.large(wanted)?);
            }
        }
    }

    /// Memory for a chunk of `bytes`.
    fn large(&self, bytes: usize) -> Result<Reservation> {
        let name = String::from_utf8_lossy(self.tags.document());
        let needed = bytes as u64 * MEMORY;
        self.context.budget.try_reserve(needed).ok_or_else(|| {
            let message = format!(
                "expected documents that fit under the memory ceiling, found more than {} MiB without a <{name}>",
                bytes >> 21
            );
            Error::new(ErrorKind::Data, message).at(&self.path).hint("name the tag of documents with -d, or raise --memory")
        })
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let chunk = self.read();
        self.done |= !matches!(chunk, Ok(Some(_)));
        chunk.transpose()
    }
}
