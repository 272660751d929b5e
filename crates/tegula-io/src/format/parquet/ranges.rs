//! Reads a Parquet file, checking that its bytes do not change.

use crate::guard::InputGuard;
use crate::store::File;
use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::sync::Arc;

/// A file whose pages are compared with earlier reads of the same ranges.
pub(super) struct Ranges {
    file: File,
    guard: Arc<InputGuard>,
}

impl Ranges {
    /// Opens the guarded file.
    pub(super) fn open(guard: &Arc<InputGuard>) -> tegula::Result<Self> {
        Ok(Self {
            file: guard.open()?,
            guard: Arc::clone(guard),
        })
    }
}

impl Length for Ranges {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Ranges {
    type T = <File as ChunkReader>::T;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.file.get_bytes(start, length)?;
        self.guard
            .range(start, &bytes)
            .map_err(|error| ParquetError::External(Box::new(error)))?;
        Ok(bytes)
    }
}
