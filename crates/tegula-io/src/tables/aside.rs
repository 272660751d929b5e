//! A file that is written beside its final name and takes that name only when whole.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tegula::error::{Error, Result};
use tempfile::NamedTempFile;

use crate::target::{behind_link, is_special, special};

/// A file in the making. Dropped without [`Aside::commit`], it is deleted and whatever bore the name before stays.
#[derive(Debug)]
pub struct Aside {
    file: NamedTempFile,
    target: PathBuf,
}

impl Aside {
    /// Begins a file that will be called `target`, in the same folder, so that the final rename never crosses a file system.
    pub fn create(target: &Path) -> Result<Self> {
        let target = &behind_link(target);
        if is_special(target) {
            return Err(special(target));
        }
        let name = target
            .file_name()
            .ok_or_else(|| Error::usage("expected the name of a file").at(target).hint("name a file, not a folder"))?;
        let folder = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(name);
        prefix.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(PART);
        // Temporary files are private by default; this one becomes a result that others may read, as the umask allows.
        #[cfg(unix)]
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        #[cfg(unix)]
        builder.permissions(permissions);
        let file = builder.tempfile_in(folder).map_err(|error| Error::io("create", target, error))?;
        Ok(Self { file, target: target.clone() })
    }

    /// The final name.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Where the bytes are until the commit.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Gives the file its name. All that was buffered above it must have been flushed.
    pub fn commit(self) -> Result<()> {
        match self.file.persist(&self.target) {
            Ok(_) => Ok(()),
            Err(failed) => Err(Error::io("rename", &self.target, failed.error)),
        }
    }

    /// The same, and the bytes are on the disk when it returns: for small files on which a resumed run relies.
    pub fn commit_synced(self) -> Result<()> {
        self.file.as_file().sync_all().map_err(|error| Error::io("write", &self.target, error))?;
        self.commit()
    }

    /// The open file.
    pub fn file(&self) -> &File {
        self.file.as_file()
    }
}

impl Write for Aside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// How the names of unfinished files end.
pub(crate) const PART: &str = ".part";

/// Writes a small file whole.
pub(crate) fn write_whole(target: &Path, bytes: &[u8]) -> Result<()> {
    let mut aside = Aside::create(target)?;
    aside.write_all(bytes).map_err(|error| Error::io("write", target, error))?;
    aside.commit_synced()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_file_stays_until_the_commit() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.txt");
        std::fs::write(&target, "old").unwrap();
        let mut aside = Aside::create(&target).unwrap();
        aside.write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        aside.commit().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
    }

    #[test]
    fn an_abandoned_file_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut aside = Aside::create(&folder.path().join("a.txt")).unwrap();
        aside.write_all(b"new").unwrap();
        drop(aside);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_missing_folder_is_an_error_with_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("none").join("a.txt");
        let error = Aside::create(&target).unwrap_err();
        assert_eq!(error.path(), Some(target.as_path()));
    }
}
