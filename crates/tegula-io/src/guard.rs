//! Checks that inputs do not change while a run reads them, between passes and from block to block.
//!
//! Device, inode, length, time and a checksum of every mebibyte on disk are recorded on the first
//! pass and compared on each later one, and again before the outputs are renamed into place. An object
//! in a store has a tag instead of device and inode, which every request for its bytes carries.

use crate::file_state::{FileState, changed};
use crate::store::{self, File, Found, Object};
use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tegula::error::{Error, ErrorKind, Result};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes on disk per checksum.
pub(crate) const WINDOW: usize = 1 << 20;

/// The checksum of a window of this many bytes.
pub(crate) fn checksum(hash: u64, bytes: usize) -> u64 {
    hash ^ bytes as u64
}

/// Checksums of a file's content.
#[derive(Debug, Default)]
struct Content {
    /// A checksum of every window read.
    windows: Vec<u64>,
    /// A checksum of the whole file, if it was read to its end.
    whole: Option<u64>,
    /// Checksums of ranges that were read by offset.
    ranges: HashMap<(u64, usize), u64>,
    /// A detected change, so that nothing is written even if an error was mistaken for damage.
    broken: Option<String>,
}

/// Guards one input file against changes; a table in memory, which nothing can change, only has a
/// name.
#[derive(Debug)]
pub struct InputGuard {
    path: PathBuf,
    is_in_memory: bool,
    state: FileState,
    content: Mutex<Content>,
    /// What a reader has found out about the file, and need not again, as the file does not change.
    known: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl InputGuard {
    /// Starts guarding a file.
    pub(crate) fn new(path: &Path, state: FileState) -> Self {
        Self {
            path: path.to_path_buf(),
            is_in_memory: false,
            state,
            content: Mutex::default(),
            known: OnceLock::new(),
        }
    }

    /// For a table in memory with a name and this many bytes of text.
    pub(crate) fn in_memory(name: &str, bytes: u64) -> Self {
        Self {
            path: PathBuf::from(name),
            is_in_memory: true,
            state: FileState {
                device: None,
                inode: None,
                bytes,
                modified: None,
                tag: None,
            },
            content: Mutex::default(),
            known: OnceLock::new(),
        }
    }

    /// Whether there is no file, but a table in memory; its path is the name of the table.
    pub fn is_in_memory(&self) -> bool {
        self.is_in_memory
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// When the file was written to last, where the system knows.
    pub(crate) fn modified(&self) -> Option<jiff::Timestamp> {
        jiff::Timestamp::try_from(self.state.modified?).ok()
    }

    /// How large the file is on disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.state.bytes
    }

    /// The state of the file when it was first opened.
    pub(crate) fn state(&self) -> &FileState {
        &self.state
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the reader of the file's format has found out about it; empty at first.
    pub(crate) fn known<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let known = self.known.get_or_init(|| Arc::new(T::default()));
        // A file has one format, and so one reader.
        Arc::downcast(Arc::clone(known)).unwrap_or_default()
    }

    /// A checksum of the whole file, if it has been read to its end.
    pub fn digest(&self) -> Option<u64> {
        self.content().whole
    }

    /// Sets the checksum from an earlier process, which this one must find again.
    pub fn expect(&self, digest: u64) {
        self.content().whole = Some(digest);
    }

    /// The error that it has changed, and how.
    pub(crate) fn changed(&self, how: &str) -> Error {
        changed(&self.path, how)
    }

    /// Whether the file is an object in a store.
    pub(crate) fn is_stored(&self) -> bool {
        !self.is_in_memory && store::is_address(&self.path)
    }

    /// Checks the file by its name.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`] if it has changed.
    pub fn check(&self) -> Result<()> {
        if self.is_in_memory {
            return Ok(());
        }
        if let Some(how) = &self.content().broken {
            return Err(self.changed(how));
        }
        if self.is_stored() {
            let found = store::look_again([self.path.as_path()])?;
            return self.check_object(found.into_iter().flatten().next());
        }
        match std::fs::metadata(&self.path) {
            Ok(found) => self.check_state(&FileState::of(&found)),
            Err(error) => Err(self.changed(&format!("it can no longer be found ({error})"))),
        }
    }

    /// Checks many files by their names.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`] if one has changed.
    pub(crate) fn check_all(all: &[Arc<Self>]) -> Result<()> {
        let (stored, local): (Vec<_>, Vec<_>) = all.iter().partition(|guard| guard.is_stored());
        local.into_iter().try_for_each(|guard| guard.check())?;
        let found = store::look_again(stored.iter().map(|guard| guard.path()))?;
        (stored.into_iter().zip(found)).try_for_each(|(guard, found)| guard.check_object(found))
    }

    fn check_object(&self, now: Option<Object>) -> Result<()> {
        if let Some(how) = &self.content().broken {
            return Err(self.changed(how));
        }
        match now {
            Some(now) => self.check_state(&now.into()),
            None => Err(self.changed("it is no longer there")),
        }
    }

    fn check_state(&self, now: &FileState) -> Result<()> {
        self.state
            .difference(now)
            .map_or(Ok(()), |how| Err(self.changed(&how)))
    }

    /// Starts guarding a file.
    ///
    /// # Errors
    /// If it cannot be found.
    pub fn of(path: &Path) -> Result<Arc<Self>> {
        match store::find(path)? {
            Found::File(state) => return Ok(Arc::new(Self::new(path, state))),
            Found::Folder if store::is_address(path) => {
                return Err(ErrorKind::Usage
                    .expected("a file")
                    .found("a folder")
                    .at(path));
            }
            Found::Folder | Found::Special => {}
        }
        let found = std::fs::metadata(path).map_err(|error| Error::io("open", path, error))?;
        Ok(Arc::new(Self::new(path, FileState::of(&found))))
    }

    /// Opens the file.
    ///
    /// # Errors
    /// If that fails, or it has changed; if it is a table in memory.
    pub(crate) fn open(&self) -> Result<File> {
        if self.is_in_memory {
            return Err(ErrorKind::Usage
                .expected("a file")
                .found("a table in memory")
                .at(&self.path));
        }
        if self.is_stored() {
            // Every request carries its state.
            return File::in_state(&self.path, &self.state);
        }
        let (file, state) = File::open_found(&self.path)?;
        self.check_state(&state)?;
        Ok(file)
    }

    /// Compares bytes at an offset with those of the first read.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`].
    pub(crate) fn range(&self, start: u64, bytes: &[u8]) -> Result<()> {
        self.same_range((start, bytes.len()), xxh3_64(bytes))
    }

    /// Compares the checksum of a range, by its start and length, with that of the first read.
    pub(crate) fn same_range(&self, range: (u64, usize), check: u64) -> Result<()> {
        let (mut content, start) = (self.content(), range.0);
        if *content.ranges.entry(range).or_insert(check) == check {
            return Ok(());
        }
        Err(self.broken(
            &mut content,
            format!("the bytes from {start} on differ from those read first"),
        ))
    }

    fn broken(&self, content: &mut Content, how: String) -> Error {
        let error = self.changed(&how);
        content.broken = Some(how);
        error
    }

    /// Whether the file was read to its end, so that any of its windows can be compared.
    pub(crate) fn knows_all(&self) -> bool {
        // The last one may be empty.
        self.content().windows.len() as u64 == self.state.bytes / WINDOW as u64 + 1
    }

    /// Compares the bytes of a window, of a file that was read to its end, with those of the first
    /// read.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`].
    pub(crate) fn compare(&self, window: u64, bytes: &[u8]) -> Result<()> {
        let check = checksum(xxh3_64(bytes), bytes.len());
        self.window(usize::try_from(window).unwrap_or(usize::MAX), check, false)
    }

    /// Compares the checksum of a window with that of the first read; `last` says that the file
    /// ends here.
    pub(crate) fn window(&self, at: usize, check: u64, last: bool) -> Result<()> {
        let mut content = self.content();
        match content.windows.get(at) {
            Some(known) if *known != check => {
                let from = at as u64 * WINDOW as u64;
                return Err(self.broken(
                    &mut content,
                    format!("the bytes from {from} on differ from those read first"),
                ));
            }
            Some(_) => {}
            None => content.windows.push(check),
        }
        if last {
            if content.windows.len() > at + 1 {
                return Err(self.broken(
                    &mut content,
                    "it ends earlier than when it was first read".into(),
                ));
            }
            let bytes: Vec<u8> = content
                .windows
                .iter()
                .flat_map(|check| check.to_le_bytes())
                .collect();
            let whole = xxh3_64(&bytes);
            if *content.whole.get_or_insert(whole) != whole {
                return Err(self.broken(
                    &mut content,
                    "its bytes differ from those read by an earlier run".into(),
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarded::Guarded;
    use std::fs;
    use std::io::Read as _;

    /// Reads a whole file in pieces of a given size.
    fn read(guard: &Arc<InputGuard>, piece: usize) -> Result<Vec<u8>> {
        let failed = Arc::new(Mutex::new(None));
        let mut reader = Guarded::new(guard.open()?, Arc::clone(guard), Arc::clone(&failed));
        let mut all = Vec::new();
        let mut buffer = vec![0; piece];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(all),
                Ok(length) => all.extend_from_slice(&buffer[..length]),
                Err(_) => return Err(failed.lock().unwrap().take().unwrap()),
            }
        }
    }

    #[test]
    fn a_changed_byte_a_longer_and_a_shorter_file_are_noticed_even_if_the_time_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let bytes: Vec<u8> = (0..3 * WINDOW + 7)
            .map(|at| ((at * at) >> 3) as u8)
            .collect();
        fs::write(&path, &bytes).unwrap();
        let found = fs::metadata(&path).unwrap();
        let guard = Arc::new(InputGuard::new(&path, FileState::of(&found)));
        assert_eq!(read(&guard, 1000).unwrap(), bytes);
        assert_eq!(
            read(&guard, WINDOW + 1).unwrap(),
            bytes,
            "whatever the pieces"
        );
        let set_back = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            fs::File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(found.modified().unwrap())
                .unwrap();
        };
        let mut other = bytes.clone();
        other[WINDOW + 1] ^= 1;
        set_back(&other);
        let error = read(&guard, 4096).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Changed);
        assert!(
            error.message().contains("the bytes from 1048576 on differ"),
            "{error}"
        );
        assert_eq!(
            guard.check().unwrap_err().kind(),
            ErrorKind::Changed,
            "for good"
        );
        let guard = InputGuard::of(&path).unwrap();
        fs::write(&path, &bytes[..10]).unwrap();
        assert!(guard.check().unwrap_err().message().contains("and has 10"));
        fs::remove_file(&path).unwrap();
        assert_eq!(guard.check().unwrap_err().kind(), ErrorKind::Changed);
    }

    #[test]
    fn what_an_earlier_process_read_must_be_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "one").unwrap();
        let first = Arc::new(InputGuard::new(
            &path,
            FileState::of(&fs::metadata(&path).unwrap()),
        ));
        read(&first, 10).unwrap();
        fs::write(&path, "two").unwrap();
        let later = Arc::new(InputGuard::new(
            &path,
            FileState::of(&fs::metadata(&path).unwrap()),
        ));
        later.expect(first.digest().unwrap());
        assert_eq!(read(&later, 10).unwrap_err().kind(), ErrorKind::Changed);
    }
}
