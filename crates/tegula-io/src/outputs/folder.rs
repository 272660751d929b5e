//! Output folders: finds files in them that are not from this run, and lists what a run wrote.

use super::claims::{Claim, Role};
use super::leftovers::{is_unfinished, sweep};
use super::place::{is_special, parent};
use super::state::State;
use super::stored;
use crate::store::{self, Address, Object};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;
use tegula::error::{Error, Result};
use walkdir::WalkDir;

/// The list of what a run wrote to a folder.
pub(super) const MANIFEST: &str = ".tegula.json";
/// The file that declares a run complete: it is renamed into place last, and removed before any
/// other file next to it is replaced.
pub(crate) const SEAL: &str = "run.json";
/// Files listed in an error.
const NAMED: usize = 5;

/// The files that a run wrote to a folder, so that the next run can remove them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The program.
    pub(super) tegula: String,
    /// The files, by name.
    pub(super) files: Vec<Listed>,
}

/// A file of a folder.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Listed {
    /// Its name in the folder.
    pub(super) name: String,
    /// Its length.
    bytes: u64,
    /// Its modification time, in nanoseconds since 1970.
    modified: Option<u64>,
    /// The tag of an object in a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
}

impl Listed {
    pub(super) fn new(name: &str, found: &Metadata) -> Self {
        let since = found
            .modified()
            .ok()
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified = since.and_then(|since| u64::try_from(since.as_nanos()).ok());
        Self {
            name: name.to_owned(),
            bytes: found.len(),
            modified,
            tag: None,
        }
    }

    /// An object in a store, which has a tag as soon as it is written.
    pub(super) fn of_object(name: &str, object: &Object) -> Self {
        Self {
            name: name.to_owned(),
            bytes: object.bytes,
            modified: None,
            tag: object.tag.clone(),
        }
    }
}

impl Manifest {
    /// The list in a folder; if there is none, nothing is known to be from an earlier run.
    fn of(folder: &Path) -> Self {
        let text = store::read(&folder.join(MANIFEST)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// A list of these files.
    pub(super) fn of_files(files: Vec<Listed>) -> Self {
        Self {
            tegula: env!("CARGO_PKG_VERSION").to_owned(),
            files,
        }
    }
}

/// The files that an earlier run wrote to a folder, by their names in it, whether or not they still
/// exist.
pub(crate) fn listed(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let inside = |path: &Path| {
        path.components()
            .all(|part| matches!(part, Component::Normal(_)))
    };
    Manifest::of(folder)
        .files
        .into_iter()
        .map(|file| PathBuf::from(file.name))
        .filter(move |path| inside(path))
}

impl State {
    /// Creates and locks the folders of all claims, and checks those that are outputs.
    pub(super) fn begin(&mut self) -> Result<()> {
        let claimed: Vec<(PathBuf, Role)> = self
            .claims
            .list
            .iter()
            .map(|claim| (claim.path.clone(), claim.role))
            .filter(|(_, role)| *role != Role::Undecided)
            .collect();
        let (stored, claimed): (Vec<_>, Vec<_>) =
            (claimed.into_iter()).partition(|(path, _)| store::is_address(path));
        for (path, role) in &stored {
            if let Some(address) = Address::parse(path) {
                self.begin_stored(&address, *role);
            }
        }
        for (path, role) in &claimed {
            let (folder, below) = match role {
                Role::Undecided => continue,
                Role::File if is_special(path) => continue,
                Role::File => (parent(path), false),
                Role::Folder | Role::Shared => (path.clone(), true),
            };
            if folder.is_dir() {
                sweep(&folder, below);
            }
        }
        let mut obsolete = Vec::new();
        for claim in &self.claims.list {
            if claim.role == Role::Folder && claim.names.is_some() {
                obsolete.extend(self.others(claim)?);
            }
        }
        self.obsolete.extend(obsolete);
        for (path, role) in claimed {
            let (folder, below) = match role {
                Role::Undecided => continue,
                Role::File if is_special(&path) => continue,
                Role::File => (parent(&path), false),
                Role::Folder | Role::Shared => (path, true),
            };
            self.make(&folder)?;
            self.lock_folder(&folder, below)?;
        }
        Ok(())
    }

    /// The files that an earlier run wrote to a folder and this one does not.
    ///
    /// # Errors
    /// If there are such files, or others, and they are not permitted.
    fn others(&self, claim: &Claim) -> Result<Vec<PathBuf>> {
        let present = present(&claim.path)?;
        if present.is_empty() {
            return Ok(Vec::new());
        }
        let known: HashMap<String, Listed> = Manifest::of(&claim.path)
            .files
            .into_iter()
            .map(|file| (file.name.clone(), file))
            .collect();
        let (mut earlier, mut foreign) = (Vec::new(), 0_usize);
        let mut named = Vec::new();
        for (path, now) in &present {
            let name = path.strip_prefix(&claim.path).unwrap_or(path);
            if claim
                .names
                .as_ref()
                .is_some_and(|names| names.contains(name))
                || self.claims.is_of_another(claim, path)
            {
                continue;
            }
            // Files that were changed since must not be removed.
            if known.get(&now.name) == Some(now) {
                earlier.push(path.clone());
            } else {
                foreign += 1;
            }
            if named.len() < NAMED {
                named.push(name.display().to_string());
            }
        }
        let count = earlier.len() + foreign;
        if count == 0 || self.overwrite {
            return Ok(earlier);
        }
        let more = if count > named.len() {
            format!(" and {} more", count - named.len())
        } else {
            String::new()
        };
        let hint = match (earlier.len(), foreign) {
            (_, 0) => {
                "use a new folder, or remove them with ⟨overwrite⟩: an earlier run wrote them"
                    .to_owned()
            }
            (0, _) => {
                "use a new folder, or keep them among the new files with ⟨overwrite⟩".to_owned()
            }
            (ours, _) => {
                format!(
                    "use a new folder; ⟨overwrite⟩ removes the {ours} that an earlier run wrote, and keeps the others"
                )
            }
        };
        Err(Error::of(&claim.option)
            .expected("a folder with only files that this run replaces")
            .found(format!("others in it: {}{more}", named.join(", ")))
            .at(&claim.given)
            .hint(hint))
    }
}

/// The files in a folder, in byte order of their names, without hidden and unfinished ones.
fn present(folder: &Path) -> Result<Vec<(PathBuf, Listed)>> {
    if store::is_address(folder) {
        return stored::present(folder);
    }
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let hidden = |entry: &walkdir::DirEntry| {
        entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let mut files = Vec::new();
    for entry in WalkDir::new(folder)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| !hidden(entry))
    {
        let failed = |error: walkdir::Error| Error::io("read", folder, error.into());
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        if entry.file_type().is_dir() || is_unfinished(entry.file_name()) {
            continue;
        }
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
        let listed = Listed::new(&name, &entry.metadata().map_err(failed)?);
        files.push((path.to_path_buf(), listed));
    }
    Ok(files)
}
