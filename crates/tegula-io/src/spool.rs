//! Streams that are read several times: standard input and named pipes are copied to scratch.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};
use tegula::scratch::{Claim, Scratch};
use tempfile::TempPath;

/// The copy of a stream, which is deleted with this value, and even if the process is killed if the
/// system supports that.
#[derive(Debug)]
pub(crate) struct Spooled {
    path: PathBuf,
    /// Keeps an anonymous file.
    _file: File,
    /// Keeps a named file.
    _named: Option<TempPath>,
    /// The scratch space that it uses.
    _claim: Claim,
}

/// Bytes copied at a time.
const PIECE: usize = 1 << 18;

impl Spooled {
    /// Copies a stream to its end; `from` is for messages.
    pub(crate) fn copy(mut stream: impl Read, from: &Path, scratch: &Scratch) -> Result<Self> {
        let folder = scratch.folder();
        let failed = |error| Error::io("create a file in", folder, error);
        let (mut file, temp) = tempfile::Builder::new()
            .prefix("tegula-")
            .tempfile_in(folder)
            .map_err(failed)?
            .into_parts();
        let (path, named) = nameless(&file, temp);
        let failed = |error| Error::io("copy to scratch", from, error);
        let (mut claim, mut piece) = (scratch.claim(), Vec::with_capacity(PIECE));
        loop {
            piece.clear();
            stream
                .by_ref()
                .take(PIECE as u64)
                .read_to_end(&mut piece)
                .map_err(failed)?;
            if piece.is_empty() {
                return Ok(Self {
                    path,
                    _file: file,
                    _named: named,
                    _claim: claim,
                });
            }
            claim.grow(piece.len() as u64)?;
            file.write_all(&piece).map_err(failed)?;
        }
    }

    /// A path at which it can be opened again.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Unlinks the file at once, and later opens it by its descriptor: nothing remains even if the
/// process is killed.
#[cfg(target_os = "linux")]
fn nameless(file: &File, temp: TempPath) -> (PathBuf, Option<TempPath>) {
    use std::os::fd::AsRawFd;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    if path.exists() && std::fs::remove_file(&temp).is_ok() {
        return (path, None);
    }
    (temp.to_path_buf(), Some(temp))
}

/// On other systems the file keeps its name until the end.
#[cfg(not(target_os = "linux"))]
fn nameless(_: &File, temp: TempPath) -> (PathBuf, Option<TempPath>) {
    (temp.to_path_buf(), Some(temp))
}
