//! The steps of a search as functions ([`tegula::steps`]), and their columns as Arrow batches, which
//! is how engines pass data on between machines.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch, UInt32Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Schema};
use std::collections::HashMap;
use std::sync::Arc;
use tegula::{Error, ErrorKind, Result};

pub use tegula::steps::*;

/// The key of a schema's metadata under which the [kind](Column::KIND) of its rows is.
pub const KIND: &str = "tegula";
/// The only column of a batch of [`Rows`].
const ROW: &str = "row";

/// Rows as an Arrow batch, with a column of unsigned integers for each of their
/// [fields](Column::FIELDS).
///
/// # Errors
/// None in practice.
pub fn to_arrow<T: Column>(rows: &[T]) -> Result<RecordBatch> {
    let numbers = to_numbers(rows);
    let width = numbers.len() / rows.len().max(1);
    let column = |at: usize| numbers.iter().skip(at).step_by(width.max(1)).copied();
    let (mut at, mut fields, mut columns) = (0, Vec::new(), Vec::<ArrayRef>::new());
    for (name, parts) in T::FIELDS {
        let (kind, values): (DataType, ArrayRef) = if *parts == 2 {
            let halves = column(at).zip(column(at + 1));
            let values = halves.map(|(low, high)| u64::from(high) << 32 | u64::from(low));
            (
                DataType::UInt64,
                Arc::new(UInt64Array::from_iter_values(values)),
            )
        } else {
            (
                DataType::UInt32,
                Arc::new(UInt32Array::from_iter_values(column(at))),
            )
        };
        fields.push(ArrowField::new(*name, kind, false));
        columns.push(values);
        at += usize::from(*parts);
    }
    batch(T::KIND, fields, columns)
}

/// Rows from [`to_arrow`]; columns are found by name.
///
/// # Errors
/// If the batch holds other rows, or null values.
pub fn from_arrow<T: Column>(batch: &RecordBatch) -> Result<Vec<T>> {
    check(T::KIND, batch)?;
    let width: usize = T::FIELDS.iter().map(|(_, parts)| usize::from(*parts)).sum();
    let mut numbers = vec![0; width * batch.num_rows()];
    let mut at = 0;
    for (name, parts) in T::FIELDS {
        let column = of_name(batch, name)?;
        let rows = numbers.chunks_exact_mut(width);
        if *parts == 2 {
            let values = column.as_primitive_opt::<UInt64Type>();
            let values = values.ok_or_else(|| wrong(name, "integers of 64 bits"))?;
            for (row, value) in rows.zip(values.values()) {
                (row[at], row[at + 1]) = (*value as u32, (value >> 32) as u32);
            }
        } else {
            let values = column.as_primitive_opt::<UInt32Type>();
            let values = values.ok_or_else(|| wrong(name, "integers of 32 bits"))?;
            for (row, value) in rows.zip(values.values()) {
                row[at] = *value;
            }
        }
        at += usize::from(*parts);
    }
    from_numbers(&numbers)
}

/// The occurrences of shingles as an Arrow batch, with one column of fixed width.
///
/// # Errors
/// None in practice.
pub fn rows_to_arrow(rows: &Rows) -> Result<RecordBatch> {
    let bytes: Vec<u8> = rows
        .numbers()
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let width = 4 * rows.width().max(2) as i32;
    let column =
        FixedSizeBinaryArray::try_new(width, bytes.into(), None).map_err(|error| failed(&error))?;
    let field = ArrowField::new(ROW, DataType::FixedSizeBinary(width), false);
    batch(Rows::KIND, vec![field], vec![Arc::new(column)])
}

/// Rows from [`rows_to_arrow`].
///
/// # Errors
/// If the batch holds other rows, or null values.
pub fn rows_from_arrow(batch: &RecordBatch) -> Result<Rows> {
    check(Rows::KIND, batch)?;
    let column = of_name(batch, ROW)?;
    let column = column.as_fixed_size_binary_opt();
    let column = column.ok_or_else(|| wrong(ROW, "bytes of a fixed width"))?;
    let width = column.value_length() as u32 / 4;
    let numbers = column
        .iter()
        .flatten()
        .flat_map(|row| row.as_chunks::<4>().0);
    Rows::from_numbers(
        width,
        numbers.map(|bytes| u32::from_le_bytes(*bytes)).collect(),
    )
}

fn batch(kind: [u8; 8], fields: Vec<ArrowField>, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    let metadata = HashMap::from([(KIND.to_owned(), kind.escape_ascii().to_string())]);
    let schema = Schema::new(fields).with_metadata(metadata);
    RecordBatch::try_new(Arc::new(schema), columns).map_err(|error| failed(&error))
}

fn check(kind: [u8; 8], batch: &RecordBatch) -> Result<()> {
    let kind = kind.escape_ascii().to_string();
    let schema = batch.schema();
    match schema.metadata().get(KIND) {
        Some(found) if *found == kind => Ok(()),
        found => Err(ErrorKind::Data
            .expected(format!("rows of the kind {kind}"))
            .found(found.map_or("others", String::as_str))),
    }
}

fn of_name<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b ArrayRef> {
    let column = batch.column_by_name(name);
    let column = column.filter(|column| column.null_count() == 0);
    column.ok_or_else(|| wrong(name, "a value in each row"))
}

fn wrong(name: &str, expected: &str) -> Error {
    ErrorKind::Data.expected(format!("{expected} in the column `{name}`"))
}

fn failed(error: &ArrowError) -> Error {
    Error::new(ErrorKind::Data, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Candidate> {
        let pair = |larger| Candidate { larger, smaller: 3 };
        (7..10).map(pair).collect()
    }

    #[test]
    fn rows_come_back_and_others_are_refused() {
        let batch = to_arrow(&some()).unwrap();
        assert_eq!(from_arrow::<Candidate>(&batch).unwrap(), some());
        assert!(
            from_arrow::<Candidate>(&to_arrow::<Candidate>(&[]).unwrap())
                .unwrap()
                .is_empty()
        );
        for error in [
            from_arrow::<Link>(&batch).map(drop),
            rows_from_arrow(&batch).map(drop),
        ] {
            assert!(error.unwrap_err().to_string().contains("rows of the kind"));
        }
    }

    #[test]
    fn columns_that_lack_values_or_have_another_type_are_refused() {
        let batch = to_arrow(&some()).unwrap();
        let metadata = batch.schema().metadata().clone();
        let with = |kind: DataType, values: ArrayRef| {
            let fields = vec![
                ArrowField::new("larger", kind, true),
                ArrowField::new("smaller", DataType::UInt32, false),
            ];
            let schema = Schema::new(fields).with_metadata(metadata.clone());
            let columns = vec![values, Arc::clone(batch.column(1))];
            RecordBatch::try_new(Arc::new(schema), columns).unwrap()
        };
        let nulls: UInt32Array = [Some(7), None, Some(9)].into_iter().collect();
        let wide = UInt64Array::from_iter_values([7, 8, 9]);
        for (batch, expected) in [
            (
                with(DataType::UInt32, Arc::new(nulls)),
                "a value in each row",
            ),
            (
                with(DataType::UInt64, Arc::new(wide)),
                "integers of 32 bits",
            ),
        ] {
            let error = from_arrow::<Candidate>(&batch).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let missing = batch.project(&[1]).unwrap();
        assert!(from_arrow::<Candidate>(&missing).is_err());
    }
}
