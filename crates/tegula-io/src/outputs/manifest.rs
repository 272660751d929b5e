//! The list of what a run wrote to a folder, which the next run reads.

use crate::store::{self, Object};
use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The list of what a run wrote to a folder.
pub(super) const MANIFEST: &str = ".tegula.json";
/// The file that declares a run complete: it is renamed into place last, and removed before any
/// other file next to it is replaced.
pub(crate) const SEAL: &str = "run.json";
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
    pub(super) fn of(folder: &Path) -> Self {
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
