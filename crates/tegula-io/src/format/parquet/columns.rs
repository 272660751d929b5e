//! The columns of a file that keys name, and what is known of them.

use std::path::Path;

use arrow_schema::Schema;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use tegula::error::{Error, Result};

use super::key::Key;
use super::texts::Texts;

pub(super) fn find_text(path: &Path, meta: &ArrowReaderMetadata, key: &Key) -> Result<()> {
    let schema = meta.schema();
    let field = key
        .field(schema)
        .ok_or_else(|| missing(path, schema, &key.name, "⟨text_key⟩"))?;
    if Texts::fits(field.data_type()) || Texts::are_missing(meta.metadata(), &key.path) {
        return Ok(());
    }
    Err(Error::data(format!(
        "expected strings in the column \"{}\", found the type {}",
        key.name,
        field.data_type()
    ))
    .at(path)
    .hint("set ⟨text_key⟩ to the column of the text"))
}

pub(super) fn missing(path: &Path, schema: &Schema, name: &str, option: &str) -> Error {
    let present: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    let present = if present.is_empty() {
        "none".to_owned()
    } else {
        present.join(", ")
    };
    Error::data(format!(
        "expected a column \"{name}\", found the columns {present}"
    ))
    .at(path)
    .hint(format!(
        "set {option} to one of them, or to a field of a struct as /column/field"
    ))
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
                return Err(Error::data(format!(
                    "expected a supported codec in the column \"{}\", found LZO",
                    column.column_path().parts().join("/")
                ))
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
