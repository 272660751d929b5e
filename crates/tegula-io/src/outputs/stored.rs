//! The outputs of a run that are objects in a store.
//!
//! A store has no rename, and no change of several objects at once. Until a run is complete nothing of
//! it is visible; then its objects become visible one after another, each as a whole, and at the end
//! the lists of those in a folder, and the seal of a run's folder. If that fails, those that are new
//! are deleted again; objects that were replaced are not what they were, which the error says.

use super::claims::{Claim, Role};
use super::manifest::{Listed, MANIFEST, Manifest, SEAL};
use super::state::State;
use crate::store::{self, Address, Object, Uploaded};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use tegula::error::{Error, Result};

/// The objects that a run has made visible.
#[derive(Debug, Default)]
pub(super) struct StoredOutputs {
    /// All of them.
    pub(super) named: Vec<PathBuf>,
    /// Those that took the place of others.
    pub(super) replaced: Vec<PathBuf>,
}

impl State {
    /// Removes what dead runs left where a claim writes, and has this run noted there.
    pub(super) fn begin_stored(&self, address: &Address, role: Role) {
        let folder = match role {
            Role::File => address.parent(),
            _ => address.clone(),
        };
        store::sweep(&folder);
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.add_folder(&folder);
    }

    /// Makes all objects visible, and deletes `obsolete` ones.
    pub(super) fn publish_stored(&mut self, obsolete: &[PathBuf]) -> Result<StoredOutputs> {
        let mut uploaded = std::mem::take(&mut self.uploaded);
        if uploaded.is_empty() && obsolete.is_empty() {
            return Ok(StoredOutputs::default());
        }
        uploaded.sort_by(|a, b| a.path().cmp(b.path()));
        let named: Vec<PathBuf> = uploaded.iter().map(|file| file.path().into()).collect();
        let before = store::look_again(named.iter().map(PathBuf::as_path))?;
        let (replaced, new): (Vec<_>, Vec<_>) = (named.iter().zip(before))
            .map(|(path, before)| (path.clone(), before))
            .partition(|(_, before)| before.is_some());
        let replaced: Vec<PathBuf> = replaced.into_iter().map(|(path, _)| path).collect();
        let new: HashSet<PathBuf> = new.into_iter().map(|(path, _)| path).collect();
        let (seals, others): (Vec<_>, Vec<_>) =
            (uploaded.into_iter()).partition(|file| is_seal(file.path()));
        self.published |= !named.is_empty();
        self.make_visible(&others, &seals, obsolete).map_err(|error| {
            let ours = (others.iter().chain(&seals)).filter(|file| new.contains(file.path()));
            for file in ours {
                // Those that were made visible, and not what another has written meanwhile.
                let now = store::look_again([file.path()]).unwrap_or_default();
                if (now.iter().flatten()).any(|object| object.bytes == file.bytes()) {
                    let _gone = store::delete(file.path());
                }
            }
            match replaced.len() {
                0 => error,
                some => error.also(&format!(
                    "{some} objects existed before, the first of them {}: some of them may be replaced already",
                    replaced[0].display()
                )),
            }
        })?;
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.clean();
        drop(notes);
        let replaced = (replaced.iter())
            .filter_map(|path| self.claims.given(path))
            .collect();
        Ok(StoredOutputs { named, replaced })
    }

    fn make_visible(
        &self,
        others: &[Uploaded],
        seals: &[Uploaded],
        obsolete: &[PathBuf],
    ) -> Result<()> {
        // No seal on what is incomplete.
        for seal in seals {
            store::delete(seal.path())?;
        }
        let mut done = self.complete(others)?;
        store::delete_all(obsolete)?;
        done.extend(self.complete(seals)?);
        for claim in (self.claims.list.iter()).filter(|claim| store::is_address(&claim.path)) {
            if let Some(manifest) = manifest(claim, &done) {
                let target = claim.path.join(MANIFEST);
                let text = serde_json::to_vec_pretty(&manifest)
                    .map_err(|error| Error::io("write", &target, error.into()))?;
                store::put(&target, text)?;
            }
        }
        Ok(())
    }

    fn complete(&self, uploaded: &[Uploaded]) -> Result<HashMap<PathBuf, Object>> {
        let done = store::complete_all(uploaded)?;
        for file in uploaded {
            file.forget(&self.notes);
        }
        Ok((done.into_iter())
            .map(|object| (object.path.clone(), object))
            .collect())
    }
}

fn is_seal(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SEAL)
}

/// The list of what was written to a folder; none if that is nothing.
fn manifest(claim: &Claim, done: &HashMap<PathBuf, Object>) -> Option<Manifest> {
    let names = claim.names.as_ref()?;
    let mut files: Vec<Listed> = names
        .iter()
        .filter_map(|name| {
            let object = done.get(&claim.path.join(name))?;
            Some(Listed::of_object(&name.to_string_lossy(), object))
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Some(Manifest::of_files(files)).filter(|manifest| !manifest.files.is_empty())
}

/// The objects in a folder, by their names in it, without hidden ones.
pub(super) fn present(folder: &Path) -> Result<Vec<(PathBuf, Listed)>> {
    let listed = |object: Object| {
        let name = object.path.strip_prefix(folder).unwrap_or(&object.path);
        let listed = Listed::of_object(&name.to_string_lossy(), &object);
        (object.path, listed)
    };
    Ok(store::list(folder)?.into_iter().map(listed).collect())
}
