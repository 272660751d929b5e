//! Writing an object: in parts, of which nothing is visible until all are there and it is completed.

use super::address::Address;
use super::client::{Client, Task};
use super::notes::Notes;
use super::object::Object;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tegula::error::{ErrorKind, Result};

/// Parts on their way while the next is filled.
const ABREAST: usize = 2;
/// The most parts that stores accept.
const PARTS: usize = 10_000;

/// Bytes of a part, counted from 0: larger ones when an object turns out to be large, as the number of
/// parts is limited. At least 5 MiB, as stores require.
pub(crate) fn part_size(number: usize) -> usize {
    match number {
        0..2_000 => 8 << 20,
        2_000..6_000 => 32 << 20,
        _ => 64 << 20,
    }
}

/// The parts of an object of so many bytes.
pub(super) fn parts(bytes: u64) -> u64 {
    let (mut rest, mut count) = (bytes, 0);
    while rest > 0 {
        rest = rest.saturating_sub(part_size(count) as u64);
        count += 1;
    }
    count.max(1) as u64
}

/// An object being written. Dropped without [`Upload::finish`], what was uploaded is removed.
///
/// Holds at most three parts, 24 MiB at first.
#[derive(Debug)]
pub struct Upload {
    client: Arc<Client>,
    address: Address,
    /// Where it is noted that it was begun.
    notes: Option<Arc<Mutex<Notes>>>,
    /// None until there is a part.
    id: Option<String>,
    parts: Vec<String>,
    flying: Flying,
    buffer: Vec<u8>,
    bytes: u64,
}

/// The parts on their way, in order.
#[derive(Default)]
struct Flying(VecDeque<Task<String>>);

impl std::fmt::Debug for Flying {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} parts", self.0.len())
    }
}

/// All of an object, which is not visible yet: a value that any process can complete, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[must_use = "nothing is visible until it is completed"]
pub struct Uploaded {
    /// Its address.
    #[serde(with = "crate::path")]
    path: PathBuf,
    /// Its length.
    bytes: u64,
    /// The id of the upload; empty for a small object, which is here as a whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    upload: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<String>,
    #[serde(skip)]
    content: Bytes,
}

impl Upload {
    /// Begins to write to an address. Nobody else knows of it: if this process is killed, what it
    /// uploaded stays until a rule of the bucket removes it.
    ///
    /// # Errors
    /// If this is not an address, or one that can only be read.
    pub fn create(path: &Path) -> Result<Self> {
        Self::noted(path, None)
    }

    /// The same, noted when it begins to upload.
    pub(crate) fn noted(path: &Path, notes: Option<Arc<Mutex<Notes>>>) -> Result<Self> {
        let address = Address::parse(path)
            .filter(|address| !address.is_folder)
            .ok_or_else(|| {
                ErrorKind::Usage
                    .expected("the address of an object, as in s3://bucket/name")
                    .at(path)
            })?;
        let client = Client::of(&address)?;
        client.check_writable(&address)?;
        Ok(Self {
            client,
            address,
            notes,
            id: None,
            parts: Vec::new(),
            flying: Flying::default(),
            buffer: Vec::new(),
            bytes: 0,
        })
    }

    /// Sends what is in the buffer as a part.
    fn send(&mut self) -> Result<()> {
        let number = self.parts.len() + self.flying.0.len();
        if number >= PARTS {
            let largest = (0..PARTS).map(part_size).sum::<usize>() >> 30;
            return Err(ErrorKind::Io
                .expected(format!("at most {largest} GiB in an object"))
                .found("more")
                .at(&self.address.path())
                .hint("write to a folder of several files"));
        }
        let id = match (&self.id, &self.notes) {
            (Some(id), _) => id.clone(),
            (None, None) => self.client.begin(&self.address)?.wait()?,
            (None, Some(notes)) => lock(notes).begin(&self.client, &self.address)?,
        };
        let bytes = Bytes::from(std::mem::take(&mut self.buffer));
        let part = self.client.part(&self.address, &id, number, bytes);
        self.id = Some(id);
        self.flying.0.push_back(part?);
        self.wait(ABREAST)
    }

    /// Waits until at most so many parts are on their way.
    fn wait(&mut self, most: usize) -> Result<()> {
        while self.flying.0.len() > most
            && let Some(first) = self.flying.0.pop_front()
        {
            self.parts.push(first.wait()?);
        }
        Ok(())
    }

    /// Ends it: all is in the store, but not visible. A small object that was not begun is kept in
    /// memory instead, if it may be, which saves two of three requests.
    ///
    /// # Errors
    /// If it cannot be uploaded.
    pub(crate) fn finish_within(mut self, may_hold: bool) -> Result<Uploaded> {
        let mut content = Bytes::new();
        if self.id.is_none() && may_hold {
            content = std::mem::take(&mut self.buffer).into();
        } else if !self.buffer.is_empty() || self.id.is_none() {
            self.send()?;
        }
        self.wait(0)?;
        Ok(Uploaded {
            path: self.address.path(),
            bytes: self.bytes,
            upload: self.id.take().unwrap_or_default(),
            parts: std::mem::take(&mut self.parts),
            content,
        })
    }

    /// Ends it: all is in the store, but not visible until the result is completed, by this process or
    /// another.
    ///
    /// # Errors
    /// If it cannot be uploaded.
    pub fn finish(self) -> Result<Uploaded> {
        self.finish_within(false)
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = part_size(self.parts.len() + self.flying.0.len());
        let length = bytes.len().min(size - self.buffer.len().min(size));
        self.buffer.extend_from_slice(&bytes[..length]);
        self.bytes += length as u64;
        if self.buffer.len() >= size {
            self.send().map_err(io::Error::other)?;
        }
        Ok(length)
    }

    /// A part is sent when it is full.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.flying.0.clear();
            let removed = self.client.abort(&self.address, &id).and_then(Task::wait);
            if let (Ok(()), Some(notes)) = (removed, &self.notes) {
                lock(notes).forget(&self.address, &id);
            }
        }
    }
}

impl Uploaded {
    /// Its address.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of it that are held in memory.
    pub(crate) fn held(&self) -> u64 {
        self.content.len() as u64
    }

    fn address(&self) -> Result<Address> {
        Address::of(&self.path)
    }

    /// Makes it visible, in place of any object of this name.
    ///
    /// # Errors
    /// If the store refuses it, or what was uploaded is gone.
    pub fn complete(&self) -> Result<Object> {
        let tag = self.begin_completing()?.wait()?;
        Ok(self.object(tag))
    }

    pub(super) fn begin_completing(&self) -> Result<Task<Option<String>>> {
        let address = self.address()?;
        let client = Client::of(&address)?;
        if self.upload.is_empty() {
            client.put(&address, self.content.clone())
        } else {
            client.complete(&address, &self.upload, &self.parts)
        }
    }

    /// The complete object with this tag.
    pub(super) fn object(&self, tag: Option<String>) -> Object {
        Object {
            path: self.path.clone(),
            bytes: self.bytes,
            modified: None,
            tag,
        }
    }

    /// Removes what was uploaded, instead of completing it.
    ///
    /// # Errors
    /// If the store cannot be reached.
    pub fn abort(&self) -> Result<()> {
        if self.upload.is_empty() {
            return Ok(());
        }
        let address = self.address()?;
        Client::of(&address)?.abort(&address, &self.upload)?.wait()
    }

    /// Notes that it is neither complete nor removed.
    pub(crate) fn note(&self, notes: &Mutex<Notes>) -> Result<()> {
        if self.upload.is_empty() {
            return Ok(());
        }
        lock(notes).note(&self.address()?, &self.upload)
    }

    /// Notes that it is complete or removed.
    pub(crate) fn forget(&self, notes: &Mutex<Notes>) {
        if let Ok(address) = self.address() {
            lock(notes).forget(&address, &self.upload);
        }
    }
}

fn lock(notes: &Mutex<Notes>) -> std::sync::MutexGuard<'_, Notes> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}
