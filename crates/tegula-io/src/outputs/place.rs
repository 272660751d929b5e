//! Resolves paths.

use crate::store;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The maximum number of links followed in succession.
const LINKS: u32 = 40;

/// The path without links and dots, for a file that may not exist yet: for a link, its target, even
/// if that is missing.
pub fn resolved(path: &Path) -> PathBuf {
    if let Some(address) = store::resolved(path) {
        return address;
    }
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    // It does not exist yet, but its folder does.
    if let (Some(folder), Some(name)) = (path.parent(), path.file_name())
        && !path.is_symlink()
        && let Ok(folder) = fs::canonicalize(if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        })
    {
        return folder.join(name);
    }
    follow(path, LINKS)
}

fn follow(path: &Path, links: u32) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut known = PathBuf::new();
    let mut parts = whole.components();
    while let Some(part) = parts.next() {
        if part == Component::ParentDir {
            known.pop();
            continue;
        }
        if part == Component::CurDir {
            continue;
        }
        known.push(part);
        match fs::canonicalize(&known) {
            Ok(found) => known = found,
            // A link with a missing target.
            Err(_) if links > 0 && known.is_symlink() => {
                if let Ok(target) = fs::read_link(&known) {
                    known.pop();
                    return follow(&known.join(target).join(parts.as_path()), links - 1);
                }
            }
            Err(_) => {}
        }
    }
    known
}

/// The folder of a resolved path.
pub(super) fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Whether the path is neither a file nor a folder: a device, a pipe. A rename would replace it
/// with a file.
pub(crate) fn is_special(path: &Path) -> bool {
    !store::is_address(path)
        && fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The identity of a file independent of its name, if the system provides it: device and inode.
#[cfg(unix)]
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path)
        .ok()
        .map(|found| (found.dev(), found.ino()))
}

/// The identity of a file independent of its name, if the system provides it: device and inode.
#[cfg(not(unix))]
pub(crate) fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

/// The same for the file to which standard output or input is redirected, if any.
#[cfg(unix)]
pub(crate) fn stream_identity(stream: impl std::os::fd::AsFd) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let file = fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
    file.metadata()
        .ok()
        .filter(fs::Metadata::is_file)
        .map(|found| (found.dev(), found.ino()))
}

/// The same for the file to which standard output or input is redirected, if any.
#[cfg(not(unix))]
pub(crate) fn stream_identity<T>(_: T) -> Option<(u64, u64)> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_and_dots_lead_to_the_same_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/x"), "x").unwrap();
        symlink("a", root.join("b")).unwrap();
        symlink("nowhere/y", root.join("c")).unwrap();
        symlink("d", root.join("d")).unwrap();
        assert_eq!(resolved(&root.join("b/../b/./x")), root.join("a/x"));
        assert_eq!(resolved(&root.join("b/new/z")), root.join("a/new/z"));
        assert_eq!(
            resolved(&root.join("c")),
            root.join("nowhere/y"),
            "a link to a missing file"
        );
        assert_eq!(
            resolved(&root.join("d")),
            root.join("d"),
            "a link to itself ends"
        );
    }
}
