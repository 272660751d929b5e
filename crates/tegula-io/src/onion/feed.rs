//! The input, and how it is read a second time.

use crate::compress::{Compression, Input};
use crate::detect::compression_of;
use crate::file_state::FileState;
use crate::guard::InputGuard;
use crate::store;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tegula::context::Context;
use tegula::error::{Error, ErrorKind, Result};
use tegula::scratch::{Extent, SpillFile};

/// Bytes copied to scratch at once.
const PIECE: usize = 256 << 10;

/// An input that can be opened again.
pub(super) struct Feed {
    path: PathBuf,
    place: FeedSource,
}

enum FeedSource {
    /// A file, which can be opened again.
    File { guard: Arc<InputGuard> },
    /// A stream, which cannot; what was read is on scratch, if a copy is kept.
    Stream {
        stream: Option<File>,
        copy: Option<Arc<Mutex<StreamCopy>>>,
    },
}

/// What was read of a stream, on scratch.
struct StreamCopy {
    spill: SpillFile,
    extents: Vec<Extent>,
    failed: Option<Error>,
    ended: bool,
    stream: File,
}

fn lock(copy: &Mutex<StreamCopy>) -> MutexGuard<'_, StreamCopy> {
    copy.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Feed {
    /// A file, or standard input for `-`. A named pipe is a stream, like standard input.
    pub(super) fn open(path: &Path) -> Result<Self> {
        if store::is_address(path) {
            return Ok(Self {
                path: path.to_path_buf(),
                place: FeedSource::File {
                    guard: InputGuard::of(path)?,
                },
            });
        }
        let stdin = path.as_os_str() == "-";
        let file = if stdin {
            standard_input()
        } else {
            File::open(path)
        }
        .map_err(|error| Error::io("open", path, error))?;
        let data = file
            .metadata()
            .map_err(|error| Error::io("open", path, error))?;
        if data.is_dir() {
            return Err(ErrorKind::Usage
                .expected("a vertical file")
                .found("a folder")
                .at(path));
        }
        let place = if data.is_file() && !stdin {
            FeedSource::File {
                guard: Arc::new(InputGuard::new(path, FileState::of(&data))),
            }
        } else {
            FeedSource::Stream {
                stream: Some(file),
                copy: None,
            }
        };
        Ok(Self {
            path: path.to_path_buf(),
            place,
        })
    }

    /// The guard against changes.
    pub(super) fn guard(&self) -> Option<&Arc<InputGuard>> {
        match &self.place {
            FeedSource::File { guard } => Some(guard),
            FeedSource::Stream { .. } => None,
        }
    }

    /// Its name, for messages.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes on disk, if known.
    pub(super) fn bytes(&self) -> Option<u64> {
        match &self.place {
            FeedSource::File { guard } => Some(guard.state().bytes),
            FeedSource::Stream {
                copy: Some(copy), ..
            } => {
                let copy = lock(copy);
                copy.ended
                    .then(|| copy.extents.iter().map(|extent| extent.length).sum())
            }
            FeedSource::Stream { .. } => None,
        }
    }

    /// Copies a stream to scratch as it is read, so that it can be read again.
    pub(super) fn keep_copy(&mut self, context: &Context) -> Result<()> {
        if let FeedSource::Stream { stream, copy } = &mut self.place
            && let Some(stream) = stream.take()
        {
            let spill = context.scratch.file()?;
            *copy = Some(Arc::new(Mutex::new(StreamCopy {
                spill,
                extents: Vec::new(),
                failed: None,
                ended: false,
                stream,
            })));
        }
        Ok(())
    }

    /// Opens the input from its beginning; a stream without a copy only once.
    pub(super) fn input(&mut self) -> Result<Input> {
        let path = self.path.clone();
        match &mut self.place {
            FeedSource::File { guard } => Input::guarded(guard, compression_of(&path)?),
            FeedSource::Stream {
                copy: Some(copy), ..
            } => decompressed(
                Replay {
                    copy: Arc::clone(copy),
                    extent: 0,
                    piece: Vec::new(),
                    at: 0,
                },
                &path,
            ),
            FeedSource::Stream { stream, .. } => match stream.take() {
                Some(stream) => decompressed(stream, &path),
                None => Err(Error::usage("a stream can be read only once").at(&path)),
            },
        }
    }

    /// Whether it can be opened repeatedly.
    pub(super) fn is_file(&self) -> bool {
        matches!(self.place, FeedSource::File { .. })
    }

    /// The error of the copy, if that made reading fail.
    pub(super) fn copy_error(&self) -> Option<Error> {
        match &self.place {
            FeedSource::Stream {
                copy: Some(copy), ..
            } => lock(copy).failed.take(),
            _ => None,
        }
    }
}

/// Standard input without its own buffer.
fn standard_input() -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        io::stdin().as_fd().try_clone_to_owned().map(File::from)
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle;
        io::stdin().as_handle().try_clone_to_owned().map(File::from)
    }
}

/// Decompresses according to the first bytes.
fn decompressed(mut disk: impl Read + Send + 'static, path: &Path) -> Result<Input> {
    let mut head = Vec::new();
    disk.by_ref()
        .take(8)
        .read_to_end(&mut head)
        .map_err(|error| Error::io("read", path, error))?;
    let compression = Compression::of_content(&head);
    Input::new(Cursor::new(head).chain(disk), compression, path)
}

impl StreamCopy {
    /// Reads a piece of the stream into the copy; 0 at the end.
    fn pull(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.stream.read(buffer)?;
        if length == 0 {
            self.ended = true;
        } else {
            match self.spill.append(&buffer[..length]) {
                Ok(extent) => self.extents.push(extent),
                Err(error) => {
                    self.failed = Some(error);
                    return Err(io::Error::other("scratch failed"));
                }
            }
        }
        Ok(length)
    }
}

/// Reads the copy, and then the stream.
struct Replay {
    copy: Arc<Mutex<StreamCopy>>,
    extent: usize,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Replay {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            let mut copy = lock(&self.copy);
            self.at = 0;
            if let Some(extent) = copy.extents.get(self.extent) {
                self.piece.resize(extent.length as usize, 0);
                if let Err(error) = copy.spill.read(*extent, &mut self.piece) {
                    copy.failed = Some(error);
                    return Err(io::Error::other("scratch failed"));
                }
            } else if copy.ended {
                self.piece.clear();
            } else {
                self.piece.resize(PIECE, 0);
                let length = copy.pull(&mut self.piece);
                self.piece.truncate(*length.as_ref().unwrap_or(&0));
                length?;
            }
            self.extent += 1;
        }
        let length = buffer.len().min(self.piece.len() - self.at);
        buffer[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
