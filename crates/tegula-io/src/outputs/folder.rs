//! Output folders: finds files in them that are not from this run, and lists what a run wrote.

use super::claims::{Claim, Role};
use super::leftovers::{is_unfinished, sweep};
use super::manifest::{Listed, Manifest};
use super::place::{is_special, parent};
use super::state::State;
use super::stored;
use crate::store::{self, Address};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};
use walkdir::WalkDir;

/// Files listed in an error.
const NAMED: usize = 5;

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
