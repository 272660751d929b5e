//! Renames all files of a run into place, or none.

use super::claims::Role;
use super::leftovers::{BEFORE, PART, RANDOM, prefix};
use super::manifest::{Listed, MANIFEST, Manifest, SEAL};
use super::state::{State, Whole};
use super::stored::StoredOutputs;
use crate::guard::InputGuard;
use crate::store;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};

/// The renamed files.
#[derive(Debug, Default)]
pub struct Published {
    /// All files, with links resolved.
    pub named: Vec<PathBuf>,
    /// Those that replaced others, as named in the options; none of a run's folder, which contains
    /// only results.
    pub replaced: Vec<PathBuf>,
}

impl Whole {
    /// Whether it declares that the files in its folder are a complete run.
    fn is_seal(&self) -> bool {
        self.target.file_name().is_some_and(|name| name == SEAL)
    }
}

/// A pending change.
enum Step {
    /// Renames a complete file into place.
    Name(Whole),
    /// Removes the file with this name.
    PutAway(PathBuf),
}

/// A completed change that can be undone.
struct Done {
    target: PathBuf,
    /// The backup of the previous file until all changes are done.
    backup: Option<PathBuf>,
    /// Whether there is a new file.
    written: bool,
}

impl State {
    /// Renames all complete files into place and removes those to be deleted; if a step fails,
    /// earlier ones are undone.
    pub(super) fn publish(&mut self) -> Result<Published> {
        InputGuard::check_all(&self.guards)?;
        let mut whole = std::mem::take(&mut self.whole);
        // Threads finish their files in any order; reports need a fixed one.
        whole.sort_by(|a, b| a.target.cmp(&b.target));
        let mut written: HashSet<PathBuf> = whole.iter().map(|file| file.target.clone()).collect();
        written.extend(self.uploaded.iter().map(|file| file.path().to_path_buf()));
        let manifests = self.manifests(&whole)?;
        let mut obsolete: Vec<PathBuf> = std::mem::take(&mut self.obsolete);
        for claim in self
            .claims
            .list
            .iter()
            .filter(|claim| matches!(claim.role, Role::Folder | Role::Shared))
        {
            // A folder to which this run writes nothing is left unchanged: a quarantine, if no
            // record was bad.
            if claim.files().any(|file| written.contains(&file)) {
                obsolete.extend(claim.files());
            }
        }
        obsolete.retain(|path| !written.contains(path));
        let (stored, mut obsolete): (Vec<_>, Vec<_>) =
            (obsolete.into_iter()).partition(|path| store::is_address(path));
        obsolete.retain(|path| path.symlink_metadata().is_ok());
        obsolete.sort();
        obsolete.dedup();
        // If this is killed midway, it leaves lists of its files, and no seal on incomplete runs.
        let seals: Vec<PathBuf> = whole
            .iter()
            .filter(|file| file.is_seal())
            .map(|file| file.target.clone())
            .collect();
        let mut named: Vec<PathBuf> = whole.iter().map(|file| file.target.clone()).collect();
        self.published |= !named.is_empty();
        let emptied = obsolete.clone();
        let (unsealed, sealed): (Vec<Whole>, Vec<Whole>) =
            whole.into_iter().partition(|file| !file.is_seal());
        let steps = manifests
            .into_iter()
            .map(Step::Name)
            .chain(seals.into_iter().map(Step::PutAway));
        let steps = steps
            .chain(unsealed.into_iter().map(Step::Name))
            .chain(obsolete.into_iter().map(Step::PutAway));
        let mut done = Vec::new();
        self.take(steps, &mut done)?;
        // Files can be named as they were before, objects cannot.
        let StoredOutputs {
            named: objects,
            mut replaced,
        } = match self.publish_stored(&stored) {
            Ok(objects) => objects,
            Err(error) => {
                take_back(done);
                return Err(error);
            }
        };
        named.extend(objects);
        self.take(sealed.into_iter().map(Step::Name), &mut done)?;
        for Done {
            target,
            backup,
            written,
        } in done
        {
            if let Some(backup) = backup {
                let _gone = fs::remove_file(backup);
                replaced.extend(self.claims.given(&target).filter(|_| written));
            }
        }
        self.sweep_parts();
        self.locks.clear();
        // Folders created for files that do not exist, and folders that are now empty.
        let emptied: Vec<PathBuf> = emptied
            .iter()
            .flat_map(|path| path.ancestors().skip(1).take(1))
            .map(Path::to_path_buf)
            .collect();
        for folder in self
            .made
            .drain(..)
            .chain(emptied)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
        {
            let _left = fs::remove_dir(folder);
        }
        // A store has no empty folders.
        for folder in self
            .kept
            .drain(..)
            .filter(|folder| !store::is_address(folder))
        {
            fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, error))?;
        }
        Ok(Published { named, replaced })
    }

    /// Takes steps; if one fails, these and those already done are undone.
    fn take(&self, steps: impl Iterator<Item = Step>, done: &mut Vec<Done>) -> Result<()> {
        for step in steps {
            let result = match step {
                Step::Name(file) => self.name(file),
                Step::PutAway(path) => self.put_away(&path),
            };
            match result {
                Ok(step) => done.push(step),
                Err(error) => {
                    take_back(std::mem::take(done));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The backup path of a file while another takes its name.
    fn backup(&self, target: &Path) -> PathBuf {
        let mut name = prefix(target.file_name().unwrap_or_default());
        name.push(format!("{BEFORE}.{}{PART}", self.token));
        target.with_file_name(name)
    }

    fn name(&self, file: Whole) -> Result<Done> {
        let Whole { temp, target } = file;
        let backup = target
            .symlink_metadata()
            .is_ok()
            .then(|| self.backup(&target));
        // A hard link, so that a file of this name exists at any moment; a rename if the file
        // system has no links.
        if let Some(backup) = &backup {
            fs::hard_link(&target, backup)
                .or_else(|error| {
                    if target.is_dir() {
                        Err(error)
                    } else {
                        fs::rename(&target, backup)
                    }
                })
                .map_err(|error| Error::io("rename to", &target, error))?;
        }
        match temp.persist(&target) {
            Ok(()) => Ok(Done {
                target,
                backup,
                written: true,
            }),
            Err(failed) => {
                take_back(vec![Done {
                    target: target.clone(),
                    backup,
                    written: false,
                }]);
                Err(Error::io("rename to", &target, failed.error))
            }
        }
    }

    fn put_away(&self, target: &Path) -> Result<Done> {
        let backup = self.backup(target);
        match fs::rename(target, &backup) {
            Ok(()) => Ok(Done {
                target: target.to_path_buf(),
                backup: Some(backup),
                written: false,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Done {
                target: target.to_path_buf(),
                backup: None,
                written: false,
            }),
            Err(error) => Err(Error::io("remove", target, error)),
        }
    }

    /// The lists of files written to each output folder.
    fn manifests(&self, whole: &[Whole]) -> Result<Vec<Whole>> {
        let mut manifests = Vec::new();
        for claim in self.claims.list.iter().filter(|claim| {
            matches!(claim.role, Role::Folder | Role::Shared) && claim.names.is_some()
        }) {
            let mut files = Vec::new();
            for file in whole {
                if let Ok(name) = file.target.strip_prefix(&claim.path)
                    && claim
                        .names
                        .as_ref()
                        .is_some_and(|names| names.contains(name))
                {
                    let found = fs::metadata(&file.temp)
                        .map_err(|error| Error::io("read", &file.target, error))?;
                    files.push(Listed::new(&name.to_string_lossy(), &found));
                }
            }
            let target = claim.path.join(MANIFEST);
            if files.is_empty() {
                continue;
            }
            files.sort_by(|a, b| a.name.cmp(&b.name));
            let manifest = Manifest::of_files(files);
            let failed = |error: io::Error| Error::io("write", &target, error);
            let text =
                serde_json::to_vec_pretty(&manifest).map_err(|error| failed(error.into()))?;
            let temp = tempfile::Builder::new()
                .prefix(&prefix(MANIFEST.as_ref()))
                .suffix(&format!(".{}{PART}", self.token))
                .rand_bytes(RANDOM)
                .tempfile_in(&claim.path)
                .map_err(failed)?
                .into_temp_path();
            fs::write(&temp, text).map_err(failed)?;
            manifests.push(Whole { temp, target });
        }
        Ok(manifests)
    }
}

/// Restores the previous state as far as possible.
fn take_back(done: Vec<Done>) {
    for Done {
        target,
        backup,
        written,
    } in done.into_iter().rev()
    {
        let _restored = match backup {
            Some(backup) => fs::rename(backup, &target),
            None if written => fs::remove_file(&target),
            None => Ok(()),
        };
    }
}
