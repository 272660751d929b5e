//! Scratch space: one folder, a ceiling, and spill files that disappear with the run.
//!
//! A spill file is written sequentially and read by extents. It is anonymous and does not outlive
//! its run, so it has no header; files kept for a later run have one (`tegula_io::tables`).

use crate::error::{Error, ErrorKind, Result};
use std::fs::File;
#[cfg(windows)]
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder for spill files, with a ceiling.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    ceiling: u64,
    used: Arc<Used>,
}

/// Bytes in spill files.
#[derive(Debug, Default)]
struct Used {
    now: AtomicU64,
    most: AtomicU64,
    all: AtomicU64,
}

impl Scratch {
    /// Spill files are created in `folder` (created when first needed), with at most `ceiling`
    /// bytes in total.
    pub fn new(folder: impl Into<PathBuf>, ceiling: u64) -> Self {
        Self {
            folder: folder.into(),
            ceiling,
            used: Arc::default(),
        }
    }

    /// The system's folder for temporary files, without a ceiling.
    pub fn system() -> Self {
        Self::new(std::env::temp_dir(), u64::MAX)
    }

    /// The folder of spill files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The current size of all spill files in bytes.
    pub fn used(&self) -> u64 {
        self.used.now.load(Ordering::Relaxed)
    }

    /// Bytes that can still be written: below the ceiling, and on the disk where that is known.
    pub fn room(&self) -> u64 {
        let below = self.ceiling.saturating_sub(self.used());
        below.min(free_on_disk(&self.folder).unwrap_or(u64::MAX))
    }

    /// The peak size of all spill files in bytes.
    pub fn peak(&self) -> u64 {
        self.used.most.load(Ordering::Relaxed)
    }

    /// All bytes written to spill files so far.
    pub fn written(&self) -> u64 {
        self.used.all.load(Ordering::Relaxed)
    }

    /// A new, empty, anonymous spill file: it disappears when dropped, even if the run is killed.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn file(&self) -> Result<SpillFile> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|e| Error::io("create the scratch folder", &self.folder, e))?;
        let file = tempfile::tempfile_in(&self.folder)
            .map_err(|e| Error::io("create a spill file in", &self.folder, e))?;
        Ok(SpillFile {
            file,
            claim: self.claim(),
        })
    }

    /// A reservation for a file that other code writes into the folder.
    pub fn claim(&self) -> Claim {
        Claim {
            folder: self.folder.clone(),
            length: 0,
            ceiling: self.ceiling,
            used: Arc::clone(&self.used),
        }
    }
}

/// Free bytes of the disk of a folder, which need not exist yet.
#[cfg(unix)]
fn free_on_disk(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|path| path.exists())?;
    let there = if there.as_os_str().is_empty() {
        Path::new(".")
    } else {
        there
    };
    let disk = rustix::fs::statvfs(there).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free_on_disk(_: &Path) -> Option<u64> {
    None
}

/// Bytes of scratch reserved for a file, released on drop.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    length: u64,
    ceiling: u64,
    used: Arc<Used>,
}

impl Claim {
    /// Reserves `more` bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Scratch`] above the ceiling.
    pub fn grow(&mut self, more: u64) -> Result<()> {
        let before = self.used.now.fetch_add(more, Ordering::Relaxed);
        if before + more > self.ceiling {
            self.used.now.fetch_sub(more, Ordering::Relaxed);
            return Err(Error::new(
                ErrorKind::Scratch,
                format!(
                    "the run needs more than the {} MiB of scratch it may use",
                    self.ceiling >> 20
                ),
            )
            .at(&self.folder)
            .hint("raise the scratch ceiling, or ⟨memory⟩ so that less is spilled"));
        }
        self.used.all.fetch_add(more, Ordering::Relaxed);
        self.used.most.fetch_max(before + more, Ordering::Relaxed);
        self.length += more;
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.used.now.fetch_sub(self.length, Ordering::Relaxed);
    }
}

/// A range of a [`SpillFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub start: u64,
    /// The number of bytes.
    pub length: u64,
}

/// A file that is appended to and read by extents.
#[derive(Debug)]
pub struct SpillFile {
    file: File,
    claim: Claim,
}

impl SpillFile {
    /// An existing file, read-only; it is not deleted on drop, and does not count towards the
    /// ceiling.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io("open", path, e))?;
        Ok(Self {
            file,
            claim: Scratch::new(path, 0).claim(),
        })
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// [`ErrorKind::Scratch`] above the ceiling, [`ErrorKind::Io`] if the disk is full.
    pub fn append(&mut self, bytes: &[u8]) -> Result<Extent> {
        let length = bytes.len() as u64;
        let start = self.claim.length;
        self.claim.grow(length)?;
        #[cfg(unix)]
        let written = std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, start);
        #[cfg(windows)]
        let written = self
            .file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.write_all(bytes));
        written.map_err(|e| Error::io("write a spill file in", &self.claim.folder, e))?;
        Ok(Extent { start, length })
    }

    /// Reads an extent into `out`, which must have its length.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn read(&self, extent: Extent, out: &mut [u8]) -> Result<()> {
        self.read_at(extent.start, out)
    }

    /// Fills `out` from byte `start` on; several threads may do so at once.
    ///
    /// # Errors
    /// If the disk fails, or the file ends before.
    pub fn read_at(&self, start: u64, out: &mut [u8]) -> Result<()> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_exact_at(&self.file, out, start);
        #[cfg(windows)]
        let read = read_exact_at(&self.file, out, start);
        read.map_err(|e| Error::io("read a spill file in", &self.claim.folder, e))
    }
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut out: &mut [u8], mut start: u64) -> std::io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !out.is_empty() {
        match file.seek_read(out, start)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            length => {
                out = &mut out[length..];
                start += length as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_come_back_and_the_ceiling_holds() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(folder.path(), 10);
        let mut file = scratch.file().unwrap();
        let a = file.append(b"abc").unwrap();
        let b = file.append(b"defg").unwrap();
        let mut out = [0; 4];
        file.read(b, &mut out).unwrap();
        assert_eq!(&out, b"defg");
        file.read(a, &mut out[..3]).unwrap();
        assert_eq!(&out[..3], b"abc");
        assert_eq!(file.append(b"hijk").unwrap_err().kind(), ErrorKind::Scratch);
        drop(file);
        assert_eq!((scratch.used(), scratch.peak()), (0, 7));
        assert_eq!(scratch.room(), 10);
        assert!(Scratch::new("not/there/yet", u64::MAX).room() > 0);
    }
}
