//! Determines where a collection is written.

use crate::collection::Collection;
use crate::outputs::{Outputs, Role};
use crate::standoff::Standoff;
use crate::store;
use std::path::{Path, PathBuf};
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::Source;

/// Where the output is written.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Target {
    /// Standard output, uncompressed.
    Stdout,
    /// One file, for an input of one file.
    File(PathBuf),
    /// A folder that mirrors the names of the collection.
    Folder(PathBuf),
}

impl Target {
    /// The target for `output` and this collection: `-` is standard output; an input of one file
    /// becomes one file (in a folder, if `output` is one), any other a folder.
    pub fn resolve(output: &Path, collection: &Collection) -> Result<Self> {
        let target = if output.as_os_str() == "-" {
            if collection.files().len() > 1 {
                return Err(Error::of("⟨output=-⟩")
                    .expected("one input file")
                    .found("several; they cannot be distinguished on standard output")
                    .hint("name an output folder"));
            }
            return Ok(Self::Stdout);
        } else if collection.is_single() {
            // As in copying files: into the folder, if it exists.
            let place = collection
                .places()
                .first()
                .filter(|_| store::is_folder(output));
            Self::File(place.map_or_else(|| output.to_path_buf(), |place| output.join(place)))
        } else if store::is_file(output) {
            return Err(ErrorKind::Usage
                .expected("a folder for the output of several files")
                .found("a file")
                .at(output)
                .hint("use a new or empty folder"));
        } else {
            Self::Folder(output.to_path_buf())
        };
        Ok(target)
    }

    /// The same from any working directory.
    ///
    /// # Errors
    /// If there is no working directory.
    pub fn absolute(&self) -> Result<Self> {
        Ok(match self {
            Self::Stdout => Self::Stdout,
            Self::File(path) => Self::File(store::absolute(path)?),
            Self::Folder(folder) => Self::Folder(store::absolute(folder)?),
        })
    }

    /// The folder in which all of it lies.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Stdout => Path::new("."),
            Self::File(path) => match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            },
            Self::Folder(folder) => folder,
        }
    }

    /// The path of every file's output, in the order of the collection; empty for standard output.
    pub fn paths(&self, collection: &Collection) -> Vec<PathBuf> {
        let files = collection.files().iter();
        match self {
            Self::Stdout => Vec::new(),
            Self::File(path) => files.map(|_| path.clone()).collect(),
            Self::Folder(folder) => collection
                .places()
                .iter()
                .map(|place| folder.join(place))
                .collect(),
        }
    }

    /// Claims all output paths for `option`; `standoff` says that marks are written to files next
    /// to the others.
    ///
    /// # Errors
    /// If one of them is already read or claimed.
    pub fn claim(
        &self,
        outputs: &Outputs,
        option: &str,
        collection: &Collection,
        standoff: bool,
    ) -> Result<()> {
        let with_marks = |path: &Path| -> Vec<PathBuf> {
            let beside = standoff.then(|| Standoff::path(path));
            std::iter::once(path.to_path_buf()).chain(beside).collect()
        };
        match self {
            Self::Stdout => outputs.claim(option, Path::new("-"), Role::File),
            Self::File(path) => with_marks(path)
                .iter()
                .try_for_each(|path| outputs.claim(option, path, Role::File)),
            Self::Folder(folder) => {
                outputs.claim(option, folder, Role::Folder)?;
                let folders = collection.mail_folders().iter();
                outputs.keep_folders(folders.map(|place| folder.join(place)));
                outputs.claim_names(
                    folder,
                    collection
                        .places()
                        .iter()
                        .flat_map(|place| with_marks(place)),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_folder_lies_in_the_current_one() {
        for (path, folder) in [("a.jsonl", "."), ("out/a.jsonl", "out"), ("/a.jsonl", "/")] {
            assert_eq!(Target::File(path.into()).folder(), Path::new(folder));
        }
    }
}
