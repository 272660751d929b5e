//! The columns of a file that keys name, and what is known of them.

use std::path::Path;

use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::statistics::Statistics;
use tegula::error::{ErrorKind, Result};

use crate::format::arrow::Key;

/// Whether the columns with this path have only nulls, according to the footer: their type then
/// says nothing, as a writer that sees no value has to guess it.
pub(super) fn are_null(meta: &ParquetMetaData, path: &[String]) -> bool {
    let mut columns = meta.row_groups().iter().flat_map(RowGroupMetaData::columns);
    columns
        .by_ref()
        .filter(|column| column.column_path().parts().starts_with(path))
        .all(|column| {
            let nulls = column.statistics().and_then(Statistics::null_count_opt);
            nulls.is_some_and(|nulls| i64::try_from(nulls) == Ok(column.num_values()))
        })
}

/// The leaves of the wanted columns.
pub(super) fn leaves_of<'k>(
    meta: &ArrowReaderMetadata,
    keys: impl Iterator<Item = &'k Key>,
) -> Vec<usize> {
    let mut leaves: Vec<usize> = keys
        .flat_map(|key| {
            meta.parquet_schema()
                .columns()
                .iter()
                .enumerate()
                .filter(|(_, column)| column.path().parts().starts_with(&key.path))
                .map(|(leaf, _)| leaf)
        })
        .collect();
    leaves.sort_unstable();
    leaves.dedup();
    leaves
}

/// Decoded bytes of some leaves of a row group, as far as the footer states them: a dictionary can
/// expand a lot.
pub(super) fn bytes_of(group: &RowGroupMetaData, leaves: &[usize]) -> u64 {
    leaves
        .iter()
        .filter_map(|leaf| group.columns().get(*leaf))
        .map(|column| {
            let stored = column.uncompressed_size();
            let decoded = column.unencoded_byte_array_data_bytes().unwrap_or_default();
            u64::try_from(stored.max(decoded)).unwrap_or_default()
        })
        .fold(0, u64::saturating_add)
}

/// An unsupported codec is not damage, which a policy might skip together with every row.
pub(super) fn check_codecs(
    path: &Path,
    meta: &ArrowReaderMetadata,
    leaves: &[usize],
) -> Result<()> {
    for group in meta.metadata().row_groups() {
        for column in leaves.iter().filter_map(|leaf| group.columns().get(*leaf)) {
            if column.compression() == Compression::LZO {
                return Err(ErrorKind::Data
                    .expected(format!(
                        "a supported codec in the column \"{}\"",
                        column.column_path().parts().join("/")
                    ))
                    .found("LZO")
                    .at(path)
                    .hint("write the file again with zstd, snappy, gzip, lz4 or brotli"));
            }
        }
    }
    Ok(())
}

/// The range of a column's pages; none if the footer cannot be right.
pub(super) fn range(column: &ColumnChunkMetaData) -> Option<(u64, u64)> {
    let data = column.data_page_offset();
    let start = column
        .dictionary_page_offset()
        .map_or(data, |dictionary| dictionary.min(data));
    Some((
        u64::try_from(start).ok()?,
        u64::try_from(column.compressed_size()).ok()?,
    ))
}
