//! How many rows of a column are decoded at a time.

use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

/// The approximate maximum of bytes decoded at a time.
const BYTES: u64 = 4 << 20;
/// The maximum of rows decoded at a time.
const ROWS: u64 = 4_096;

/// Rows decoded at a time.
pub(super) fn step(column: &ColumnChunkMetaData, rows: usize) -> usize {
    let stored = column.uncompressed_size();
    let decoded = column.unencoded_byte_array_data_bytes().unwrap_or_default();
    let bytes = u64::try_from(stored.max(decoded))
        .unwrap_or_default()
        .max(1);
    let fitting = u128::from(BYTES) * rows as u128 / u128::from(bytes);
    usize::try_from(fitting.clamp(1, u128::from(ROWS))).unwrap_or(1)
}

/// The error for a column that ends too early.
pub(super) fn too_few(wanted: usize, found: usize) -> ParquetError {
    ParquetError::EOF(format!("expected {wanted} rows in a page, found {found}"))
}
