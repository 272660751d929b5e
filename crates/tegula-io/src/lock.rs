//! Locks of runs, which show whether a run is alive.
//!
//! A run holds a lock on `.tegula-TOKEN.lock` in each folder that it writes to, until it ends. A lock
//! that can be acquired belongs to a dead run.
//!
//! What only looks like a lock belongs to others, and so do the files that it seems to be for: a lock
//! is a regular file, whose content names its token once more.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};

const LOCK: (&str, &str) = (".tegula-", ".lock");
/// Hexadecimal digits of a token.
const DIGITS: usize = 16;

/// A folder that this run writes to.
#[derive(Debug)]
pub(crate) struct Lock {
    folder: PathBuf,
    /// Whether it also covers subfolders.
    below: bool,
    path: PathBuf,
    /// Holds the lock until it is closed.
    _file: File,
}

impl Lock {
    /// Locks a folder for the run with this token.
    pub(crate) fn new(folder: &Path, below: bool, token: &str) -> Result<Self> {
        let path = path_of(folder, token);
        let failed = |error| Error::io("write to the folder of an output", folder, error);
        // If the file system does not support locks, no run will be considered dead.
        let file = whole(folder, &path, token)
            .or_else(|_| {
                let file = File::create_new(&path)?;
                fill(&file, token).inspect_err(|_| {
                    let _gone = fs::remove_file(&path);
                })?;
                Ok(file)
            })
            .map_err(failed)?;
        Ok(Self {
            folder: folder.to_path_buf(),
            below,
            path,
            _file: file,
        })
    }

    /// Whether the run with this token is dead, as its lock in a folder shows; none if there is no lock.
    pub(crate) fn is_dead_in(folder: &Path, token: &str) -> Option<bool> {
        let path = path_of(folder, token);
        path.exists().then(|| is_dead(&path, token.as_bytes()))
    }

    /// Whether a folder is locked with it.
    pub(crate) fn covers(&self, folder: &Path) -> bool {
        folder == self.folder || (self.below && folder.starts_with(&self.folder))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.path);
    }
}

/// The lock of the run with this token in a folder.
fn path_of(folder: &Path, token: &str) -> PathBuf {
    folder.join(format!("{}{token}{}", LOCK.0, LOCK.1))
}

/// Locks a file, and writes what the lock of the run with this token holds.
fn fill(mut file: &File, token: &str) -> std::io::Result<()> {
    let _locked = file.try_lock();
    file.write_all(&content(token.as_bytes()))
}

/// Writes a lock before it has a name, so that a run that is killed meanwhile leaves nothing: an empty
/// file would be nobody's to remove.
#[cfg(target_os = "linux")]
fn whole(folder: &Path, path: &Path, token: &str) -> std::io::Result<File> {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};
    use std::os::fd::AsRawFd as _;
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(openat(CWD, folder, flags, Mode::from_raw_mode(0o666))?);
    fill(&file, token)?;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW)?;
    Ok(file)
}

#[cfg(not(target_os = "linux"))]
fn whole(_: &Path, _: &Path, _: &str) -> std::io::Result<File> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// The token in the name of a lock.
pub(crate) fn token(name: &[u8]) -> Option<&[u8]> {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    name.strip_prefix(LOCK.0.as_bytes())?
        .strip_suffix(LOCK.1.as_bytes())
        .filter(|token| token.len() == DIGITS && token.iter().all(is_digit))
}

/// What the lock of the run with this token holds.
fn content(token: &[u8]) -> Vec<u8> {
    [b"tegula run ", token, b"\n"].concat()
}

/// Whether this is the lock of the run with this token, and not held by anyone.
pub(crate) fn is_dead(lock: &Path, token: &[u8]) -> bool {
    let Ok(file) = open_regular(lock) else {
        return false;
    };
    let mut found = Vec::new();
    let expected = content(token);
    let read = (&file)
        .take(expected.len() as u64 + 1)
        .read_to_end(&mut found);
    if read.is_err() || found != expected {
        return false;
    }
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

/// Opens a regular file: no link is followed, and no pipe waited for.
fn open_regular(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(std::io::ErrorKind::InvalidInput.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_known_by_their_whole_names() {
        let known = b"0123456789abcdef";
        let lock = [b".tegula-", &known[..], b".lock"].concat();
        assert_eq!(token(&lock), Some(&known[..]));
        for name in [
            ".tegula-mkv.lock",
            ".tegula-.lock",
            ".tegula-0123456789ABCDEF.lock",
            ".tegula-0123456789abcdefa.lock",
        ] {
            assert_eq!(token(name.as_bytes()), None, "{name}");
        }
    }
}
