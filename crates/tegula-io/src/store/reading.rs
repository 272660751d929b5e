//! Reading an object: by ranges, a few of them ahead of the reader.

use super::client::{Client, Task};
use super::object::Object;
use bytes::Bytes;
use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};
use tegula::error::{Error, ErrorKind, Result};

/// Bytes of the first range of a reader, which may want no more than a beginning.
pub(super) const FIRST: u64 = 256 << 10;
/// Bytes of the largest range of a file that is read from one end to the other.
const LARGEST: u64 = 8 << 20;
/// Ranges that are fetched ahead of such a reader.
const AHEAD: usize = 3;
/// The same where a file is read at several places in turn, as the columns of a table are.
const LARGEST_OF_SEVERAL: u64 = 2 << 20;
const AHEAD_OF_SEVERAL: usize = 1;
/// Places of which the ranges are kept.
const PLACES: usize = 6;
/// What is kept behind a reader, who may go back a little.
const BEHIND: u64 = 64 << 10;
/// A gap that a reader jumps over without being one who reads elsewhere.
const GAP: u64 = 4 << 20;

/// Objects of which the first range is kept for the next reader: formats, encodings and fields are looked
/// for one after another.
pub(super) const BEGINNINGS: usize = 64;

/// The most memory of a reader.
pub(crate) const MOST: u64 = (AHEAD as u64 + 1) * LARGEST;

/// The beginnings of objects, the last read last.
static KEPT: Mutex<VecDeque<(Arc<Object>, Bytes)>> = Mutex::new(VecDeque::new());

/// The first range of an object, if it is kept.
fn beginning(of: &Object) -> Option<Bytes> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let found = kept.iter().find(|(object, _)| **object == *of);
    found.map(|(_, bytes)| bytes.clone())
}

/// Keeps the first range of an object. Only a tag shows that it is that of the next reader's.
fn keep_beginning(of: &Arc<Object>, bytes: &Bytes) {
    if of.tag.is_none() || beginning(of).is_some() {
        return;
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= BEGINNINGS {
        kept.pop_front();
    }
    kept.push_back((Arc::clone(of), bytes.clone()));
}

impl Object {
    /// Opens it; nothing is read yet.
    ///
    /// # Errors
    /// If the store cannot be used. Reading fails with [`ErrorKind::Changed`] if it is another
    /// object by then.
    pub fn open(&self) -> Result<Reading> {
        let client = Client::of(&self.address()?)?;
        Ok(Reading {
            shared: Arc::new(Shared {
                client,
                object: Arc::new(self.clone()),
                places: Mutex::default(),
            }),
            at: 0,
        })
    }
}

/// An object being read; a clone reads the same ranges at a place of its own.
///
/// Holds at most some 32 MiB, whatever is read.
#[derive(Clone)]
pub struct Reading {
    shared: Arc<Shared>,
    at: u64,
}

struct Shared {
    client: Arc<Client>,
    object: Arc<Object>,
    places: Mutex<Vec<Place>>,
}

/// A place at which an object is read.
struct Place {
    blocks: VecDeque<Block>,
    /// Bytes of the next range.
    step: u64,
}

struct Block {
    start: u64,
    end: u64,
    bytes: Option<Bytes>,
    task: Option<Task<Bytes>>,
}

impl Block {
    fn bytes(&mut self) -> Result<Bytes> {
        if let Some(task) = self.task.take() {
            self.bytes = Some(task.wait()?);
        }
        let gone = || Error::new(ErrorKind::Io, "an earlier request failed");
        self.bytes.clone().ok_or_else(gone)
    }
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading")
            .field("path", &self.shared.object.path)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// The bytes from `at` on that are in one range.
    fn bytes(&self, at: u64) -> Result<Bytes> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        // The last one is the last used.
        let found = (places.iter()).rposition(|place| place.serves(at));
        if let Some(found) = found {
            places[found..].rotate_left(1);
        } else {
            if places.len() >= PLACES {
                places.remove(0);
            }
            places.push(Place {
                blocks: VecDeque::new(),
                step: FIRST,
            });
        }
        let several = places.len() > 1;
        let Some(place) = places.last_mut() else {
            return Ok(Bytes::new());
        };
        let bytes = place.read(at, several, self);
        if bytes.is_err() {
            places.pop();
        }
        bytes
    }
}

impl Place {
    fn serves(&self, at: u64) -> bool {
        let start = self.blocks.front().map_or(u64::MAX, |block| block.start);
        let end = self.blocks.back().map_or(0, |block| block.end);
        (start..end + GAP).contains(&at)
    }

    fn read(&mut self, at: u64, several: bool, shared: &Shared) -> Result<Bytes> {
        let (largest, ahead) = if several {
            (LARGEST_OF_SEVERAL, AHEAD_OF_SEVERAL)
        } else {
            (LARGEST, AHEAD)
        };
        let size = shared.object.bytes;
        while (self.blocks.front()).is_some_and(|block| block.end.saturating_add(BEHIND) <= at) {
            self.blocks.pop_front();
        }
        let is_fetched = |block: &Block| (block.start..block.end).contains(&at);
        let mut current = self.blocks.iter().position(is_fetched);
        if current.is_none() {
            let is_first = self.blocks.is_empty() && self.step == FIRST;
            if self.blocks.back().is_some_and(|block| block.end != at) {
                self.blocks.clear();
            }
            // One who begins near the end wants what is before, too: the contents of a table.
            let start = at
                .min(size.saturating_sub(BEHIND))
                .max(if is_first { 0 } else { at });
            self.fetch(start, at, largest, shared)?;
            current = Some(self.blocks.len() - 1);
        }
        let current = current.unwrap_or_default();
        // Nobody is known to read on before the second range.
        while self.step > 2 * FIRST && self.blocks.len() - current <= ahead {
            let next = self.blocks.back().map_or(at, |block| block.end);
            if next >= size {
                break;
            }
            self.fetch(next, next, largest, shared)?;
        }
        let block = &mut self.blocks[current];
        let (start, bytes) = (block.start, block.bytes()?);
        if start == 0 && bytes.len() as u64 <= FIRST {
            keep_beginning(&shared.object, &bytes);
        }
        Ok(bytes.slice((at - start) as usize..))
    }

    /// Begins to fetch the next range, which contains `at`.
    fn fetch(&mut self, start: u64, at: u64, largest: u64, shared: &Shared) -> Result<()> {
        let step = self.step.min(largest);
        self.step = step * 2;
        let end = (at + step).min(shared.object.bytes);
        let kept =
            (beginning(&shared.object)).filter(|bytes| start == 0 && end == bytes.len() as u64);
        let task = match kept {
            Some(_) => None,
            None => Some(shared.client.read(&shared.object, start..end)?),
        };
        self.blocks.push_back(Block {
            start,
            end,
            bytes: kept,
            task,
        });
        Ok(())
    }
}

impl Reading {
    /// The object.
    pub fn object(&self) -> &Object {
        &self.shared.object
    }
}

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.shared.object.bytes || buffer.is_empty() {
            return Ok(0);
        }
        // The error itself, which is found again where a read failed.
        let bytes = self.shared.bytes(self.at).map_err(io::Error::other)?;
        let length = bytes.len().min(buffer.len());
        buffer[..length].copy_from_slice(&bytes[..length]);
        self.at += length as u64;
        Ok(length)
    }
}

impl Seek for Reading {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.shared.object.bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// About how many requests reading an object of so many bytes from one end to the other makes, besides
/// that which finds it.
pub(super) fn requests(bytes: u64) -> u64 {
    let (mut rest, mut step, mut count) = (bytes, FIRST, 0);
    while rest > 0 && step < LARGEST {
        rest = rest.saturating_sub(step);
        (step, count) = (step * 2, count + 1);
    }
    count + rest.div_ceil(LARGEST)
}
