//! The state of a file, by which a change is noticed.

use std::fs::Metadata;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use tegula::error::{Error, ErrorKind};

/// The identity and state of a file, as far as the system reports it without reading the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) device: Option<u64>,
    pub(crate) inode: Option<u64>,
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
    /// The tag of an object in a store.
    pub(crate) tag: Option<String>,
}

impl FileState {
    pub(crate) fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        let (device, inode) = {
            use std::os::unix::fs::MetadataExt;
            (Some(found.dev()), Some(found.ino()))
        };
        #[cfg(not(unix))]
        let (device, inode) = (None, None);
        Self {
            device,
            inode,
            bytes: found.len(),
            modified: found.modified().ok(),
            tag: None,
        }
    }

    /// Nanoseconds since 1970.
    pub(crate) fn nanoseconds(&self) -> Option<u128> {
        Some(self.modified?.duration_since(UNIX_EPOCH).ok()?.as_nanos())
    }

    /// The difference, in words.
    pub(crate) fn difference(&self, now: &Self) -> Option<String> {
        if (self.device, self.inode) != (now.device, now.inode) {
            return Some("its name now belongs to another file".into());
        }
        if self.bytes != now.bytes {
            return Some(format!("it had {} bytes and has {}", self.bytes, now.bytes));
        }
        if self.modified != now.modified {
            return Some(format!("it was written to at {}", shown(now.modified)));
        }
        (self.tag != now.tag).then(|| "its ETag has changed".into())
    }
}

/// A time for display.
fn shown(time: Option<SystemTime>) -> String {
    let stamp = time.and_then(|time| jiff::Timestamp::try_from(time).ok());
    stamp.map_or_else(|| "an unknown time".into(), |stamp| format!("{stamp:.0}"))
}

/// The error that a file has changed, and how.
pub(crate) fn changed(path: &Path, how: &str) -> Error {
    Error::new(
        ErrorKind::Changed,
        format!("the file changed while it was in use: {how}"),
    )
    .at(path)
    .hint("nothing was written; run again when nothing else writes to it, or on a copy")
}
