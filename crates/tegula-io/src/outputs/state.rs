//! The state of a run's outputs: what is claimed, locked, unfinished and complete.

use super::claims::{Claims, Protected, Role};
use super::leftovers;
use super::place::{is_special, parent, resolved};
use crate::guard::InputGuard;
use crate::lock::Lock;
use crate::memory::Received;
use crate::store::{self, Notes, Uploaded};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use tegula::error::{Error, ErrorKind, Result};
use tempfile::TempPath;

/// A complete file ready to be renamed.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) temp: TempPath,
    pub(super) target: PathBuf,
}

/// What other processes write for a run.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The folders into which they write.
    pub(super) folders: Vec<PathBuf>,
    /// Whether these are the outputs of such a process.
    pub(super) is_one: bool,
}

/// The most bytes of small whole objects that are kept in memory until they are published.
const HELD: u64 = 16 << 20;

/// The state of a run's outputs.
#[derive(Debug)]
pub(super) struct State {
    /// The token in the names of this run's unfinished files.
    pub(super) token: String,
    /// Whether a folder may contain other files.
    pub(super) overwrite: bool,
    pub(super) protected: Protected,
    pub(super) claims: Claims,
    /// Inputs that must not change until the files are renamed.
    pub(super) guards: Vec<Arc<InputGuard>>,
    /// Locks on folders with unfinished files of this run, held until it ends.
    pub(super) locks: Vec<Lock>,
    /// Folders created by this run, the outer ones first.
    pub(super) made: Vec<PathBuf>,
    /// Folders that exist at the end, even if they are empty.
    pub(super) kept: Vec<PathBuf>,
    /// What other processes write for the run.
    pub(super) parts: Parts,
    /// Unfinished files.
    pub(super) open: Vec<PathBuf>,
    /// Complete files ready to be renamed, in order of completion.
    pub(super) whole: Vec<Whole>,
    /// Objects of which all is in their stores, but not visible.
    pub(super) uploaded: Vec<Uploaded>,
    /// What this run has begun to upload.
    pub(super) notes: Arc<Mutex<Notes>>,
    /// The table that is received in memory.
    pub(super) received: Option<Arc<Received>>,
    /// Files to be deleted when the others are renamed.
    pub(super) obsolete: Vec<PathBuf>,
    /// Whether further writes are refused.
    pub(super) abandoned: bool,
    /// Whether files have been renamed into place.
    pub(super) published: bool,
}

impl Default for State {
    fn default() -> Self {
        let token = token();
        Self {
            notes: Notes::of(&token),
            token,
            overwrite: false,
            protected: Protected::default(),
            claims: Claims::default(),
            guards: Vec::new(),
            locks: Vec::new(),
            made: Vec::new(),
            kept: Vec::new(),
            parts: Parts::default(),
            open: Vec::new(),
            whole: Vec::new(),
            uploaded: Vec::new(),
            received: None,
            obsolete: Vec::new(),
            abandoned: false,
            published: false,
        }
    }
}

/// Must differ from that of other processes and earlier runs.
fn token() -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let mixed = xxhash_rust::xxh3::xxh3_64(format!("{now} {}", std::process::id()).as_bytes());
    format!("{mixed:016x}")
}

impl State {
    /// Where the table of this path is received, if it is no file.
    pub(super) fn received(&self, path: &Path) -> Option<&Arc<Received>> {
        self.received
            .as_ref()
            .filter(|received| received.path() == path)
    }

    /// Refuses further writes after an interruption.
    pub(super) fn refuse_abandoned(&self) -> Result<()> {
        if self.abandoned {
            Err(Error::new(ErrorKind::Cancelled, "interrupted"))
        } else {
            Ok(())
        }
    }

    pub(super) fn claim(&mut self, option: &str, path: &Path, role: Role) -> Result<()> {
        if self.received(path).is_some() {
            return Ok(());
        }
        self.protected.check(option, path)?;
        self.claims.add(option, path, role)
    }

    /// The final path of a file to be written, which is claimed from now on, in an existing folder.
    pub(super) fn prepare(&mut self, path: &Path) -> Result<PathBuf> {
        let target = resolved(path);
        self.protected.check("output", path)?;
        self.claims.stays_inside(path, &target)?;
        if !self.claims.covers(&target) {
            self.claims.add("output", path, Role::File)?;
        }
        if !is_special(&target) && !store::is_address(&target) {
            let folder = parent(&target);
            self.make(&folder)?;
            self.lock_folder(&folder, false)?;
        }
        Ok(target)
    }

    /// Creates a folder and its parents, to be removed again if no file is renamed into them.
    pub(super) fn make(&mut self, folder: &Path) -> Result<()> {
        let missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|path| !path.is_dir())
            .map(Path::to_path_buf)
            .collect();
        for path in missing
            .into_iter()
            .rev()
            .filter(|path| !path.as_os_str().is_empty())
        {
            match std::fs::create_dir(&path) {
                Ok(()) => self.made.push(path),
                Err(error)
                    if error.kind() == std::io::ErrorKind::AlreadyExists && path.is_dir() => {}
                Err(error) => return Err(Error::io("create", &path, error)),
            }
        }
        Ok(())
    }

    /// Locks a folder, with `below` including subfolders, unless it is already locked.
    pub(super) fn lock_folder(&mut self, folder: &Path, below: bool) -> Result<()> {
        // The run itself holds those of its parts.
        if !self.parts.is_one && !self.locks.iter().any(|lock| lock.covers(folder)) {
            self.locks.push(Lock::new(folder, below, &self.token)?);
        }
        Ok(())
    }

    /// Whether a small object may be kept in memory until it is published.
    pub(super) fn may_hold(&self) -> bool {
        // What another process completes must be in the store.
        !self.parts.is_one && self.uploaded.iter().map(Uploaded::held).sum::<u64>() < HELD
    }

    /// Removes what other processes have written and the run has not taken over.
    pub(super) fn sweep_parts(&mut self) {
        for folder in self.parts.folders.drain(..) {
            leftovers::sweep_run(&folder, self.token.as_bytes());
        }
    }

    /// Removes all files not yet in place.
    pub(super) fn clean(&mut self) {
        self.whole.clear();
        self.sweep_parts();
        self.uploaded.clear();
        (self.notes.lock().unwrap_or_else(PoisonError::into_inner)).clean();
        for path in self.open.drain(..) {
            let _gone = std::fs::remove_file(path);
        }
        self.locks.clear();
        for folder in self.made.drain(..).rev() {
            // Only if it is empty.
            let _left = std::fs::remove_dir(folder);
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.clean();
    }
}
