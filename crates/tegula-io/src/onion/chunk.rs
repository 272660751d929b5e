//! Reads the input in chunks of whole documents.

use super::tag_check::TagCheck;
use super::tags::Tags;
use crate::compress::{Ending, Input};
use crate::limits::size;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tegula::context::{Budget, Context, Reservation};
use tegula::error::{Error, ErrorKind, Result};

/// Bytes of a chunk, unless a document is larger.
pub(super) const CHUNK: usize = 512 << 10;
/// Chunks above this size reserve memory; smaller ones are part of each thread's memory.
const LARGE: usize = CHUNK;
/// Bytes of memory for each byte of a chunk: for reading, copying, and its n-grams.
const MEMORY: u64 = 10;
/// How long the reader waits before it checks again for released memory.
const PAUSE: Duration = Duration::from_millis(1);
/// Bytes searched again for a tag across a boundary.
const TAG: usize = 4 << 10;

/// Memory of a large chunk, from reading to judging; counted while it is held.
#[derive(Debug)]
pub(super) struct Held {
    _memory: Reservation,
    count: Arc<AtomicUsize>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Release);
    }
}

/// Bytes that begin and end between documents.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// The number of lines before it, and in it.
    pub(super) first_line: u64,
    pub(super) lines: u64,
    /// Bytes read from disk for it.
    pub(super) disk: u64,
    /// Set for an unusually large chunk.
    pub(super) held: Option<Held>,
}

/// A pool of buffers to reuse.
#[derive(Debug)]
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl Pool<Vec<u8>> {
    /// Takes back the buffer of a chunk, unless it is large.
    pub(super) fn give_bytes(&self, bytes: Vec<u8>) {
        if bytes.capacity() <= 2 * CHUNK {
            self.give(bytes);
        }
    }
}

impl<T: Default> Pool<T> {
    pub(super) fn take(&self) -> T {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }

    pub(super) fn give(&self, used: T) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(used);
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
    /// Read already, but not yet passed on.
    rest: Vec<u8>,
    disk: u64,
    lines: u64,
    done: bool,
    tag_check: TagCheck<'a>,
    /// The number of large chunks in flight.
    large: Arc<AtomicUsize>,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(
        context: &'a Context,
        input: Input,
        path: PathBuf,
        tags: &'a Tags,
        pool: &'a Pool<Vec<u8>>,
    ) -> Self {
        Self {
            context,
            input,
            path,
            tags,
            pool,
            size: CHUNK,
            rest: Vec::new(),
            disk: 0,
            lines: 0,
            done: false,
            tag_check: TagCheck::new(tags),
            large: Arc::default(),
        }
    }

    /// Sets the size of chunks.
    pub(super) fn sized(mut self, bytes: usize) -> Self {
        self.size = bytes.max(1);
        self
    }

    fn read(&mut self) -> Result<Option<Chunk>> {
        let mut bytes = self.pool.take();
        bytes.clear();
        bytes.append(&mut self.rest);
        let mut wanted = self.size;
        let mut held: Option<Held> = None;
        loop {
            let ending = self.input.fill(&mut bytes, wanted, &self.path)?;
            if let Ending::Damaged(message) = ending {
                return Err(Error::data(message)
                    .at(&self.path)
                    .hint("fetch the file again, or decompress what can be read"));
            }
            let end = ending == Ending::End;
            let cut = if end {
                Some(bytes.len())
            } else {
                self.tags.last_border(&bytes)
            };
            if let Some(cut) = cut {
                self.rest.extend_from_slice(&bytes[cut..]);
                bytes.truncate(cut);
                self.done = end;
                self.see(&bytes, end)
                    .map_err(|error| error.at(&self.path))?;
                let disk = self.input.disk_bytes();
                let is_open = bytes.last().is_some_and(|last| *last != b'\n');
                let lines = memchr::memchr_iter(b'\n', &bytes).count() as u64 + u64::from(is_open);
                let chunk = Chunk {
                    bytes,
                    first_line: self.lines,
                    lines,
                    disk: disk - self.disk,
                    held,
                };
                self.disk = disk;
                self.lines += lines;
                return Ok((!chunk.bytes.is_empty()).then_some(chunk));
            }
            wanted = bytes.len().max(wanted).saturating_mul(2);
            if wanted > LARGE {
                drop(held.take());
                held = Some(self.hold(wanted, &bytes)?);
            }
        }
    }

    /// Checks that there are documents and paragraphs: a chunk ends with the input, or where a
    /// document begins.
    fn see(&mut self, bytes: &[u8], end: bool) -> Result<()> {
        self.tag_check.examine(bytes)?;
        if !end {
            return Ok(());
        }
        self.tag_check.check_documents()?;
        self.tag_check.check_paragraphs()
    }

    /// Reserves memory for a chunk of `bytes`; if there is none, waits for other large chunks.
    fn hold(&mut self, bytes: usize, held: &[u8]) -> Result<Held> {
        let needed = bytes as u64 * MEMORY;
        loop {
            // Checked first: memory released after this is available to the reservation.
            let others = self.large.load(Ordering::Acquire);
            if let Some(memory) = self.context.budget.try_reserve(needed) {
                self.large.fetch_add(1, Ordering::Relaxed);
                return Ok(Held {
                    _memory: memory,
                    count: Arc::clone(&self.large),
                });
            }
            if others == 0 {
                return Err(self.refuse(held));
            }
            self.context.check()?;
            std::thread::sleep(PAUSE);
        }
    }
}

impl Chunks<'_> {
    /// The error for a document that does not fit; reads on to its end to determine what would be
    /// enough.
    fn refuse(&mut self, held: &[u8]) -> Error {
        let mut length = held.len() as u64;
        let mut piece = held
            .get(held.len() - held.len().min(TAG)..)
            .unwrap_or_default()
            .to_vec();
        loop {
            if let Err(error) = self.context.check() {
                return error;
            }
            let before = piece.len();
            let ending = match self.input.fill(&mut piece, before + CHUNK, &self.path) {
                Ok(ending) => ending,
                Err(error) => return error,
            };
            if let Some(border) = self.tags.last_border(&piece) {
                length += border.saturating_sub(before) as u64;
                break;
            }
            length += (piece.len() - before) as u64;
            if ending != Ending::More {
                break;
            }
            piece.drain(..piece.len() - piece.len().min(TAG));
        }
        let budget = &self.context.budget;
        let used = budget
            .total()
            .saturating_sub(Budget::OVERHEAD)
            .saturating_sub(budget.free());
        // Buffers double as they grow; the n-grams of the document must also be held.
        let needed = length
            .saturating_mul(3 * MEMORY)
            .saturating_add(used)
            .saturating_add(Budget::OVERHEAD);
        let name = String::from_utf8_lossy(self.tags.document());
        let message = format!(
            "expected documents that fit under the memory ceiling, found {} without a <{name}>",
            size(length)
        );
        Error::new(ErrorKind::Memory, message)
            .at(&self.path)
            .hint(format!(
                "set ⟨doc_tag⟩ to the tag of documents, or raise ⟨memory⟩ to at least {}M",
                needed.div_ceil(1 << 20).saturating_add(1)
            ))
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
