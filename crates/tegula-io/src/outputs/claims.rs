//! Tracks which paths are read and which will be written, so that no path is both.

use super::place::{identity, is_special, resolved, stream_identity};
use crate::foreign;
use crate::store::{self, Address};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use tegula::error::{Error, ErrorKind, Result};

/// The kind of output at a claimed path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A file; may also be a device or a pipe.
    File,
    /// A folder that contains only files of this run.
    Folder,
    /// A folder that may contain other files, such as that of a run, which has its own rules.
    Shared,
    /// A file or a folder, to be determined when the inputs are open: checked now, claimed later.
    Undecided,
}

/// The paths that are read.
#[derive(Debug, Default)]
pub(super) struct Protected {
    files: HashSet<PathBuf>,
    folders: Vec<PathBuf>,
    identities: HashSet<(u64, u64)>,
}

impl Protected {
    pub(super) fn add(&mut self, path: &Path) {
        if path.as_os_str() == "-" {
            self.identities.extend(stream_identity(std::io::stdin()));
            return;
        }
        let whole = resolved(path);
        if let Some((root, _)) = Address::parse(path).and_then(|address| address.glob()) {
            return self.add_folder(root.path());
        }
        if store::is_folder(&whole) {
            return self.add_folder(whole);
        }
        self.add_file(path);
    }

    fn add_folder(&mut self, whole: PathBuf) {
        if !self.folders.contains(&whole) {
            self.folders.push(whole);
        }
    }

    /// The same for what is known to be a file.
    pub(super) fn add_file(&mut self, path: &Path) {
        let whole = resolved(path);
        if is_special(&whole) {
            return;
        }
        self.identities.extend(identity(&whole));
        self.files.insert(whole);
    }

    /// Refuses a path that is read; `option` writes there.
    pub(super) fn check(&self, option: &str, path: &Path) -> Result<()> {
        if path.as_os_str() == "-" {
            return Ok(());
        }
        let whole = resolved(path);
        if is_special(&whole) {
            return Ok(());
        }
        let same = identity(&whole).is_some_and(|identity| self.identities.contains(&identity));
        if self.files.contains(&whole) || same {
            return Err(Error::of(option)
                .problem("the output is one of the inputs")
                .at(path)
                .hint("inputs are never changed; use another output"));
        }
        if self.folders.iter().any(|folder| whole.starts_with(folder)) {
            return Err(Error::of(option).problem("the output is an input folder or inside one")
            .at(path)
            .hint(
                "inputs are never changed, and the next run would read it; use an output elsewhere",
            ));
        }
        Ok(())
    }

    /// The same for everything claimed so far, and for standard output in any case.
    pub(super) fn check_all(&self, claims: &Claims) -> Result<()> {
        if stream_identity(std::io::stdout())
            .is_some_and(|identity| self.identities.contains(&identity))
        {
            return Err(
                Error::usage("standard output is redirected to one of the inputs")
                    .hint("inputs are never changed; redirect standard output to another file"),
            );
        }
        for claim in &claims.list {
            self.check(&claim.option, &claim.given)?;
            for name in claim.names.iter().flatten() {
                self.check(&claim.option, &claim.given.join(name))?;
            }
        }
        Ok(())
    }
}

/// A claimed path.
#[derive(Debug)]
pub(super) struct Claim {
    /// The option that claims it.
    pub(super) option: String,
    /// The path as given.
    pub(super) given: PathBuf,
    /// The path with links resolved.
    pub(super) path: PathBuf,
    pub(super) role: Role,
    /// For a folder, the files written to it, by their names inside it, if known.
    pub(super) names: Option<HashSet<PathBuf>>,
}

impl Claim {
    /// The files of a folder, if known.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.names.iter().flatten().map(|name| self.path.join(name))
    }

    /// Whether it claims this file.
    fn is_for(&self, file: &Path) -> bool {
        match (&self.role, &self.names) {
            (Role::File | Role::Undecided, _) => self.path == file,
            (Role::Folder | Role::Shared, Some(names)) => file
                .strip_prefix(&self.path)
                .is_ok_and(|name| names.contains(name)),
            (Role::Folder, None) => file.starts_with(&self.path),
            (Role::Shared, None) => false,
        }
    }
}

/// All claims of a run.
#[derive(Debug, Default)]
pub(super) struct Claims {
    pub(super) list: Vec<Claim>,
    /// The option that writes to standard output.
    stdout: Option<String>,
    files: HashMap<PathBuf, usize>,
    identities: HashMap<(u64, u64), usize>,
}

impl Claims {
    pub(super) fn add(&mut self, option: &str, given: &Path, role: Role) -> Result<()> {
        if given.as_os_str() == "-" {
            if let Some(other) = self.stdout.as_ref().filter(|other| *other != option) {
                return Err(Error::usage(format!(
                    "{other} and {option} both write to standard output"
                ))
                .hint("name a file for one of them"));
            }
            self.stdout = Some(option.to_owned());
            return Ok(());
        }
        let path = resolved(given);
        store::check_writable(option, &path)?;
        if matches!(role, Role::File | Role::Undecided) && !is_special(&path) {
            foreign::refuse_output(option, given)?;
        }
        match role {
            Role::File if store::is_folder(&path) => {
                return Err(Error::of(option)
                    .expected("the name of a file")
                    .found("a folder")
                    .at(given));
            }
            Role::Folder | Role::Shared if is_no_folder(&path) => {
                return Err(Error::of(option)
                    .expected("a folder")
                    .found("a file")
                    .at(given)
                    .hint("use a new or empty folder"));
            }
            _ => {}
        }
        // A file cannot contain other paths.
        let below = |inner: &Path, outer: &Path, role: Role| {
            role == Role::File && inner != outer && inner.starts_with(outer)
        };
        let is_around = |claim: &&Claim| {
            below(&path, &claim.path, claim.role) || below(&claim.path, &path, role)
        };
        if let Some(other) = self.list.iter().find(is_around) {
            return Err(taken(option, other, given));
        }
        // If this option has claimed the path as undecided, its role is determined now.
        if let Some(claim) = self
            .list
            .iter_mut()
            .find(|claim| claim.option == option && claim.path == path)
            && (claim.role == Role::Undecided || claim.role == role)
        {
            claim.role = role;
            return Ok(());
        }
        let clash = self
            .list
            .iter()
            .find(|claim| claim.path == path || (role != Role::Shared && claim.is_for(&path)));
        let same = identity(&path)
            .filter(|_| path.is_file())
            .and_then(|identity| self.identities.get(&identity));
        if let Some(other) = clash.or_else(|| same.map(|at| &self.list[*at])) {
            return Err(taken(option, other, given));
        }
        if path.is_file()
            && let Some(identity) = identity(&path)
        {
            self.identities.insert(identity, self.list.len());
        }
        self.files.insert(path.clone(), self.list.len());
        self.list.push(Claim {
            option: option.to_owned(),
            given: given.to_path_buf(),
            path,
            role,
            names: None,
        });
        Ok(())
    }

    /// Sets the names of a folder's files.
    pub(super) fn name_all(
        &mut self,
        folder: &Path,
        names: Vec<PathBuf>,
        protected: &Protected,
    ) -> Result<()> {
        let path = resolved(folder);
        let Some(at) = self.list.iter().position(|claim| claim.path == path) else {
            return Err(ErrorKind::Usage
                .expected("a folder that is claimed")
                .at(folder));
        };
        let mut found = HashSet::with_capacity(names.len());
        for name in names {
            let file = resolved(&path.join(&name));
            protected.check(&self.list[at].option, &folder.join(&name))?;
            // A link that the user has not named must not lead to a file elsewhere.
            let Ok(name) = file.strip_prefix(&path).map(Path::to_path_buf) else {
                return Err(leads_out(&self.list[at].option, &folder.join(&name)));
            };
            let other = self.list.iter().enumerate().find(|(other, claim)| {
                *other != at && (claim.is_for(&file) || claim.path.starts_with(&file))
            });
            let same = identity(&file)
                .and_then(|identity| self.identities.get(&identity))
                .filter(|other| **other != at);
            if let Some(other) = other
                .map(|(_, claim)| claim)
                .or_else(|| same.map(|other| &self.list[*other]))
            {
                return Err(taken(&self.list[at].option, other, &file));
            }
            if let Some(identity) = identity(&file) {
                self.identities.insert(identity, at);
            }
            found.insert(name);
        }
        self.list[at].names.get_or_insert_default().extend(found);
        Ok(())
    }

    /// Refuses a file of a claimed folder that a link leads out of, or that is a device or a pipe.
    pub(super) fn stays_inside(&self, given: &Path, target: &Path) -> Result<()> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or(path.to_path_buf());
        let given = absolute(given);
        let named = |claim: &&Claim| claim.role == Role::File && claim.path == target;
        if self.list.iter().any(|claim| named(&claim)) {
            return Ok(());
        }
        let is_around = |claim: &&Claim| {
            matches!(claim.role, Role::Folder | Role::Shared)
                && given.starts_with(absolute(&claim.given))
        };
        match self.list.iter().find(is_around) {
            Some(claim) if !target.starts_with(&claim.path) || is_special(target) => {
                Err(leads_out(&claim.option, &given))
            }
            _ => Ok(()),
        }
    }

    /// Whether a file is claimed.
    pub(super) fn covers(&self, file: &Path) -> bool {
        self.files
            .get(file)
            .is_some_and(|at| self.list[*at].role != Role::Folder)
            || self
                .list
                .iter()
                .any(|claim| claim.role != Role::File && claim.is_for(file))
    }

    /// Whether a path is claimed by another claim than this one, or is in a claimed folder.
    pub(super) fn is_of_another(&self, claim: &Claim, path: &Path) -> bool {
        self.list.iter().any(|other| {
            !std::ptr::eq(claim, other) && (path == other.path || path.starts_with(&other.path))
        })
    }

    /// A file's path as given in the option, if the user requested it.
    pub(super) fn given(&self, file: &Path) -> Option<PathBuf> {
        self.list.iter().find_map(|claim| match claim.role {
            Role::File => (claim.path == file).then(|| claim.given.clone()),
            Role::Folder => {
                let name = file.strip_prefix(&claim.path).ok()?;
                claim
                    .names
                    .as_ref()?
                    .contains(name)
                    .then(|| claim.given.join(name))
            }
            Role::Shared | Role::Undecided => None,
        })
    }
}

/// Whether a path is that of something else than a folder. In a store, an object and a folder may have
/// the same name.
fn is_no_folder(path: &Path) -> bool {
    !store::is_address(path) && path.exists() && !path.is_dir()
}

/// The error for a link in an output folder to something elsewhere.
fn leads_out(option: &str, path: &Path) -> Error {
    Error::of(option)
        .expected("only files and folders in it")
        .found("a link that leads out of it, a device or a pipe")
        .at(path)
        .hint("remove it, or use another folder")
}

/// The error if two options have the same path.
fn taken(option: &str, other: &Claim, path: &Path) -> Error {
    let error = Error::of(option);
    let error = if other.option == option {
        error.expected("different paths").found("the same twice")
    } else {
        error
            .expected(format!("a different path from {}", other.option))
            .found("the same")
    };
    error.at(path).hint("each output needs a separate path")
}
