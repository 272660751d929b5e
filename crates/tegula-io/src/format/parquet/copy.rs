//! Copies one column of one row group: as stored if all rows are kept, otherwise row by row at the
//! level of stored values, so that every type is preserved.

use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::schema::types::ColumnDescriptor;

use super::damage::Lost;
use super::decoding::{step, too_few};
use super::group::{Group, Out, run};
use crate::store::File;

/// Whether a column's bytes are where the copier expects them; some old writers declare a
/// dictionary at 0 when there is none.
pub(super) fn is_plain(column: &ColumnChunkMetaData) -> bool {
    column
        .dictionary_page_offset()
        .is_none_or(|dictionary| dictionary > 0 && dictionary < column.data_page_offset())
}

/// Copies a column as stored.
pub(super) fn whole(
    out: &mut Out<'_>,
    file: &File,
    column: &ColumnChunkMetaData,
    offsets: Option<OffsetIndexMetaData>,
    rows: usize,
) -> Result<(), ParquetError> {
    let close = ColumnCloseResult {
        bytes_written: u64::try_from(column.compressed_size()).unwrap_or_default(),
        rows_written: rows as u64,
        metadata: column.clone(),
        // These are elsewhere in the file, and redundant.
        bloom_filter: None,
        column_index: None,
        offset_index: offsets,
    };
    out.append_column(file, close)
}

/// What is changed in the kept rows of a column.
#[derive(Clone, Copy)]
pub(super) struct Changes<'c> {
    pub(super) group: &'c Group,
    /// Its index among the text columns, whose values may be cut.
    pub(super) text: Option<usize>,
    /// The rows whose values are written as nulls.
    pub(super) nulls: &'c [Lost],
}

/// Copies the kept rows of a column.
pub(super) fn some(
    out: &mut Out<'_>,
    reader: ColumnReader,
    column: &ColumnChunkMetaData,
    changes: Changes<'_>,
) -> Result<(), ParquetError> {
    let Changes { group, text, .. } = changes;
    match column.column_type() {
        Physical::BOOLEAN => filter::<BoolType>(out, reader, column, changes, None),
        Physical::INT32 => filter::<Int32Type>(out, reader, column, changes, None),
        Physical::INT64 => filter::<Int64Type>(out, reader, column, changes, None),
        Physical::INT96 => filter::<Int96Type>(out, reader, column, changes, None),
        Physical::FLOAT => filter::<FloatType>(out, reader, column, changes, None),
        Physical::DOUBLE => filter::<DoubleType>(out, reader, column, changes, None),
        Physical::FIXED_LEN_BYTE_ARRAY => {
            filter::<FixedLenByteArrayType>(out, reader, column, changes, None)
        }
        Physical::BYTE_ARRAY => {
            let change = |row: usize, value: &ByteArray| cut(group, row, text?, value);
            filter::<ByteArrayType>(out, reader, column, changes, Some(&change))
        }
    }
}

/// A text without its cuts; none if there are none.
fn cut(group: &Group, row: usize, text: usize, value: &ByteArray) -> Option<ByteArray> {
    let cuts = group.cuts.get(&row)?.get(text)?;
    let bytes = value.data();
    let mut left = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for cut in cuts {
        left.extend_from_slice(bytes.get(from..cut.start).unwrap_or_default());
        from = cut.end.min(bytes.len());
    }
    left.extend_from_slice(bytes.get(from..).unwrap_or_default());
    Some(ByteArray::from(left))
}

/// The change to a value in a row; none if it is kept.
type Change<'c, V> = &'c dyn Fn(usize, &V) -> Option<V>;

fn filter<T: DataType>(
    out: &mut Out<'_>,
    reader: ColumnReader,
    column: &ColumnChunkMetaData,
    Changes { group, nulls, .. }: Changes<'_>,
    change: Option<Change<'_, T::T>>,
) -> Result<(), ParquetError> {
    let mut writer = out
        .next_column()?
        .ok_or_else(|| ParquetError::General("expected as many columns as before".into()))?;
    let mut reader = get_typed_column_reader::<T>(reader);
    let shape: &ColumnDescriptor = column.column_descr();
    let full = shape.max_def_level();
    let (nullable, nested) = (full > 0, shape.max_rep_level() > 0);
    let step = step(column, group.rows());
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let (mut row, mut read) = (0, 0);
    // What follows the last kept row may be damaged, and so may what was not read before.
    let end = group.kept_end();
    while row < end {
        let (is_readable, rows) = group.readable(row);
        if !is_readable {
            row += rows;
            continue;
        }
        let (is_null, alike) = run(nulls, |lost| &lost.rows, row, group.rows());
        let wanted = step.min(rows).min(alike).min(end - row);
        if is_null {
            let kept = (row..row + wanted)
                .filter(|row| group.is_kept(*row))
                .count();
            let levels = vec![0; kept];
            writer.typed::<T>().write_batch(&[], Some(&levels), None)?;
            row += wanted;
            continue;
        }
        if read < row {
            let skipped = reader.skip_records(row - read)?;
            if skipped != row - read {
                return Err(too_few(row - read, skipped));
            }
        }
        values.clear();
        defined.clear();
        repeated.clear();
        let (records, _, levels) = reader.read_records(
            wanted,
            nullable.then_some(&mut defined),
            nested.then_some(&mut repeated),
            &mut values,
        )?;
        if records != wanted {
            return Err(too_few(wanted, records));
        }
        let mut kept = Kept::<T::T>::default();
        let mut old = values.drain(..);
        let mut at = row;
        for level in 0..levels {
            if level > 0 && (!nested || repeated.get(level) == Some(&0)) {
                at += 1;
            }
            let here = defined.get(level).copied().unwrap_or(full);
            let value = if here == full { old.next() } else { None };
            if !group.is_kept(at) {
                continue;
            }
            if let Some(value) = value {
                let changed = change.and_then(|change| change(at, &value));
                kept.values.push(changed.unwrap_or(value));
            }
            if nullable {
                kept.defined.push(here);
            }
            if nested {
                kept.repeated
                    .push(repeated.get(level).copied().unwrap_or_default());
            }
        }
        drop(old);
        writer.typed::<T>().write_batch(
            &kept.values,
            nullable.then_some(kept.defined.as_slice()),
            nested.then_some(kept.repeated.as_slice()),
        )?;
        row += records;
        read = row;
    }
    writer.close()
}

/// Values and levels of the kept rows.
struct Kept<V> {
    values: Vec<V>,
    defined: Vec<i16>,
    repeated: Vec<i16>,
}

impl<V> Default for Kept<V> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            defined: Vec::new(),
            repeated: Vec::new(),
        }
    }
}
