//! An unfinished file, with or without compression.

use super::Outputs;
use super::leftovers::{PART, RANDOM, prefix};
use super::place::{is_special, parent};
use super::state::Whole;
use crate::compress::{Compression, Output};
use crate::store::{self, Notes, Upload};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tegula::error::{Error, ErrorKind, Result};
use tempfile::TempPath;

/// A file written next to its final name. Dropped without [`AtomicFile::finish`] it is deleted, and
/// any existing file is kept.
#[derive(Debug)]
pub struct AtomicFile {
    sink: Sink,
    target: PathBuf,
    outputs: Outputs,
}

#[derive(Debug)]
enum Sink {
    /// A file next to the final name.
    Beside(File, TempPath),
    /// An object in a store.
    Upload(Arc<Mutex<Option<Upload>>>),
    /// A device or a pipe, which is written directly.
    Direct(File),
    /// Standard output.
    Stdout(io::Stdout),
}

/// A second handle to an output, for writers that need one.
#[derive(Debug)]
pub(crate) enum Handle {
    /// To a file.
    File(File),
    /// To an object in a store; none after it was finished.
    Upload(Arc<Mutex<Option<Upload>>>),
}

impl From<File> for Handle {
    fn from(file: File) -> Self {
        Self::File(file)
    }
}

impl Write for Handle {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Upload(upload) => write_to(upload, bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Upload(_) => Ok(()),
        }
    }
}

fn write_to(upload: &Mutex<Option<Upload>>, bytes: &[u8]) -> io::Result<usize> {
    let mut upload = upload.lock().unwrap_or_else(PoisonError::into_inner);
    upload.as_mut().ok_or_else(failed)?.write(bytes)
}

impl Outputs {
    /// Creates a file. Claims its path if it is unclaimed.
    ///
    /// # Errors
    /// If the path is read, or the file cannot be created.
    pub fn create(&self, path: &Path) -> Result<AtomicFile> {
        let (target, token) = {
            let mut state = self.lock();
            state.refuse_abandoned()?;
            let target = state.prepare(path)?;
            (target, state.token.clone())
        };
        AtomicFile::create(self, target, &token)
    }

    /// Creates a file on standard output.
    ///
    /// # Errors
    /// If another output is written there.
    pub fn stdout(&self) -> AtomicFile {
        AtomicFile {
            sink: Sink::Stdout(io::stdout()),
            target: PathBuf::from("-"),
            outputs: self.clone(),
        }
    }

    /// Creates a file, or one on standard output for `-`.
    ///
    /// # Errors
    /// As [`Outputs::create`].
    pub fn create_or_stdout(&self, path: &Path) -> Result<AtomicFile> {
        if path.as_os_str() == "-" {
            Ok(self.stdout())
        } else {
            self.create(path)
        }
    }

    /// Writes a small file.
    ///
    /// # Errors
    /// As [`Outputs::create`], and if it cannot be written.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let mut draft = self.create_or_stdout(path)?;
        draft
            .write_all(bytes)
            .map_err(|error| Error::io("write", path, error))?;
        draft.finish()
    }
}

impl AtomicFile {
    /// Creates the file for `target` in the same folder, so that the final rename never crosses a
    /// file system.
    pub(super) fn create(outputs: &Outputs, target: PathBuf, token: &str) -> Result<Self> {
        let failed = |error| Error::io("create", &target, error);
        if store::is_address(&target) {
            let notes = Arc::clone(&outputs.lock().notes);
            Notes::renew_with(&notes);
            let upload = Upload::noted(&target, Some(notes))?;
            return Ok(Self {
                sink: Sink::Upload(Arc::new(Mutex::new(Some(upload)))),
                target,
                outputs: outputs.clone(),
            });
        }
        if is_special(&target) {
            let file = File::options().write(true).open(&target).map_err(failed)?;
            return Ok(Self {
                sink: Sink::Direct(file),
                target,
                outputs: outputs.clone(),
            });
        }
        let name = target.file_name().ok_or_else(|| {
            ErrorKind::Usage
                .expected("the name of a file")
                .at(&target)
                .hint("name a file, not a folder")
        })?;
        let (prefix, suffix) = (prefix(name), format!(".{token}{PART}"));
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(&suffix).rand_bytes(RANDOM);
        #[cfg(unix)]
        {
            // Readable according to the umask, like other files; a private temporary file would
            // remain private.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let (file, temp) = builder
            .tempfile_in(parent(&target))
            .map_err(failed)?
            .into_parts();
        let mut state = outputs.lock();
        if state.abandoned {
            return Err(Error::new(ErrorKind::Cancelled, "interrupted"));
        }
        state.open.push(temp.to_path_buf());
        drop(state);
        Ok(Self {
            sink: Sink::Beside(file, temp),
            target,
            outputs: outputs.clone(),
        })
    }

    /// The final name.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// A second handle to the file, for writers that need one.
    ///
    /// # Errors
    /// If the output is not a regular file: its bytes must be written sequentially.
    pub(crate) fn file(&self) -> Result<Handle> {
        match &self.sink {
            Sink::Beside(file, _) => file
                .try_clone()
                .map(Handle::File)
                .map_err(|error| Error::io("create", &self.target, error)),
            Sink::Upload(upload) => Ok(Handle::Upload(Arc::clone(upload))),
            _ => Err(ErrorKind::Usage
                .expected("the name of a file")
                .found("a device, a pipe or standard output")
                .at(&self.target)
                .hint("this format cannot be written sequentially: name a file")),
        }
    }

    /// Declares the file complete; [`Outputs::publish`] renames it. All buffers above it must have
    /// been flushed.
    ///
    /// # Errors
    /// If a device or standard output cannot be flushed, or the rest of an object not be uploaded.
    pub fn finish(self) -> Result<()> {
        let Self {
            sink,
            target,
            outputs,
        } = self;
        match sink {
            Sink::Beside(file, temp) => {
                drop(file);
                let mut state = outputs.lock();
                state.refuse_abandoned()?;
                state.open.retain(|open| **open != *temp);
                state.whole.push(Whole { temp, target });
                Ok(())
            }
            Sink::Upload(upload) => {
                let upload = (upload.lock().unwrap_or_else(PoisonError::into_inner)).take();
                let upload = upload.ok_or_else(|| Error::io("write", &target, failed()))?;
                let may_hold = outputs.lock().may_hold();
                let uploaded = upload.finish_within(may_hold)?;
                let mut state = outputs.lock();
                state.refuse_abandoned()?;
                state.uploaded.push(uploaded);
                Ok(())
            }
            Sink::Direct(mut file) => file
                .flush()
                .map_err(|error| Error::io("write", &target, error)),
            Sink::Stdout(mut out) => out
                .flush()
                .map_err(|error| Error::io("write", &target, error)),
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Beside(file, _) | Sink::Direct(file) => file.write(bytes),
            Sink::Upload(upload) => write_to(upload, bytes),
            Sink::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Beside(file, _) | Sink::Direct(file) => file.flush(),
            Sink::Upload(_) => Ok(()),
            Sink::Stdout(out) => out.flush(),
        }
    }
}

/// A file that is compressed according to its name.
pub struct Packed {
    /// None after a failure.
    output: Option<Output<AtomicFile>>,
    target: PathBuf,
    /// Bytes before compression.
    bytes: u64,
    /// Those before the current member of the compressed stream.
    before: u64,
}

impl Packed {
    /// Creates a file, or one on standard output for `-`, which is not compressed.
    ///
    /// # Errors
    /// As [`Outputs::create`].
    pub fn create(outputs: &Outputs, path: &Path) -> Result<Self> {
        let draft = outputs.create_or_stdout(path)?;
        let target = draft.target().to_path_buf();
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let (_, compression) = Compression::of_name(&name);
        let output =
            Output::new(draft, compression).map_err(|error| Error::io("create", path, error))?;
        Ok(Self {
            output: Some(output),
            target,
            bytes: 0,
            before: 0,
        })
    }

    /// Bytes so far, before compression.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes)
            .map_err(|error| Error::io("write", &self.target, error))
    }

    /// Allows what follows to be decompressed separately, if the compression has such parts.
    ///
    /// # Errors
    /// If the data so far cannot be written.
    pub(crate) fn begin_member(&mut self) -> Result<()> {
        if self.bytes > self.before {
            self.before = self.bytes;
            let output = self.output.take().map(Output::begin_member);
            self.output = output
                .transpose()
                .map_err(|error| Error::io("write", &self.target, error))?;
        }
        Ok(())
    }

    /// Ends the compressed stream; the file is then ready to be renamed.
    ///
    /// # Errors
    /// If the remaining data cannot be written.
    pub fn finish(self) -> Result<()> {
        let Self { output, target, .. } = self;
        output
            .map_or_else(|| Err(failed()), Output::finish)
            .map_err(|error| Error::io("write", &target, error))?
            .finish()
    }
}

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.as_mut().ok_or_else(failed)?.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.as_mut().ok_or_else(failed)?.flush()
    }
}

/// The error of a write after one that failed.
fn failed() -> io::Error {
    io::Error::other("an earlier write failed")
}
