//! Scratch space: one folder, a ceiling, and spill files that vanish with the run.
//!
//! A spill file is written front to back and read extent by extent. It has no name and does not outlive its run, so it carries no header;
//! what is kept for a later run has one of its own (`tegula_io::tables`).

use crate::error::{Error, ErrorKind, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
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
    /// Spill files go to `folder` (made when first needed), `ceiling` bytes of them at most.
    pub fn new(folder: impl Into<PathBuf>, ceiling: u64) -> Self {
        Self { folder: folder.into(), ceiling, used: Arc::default() }
    }

    /// The system's folder for temporary files, without a ceiling.
    pub fn system() -> Self {
        Self::new(std::env::temp_dir(), u64::MAX)
    }

    /// Where spill files go.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes in spill files now.
    pub fn used(&self) -> u64 {
        self.used.now.load(Ordering::Relaxed)
    }

    /// The most bytes that were in spill files at a time.
    pub fn peak(&self) -> u64 {
        self.used.most.load(Ordering::Relaxed)
    }

    /// All bytes that went to spill files so far.
    pub fn written(&self) -> u64 {
        self.used.all.load(Ordering::Relaxed)
    }

    /// A new, empty spill file without a name: it is gone when dropped, even if the run is killed.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn file(&self) -> Result<SpillFile> {
        std::fs::create_dir_all(&self.folder).map_err(|e| Error::io("create the scratch folder", &self.folder, e))?;
        let file = tempfile::tempfile_in(&self.folder).map_err(|e| Error::io("create a spill file in", &self.folder, e))?;
        Ok(SpillFile { file, claim: self.claim() })
    }

    /// A claim to room for a file that somebody else writes into the folder.
    pub fn claim(&self) -> Claim {
        Claim { folder: self.folder.clone(), length: 0, ceiling: self.ceiling, used: Arc::clone(&self.used) }
    }
}

/// Bytes of scratch that a file takes, given back on drop.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    length: u64,
    ceiling: u64,
    used: Arc<Used>,
}

impl Claim {
    /// Takes `more` bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Scratch`] above the ceiling.
    pub fn grow(&mut self, more: u64) -> Result<()> {
        let before = self.used.now.fetch_add(more, Ordering::Relaxed);
        if before + more > self.ceiling {
            self.used.now.fetch_sub(more, Ordering::Relaxed);
            return Err(Error::new(
                ErrorKind::Scratch,
                format!("the run needs more than the {} MiB of scratch it may use", self.ceiling >> 20),
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

/// A stretch of a [`SpillFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub length: u64,
}

/// A file that is appended to and read by extents.
#[derive(Debug)]
pub struct SpillFile {
    file: File,
    claim: Claim,
}

impl SpillFile {
    /// An existing file, read-only; it is not deleted on drop, and does not count towards the ceiling.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io("open", path, e))?;
        Ok(Self { file, claim: Scratch::new(path, 0).claim() })
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// [`ErrorKind::Scratch`] above the ceiling, [`ErrorKind::Io`] when the disk is full.
    pub fn append(&mut self, bytes: &[u8]) -> Result<Extent> {
        let length = bytes.len() as u64;
        let start = self.claim.length;
        self.claim.grow(length)?;
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.write_all(bytes))
            .map_err(|e| Error::io("write a spill file in", &self.claim.folder, e))?;
        Ok(Extent { start, length })
    }

    /// Reads an extent into `out`, which must have its length.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn read(&self, extent: Extent, out: &mut [u8]) -> Result<()> {
        // A second handle's position is shared with the first, so reads and appends are never interleaved: `&self` reads follow all appends.
        let mut file = &self.file;
        file.seek(SeekFrom::Start(extent.start))
            .and_then(|_| file.read_exact(out))
            .map_err(|e| Error::io("read a spill file in", &self.claim.folder, e))
    }
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
    }
}
