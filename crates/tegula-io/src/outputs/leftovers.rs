//! Unfinished files: how they are named, and how those of killed runs are found.
//!
//! A run holds a lock on `.tegula-TOKEN.lock` in each folder that it writes to, until it ends; its
//! unfinished files are named `.NAME.RANDOM.TOKEN.part`. A lock that can be acquired belongs to a
//! dead run: all of its files can be removed.
//!
//! What only looks like a lock belongs to others, and so do the files that it seems to be for: a lock
//! is a regular file, whose content names its token once more.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};

/// The suffix of unfinished files.
pub(super) const PART: &str = ".part";
const LOCK: (&str, &str) = (".tegula-", ".lock");
/// Hexadecimal digits of a token.
const DIGITS: usize = 16;
/// Random letters and digits in the name of an unfinished file.
pub(super) const RANDOM: usize = 6;
/// Stands for the random part in the name of a file that makes way for another.
pub(super) const BEFORE: &str = "before";
/// Bytes of the final name that are part of an unfinished file's name, so that the latter is not
/// too long for file systems.
const LONGEST: usize = 96;

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
    pub(super) fn covers(&self, folder: &Path) -> bool {
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

/// The prefix of an unfinished file's name.
pub(super) fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    if name.len() <= LONGEST {
        prefix.push(name);
    } else {
        prefix.push(
            name.to_string_lossy()
                .chars()
                .take(LONGEST / 4)
                .collect::<String>(),
        );
    }
    prefix.push(".");
    prefix
}

/// Whether this is an unfinished file.
pub(crate) fn is_unfinished(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && (name.ends_with(PART.as_bytes()) || token_of_lock(name).is_some())
}

fn token_of_lock(name: &[u8]) -> Option<&[u8]> {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    name.strip_prefix(LOCK.0.as_bytes())?
        .strip_suffix(LOCK.1.as_bytes())
        .filter(|token| token.len() == DIGITS && token.iter().all(is_digit))
}

/// What the lock of the run with this token holds.
fn content(token: &[u8]) -> Vec<u8> {
    [b"tegula run ", token, b"\n"].concat()
}

/// Whether an unfinished file belongs to the run with this token: `.NAME.RANDOM.TOKEN.part`.
fn is_part_of(name: &[u8], token: &[u8]) -> bool {
    let random = |name: &'_ [u8]| -> Option<bool> {
        let name = name.strip_prefix(b".")?.strip_suffix(PART.as_bytes())?;
        let name = name.strip_suffix(token)?.strip_suffix(b".")?;
        let at = name.iter().rposition(|byte| *byte == b'.')?;
        let (before, random) = (&name[..at], &name[at + 1..]);
        let is_random = random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric);
        Some(!before.is_empty() && (is_random || random == BEFORE.as_bytes()))
    };
    random(name).unwrap_or(false)
}

/// Removes what killed runs left in a folder, and with `below` in its subfolders.
pub(super) fn sweep(folder: &Path, below: bool) {
    let mut dead: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let depth = if below { usize::MAX } else { 1 };
    let entries = || {
        walkdir::WalkDir::new(folder)
            .min_depth(1)
            .max_depth(depth)
            .into_iter()
            .flatten()
    };
    for entry in entries() {
        if let Some(token) = token_of_lock(entry.file_name().as_encoded_bytes())
            && entry.file_type().is_file()
            && is_dead(entry.path(), token)
        {
            dead.push((entry.path().to_path_buf(), token.to_vec()));
        }
    }
    if dead.is_empty() {
        return;
    }
    for entry in entries().filter(|entry| entry.file_type().is_file()) {
        let name = entry.file_name().as_encoded_bytes();
        if dead.iter().any(|(_, token)| is_part_of(name, token)) {
            let _gone = fs::remove_file(entry.path());
        }
    }
    // Last, so that if this is killed, the next sweep finds the rest.
    for (lock, _) in dead {
        let _gone = fs::remove_file(lock);
    }
}

/// Removes what the run with this token left in a folder and its subfolders.
pub(super) fn sweep_run(folder: &Path, token: &[u8]) {
    let entries = walkdir::WalkDir::new(folder).min_depth(1).into_iter();
    for entry in entries
        .flatten()
        .filter(|entry| entry.file_type().is_file())
    {
        if is_part_of(entry.file_name().as_encoded_bytes(), token) {
            let _gone = fs::remove_file(entry.path());
        }
    }
}

/// Whether this is the lock of the run with this token, and not held by anyone.
fn is_dead(lock: &Path, token: &[u8]) -> bool {
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
    fn the_files_of_a_run_are_known_by_their_whole_names() {
        let token = b"0123456789abcdef";
        let lock = [b".tegula-", &token[..], b".lock"].concat();
        assert_eq!(token_of_lock(&lock), Some(&token[..]));
        for name in [
            ".tegula-mkv.lock",
            ".tegula-.lock",
            ".tegula-0123456789ABCDEF.lock",
            ".tegula-0123456789abcdefa.lock",
        ] {
            assert_eq!(token_of_lock(name.as_bytes()), None, "{name}");
        }
        for (name, is_ours) in [
            (".a.jsonl.Ab3xYz.0123456789abcdef.part", true),
            (".a.before.0123456789abcdef.part", true),
            ("a.Ab3xYz.0123456789abcdef.part", false),
            (".a.0123456789abcdef.part", false),
            (".a.b.0123456789abcdef.part", false),
            (".Ab3xYz.0123456789abcdef.part", false),
            (".a.Ab3xYz.0123456789abcdee.part", false),
        ] {
            assert_eq!(is_part_of(name.as_bytes(), token), is_ours, "{name}");
        }
        let longest = prefix(OsStr::new(&"ä".repeat(200)));
        let name = [longest.as_encoded_bytes(), b"Ab3xYz.", token, b".part"].concat();
        assert!(is_part_of(&name, token));
    }
}
