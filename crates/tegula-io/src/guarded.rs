//! Readers that compare a file with what was read of it before.

use crate::guard::{InputGuard, WINDOW, checksum};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use tegula::error::Error;
use xxhash_rust::xxh3::Xxh3;

/// Reads a section of a file, comparing it with earlier reads at its end.
pub(crate) struct GuardedSection<R> {
    inner: R,
    guard: Arc<InputGuard>,
    start: u64,
    bytes: usize,
    hash: Xxh3,
    failed: Arc<Mutex<Option<Error>>>,
}

impl<R: Read> GuardedSection<R> {
    /// That begins at this byte; `failed` as for [`Guarded::new`].
    pub(crate) fn new(
        inner: R,
        (guard, start): (Arc<InputGuard>, u64),
        failed: Arc<Mutex<Option<Error>>>,
    ) -> Self {
        Self {
            inner,
            guard,
            start,
            bytes: 0,
            hash: Xxh3::new(),
            failed,
        }
    }
}

impl<R: Read> Read for GuardedSection<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        self.bytes += read;
        if read == 0 && !buffer.is_empty() {
            let range = (self.start, self.bytes);
            let same = self.guard.same_range(range, self.hash.digest());
            same.map_err(|error| pass_on(error, &self.failed))?;
        }
        Ok(read)
    }
}

/// Reads a file, comparing it with earlier reads.
pub(crate) struct Guarded<R> {
    inner: R,
    guard: Arc<InputGuard>,
    hash: Xxh3,
    /// Bytes of the current window.
    filled: usize,
    window: usize,
    ended: bool,
    /// The error that made reading fail, to be reported unchanged.
    failed: Arc<Mutex<Option<Error>>>,
}

impl<R: Read> Guarded<R> {
    /// `failed` receives the error, as decompressors pass on only part of it.
    pub(crate) fn new(inner: R, guard: Arc<InputGuard>, failed: Arc<Mutex<Option<Error>>>) -> Self {
        Self {
            inner,
            guard,
            hash: Xxh3::new(),
            filled: 0,
            window: 0,
            ended: false,
            failed,
        }
    }

    fn close(&mut self, last: bool) -> io::Result<()> {
        let check = checksum(self.hash.digest(), self.filled);
        self.hash.reset();
        let result = self.guard.window(self.window, check, last);
        self.filled = 0;
        self.window += 1;
        result.map_err(|error| pass_on(error, &self.failed))
    }
}

/// The error for a reader that only passes on part of it.
fn pass_on(error: Error, failed: &Mutex<Option<Error>>) -> io::Error {
    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    io::Error::other("the file changed")
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        if length == 0 && !buffer.is_empty() && !self.ended {
            self.ended = true;
            self.close(true)?;
        }
        let mut rest = &buffer[..length];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(WINDOW - self.filled));
            self.hash.update(now);
            self.filled += now.len();
            rest = later;
            if self.filled == WINDOW {
                self.close(false)?;
            }
        }
        Ok(length)
    }
}
