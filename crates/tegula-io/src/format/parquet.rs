//! Apache Parquet.

use crate::edit::Edit;
use crate::options::ReadOptions;
use std::path::Path;
use tegula::error::{Error, Result};
use tegula::record::Chunk;

/// The chunks of one file, one after the other.
pub(crate) type Chunks = Box<dyn Iterator<Item = Result<Box<dyn Chunk>>> + Send>;

/// The chunks of one file.
pub(crate) fn chunks(file: u32, path: &Path, options: &ReadOptions) -> Result<Chunks> {
    let _ = (file, options);
    Err(Error::data("Parquet is not read yet").at(path))
}

/// Writes one file back.
pub(crate) fn rewrite(
    path: &Path,
    options: &ReadOptions,
    output: &Path,
    prefix: &str,
    edits: &dyn Fn(u64) -> Edit,
) -> Result<()> {
    let _ = (options, output, prefix, edits);
    Err(Error::data("Parquet is not written yet").at(path))
}
