//! Locates the inputs of a run: where the run read them, or in another folder if the collection has
//! moved.

use super::run::{InputFile, RunInfo};
use crate::memory::Table;
use crate::store;
use std::path::{Component, Path, PathBuf};

/// Locates the inputs of a run from any working folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Whereabouts {
    folder: Option<PathBuf>,
    root: Option<PathBuf>,
    tables: Vec<Table>,
}

impl Whereabouts {
    /// For the inputs of a run; `root` is the folder to which they have moved, if any.
    pub fn of(info: &RunInfo, root: Option<&Path>) -> Self {
        Self {
            folder: info.folder.clone(),
            root: root.map(Path::to_path_buf),
            tables: Vec::new(),
        }
    }

    /// With the tables in memory that the caller still has, by their names.
    #[must_use]
    pub fn holding(self, tables: &[Table]) -> Self {
        Self {
            tables: tables.to_vec(),
            ..self
        }
    }

    /// The file with its current path.
    ///
    /// Without a root that is its absolute path, or its path as given if only that exists: files
    /// that were moved together are still found together. With a root it is the file with the
    /// longest matching tail of the path. Copied files have new times, so only the size shows
    /// whether they have changed.
    #[must_use]
    pub fn file(&self, input: &InputFile) -> InputFile {
        if input.in_memory {
            let named = |table: &&Table| Path::new(table.name()) == input.path;
            return InputFile {
                table: self.tables.iter().find(named).cloned(),
                ..input.clone()
            };
        }
        let then = input
            .absolute
            .clone()
            .unwrap_or_else(|| self.then(&input.path));
        match &self.root {
            Some(root) => {
                let path = tails(&then)
                    .map(|tail| root.join(tail))
                    .find(|path| store::is_file(path));
                let path =
                    path.unwrap_or_else(|| root.join(input.path.file_name().unwrap_or_default()));
                InputFile {
                    path,
                    absolute: None,
                    modified: None,
                    device: None,
                    inode: None,
                    tag: None,
                    ..input.clone()
                }
            }
            None => InputFile {
                path: present(then, &input.path),
                ..input.clone()
            },
        }
    }

    /// The current location of a named input, a file or a folder. The root itself represents a
    /// folder that is not in it.
    #[must_use]
    pub fn named(&self, path: &Path) -> PathBuf {
        if path.as_os_str() == "-" {
            return path.to_path_buf();
        }
        let then = self.then(path);
        match &self.root {
            Some(root) => tails(&then)
                .map(|tail| root.join(tail))
                .find(|path| store::exists(path))
                .unwrap_or_else(|| root.clone()),
            None => present(then, path),
        }
    }

    /// The absolute path at the time of the run.
    fn then(&self, path: &Path) -> PathBuf {
        if store::is_address(path) {
            return path.to_path_buf();
        }
        self.folder
            .as_ref()
            .map_or_else(|| path.to_path_buf(), |folder| folder.join(path))
    }
}

/// The path as given if it leads to the same file or is the only one that exists, otherwise the
/// absolute path.
fn present(then: PathBuf, given: &Path) -> PathBuf {
    let same = std::path::absolute(given).is_ok_and(|now| now == then);
    if same || (!then.exists() && given.exists()) {
        given.to_path_buf()
    } else {
        then
    }
}

/// The tails of a path, the longest first.
fn tails(path: &Path) -> impl Iterator<Item = PathBuf> {
    let parts: Vec<Component> = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect();
    (0..parts.len()).map(move |from| parts[from..].iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(folder: &Path, path: &str) -> InputFile {
        InputFile {
            path: path.into(),
            absolute: Some(folder.join(path)),
            name: "a.jsonl".into(),
            bytes: 1,
            modified: Some("7".into()),
            device: None,
            inode: None,
            tag: None,
            check: None,
            in_memory: false,
            table: None,
        }
    }

    #[test]
    fn inputs_are_found_from_any_folder_and_where_they_have_moved_to() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        for folder in [old.join("shards/x"), new.join("shards/x")] {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("a.jsonl"), "x").unwrap();
        }
        let info = RunInfo {
            folder: Some(old.clone()),
            ..RunInfo::default()
        };
        let file = input(&old, "shards/x/a.jsonl");
        let here = Whereabouts::of(&info, None);
        assert_eq!(here.file(&file).path, old.join("shards/x/a.jsonl"));
        assert_eq!(here.file(&file).modified, file.modified);
        assert_eq!(here.named(Path::new("shards")), old.join("shards"));
        assert_eq!(here.named(Path::new("-")), Path::new("-"));
        for root in ["", "shards", "shards/x"] {
            let moved = Whereabouts::of(&info, Some(&new.join(root)));
            let found = moved.file(&file);
            assert_eq!(
                (found.path, found.modified),
                (new.join("shards/x/a.jsonl"), None),
                "{root}"
            );
        }
        assert_eq!(
            Whereabouts::of(&info, Some(&new)).named(Path::new("shards")),
            new.join("shards")
        );
        assert_eq!(
            Whereabouts::of(&info, Some(&new.join("shards"))).named(Path::new("shards")),
            new.join("shards")
        );
        let absent = Whereabouts::of(&info, Some(&dir.path().join("nowhere")));
        assert_eq!(absent.file(&file).path, dir.path().join("nowhere/a.jsonl"));
    }

    #[test]
    fn runs_of_earlier_versions_know_relative_paths_only() {
        let file = InputFile {
            absolute: None,
            ..input(Path::new("/x"), "no/such/a.jsonl")
        };
        assert_eq!(
            Whereabouts::of(&RunInfo::default(), None).file(&file).path,
            Path::new("no/such/a.jsonl")
        );
    }
}
