//! All outputs of a run: claimed before anything is read, written beside their final names, and renamed into place together at
//! the end.
//!
//! ```text
//! protect(inputs) ─┐
//! claim(outputs) ──┴→ begin ─→ create → AtomicFile → finish ─→ ... ─→ publish
//! ```
//!
//! - A path is *claimed* once, whatever command writes it. A claim is refused if the path is an input, lies in an input folder,
//!   or is already claimed; paths are compared with links resolved, and by device and inode. [`Outputs::create`] claims any
//!   unclaimed path, so no file can bypass these checks.
//! - A [`AtomicFile`] is written beside its final name. When complete it waits; [`Outputs::publish`] checks that the inputs are
//!   unchanged and then renames all files into place, or none.
//! - Unfinished files are removed when an [`Outputs`] is dropped or abandoned. Those of a killed process are removed by the next
//!   run that writes into the same folder: unfinished files carry the token of their run, and a lock tells whether that run is
//!   alive.

mod atomic_file;
mod claims;
mod folder;
mod leftovers;
mod place;
mod publish;

pub use atomic_file::{AtomicFile, Packed};
pub use claims::Role;
pub(crate) use folder::{SEAL, listed};
pub(crate) use leftovers::is_unfinished;
use place::resolved;
pub(crate) use place::{identity, is_special};

use crate::guard::InputGuard;
use claims::{Claims, Protected};
use leftovers::Lock;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};
use tegula::error::{Error, ErrorKind, Result};

/// What got a name.
#[derive(Debug, Default)]
pub struct Published {
    /// All files, without links.
    pub named: Vec<PathBuf>,
    /// Those that took the place of others, as the options named them; none of a run's folder, which has nothing but results.
    pub replaced: Vec<PathBuf>,
}

/// The outputs of one run. A clone is a handle to the same outputs.
#[derive(Debug, Clone, Default)]
pub struct Outputs(Arc<Mutex<State>>);

/// The outputs of a run, as long as the run holds them.
#[derive(Debug, Clone)]
pub struct Unfinished(Weak<Mutex<State>>);

impl Unfinished {
    /// Removes all that has no name yet, for an end without delay: nothing can be written afterwards. Waits for a publication that is under
    /// way. Returns whether files have got their names before.
    pub fn abandon(&self) -> bool {
        self.0.upgrade().is_some_and(|state| Outputs(state).abandon())
    }
}

/// What is known of the outputs of a run.
#[derive(Debug)]
struct State {
    /// What the unfinished files of this run have in their names.
    token: String,
    /// Whether a folder may hold other files.
    overwrite: bool,
    protected: Protected,
    claims: Claims,
    /// Inputs that must not change until the files get their names.
    guards: Vec<Arc<InputGuard>>,
    /// Which folders hold unfinished files of this run, for as long as it is alive.
    locks: Vec<Lock>,
    /// Folders that this run made, the outer ones first.
    made: Vec<PathBuf>,
    /// Files in the making.
    open: Vec<PathBuf>,
    /// Whole files that wait for their names, in the order in which they became whole.
    whole: Vec<atomic_file::Whole>,
    /// Files that are to be gone when the others have their names.
    gone: Vec<PathBuf>,
    /// Nothing may be written any more.
    abandoned: bool,
    /// Files have got their names.
    published: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            token: token(),
            overwrite: false,
            protected: Protected::default(),
            claims: Claims::default(),
            guards: Vec::new(),
            locks: Vec::new(),
            made: Vec::new(),
            open: Vec::new(),
            whole: Vec::new(),
            gone: Vec::new(),
            abandoned: false,
            published: false,
        }
    }
}

/// Other processes and earlier runs must not have it.
fn token() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mixed = xxhash_rust::xxh3::xxh3_64(format!("{now} {}", std::process::id()).as_bytes());
    format!("{mixed:016x}")
}

impl Outputs {
    /// No outputs yet. `overwrite` permits folders that hold other files: those that an earlier run wrote are removed when this run
    /// publishes, all others stay.
    pub fn new(overwrite: bool) -> Self {
        let outputs = Self::default();
        outputs.lock().overwrite = overwrite;
        outputs
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses to write to a path that is read: a file, or a folder with all that is in it.
    ///
    /// # Errors
    /// When it is claimed already.
    pub fn protect(&self, path: &Path) -> Result<()> {
        let mut state = self.lock();
        state.protected.add(path);
        state.protected.check_all(&state.claims)
    }

    /// The same for many files, that also must not change until the outputs get their names.
    ///
    /// # Errors
    /// When one is claimed already.
    pub fn guard<'a>(&self, guards: impl IntoIterator<Item = &'a Arc<InputGuard>>) -> Result<()> {
        let mut state = self.lock();
        for guard in guards {
            state.protected.add(guard.path());
            state.guards.push(Arc::clone(guard));
        }
        state.protected.check_all(&state.claims)
    }

    /// Claims a path for what `option` writes there; `-` is standard output. Errors name the option as it is given here: as a mark,
    /// `⟨output⟩`, or in the words of the caller.
    ///
    /// # Errors
    /// When it is read, claimed already, or not what `role` needs.
    pub fn claim(&self, option: &str, path: &Path, role: Role) -> Result<()> {
        self.lock().claim(option, path, role)
    }

    /// Says which files the claim of a folder will write, by their names inside it: each of them is written, or gone at the end.
    ///
    /// # Errors
    /// When one of them is read, or claimed by another.
    pub fn claim_names(&self, folder: &Path, names: impl IntoIterator<Item = PathBuf>) -> Result<()> {
        let mut state = self.lock();
        let State { claims, protected, .. } = &mut *state;
        claims.name_all(folder, names.into_iter().collect(), protected)
    }

    /// Ends claiming: makes missing folders, removes what killed runs left in them, and refuses folders that hold files which this run
    /// does not write. May be called again after further claims.
    ///
    /// # Errors
    /// When a folder cannot be made or read, or holds other files.
    pub fn begin(&self) -> Result<()> {
        let mut state = self.lock();
        state.refuse_abandoned()?;
        state.begin()
    }

    /// Begins a file. What nobody has claimed is claimed here.
    ///
    /// # Errors
    /// When the path is read, or the file cannot be made.
    pub fn create(&self, path: &Path) -> Result<AtomicFile> {
        let (target, token) = {
            let mut state = self.lock();
            state.refuse_abandoned()?;
            let target = state.prepare(path)?;
            (target, state.token.clone())
        };
        AtomicFile::create(self, target, &token)
    }

    /// Says that no file shall have this name at the end.
    pub fn remove(&self, path: &Path) {
        let path = resolved(path);
        if !is_special(&path) {
            self.lock().gone.push(path);
        }
    }

    /// Checks that the inputs are unchanged, and renames all complete files into place; on failure, none is renamed.
    ///
    /// # Errors
    /// When an input has changed, or a file cannot be renamed.
    pub fn publish(&self) -> Result<Published> {
        let mut state = self.lock();
        state.refuse_abandoned()?;
        state.publish()
    }

    /// A handle that keeps nothing from being removed when the run ends.
    pub fn unfinished(&self) -> Unfinished {
        Unfinished(Arc::downgrade(&self.0))
    }

    fn abandon(&self) -> bool {
        let mut state = self.lock();
        state.abandoned = true;
        state.clean();
        state.published
    }
}

impl State {
    fn refuse_abandoned(&self) -> Result<()> {
        if self.abandoned { Err(Error::new(ErrorKind::Cancelled, "interrupted")) } else { Ok(()) }
    }

    fn claim(&mut self, option: &str, path: &Path, role: Role) -> Result<()> {
        self.protected.check(option, path)?;
        self.claims.add(option, path, role)
    }

    /// The final path of a file that is about to be written, which is claimed from now on, in a folder that is there.
    fn prepare(&mut self, path: &Path) -> Result<PathBuf> {
        let target = resolved(path);
        self.protected.check("output", path)?;
        if !self.claims.covers(&target) {
            self.claims.add("output", path, Role::File)?;
        }
        if !is_special(&target) {
            let folder = place::parent(&target);
            self.make(&folder)?;
            self.lock_folder(&folder, false)?;
        }
        Ok(target)
    }

    /// Makes a folder and those around it, to be removed again if nothing is named in them.
    fn make(&mut self, folder: &Path) -> Result<()> {
        let missing: Vec<PathBuf> = folder.ancestors().take_while(|path| !path.is_dir()).map(Path::to_path_buf).collect();
        for path in missing.into_iter().rev().filter(|path| !path.as_os_str().is_empty()) {
            match std::fs::create_dir(&path) {
                Ok(()) => self.made.push(path),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && path.is_dir() => {}
                Err(error) => return Err(Error::io("create", &path, error)),
            }
        }
        Ok(())
    }

    /// Removes all that has no name yet.
    fn clean(&mut self) {
        self.whole.clear();
        for path in self.open.drain(..) {
            let _gone = std::fs::remove_file(path);
        }
        self.locks.clear();
        for folder in self.made.drain(..).rev() {
            // Only where it is empty.
            let _left = std::fs::remove_dir(folder);
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.clean();
    }
}

#[cfg(test)]
mod tests;
