//! Reading a file through a stream that detects truncation.

use super::compression::Compression;
use super::members::{Frames, Members};
use super::window;
use crate::guard::InputGuard;
use crate::guarded::{Guarded, GuardedSection};
use crate::limits::size;
use crate::store::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tegula::context::{Budget, Reservation, make_room};
use tegula::error::{Error, ErrorKind, Result};

/// Bytes of a file skipped at a time.
const PIECE: usize = 1 << 20;

/// A file being read and decompressed.
pub(crate) struct Input {
    stream: Box<dyn Read + Send>,
    compression: Compression,
    meter: Arc<Meter>,
    /// The size of the decoder's window in bytes.
    window: u64,
    held: Option<Reservation>,
}

/// The result of a read.
pub(crate) enum Outcome {
    /// The number of bytes read; 0 at the end.
    Bytes(usize),
    /// The compressed stream is truncated or broken from here on.
    Damaged(String),
}

#[derive(Default)]
struct Meter {
    bytes: AtomicU64,
    failed: AtomicBool,
    /// The error if the file has changed.
    changed: Arc<Mutex<Option<Error>>>,
}

/// Counts the bytes read from disk, and distinguishes a failing disk from a broken stream.
struct Metered<R> {
    disk: R,
    meter: Arc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.disk.read(buffer) {
            Ok(n) => {
                self.meter.bytes.fetch_add(n as u64, Ordering::Relaxed);
                Ok(n)
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::Interrupted {
                    self.meter.failed.store(true, Ordering::Relaxed);
                }
                Err(error)
            }
        }
    }
}

impl Input {
    /// Opens a file.
    pub(crate) fn open(path: &Path, compression: Compression) -> Result<Self> {
        Self::new(File::open(path)?, compression, path)
    }

    /// Opens a file that must not have changed since it was first read.
    pub(crate) fn guarded(guard: &Arc<InputGuard>, compression: Compression) -> Result<Self> {
        let meter = Arc::new(Meter::default());
        let disk = Guarded::new(guard.open()?, Arc::clone(guard), Arc::clone(&meter.changed));
        Self::metered(disk, compression, guard.path(), meter)
    }

    /// Opens bytes of a file that is not compressed, and that must not have changed since they were first
    /// read.
    pub(crate) fn section(guard: &Arc<InputGuard>, bytes: Range<u64>) -> Result<Self> {
        let meter = Arc::new(Meter::default());
        let failed = |error| Error::io("read", guard.path(), error);
        let mut open = guard.open()?;
        open.seek(SeekFrom::Start(bytes.start)).map_err(failed)?;
        let disk = GuardedSection::new(
            open.take(bytes.end - bytes.start),
            (Arc::clone(guard), bytes.start),
            Arc::clone(&meter.changed),
        );
        Self::metered(disk, Compression::None, guard.path(), meter)
    }

    /// Decompresses `disk`; `path` is for messages.
    pub(crate) fn new(
        disk: impl Read + Send + 'static,
        compression: Compression,
        path: &Path,
    ) -> Result<Self> {
        Self::metered(disk, compression, path, Arc::new(Meter::default()))
    }

    fn metered(
        disk: impl Read + Send + 'static,
        compression: Compression,
        path: &Path,
        meter: Arc<Meter>,
    ) -> Result<Self> {
        let disk = Metered {
            disk,
            meter: Arc::clone(&meter),
        };
        let mut window = 0;
        // Large reads, as decoders request little at a time.
        let mut buffered = |disk| {
            let mut disk = BufReader::with_capacity(256 << 10, disk);
            // An error here will occur again when the file is read.
            let head = disk.fill_buf().unwrap_or_default();
            window = match compression {
                Compression::Zstd => window::of_zstd(head),
                Compression::Xz => window::of_xz(head),
                _ => 0,
            };
            disk
        };
        let stream: Box<dyn Read + Send> = match compression {
            Compression::None => Box::new(disk),
            Compression::Gzip => {
                let member = flate2::bufread::GzDecoder::new(buffered(disk));
                Box::new(Members::In(member))
            }
            Compression::Zstd => {
                let open = |error| Error::io("open", path, error);
                let mut decoder = zstd::Decoder::with_buffer(buffered(disk)).map_err(open)?;
                decoder.window_log_max(window::LONGEST).map_err(open)?;
                Box::new(Frames::new(decoder))
            }
            Compression::Bzip2 => {
                let stream = bzip2::bufread::BzDecoder::new(buffered(disk));
                Box::new(Members::In(stream))
            }
            Compression::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(buffered(
                disk,
            ))),
        };
        Ok(Self {
            stream,
            compression,
            meter,
            window,
            held: None,
        })
    }

    /// Reserves the memory of a decoder with a large window, and of what is read ahead from a store.
    ///
    /// # Errors
    /// If it does not fit under the ceiling.
    pub(crate) fn within(mut self, budget: Option<&Arc<Budget>>, path: &Path) -> Result<Self> {
        let ahead = if store::is_address(path) {
            store::MOST
        } else {
            0
        };
        let window = Some(self.window).filter(|window| *window > window::USUAL);
        if let (Some(budget), true) = (budget, ahead > 0 || window.is_some()) {
            let what = match window {
                Some(_) => "the window of a compressed file",
                None => "what is read ahead from a store",
            };
            let held = budget.reserve(window.unwrap_or(0) + ahead, what);
            self.held = Some(held.map_err(|error| error.at(path))?);
        }
        Ok(self)
    }

    /// The approximate expansion ratio; only for estimates.
    pub(crate) fn expansion(&self) -> u64 {
        self.compression.ratio()
    }

    /// Bytes read from disk so far.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.meter.bytes.load(Ordering::Relaxed)
    }

    /// Reads once into `buffer`.
    fn read(&mut self, buffer: &mut [u8], path: &Path) -> Result<Outcome> {
        loop {
            match self.stream.read(buffer) {
                Ok(n) => return Ok(Outcome::Bytes(n)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if self.meter.failed.load(Ordering::Relaxed) => {
                    let changed = self
                        .meter
                        .changed
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .take();
                    return Err(changed.unwrap_or_else(|| Error::io("read", path, error)));
                }
                Err(error) if self.compression == Compression::None => {
                    return Err(Error::io("read", path, error));
                }
                Err(error) => {
                    let part = self.compression.part();
                    return Ok(Outcome::Damaged(
                        if error.kind() == io::ErrorKind::UnexpectedEof {
                            format!("the file ends inside {part}")
                        } else {
                            format!("damage inside {part}: {error}")
                        },
                    ));
                }
            }
        }
    }

    /// Appends to `buffer` until it contains `wanted` bytes, the stream ends, or damage is found.
    pub(crate) fn fill(
        &mut self,
        buffer: &mut Vec<u8>,
        wanted: usize,
        path: &Path,
    ) -> Result<Ending> {
        while buffer.len() < wanted {
            // The buffer grows in steps, so that a small file does not need a large buffer.
            let step = (wanted - buffer.len()).min((256 << 10).max(buffer.len()));
            match self.fill_some(buffer, step, path)? {
                Ending::More => {}
                ending => return Ok(ending),
            }
        }
        Ok(Ending::More)
    }

    /// Appends available bytes to `buffer`, at most this many; waits only if there are none.
    pub(crate) fn fill_some(
        &mut self,
        buffer: &mut Vec<u8>,
        most: usize,
        path: &Path,
    ) -> Result<Ending> {
        let start = buffer.len();
        make_room(buffer, most, "reading").map_err(|error| error.at(path))?;
        buffer.resize(start + most, 0);
        let outcome = self.read(&mut buffer[start..], path);
        let read = match outcome {
            Ok(Outcome::Bytes(n)) => n,
            _ => 0,
        };
        buffer.truncate(start + read);
        match outcome? {
            Outcome::Bytes(0) => Ok(Ending::End),
            Outcome::Bytes(_) => Ok(Ending::More),
            Outcome::Damaged(message) => Ok(Ending::Damaged(message)),
        }
    }
}

/// How filling a buffer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// There may be more data.
    More,
    /// The stream is at its end.
    End,
    /// The stream cannot be read further.
    Damaged(String),
}

/// The whole content of a file of at most `most` bytes, decompressed according to its name.
/// `enough` returns advice for a larger one.
///
/// # Errors
/// If it cannot be read, is larger, or the compressed stream is damaged.
pub fn read_whole(path: &Path, most: u64, enough: impl FnOnce(u64) -> String) -> Result<Vec<u8>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let compression = Compression::of_name(&name).1;
    let (file, state) = File::open_found(path)?;
    let refused = |length: u64| {
        let message = format!(
            "expected a file of at most {}, as it is held in memory, found {}",
            size(most),
            size(length)
        );
        Err(Error::new(ErrorKind::Memory, message)
            .at(path)
            .hint(enough(length)))
    };
    if compression == Compression::None && state.bytes > most {
        return refused(state.bytes);
    }
    let mut input = Input::new(file, compression, path)?;
    let mut content = Vec::new();
    let room = usize::try_from(most).unwrap_or(usize::MAX);
    let mut ending = input.fill(&mut content, room.saturating_add(1), path)?;
    if content.len() > room {
        let mut length = 0;
        loop {
            length += content.len() as u64;
            if ending != Ending::More {
                break;
            }
            content.clear();
            content.shrink_to(PIECE);
            ending = input.fill(&mut content, PIECE, path)?;
        }
        return refused(length);
    }
    match ending {
        Ending::Damaged(what) => Err(Error::data(what).at(path).hint("fetch the file again")),
        _ => Ok(content),
    }
}
