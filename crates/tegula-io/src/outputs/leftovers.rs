//! Unfinished files: how they are named, and how those of killed runs are found.
//!
//! A run holds a lock on `.tegula-TOKEN.lock` in each folder that it writes to, until it ends; its
//! unfinished files are named `.NAME.RANDOM.TOKEN.part`. A lock that can be acquired belongs to a
//! dead run: all of its files can be removed.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};

/// The suffix of unfinished files.
pub(super) const PART: &str = ".part";
const LOCK: (&str, &str) = (".tegula-", ".lock");
/// Bytes of the final name that are part of an unfinished file's name, so that the latter is not
/// too long for file systems.
const LONGEST: usize = 96;

/// A folder that this run writes to.
#[derive(Debug)]
pub(super) struct Lock {
    folder: PathBuf,
    /// Whether it also covers subfolders.
    below: bool,
    path: PathBuf,
    /// Holds the lock until it is closed.
    _file: File,
}

impl Lock {
    /// Locks a folder for the run with this token.
    pub(super) fn new(folder: &Path, below: bool, token: &str) -> Result<Self> {
        let path = folder.join(format!("{}{token}{}", LOCK.0, LOCK.1));
        let file = File::create(&path)
            .map_err(|error| Error::io("write to the folder of an output", folder, error))?;
        // If the file system does not support locks, no run will be considered dead.
        let _locked = file.try_lock();
        Ok(Self {
            folder: folder.to_path_buf(),
            below,
            path,
            _file: file,
        })
    }

    /// Whether a folder is locked with it.
    pub(super) fn covers(&self, folder: &Path) -> bool {
        folder == self.folder || (self.below && folder.starts_with(&self.folder))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.path);
    }
}

/// The prefix of an unfinished file's name.
pub(super) fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    if name.len() <= LONGEST {
        prefix.push(name);
    } else {
        prefix.push(
            name.to_string_lossy()
                .chars()
                .take(LONGEST / 4)
                .collect::<String>(),
        );
    }
    prefix.push(".");
    prefix
}

/// Whether this is an unfinished file.
pub(crate) fn is_unfinished(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && (name.ends_with(PART.as_bytes()) || token_of_lock(name).is_some())
}

fn token_of_lock(name: &[u8]) -> Option<&[u8]> {
    name.strip_prefix(LOCK.0.as_bytes())?
        .strip_suffix(LOCK.1.as_bytes())
}

/// Whether an unfinished file belongs to the run with this token.
fn is_part_of(name: &[u8], token: &[u8]) -> bool {
    let ending = |name: &[u8]| {
        Some(
            name.strip_suffix(PART.as_bytes())?
                .strip_suffix(token)?
                .ends_with(b"."),
        )
    };
    ending(name).unwrap_or(false)
}

/// Removes what killed runs left in a folder, and with `below` in its subfolders.
pub(super) fn sweep(folder: &Path, below: bool) {
    let mut dead: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let depth = if below { usize::MAX } else { 1 };
    let entries = || {
        walkdir::WalkDir::new(folder)
            .min_depth(1)
            .max_depth(depth)
            .into_iter()
            .flatten()
    };
    for entry in entries() {
        if let Some(token) = token_of_lock(entry.file_name().as_encoded_bytes())
            && is_dead(entry.path())
        {
            dead.push((entry.path().to_path_buf(), token.to_vec()));
        }
    }
    if dead.is_empty() {
        return;
    }
    for entry in entries().filter(|entry| entry.file_type().is_file()) {
        let name = entry.file_name().as_encoded_bytes();
        if dead.iter().any(|(_, token)| is_part_of(name, token)) {
            let _gone = fs::remove_file(entry.path());
        }
    }
    // Last, so that if this is killed, the next sweep finds the rest.
    for (lock, _) in dead {
        let _gone = fs::remove_file(lock);
    }
}

/// Whether the lock is not held by anyone.
fn is_dead(lock: &Path) -> bool {
    let Ok(file) = File::options().write(true).open(lock) else {
        return false;
    };
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}
