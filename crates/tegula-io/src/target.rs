//! Where a collection is written to, and how files come to bear their final names: only when all of them are whole.

use crate::collection::Collection;
use crate::compress::{Compression, Output};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use tegula::error::{Error, Result};
use tegula::record::Source;
use tempfile::{NamedTempFile, TempPath};

/// Where the output goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Standard output, uncompressed.
    Stdout,
    /// One file, for an input of one file.
    File(PathBuf),
    /// A folder that mirrors the names of the collection.
    Folder(PathBuf),
}

impl Target {
    /// The target that `output` names for this collection: `-` is standard output; an input of one file becomes one file
    /// (in a folder, where `output` is one), any other a folder. Refuses an output that would overwrite an input.
    pub fn resolve(output: &Path, collection: &Collection) -> Result<Self> {
        let target = if output.as_os_str() == "-" {
            if collection.files().len() > 1 {
                return Err(Error::usage(
                    "-o -: expected one input file, found several; they cannot be told apart on standard output",
                )
                .hint("name an output folder"));
            }
            return Ok(Self::Stdout);
        } else if collection.is_single() && !output.is_dir() {
            Self::File(output.to_path_buf())
        } else if output.is_file() {
            return Err(Error::usage("expected a folder for the output of several files, found a file")
                .at(output)
                .hint("name a folder that does not exist yet, or an empty one"));
        } else {
            Self::Folder(output.to_path_buf())
        };
        let paths = target.paths(collection);
        let whole = resolved(output);
        let inside = |folder: &PathBuf| whole.starts_with(resolved(folder));
        if matches!(target, Self::Folder(_)) && collection.folders().iter().any(inside) {
            return Err(Error::usage("the output folder is an input folder or lies inside one")
                .at(output)
                .hint("inputs are never changed; name a folder elsewhere"));
        }
        let outputs: Vec<PathBuf> = paths.iter().map(|path| resolved(path)).collect();
        for file in collection.files() {
            let input = resolved(&file.path);
            if outputs.contains(&input) {
                return Err(Error::usage("the output is one of the inputs")
                    .at(&file.path)
                    .hint("inputs are never changed; name another output"));
            }
        }
        Ok(target)
    }

    /// The path of every file's output, in the order of the collection; empty for standard output.
    pub fn paths(&self, collection: &Collection) -> Vec<PathBuf> {
        let files = collection.files().iter();
        match self {
            Self::Stdout => Vec::new(),
            Self::File(path) => files.map(|_| path.clone()).collect(),
            Self::Folder(folder) => files.map(|file| folder.join(&file.name)).collect(),
        }
    }
}

/// The path without links and dots, of a file that may not exist yet.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut known = PathBuf::new();
    for part in whole.components() {
        if part == Component::ParentDir {
            known.pop();
        } else {
            known.push(part);
            known = fs::canonicalize(&known).unwrap_or(known);
        }
    }
    known
}

/// A file written beside its final name. Dropped without [`Draft::close`] it is gone.
pub(crate) struct Draft {
    output: Output<Sink>,
    path: PathBuf,
    temp: Option<TempPath>,
    /// Bytes before compression.
    pub(crate) bytes: u64,
}

/// A whole file that still has to get its name, or a name that is to be free.
pub(crate) struct Whole {
    temp: Option<TempPath>,
    path: PathBuf,
}

enum Sink {
    File(File),
    Stdout(io::Stdout),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(out) => out.flush(),
        }
    }
}

impl Draft {
    /// Begins a file; its name says how it is compressed. A device or a pipe is written to as it is; behind a link, the file that it
    /// leads to gets the name.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let path = &behind_link(path);
        let failed = |error| Error::io("create", path, error);
        let (file, temp) = if is_special(path) {
            (File::options().write(true).open(path).map_err(failed)?, None)
        } else {
            let (file, temp) = scratch_beside(path)?.into_parts();
            (file, Some(temp))
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (_, compression) = Compression::of_name(&name);
        Ok(Self { output: Output::new(Sink::File(file), compression).map_err(failed)?, path: path.clone(), temp, bytes: 0 })
    }

    /// Writes to standard output.
    pub(crate) fn stdout() -> Result<Self> {
        let path = PathBuf::from("-");
        Ok(Self {
            output: Output::new(Sink::Stdout(io::stdout()), Compression::None)
                .map_err(|error| Error::io("write", &path, error))?,
            path,
            temp: None,
            bytes: 0,
        })
    }

    /// Adds bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        self.output.write_all(bytes).map_err(|error| Error::io("write", &self.path, error))
    }

    /// Ends the file; it gets its name by [`Whole::name`]. `None` for standard output.
    pub(crate) fn close(self) -> Result<Option<Whole>> {
        let Self { output, path, temp, .. } = self;
        output.finish().map_err(|error| Error::io("write", &path, error))?;
        Ok(temp.map(|temp| Whole { temp: Some(temp), path }))
    }
}

impl Whole {
    /// A file that something else has written to a path from [`scratch_beside`].
    pub(crate) fn new(temp: TempPath, path: &Path) -> Self {
        Self { temp: Some(temp), path: path.to_path_buf() }
    }

    /// No file: one that an earlier run left under this name goes, as it would be overwritten.
    pub(crate) fn gone(path: &Path) -> Self {
        Self { temp: None, path: path.to_path_buf() }
    }

    /// Gives the file its final name; returns it, if there is a file.
    pub(crate) fn name(self) -> Result<Option<PathBuf>> {
        let Self { temp, path } = self;
        match temp {
            Some(temp) => {
                temp.persist(&path).map_err(|error| Error::io("rename to", &path, error.error))?;
                Ok(Some(path))
            }
            None if is_special(&path) => Ok(None),
            None => match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", &path, error)),
                _ => Ok(None),
            },
        }
    }
}

/// The file that a link leads to; other paths as they are.
pub(crate) fn behind_link(path: &Path) -> PathBuf {
    if path.is_symlink() { fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()) } else { path.to_path_buf() }
}

/// Whether something is there that is neither file nor folder: a device, a pipe. A rename would put a file in its place.
pub(crate) fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The error where such a thing is named for a result that is renamed when whole.
pub(crate) fn special(path: &Path) -> Error {
    Error::usage("expected the name of a file, found a device or a pipe")
        .at(path)
        .hint("this result is written beside its name and renamed when it is whole: name a file")
}

/// An empty file in the folder of `path`, which is made where it is missing.
pub(crate) fn scratch_beside(path: &Path) -> Result<NamedTempFile> {
    if is_special(path) {
        return Err(special(path));
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
    let mut builder = tempfile::Builder::new();
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(".");
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    {
        // As any program makes files: readable by whom the umask lets; a private temporary file would stay private.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(|error| Error::io("create", path, error))
}
