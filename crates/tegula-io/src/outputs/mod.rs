//! All outputs of a run: claimed before anything is read, written next to their final names, and
//! renamed into place together at the end.
//!
//! ```text
//! protect(inputs) ─┐
//! claim(outputs) ──┴→ begin ─→ create → AtomicFile → finish ─→ ... ─→ publish
//! ```
//!
//! - A path is *claimed* once, whatever command writes it. A claim is refused if the path is an
//!   input, is inside an input folder, or is already claimed; paths are compared with links
//!   resolved, and by device and inode. [`Outputs::create`] claims any unclaimed path, so no file
//!   can bypass these checks.
//! - An [`AtomicFile`] is written next to its final name. When all are complete,
//!   [`Outputs::publish`] checks that the inputs are unchanged and then renames all files into
//!   place, or none.
//! - A path may be an address in a store. What is written there is uploaded in parts and becomes an
//!   object when the run is published, after all files have their names; objects cannot be renamed, so
//!   the list of a folder's objects is written last.
//! - Unfinished files are removed when an [`Outputs`] is dropped or abandoned. Those of a killed
//!   process are removed by the next run that writes into the same folder: their names contain the
//!   token of their run, and a lock shows whether that run is alive.

mod atomic_file;
mod claims;
mod folder;
mod leftovers;
mod manifest;
mod parts;
mod place;
mod publish;
mod state;
mod stored;

pub(crate) use atomic_file::Handle;
pub use atomic_file::{AtomicFile, Packed};
pub use claims::Role;
pub(crate) use leftovers::is_unfinished;
pub(crate) use manifest::{SEAL, listed};
pub use parts::HandedOver;
pub use place::resolved;
pub(crate) use place::{identity, is_special};
pub use publish::Published;

use crate::guard::InputGuard;
use crate::memory::Received;
use crate::store::{self, Uploaded};
use state::State;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tegula::error::Result;

/// The outputs of one run. A clone is a handle to the same outputs.
#[derive(Debug, Clone, Default)]
pub struct Outputs(Arc<Mutex<State>>);

/// The unfinished outputs of a run, while the run holds them.
#[derive(Debug, Clone)]
pub struct Unfinished(Weak<Mutex<State>>);

impl Unfinished {
    /// Removes all files not yet in place, before an immediate exit: nothing can be written
    /// afterwards. Waits for a publication in progress. Returns whether files were already renamed
    /// into place.
    pub fn abandon(&self) -> bool {
        self.0
            .upgrade()
            .is_some_and(|state| Outputs(state).abandon())
    }
}

impl Outputs {
    /// No outputs yet. `overwrite` permits folders that contain other files: those that an earlier
    /// run wrote are removed when this run publishes, all others are kept.
    pub fn new(overwrite: bool) -> Self {
        let outputs = Self::default();
        outputs.lock().overwrite = overwrite;
        outputs
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Receives a table in memory instead of at its path.
    pub fn receive(&self, received: Arc<Received>) {
        self.lock().received = Some(received);
    }

    /// Where the table of this path is received, if it is no file.
    pub(crate) fn received(&self, path: &Path) -> Option<Arc<Received>> {
        self.lock().received(path).cloned()
    }

    /// Refuses to write to a path that is read: a file, or a folder with all its contents.
    ///
    /// # Errors
    /// If it is already claimed.
    pub fn protect(&self, path: &Path) -> Result<()> {
        let mut state = self.lock();
        state.protected.add(path);
        state.protected.check_all(&state.claims)
    }

    /// The same for many files, which also must not change until the outputs are renamed.
    ///
    /// # Errors
    /// If one is already claimed.
    pub fn guard<'a>(&self, guards: impl IntoIterator<Item = &'a Arc<InputGuard>>) -> Result<()> {
        let mut state = self.lock();
        for guard in guards {
            // The name of a table in memory is not a path.
            if !guard.is_in_memory() {
                state.protected.add_file(guard.path());
            }
            state.guards.push(Arc::clone(guard));
        }
        state.protected.check_all(&state.claims)
    }

    /// Claims a path that `option` writes; `-` is standard output. Errors contain the option as
    /// given here: as a mark, `⟨output⟩`, or in the caller's spelling.
    ///
    /// # Errors
    /// If it is read, already claimed, or unsuitable for `role`.
    pub fn claim(&self, option: &str, path: &Path, role: Role) -> Result<()> {
        self.lock().claim(option, &store::shown(path), role)
    }

    /// Declares the files that the claim of a folder will write, by their names inside it: each is
    /// written, or deleted at the end.
    ///
    /// # Errors
    /// If one of them is read, or claimed by another.
    pub fn claim_names(
        &self,
        folder: &Path,
        names: impl IntoIterator<Item = PathBuf>,
    ) -> Result<()> {
        let mut state = self.lock();
        let State {
            claims, protected, ..
        } = &mut *state;
        claims.name_all(folder, names.into_iter().collect(), protected)
    }

    /// Ends claiming: creates missing folders, removes what killed runs left in them, and refuses
    /// folders with files that this run does not write. May be called again after further claims.
    ///
    /// # Errors
    /// If a folder cannot be created or read, or contains other files.
    pub fn begin(&self) -> Result<()> {
        let mut state = self.lock();
        state.refuse_abandoned()?;
        state.begin()
    }

    /// Declares that these folders shall exist at the end, even if they are empty.
    pub(crate) fn keep_folders(&self, folders: impl Iterator<Item = PathBuf>) {
        self.lock().kept.extend(folders);
    }

    /// Takes over an object of which all was uploaded, perhaps by another process: it becomes visible
    /// with the other outputs, or is removed with them. Claims its path if it is unclaimed.
    ///
    /// # Errors
    /// If the path is read or claimed by another.
    pub fn adopt(&self, uploaded: Uploaded) -> Result<()> {
        let mut state = self.lock();
        state.refuse_abandoned()?;
        state.prepare(uploaded.path())?;
        uploaded.note(&state.notes)?;
        state.uploaded.push(uploaded);
        Ok(())
    }

    /// Declares that no file shall have this name at the end.
    pub fn remove(&self, path: &Path) {
        let path = resolved(path);
        if !is_special(&path) {
            self.lock().obsolete.push(path);
        }
    }

    /// Checks that the inputs are unchanged, and renames all complete files into place; on failure,
    /// none is renamed.
    ///
    /// # Errors
    /// If an input has changed, or a file cannot be renamed.
    pub fn publish(&self) -> Result<Published> {
        let mut state = self.lock();
        state.refuse_abandoned()?;
        state.publish()
    }

    /// A handle that does not prevent removal when the run ends.
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

#[cfg(test)]
mod tests;
