//! Files by their paths, which may be addresses of objects in a store: `s3://bucket/key`, `gs://`,
//! `az://`, and `https://` to read.
//!
//! ```text
//! path ─→ find ─→ Found ─→ File: Read + Seek        Upload: Write ─→ Uploaded ─→ complete
//!         list ─→ Objects ─┘                           └─ noted in the store until it is complete
//! ```
//!
//! - What reads goes through [`list()`], [`read`] and [`File::open`], which answer for paths of the file
//!   system and for addresses; so no other module asks what a path is, but those that write.
//! - An [`Object`] is an object as it was found: its length and tag (ETag) are part of every request
//!   for its bytes, so that another object of the same name is never taken for it.
//! - An [`Upload`] shows nothing under its name until [`Uploaded::complete`] is called, which another
//!   process may do. What a run has begun to upload is noted next to where it writes; the next run
//!   that writes there removes what a dead one has left.
//! - Credentials come from the environment. Passwords and signatures in an address are taken out of
//!   it before it goes anywhere, see [`shown`].
//!
//! Not for what is local by its nature: scratch, indexes, the stages of a run.

#[cfg(not(feature = "stores"))]
#[path = "absent.rs"]
mod client;
#[cfg(feature = "stores")]
mod client;

mod address;
#[cfg(feature = "stores")]
mod failure;
mod notes;
mod object;
mod reading;
#[cfg(feature = "stores")]
mod task;
#[cfg(test)]
#[cfg(feature = "stores")]
mod tests;
mod upload;

pub(crate) use address::Address;
pub use address::{is_address, shown, shown_in};
use client::{Client, Task};
pub(crate) use notes::{FOLDER as NOTES, Notes, sweep};
pub use object::Object;
pub(crate) use reading::MOST;
pub use reading::Reading;
pub use upload::{Upload, Uploaded};

use crate::file_state::FileState;
use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use std::collections::{HashSet, VecDeque};
use std::fs;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use tegula::error::{Error, ErrorKind, Result};

/// Requests made at a time where there are many.
const ABREAST: usize = 32;

/// What is at a path.
#[derive(Debug)]
pub(crate) enum Found {
    /// A file in a state.
    File(FileState),
    /// A folder; in a store, a key below which there are objects.
    Folder,
    /// A device or a pipe.
    Special,
}

/// What is at a path.
///
/// # Errors
/// If there is nothing, or it cannot be looked at.
pub(crate) fn find(path: &Path) -> Result<Found> {
    if let Some(address) = Address::parse(path) {
        return find_at(&address)?.ok_or_else(|| missing(&address));
    }
    let found = fs::metadata(path).map_err(|error| Error::io("open", path, error))?;
    Ok(if found.is_dir() {
        Found::Folder
    } else if found.is_file() {
        Found::File(FileState::of(&found))
    } else {
        Found::Special
    })
}

/// What is at an address; none if there is nothing.
fn find_at(address: &Address) -> Result<Option<Found>> {
    let client = Client::of(address)?;
    if !address.is_folder
        && let Some(object) = client.head(address)?.wait()?
    {
        return Ok(Some(Found::File(object.into())));
    }
    if address.kind == address::Kind::Web {
        return Ok(None);
    }
    let below = client.list(address, 1)?.wait()?;
    // A bucket is a folder even if it is empty.
    let is_folder = !below.is_empty() || address.key.is_empty();
    Ok(is_folder.then_some(Found::Folder))
}

fn missing(address: &Address) -> Error {
    let what = match address.kind {
        address::Kind::Web => "there is no such file on the server",
        _ => "there is neither an object nor a folder of this name",
    };
    Error::new(ErrorKind::Io, format!("cannot open: {what}"))
        .at(&address.path())
        .hint("check its name, and which store the environment points to")
}

/// The same path from any working directory.
///
/// # Errors
/// If there is no working directory.
pub fn absolute(path: &Path) -> Result<PathBuf> {
    if is_address(path) {
        return Ok(path.to_path_buf());
    }
    std::path::absolute(path).map_err(|error| Error::io("find", path, error))
}

/// Whether there is a file; also if that cannot be found out.
pub fn is_file(path: &Path) -> bool {
    if is_address(path) {
        let found = look_again([path]).unwrap_or_default();
        found.into_iter().flatten().next().is_some()
    } else {
        path.is_file()
    }
}

/// Whether there is a folder; in a store, anything below a key, or what is written with a slash at its
/// end.
pub fn is_folder(path: &Path) -> bool {
    match Address::parse(path) {
        Some(address) => address.is_folder || matches!(find(path), Ok(Found::Folder)),
        None => path.is_dir(),
    }
}

/// Whether there is anything.
pub fn exists(path: &Path) -> bool {
    if is_address(path) {
        find(path).is_ok()
    } else {
        path.exists()
    }
}

/// The whole content of a file.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(path)?
        .read_to_end(&mut content)
        .map_err(|error| Error::io("read", path, error))?;
    Ok(content)
}

/// The same as text.
///
/// # Errors
/// If it cannot be read, or is not in UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        Error::io(
            "read",
            path,
            io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()),
        )
    })
}

/// Refuses an address for what `option` names, which is on this machine.
///
/// # Errors
/// If it is an address.
pub fn check_local(option: &str, path: &Path) -> Result<()> {
    if !is_address(path) {
        return Ok(());
    }
    let error = Error::of(option).expected("a path on this machine");
    Err(error
        .found("the address of a store")
        .at(path)
        .hint("it is read and changed at many places, for which a store is too slow"))
}

/// The objects below an address, in byte order of their addresses, without hidden ones.
///
/// # Errors
/// If they cannot be listed.
pub fn list(folder: &Path) -> Result<Vec<Object>> {
    let mut all = list_all(folder)?;
    all.retain(|object| !is_hidden(object.path.strip_prefix(folder).unwrap_or(&object.path)));
    Ok(all)
}

/// Whether an object is hidden, or in a hidden folder, by its path below a folder.
pub(crate) fn is_hidden(below: &Path) -> bool {
    below
        .components()
        .any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// The same with hidden ones.
pub(crate) fn list_all(folder: &Path) -> Result<Vec<Object>> {
    let address = Address::of(folder)?;
    let client = Client::of(&address)?;
    let mut all = client.list(&address, usize::MAX)?.wait()?;
    // A console makes an empty object for a folder.
    let folders: HashSet<PathBuf> = (all.iter())
        .flat_map(|object| object.path.ancestors().skip(1))
        .map(Path::to_path_buf)
        .collect();
    all.retain(|object| object.bytes > 0 || !folders.contains(&object.path));
    let bytes = |object: &Object| object.path.as_os_str().as_encoded_bytes().to_vec();
    all.sort_by_cached_key(bytes);
    Ok(all)
}

/// The answers to many requests, in their order; some are made at a time.
fn abreast<T: Send + 'static>(requests: impl Iterator<Item = Result<Task<T>>>) -> Result<Vec<T>> {
    let (mut answers, mut waiting) = (Vec::new(), VecDeque::new());
    for request in requests {
        if waiting.len() >= ABREAST
            && let Some(first) = waiting.pop_front()
        {
            answers.push(Task::wait(first)?);
        }
        waiting.push_back(request?);
    }
    for last in waiting {
        answers.push(last.wait()?);
    }
    Ok(answers)
}

/// The objects of these addresses as they are now, in the same order; none where there is none.
pub(crate) fn look_again<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
) -> Result<Vec<Option<Object>>> {
    abreast(paths.into_iter().map(|path| {
        let address = Address::of(path)?;
        Client::of(&address)?.head(&address)
    }))
}

/// Makes many objects visible, in this order.
pub(crate) fn complete_all(all: &[Uploaded]) -> Result<Vec<Object>> {
    let tags = abreast(all.iter().map(Uploaded::begin_completing))?;
    Ok((all.iter().zip(tags))
        .map(|(uploaded, tag)| uploaded.object(tag))
        .collect())
}

/// Deletes many objects, where they are there.
pub(crate) fn delete_all(all: &[PathBuf]) -> Result<()> {
    abreast(all.iter().map(|path| {
        let address = Address::of(path)?;
        Client::of(&address)?.delete(&address)
    }))
    .map(drop)
}

/// Refuses an address to which nothing can be written.
pub(crate) fn check_writable(option: &str, path: &Path) -> Result<()> {
    let Some(address) = Address::parse(path) else {
        return Ok(());
    };
    (Client::of(&address)?.check_writable(&address))
        .map_err(|error| error.about(|_| option.to_owned()))
}

/// Writes a small object at once; its tag.
pub(crate) fn put(path: &Path, bytes: Vec<u8>) -> Result<Option<String>> {
    let address = Address::of(path)?;
    Client::of(&address)?.put(&address, bytes.into())?.wait()
}

/// Deletes an object, if it is there.
pub(crate) fn delete(path: &Path) -> Result<()> {
    let address = Address::of(path)?;
    Client::of(&address)?.delete(&address)?.wait()
}

/// What a job asks of stores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Traffic {
    /// Objects that it reads.
    pub objects: u64,
    /// About how many bytes it receives.
    pub bytes: u64,
    /// About how many requests it makes for them.
    pub requests: u64,
    /// At most how many parts it uploads, if it writes as much as it reads.
    pub parts: u64,
}

/// Looks at the beginning of each of many files before it is read: formats, encodings, fields. That of
/// few files is received once.
const LOOKS: u64 = 6;

impl Traffic {
    /// Of a job that reads files of these paths and lengths so many times from one end to the other;
    /// none if none of them is in a store.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a Path, u64)>, times: u64) -> Option<Self> {
        let stored = files.into_iter().filter(|(path, _)| is_address(path));
        let lengths: Vec<u64> = stored.map(|(_, bytes)| bytes).collect();
        let mut all = Self::default();
        let looks = if lengths.len() > reading::BEGINNINGS {
            LOOKS
        } else {
            1
        };
        for bytes in lengths {
            all.objects += 1;
            all.bytes += looks * bytes.min(reading::FIRST) + times * bytes;
            // It is also looked at before the first byte is read, and after the last.
            all.requests += 2 + looks + times * reading::requests(bytes);
            all.parts += upload::parts(bytes);
        }
        Some(all).filter(|all| all.objects > 0)
    }
}

/// A file open for reading, here or in a store.
#[derive(Debug)]
pub enum File {
    /// Of the file system.
    Local(fs::File),
    /// In a store.
    Stored(Reading),
}

impl File {
    /// Opens a file.
    ///
    /// # Errors
    /// If there is none, or it cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_found(path).map(|(file, _)| file)
    }

    /// Opens a file; and its state.
    pub(crate) fn open_found(path: &Path) -> Result<(Self, FileState)> {
        let Some(address) = Address::parse(path) else {
            let failed = |error| Error::io("open", path, error);
            let file = fs::File::open(path).map_err(failed)?;
            let state = FileState::of(&file.metadata().map_err(failed)?);
            return Ok((Self::Local(file), state));
        };
        match find_at(&address)? {
            Some(Found::File(state)) => Ok((Self::in_state(path, &state)?, state)),
            Some(_) => Err(ErrorKind::Usage
                .expected("a file")
                .found("a folder")
                .at(path)),
            None => Err(missing(&address)),
        }
    }

    /// Opens the object of this path that is in this state.
    pub(crate) fn in_state(path: &Path, state: &FileState) -> Result<Self> {
        Object::in_state(path, state).open().map(Self::Stored)
    }

    /// Another handle to the same file.
    fn again(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Local(file) => Self::Local(file.try_clone()?),
            Self::Stored(reading) => Self::Stored(reading.clone()),
        })
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Local(file) => file.read(buffer),
            Self::Stored(reading) => reading.read(buffer),
        }
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Local(file) => file.seek(to),
            Self::Stored(reading) => reading.seek(to),
        }
    }
}

impl Length for File {
    fn len(&self) -> u64 {
        match self {
            Self::Local(file) => file.len(),
            Self::Stored(reading) => reading.object().bytes,
        }
    }
}

impl ChunkReader for File {
    type T = BufReader<Self>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let mut file = self.again()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(BufReader::new(file))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        if let Self::Local(file) = self {
            return file.get_bytes(start, length);
        }
        if start.saturating_add(length as u64) > self.len() {
            return Err(ParquetError::EOF(format!(
                "expected {length} bytes from {start} on"
            )));
        }
        let mut file = self.again()?;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// The address as it is resolved, if it is one: without what means nothing in it.
pub(crate) fn resolved(path: &Path) -> Option<PathBuf> {
    Address::parse(path).map(|address| address.path())
}
