//! The folder of an index: its files, and how they change.
//!
//! | file | |
//! | --- | --- |
//! | `index.toml` | the [description](super::description) |
//! | `segments/N` | a segment, or a list of removed records |
//! | `statistics.tsv` | the frequencies of shingles, if the recipe weights these |
//! | `segments/merge` | a segment that a merge is writing |
//! | `lock`, `merge.lock` | name the process that writes, and the one that merges |
//!
//! A file is complete on disk before `index.toml` names it. Files that it does not name are left from
//! a change that did not happen, and removed by the next writer.

use super::description::{Counted, Description, not_one};
use super::pages::damaged;
use crate::error::{Error, ErrorKind, Result};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

const DESCRIPTION: &str = "index.toml";
const NEW: &str = "index.toml.new";
const SEGMENTS: &str = "segments";
const LOCK: &str = "lock";
const MERGING: &str = "merge.lock";
const MERGE: &str = "merge";
/// The frequencies of shingles.
const STATISTICS: &str = "statistics.tsv";

/// The folder of an index.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
}

/// Held by the one who writes, or merges.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The name of the process, which no longer writes.
        let _ = self.file.set_len(0);
    }
}

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
        }
    }

    /// Whether it contains an index.
    pub(super) fn is_index(&self) -> bool {
        self.path.join(DESCRIPTION).is_file()
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A file of a segment.
    pub(super) fn file(&self, number: u64) -> PathBuf {
        self.path.join(SEGMENTS).join(format!("{number:08}"))
    }

    /// The file of a segment that a merge is writing.
    pub(super) fn merge(&self) -> PathBuf {
        self.path.join(SEGMENTS).join(MERGE)
    }

    /// Gives that file, which is complete, its number.
    pub(super) fn rename_merge(&self, number: u64) -> Result<()> {
        let merge = self.merge();
        fs::rename(&merge, self.file(number)).map_err(|error| Error::io("rename", &merge, error))
    }

    /// Reads the frequencies of shingles.
    ///
    /// # Errors
    /// If they are not those that the index was made with.
    pub(super) fn read_statistics(&self, counted: &Counted) -> Result<Vec<u8>> {
        let path = self.path.join(STATISTICS);
        let content = fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        if Counted::new(&counted.steps, &content) != *counted {
            return Err(damaged(&path, "the frequencies of the index", "others"));
        }
        Ok(content)
    }

    /// Writes them.
    pub(super) fn write_statistics(&self, content: &[u8]) -> Result<()> {
        let path = self.path.join(STATISTICS);
        File::create(&path)
            .and_then(|mut file| {
                file.write_all(content)?;
                file.sync_all()
            })
            .map_err(|error| Error::io("write", &path, error))
    }

    /// Creates it, unless there is something else.
    ///
    /// # Errors
    /// If it is not empty, or cannot be created.
    pub(super) fn create(&self) -> Result<()> {
        let path = &self.path;
        // Its own files without a description are left from when making it was interrupted.
        let own = [LOCK, MERGING, SEGMENTS, STATISTICS, NEW, DESCRIPTION];
        let is_other = |entry: io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| own.iter().all(|name| entry.file_name() != *name))
        };
        if let Ok(mut entries) = fs::read_dir(path)
            && entries.any(is_other)
        {
            return Err(ErrorKind::Usage
                .expected("an index, or no folder of this name")
                .found("a folder with other files")
                .at(path)
                .hint("choose another name"));
        }
        let segments = path.join(SEGMENTS);
        // Making one writes the description before any segment.
        if !self.is_index() && fs::read_dir(&segments).is_ok_and(|mut all| all.next().is_some()) {
            return Err(ErrorKind::Usage
                .expected(format!("an index with its {DESCRIPTION}"))
                .found("segments alone")
                .at(path)
                .hint(format!("restore {DESCRIPTION} from a copy, or choose another name; if the texts are elsewhere, remove the folder and make the index again")));
        }
        fs::create_dir_all(&segments).map_err(|error| Error::io("create", &segments, error))?;
        match path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            Some(parent) => sync(parent),
            None => sync(Path::new(".")),
        }
    }

    /// Reads the description.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub(super) fn description(&self) -> Result<Description> {
        let path = self.path.join(DESCRIPTION);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(not_one(&self.path));
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(not_one(&path));
            }
            Err(error) => return Err(Error::io("open", &path, error)),
        };
        Description::read(&path, &text)
    }

    /// Puts another description in place of the one that is there, and waits until the disk has it.
    ///
    /// # Errors
    /// If it cannot be written; the other is then still there.
    pub(super) fn replace(&self, description: &Description) -> Result<()> {
        let text = description.write()?;
        let (path, new) = (self.path.join(DESCRIPTION), self.path.join(NEW));
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written.map_err(|error| Error::io("write", &new, error))?;
        self.sync_segments()?;
        fs::rename(&new, &path).map_err(|error| Error::io("rename", &new, error))?;
        sync(&self.path)
    }

    /// Waits until the disk has the names of all files.
    fn sync_segments(&self) -> Result<()> {
        sync(&self.path.join(SEGMENTS))
    }

    /// Takes the lock of the one who writes.
    ///
    /// # Errors
    /// If another process has it, which is named.
    pub(super) fn lock(&self) -> Result<Lock> {
        let lock = self.try_lock(LOCK)?;
        lock.map_err(|owner| self.busy(&owner, "writing to it"))
    }

    /// Takes the lock of the one who merges; none if another has it, unless it `must` be taken.
    ///
    /// # Errors
    /// If it must, and another process has it, which is named.
    pub(super) fn lock_merges(&self, must: bool) -> Result<Option<Lock>> {
        match self.try_lock(MERGING)? {
            Ok(lock) => Ok(Some(lock)),
            Err(owner) if must => Err(self.busy(&owner, "merging its segments")),
            Err(_) => Ok(None),
        }
    }

    fn busy(&self, owner: &str, doing: &str) -> Error {
        ErrorKind::Run
            .expected("an index that nothing else writes to")
            .found(format!("{owner} {doing}"))
            .at(&self.path)
            .hint("wait until it has finished; reading is possible meanwhile")
    }

    /// Takes a lock, or names its owner.
    fn try_lock(&self, name: &str) -> Result<std::result::Result<Lock, String>> {
        let path = self.path.join(name);
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|error| Error::io("open", &path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                let mut owner = String::new();
                let _ = (&mut file).take(200).read_to_string(&mut owner);
                return Ok(Err(match owner.trim() {
                    "" => "another process".to_owned(),
                    owner => owner.to_owned(),
                }));
            }
            Err(fs::TryLockError::Error(error)) => return Err(Error::io("lock", &path, error)),
        }
        let named = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| write!(file, "process {}", std::process::id()));
        named.map_err(|error| Error::io("write", &path, error))?;
        Ok(Ok(Lock { file }))
    }

    /// Removes the index, if it is one, and its folder, if nothing else is in it.
    pub(super) fn discard(&self) {
        for name in [DESCRIPTION, NEW, STATISTICS, MERGING, LOCK] {
            let _ = fs::remove_file(self.path.join(name));
        }
        let segments = self.path.join(SEGMENTS);
        for entry in fs::read_dir(&segments).into_iter().flatten().flatten() {
            let _ = fs::remove_file(entry.path());
        }
        let _ = fs::remove_dir(&segments);
        let _ = fs::remove_dir(&self.path);
    }

    /// Removes files that the description does not name; those that cannot be removed remain.
    pub(super) fn remove_others(&self, description: &Description) {
        let primer = description.primer.as_ref().map(|primer| primer.file);
        let named = |number: u64| {
            primer == Some(number)
                || description
                    .segments
                    .iter()
                    .any(|entry| entry.file == number || entry.removed_file == Some(number))
        };
        let entries = fs::read_dir(self.path.join(SEGMENTS)).into_iter().flatten();
        for entry in entries.flatten() {
            let number = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok());
            if number.is_some_and(|number| !named(number)) {
                let _ = fs::remove_file(entry.path());
            }
        }
        // Unless somebody is writing it.
        if self.merge().exists() && matches!(self.lock_merges(false), Ok(Some(_))) {
            let _ = fs::remove_file(self.merge());
        }
    }
}

/// Waits until the disk has the names in a folder.
#[cfg(unix)]
fn sync(folder: &Path) -> Result<()> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| Error::io("write", folder, error))
}

/// Elsewhere folders cannot be synced, and renaming waits.
#[cfg(not(unix))]
fn sync(_: &Path) -> Result<()> {
    Ok(())
}
