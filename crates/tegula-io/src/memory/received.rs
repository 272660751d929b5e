//! A table that a command writes, received in memory instead of a file.

use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::SchemaRef;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tegula::error::{Error, Result};

/// Where a table is received: what is written to its path is no file. It is there once the table is
/// whole, and belongs to the caller: it is not part of the memory ceiling.
#[derive(Debug)]
pub struct Received {
    path: PathBuf,
    table: Mutex<Option<(SchemaRef, Vec<RecordBatch>)>>,
}

impl Received {
    /// Receives what is written to this path, whose extension is that of a Parquet table.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            table: Mutex::new(None),
        }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the whole table here.
    pub fn put(&self, schema: SchemaRef, batches: Vec<RecordBatch>) {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        *table = Some((schema, batches));
    }

    /// Puts a table of one column of numbers here.
    ///
    /// # Errors
    /// None in practice.
    pub fn put_numbers(&self, column: &str, numbers: Vec<u64>) -> Result<()> {
        let numbers: ArrayRef = Arc::new(UInt64Array::from(numbers));
        let batch = RecordBatch::try_from_iter([(column, numbers)])
            .map_err(|error| Error::data(error.to_string()))?;
        self.put(batch.schema(), vec![batch]);
        Ok(())
    }

    /// The table, if one was written.
    pub fn take(&self) -> Option<(SchemaRef, Vec<RecordBatch>)> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.take()
    }
}
