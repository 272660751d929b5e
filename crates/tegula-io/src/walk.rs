//! From the user's inputs to the list of files: folders walked in byte order, with unique names.

use crate::choose::{self, Patterns};
use crate::compress::Compression;
use crate::detect::{self, Kind};
use crate::file_state::FileState;
use crate::foreign;
use crate::guard::InputGuard;
use crate::maildir::{Maildirs, Role};
use crate::options::{FormatName, ReadOptions};
use crate::outputs::identity;
use crate::store::{self, File};
use encoding_rs::Encoding;
use globset::GlobMatcher;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tegula::error::{Error, ErrorKind, Result};
use tegula::index::Index;
use tegula::printable;
use tegula::record::SourceFile;
use walkdir::{DirEntry, WalkDir};

/// A file of a folder that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file, or the hidden folder.
    pub path: PathBuf,
    /// Why.
    pub why: SkipReason,
}

/// Why a file of a folder is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// Its name begins with a dot, or with `~$` as those of word processors' locks.
    Hidden,
    /// Its extension is unknown.
    UnknownEnding,
    /// It is an archive, whose files are read when it is unpacked.
    Archive,
    /// It describes a data set: a card, a licence, a list of its columns.
    Description,
    /// It is data rather than a document.
    Data,
    /// It is not text of any known format.
    NotText,
    /// It is a symbolic link.
    Link,
    /// It is mail whose delivery has not ended.
    Undelivered,
    /// It is the folder of an index.
    Index,
}

/// What is in a folder.
#[derive(Default)]
struct InFolder {
    paths: Vec<PathBuf>,
    hidden: Vec<PathBuf>,
    /// Those of the paths that are messages.
    mail: HashSet<PathBuf>,
}

/// The files among the inputs.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) files: Vec<SourceFile>,
    /// The path of each file in an output folder: its name, byte for byte.
    pub(crate) places: Vec<PathBuf>,
    pub(crate) guards: Vec<Arc<InputGuard>>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) warnings: Vec<String>,
    pub(crate) patterns: Patterns,
    /// Files excluded by patterns.
    pub(crate) excluded: u64,
    /// Files of another collection, which are excluded from this one.
    pub(crate) others: HashSet<(u64, u64)>,
    /// How many of them were found.
    pub(crate) others_found: u64,
    /// Other names of files that are read once, each with the index of its file.
    pub(crate) links: Vec<(u32, PathBuf)>,
    /// Files that are compressed in another way than their names say: how many, and the first.
    pub(crate) mispacked: BTreeMap<(Compression, Compression), (usize, String)>,
    /// The folders that a Maildir must have, as paths in an output folder.
    pub(crate) mail_folders: Vec<PathBuf>,
    /// Each file by its identity, to find links.
    nodes: HashMap<(u64, u64), u32>,
    /// Objects as they were listed, which need not be looked at again.
    listed: HashMap<PathBuf, FileState>,
    seen: HashSet<PathBuf>,
    names: HashSet<String>,
    taken: HashSet<PathBuf>,
}

impl Walk {
    /// An empty list; from folders it will accept what the patterns admit.
    pub(crate) fn of(patterns: Patterns) -> Self {
        Self {
            patterns,
            ..Self::default()
        }
    }

    /// Takes the state of an object as it was just found, instead of looking at it again.
    pub(crate) fn found(&mut self, path: &Path, state: FileState) {
        if store::is_address(path) {
            self.listed.insert(path.to_path_buf(), state);
        }
    }

    /// Adds a file named by the user, or the copy of standard input; an unknown extension is
    /// resolved by content.
    pub(crate) fn file(
        &mut self,
        path: &Path,
        name: &str,
        options: &ReadOptions,
        encoding: Option<&'static Encoding>,
    ) -> Result<()> {
        let (by_name, compression) = detect::by_both(path, name, options, encoding);
        let kind = match options.format.or(by_name) {
            Some(format) if by_name.is_some() => (format, compression),
            Some(format) => (format, detect::compression_of(path)?),
            None => detect::by_content(path, options, encoding)?,
        };
        let place = path
            .file_name()
            .filter(|own| own.to_string_lossy() == name)
            .map_or_else(|| name.into(), PathBuf::from);
        self.push(path, name, place, kind)
    }

    /// Adds the files of a folder. `prefix` is put before their names if there are several inputs.
    pub(crate) fn folder(
        &mut self,
        root: &Path,
        prefix: &Path,
        options: &ReadOptions,
    ) -> Result<()> {
        let (mut paths, mut hidden) = (Vec::new(), Vec::new());
        let (mut maildirs, mut mail) = (Maildirs::default(), HashSet::new());
        let mut walker = WalkDir::new(root)
            .follow_links(!options.needs.documents)
            .min_depth(1)
            .into_iter();
        while let Some(entry) = walker.next() {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(root).to_path_buf();
                let message = error.to_string();
                let source = error
                    .into_io_error()
                    .unwrap_or_else(|| std::io::Error::other(message));
                Error::io("read", &path, source)
            })?;
            let role = maildirs.role(&entry);
            let why = match role {
                Some(Role::Link) => Some(SkipReason::Link),
                Some(Role::Undelivered) => Some(SkipReason::Undelivered),
                _ => is_index(&entry).then_some(SkipReason::Index),
            };
            if let Some(why) = why {
                if entry.file_type().is_dir() {
                    walker.skip_current_dir();
                }
                self.skip(entry.path(), why);
                continue;
            }
            let own = entry.file_name().as_encoded_bytes();
            // `~$` begins the names of locks, which word processors leave beside open documents.
            let is_hidden = own.starts_with(b".") || own.starts_with(b"~$");
            if is_hidden && role != Some(Role::Folder) {
                if entry.file_type().is_dir() {
                    walker.skip_current_dir();
                }
                self.skip(entry.path(), SkipReason::Hidden);
                hidden.push(entry.into_path());
            } else if entry.file_type().is_file() {
                if role == Some(Role::Message) {
                    mail.insert(entry.path().to_path_buf());
                }
                paths.push(entry.into_path());
            } else if entry.path_is_symlink() {
                self.skip(entry.path(), SkipReason::Link);
            }
        }
        let places = maildirs.folders().filter_map(|folder| {
            let below = folder.strip_prefix(root).ok()?;
            Some(prefix.join(below))
        });
        self.mail_folders.extend(places);
        let found = InFolder {
            paths,
            hidden,
            mail,
        };
        self.choose(root, prefix, found, options)
    }

    /// Adds the objects below an address, or those of them that a pattern matches, as the files of a
    /// folder.
    pub(crate) fn stored_folder(
        &mut self,
        root: &Path,
        matcher: Option<&GlobMatcher>,
        prefix: &Path,
        options: &ReadOptions,
    ) -> Result<()> {
        let mut found = InFolder::default();
        for object in store::list_all(root)? {
            let below = object.path.strip_prefix(root).unwrap_or(&object.path);
            if store::is_hidden(below) {
                found.hidden.push(object.path);
            } else if matcher.is_none_or(|matcher| matcher.is_match(below)) {
                found.paths.push(object.path.clone());
                let path = object.path.clone();
                self.listed.insert(path, object.into());
            }
        }
        self.choose(root, prefix, found, options)
    }

    /// Adds those files of a folder that are to be read.
    fn choose(
        &mut self,
        root: &Path,
        prefix: &Path,
        found: InFolder,
        options: &ReadOptions,
    ) -> Result<()> {
        let InFolder {
            mut paths,
            hidden,
            mail,
        } = found;
        paths.sort_by(|a, b| {
            a.as_os_str()
                .as_encoded_bytes()
                .cmp(b.as_os_str().as_encoded_bytes())
        });
        let descriptions = choose::descriptions(paths.iter().chain(&hidden).map(PathBuf::as_path));
        for path in paths {
            let below = path.strip_prefix(root).unwrap_or(&path);
            if !self.patterns.admit(below) {
                self.excluded += 1;
                continue;
            }
            let place = prefix.join(below);
            let name = place.to_string_lossy();
            let known = if mail.contains(&path) {
                let format = options.format.unwrap_or(FormatName::Eml);
                Some((format, detect::compression_of(&path)?))
            } else {
                None
            };
            if options.needs.documents {
                self.document(&path, &name, place.clone(), known, options)?;
                continue;
            }
            if let Some(kind) = known {
                self.push(&path, &name, place.clone(), kind)?;
                continue;
            }
            let (format, compression) = detect::by_both(&path, &name, options, None);
            match format {
                Some(_) if descriptions.contains(&path) => {
                    self.skip(&path, SkipReason::Description);
                }
                Some(found) => {
                    let kind = (options.format.unwrap_or(found), compression);
                    self.push(&path, &name, place.clone(), kind)?;
                }
                // A user who says which files are read, and as what, means files with any
                // extension.
                None => match options.format.filter(|_| !options.include.is_empty()) {
                    Some(format) => {
                        self.push(&path, &name, place.clone(), (format, compression))?;
                    }
                    None => self.skip(&path, unknown(&name)),
                },
            }
        }
        Ok(())
    }

    /// Adds a file of a folder if it is a document.
    fn document(
        &mut self,
        path: &Path,
        name: &str,
        place: PathBuf,
        known: Option<Kind>,
        options: &ReadOptions,
    ) -> Result<()> {
        let node = identity(path);
        if let Some(first) = node.and_then(|node| self.nodes.get(&node)) {
            self.links.push((*first, path.to_path_buf()));
            return Ok(());
        }
        let kind = match (known, detect::by_both(path, name, options, None)) {
            (Some(kind), _) => Ok(kind),
            (None, (Some(format), compression)) => Ok((format, compression)),
            (None, (None, _)) => detect::by_content(path, options, None),
        };
        match kind {
            Err(error) if error.kind() == ErrorKind::Data => {
                let why = match unknown(name) {
                    SkipReason::Archive => SkipReason::Archive,
                    _ => SkipReason::NotText,
                };
                self.skip(path, why);
            }
            Ok(_) if detect::is_foreign(path, name) => self.skip(path, SkipReason::NotText),
            Ok((format, _)) if format.facts().has_fields => self.skip(path, SkipReason::Data),
            kind => {
                let file = self.files.len() as u32;
                self.push(path, name, place, kind?)?;
                self.nodes.extend(node.map(|node| (node, file)));
            }
        }
        Ok(())
    }

    fn skip(&mut self, path: &Path, why: SkipReason) {
        self.skipped.push(Skipped {
            path: path.to_path_buf(),
            why,
        });
    }

    fn push(&mut self, path: &Path, name: &str, place: PathBuf, mut kind: Kind) -> Result<()> {
        // Opened once, so that a missing or unreadable file is detected before the first one is
        // read.
        let (file, found) = match self.listed.remove(path) {
            Some(state) => (File::in_state(path, &state)?, state),
            None => File::open_found(path)?,
        };
        let bytes = found.bytes;
        // The copy of a stream has only the name of its descriptor.
        let canonical = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if !self.seen.insert(canonical) {
            self.warnings
                .push(format!("{}: named twice, read once", path.display()));
            return Ok(());
        }
        if identity(path).is_some_and(|identity| self.others.contains(&identity)) {
            self.others_found += 1;
            self.warnings.push(format!(
                "{}: one of the inputs, not compared with itself",
                printable::path(path)
            ));
            return Ok(());
        }
        if bytes == 0 {
            self.warnings.push(format!(
                "{}: the file is empty, it has no records",
                printable::path(path)
            ));
        }
        if kind.0 != FormatName::Parquet {
            let head = detect::head(file, path)?;
            if let Some(foreign) = detect::foreign_of(path, name, &head)? {
                return Err(foreign.refused(path));
            }
            let named = kind.1;
            kind.1 = Compression::decide(&head, named);
            if named != kind.1 && detect::by_name(name).0.is_some() {
                let first = (0, name.to_owned());
                let known = self.mispacked.entry((named, kind.1));
                known.or_insert(first).0 += 1;
            }
        }
        let name = self.unique(name);
        let place = if self.taken.insert(place.clone()) {
            place
        } else {
            PathBuf::from(&name)
        };
        self.taken.insert(place.clone());
        self.places.push(place);
        self.guards.push(Arc::new(InputGuard::new(path, found)));
        self.files.push(SourceFile {
            path: path.to_path_buf(),
            name,
            bytes,
        });
        self.kinds.push(kind);
        Ok(())
    }

    /// Warnings about files that are compressed in another way than their names say.
    pub(crate) fn warn_of_packing(&mut self) {
        for ((named, found), (count, first)) in &self.mispacked {
            self.warnings.push(format!(
                "{first}{}: {} by its name, but in fact {}, and read as such",
                and_more(*count),
                named.noun(),
                found.noun()
            ));
        }
    }

    /// A warning about files whose text comes without its layout.
    pub(crate) fn warn_of_layout(&mut self) {
        let files = self.files.iter().zip(&self.kinds);
        let mut flat =
            files.filter(|(file, (format, _))| *format == FormatName::Pdf && file.bytes > 0);
        if let Some((first, _)) = flat.next() {
            self.warnings.push(format!(
                "{}{}: PDF is read without layout: headers, page numbers and notes stand among the text",
                first.name,
                and_more(1 + flat.count()),
            ));
        }
    }

    /// The name, with a number before its extension if it is already in use.
    fn unique(&mut self, name: &str) -> String {
        if self.names.insert(name.to_owned()) {
            return name.to_owned();
        }
        let folder = name.rfind('/').map_or(0, |slash| slash + 1);
        let dot = name[folder..]
            .find('.')
            .map_or(name.len(), |dot| folder + dot);
        let (stem, ending) = name.split_at(dot);
        let mut number = 2_u64;
        loop {
            let other = format!("{stem}-{number}{ending}");
            if self.names.insert(other.clone()) {
                return other;
            }
            number += 1;
        }
    }
}

/// Whether it is the folder of an index, not one with a document that has the name of an index's own.
fn is_index(entry: &DirEntry) -> bool {
    entry.file_type().is_dir()
        && Index::is_one(entry.path())
        && entry.path().join("segments").is_dir()
}

/// After the first of so many.
fn and_more(count: usize) -> String {
    match count - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    }
}

/// Why a file of a folder whose name tells no format is not read.
fn unknown(name: &str) -> SkipReason {
    if foreign::of_name(name).is_some_and(foreign::Foreign::is_archive) {
        SkipReason::Archive
    } else {
        SkipReason::UnknownEnding
    }
}
