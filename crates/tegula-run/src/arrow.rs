//! Records from Arrow batches, for [`tegula::Dedup`].

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use std::borrow::Cow;
use tegula::Record;
use tegula::error::{Error, Result};

/// The records of a batch: texts from one column, ids from another if given, and values of fields
/// from others. Texts are not copied. A row without a text becomes a record with an empty one; a
/// row without a value lacks that field.
///
/// ```
/// use arrow_array::{RecordBatch, StringArray};
/// use std::sync::Arc;
/// use tegula_run::arrow::records;
///
/// let texts = StringArray::from(vec!["the same five words here", "something else in five words", "the same five words here"]);
/// let batch = RecordBatch::try_from_iter([("text", Arc::new(texts) as _)]).unwrap();
/// let result = tegula::Dedup::new().run(records(&batch, "text", None, &[])?)?;
/// assert_eq!(result.kept().collect::<Vec<_>>(), [0, 1]);
/// # Ok::<(), tegula::Error>(())
/// ```
///
/// # Errors
/// A usage error if there is no such column, or it does not contain strings or, for ids and fields,
/// integers.
pub fn records<'a>(
    batch: &'a RecordBatch,
    text: &str,
    id: Option<&str>,
    fields: &[&'a str],
) -> Result<Vec<Record<'a>>> {
    let texts = Column::of(batch, text)?.strings()?;
    let ids = id.map(|name| Column::of(batch, name)).transpose()?;
    let fields = fields
        .iter()
        .map(|name| Ok((*name, Column::of(batch, name)?)))
        .collect::<Result<Vec<_>>>()?;
    let record = |row| {
        let mut record = Record::new(texts.value(row)?.unwrap_or_default());
        if let Some(id) = ids.map_or(Ok(None), |ids| ids.value(row))? {
            record = record.id(id);
        }
        for (name, column) in &fields {
            if let Some(value) = column.value(row)? {
                record = record.field(*name, value);
            }
        }
        Ok(record)
    };
    (0..batch.num_rows()).map(record).collect()
}

#[derive(Clone, Copy)]
struct Column<'a> {
    array: &'a dyn Array,
}

impl<'a> Column<'a> {
    fn of(batch: &'a RecordBatch, name: &str) -> Result<Self> {
        let names = || {
            batch
                .schema_ref()
                .fields()
                .iter()
                .map(|field| field.name().as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        match batch.column_by_name(name) {
            Some(array) => Ok(Self { array }),
            None => Err(Error::usage(format!(
                "{name}: expected a column of the batch, found none; the columns are {}",
                names()
            ))),
        }
    }

    fn strings(self) -> Result<Self> {
        match self.array.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(self),
            other => Err(Error::usage(format!(
                "expected a column of strings as the text, found {other}"
            ))),
        }
    }

    /// The value of a row; none if it is null.
    fn value(self, row: usize) -> Result<Option<Cow<'a, str>>> {
        use arrow_array::types::{Int32Type, Int64Type, UInt32Type, UInt64Type};
        if self.array.is_null(row) {
            return Ok(None);
        }
        let array = self.array;
        Ok(Some(match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().value(row).into(),
            DataType::LargeUtf8 => array.as_string::<i64>().value(row).into(),
            DataType::Utf8View => array.as_string_view().value(row).into(),
            DataType::Int32 => array
                .as_primitive::<Int32Type>()
                .value(row)
                .to_string()
                .into(),
            DataType::Int64 => array
                .as_primitive::<Int64Type>()
                .value(row)
                .to_string()
                .into(),
            DataType::UInt32 => array
                .as_primitive::<UInt32Type>()
                .value(row)
                .to_string()
                .into(),
            DataType::UInt64 => array
                .as_primitive::<UInt64Type>()
                .value(row)
                .to_string()
                .into(),
            other => {
                return Err(Error::usage(format!(
                    "expected a column of strings or integers, found {other}"
                ))
                .hint("cast it to strings first"));
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{BooleanArray, Int64Array, StringArray, StringViewArray};
    use std::sync::Arc;

    #[test]
    fn columns_become_ids_and_fields() {
        let batch = RecordBatch::try_from_iter_with_nullable([
            (
                "body",
                Arc::new(StringViewArray::from(vec![Some("one"), None])) as _,
                true,
            ),
            (
                "n",
                Arc::new(Int64Array::from(vec![Some(7), None])) as _,
                true,
            ),
            (
                "site",
                Arc::new(StringArray::from(vec![None, Some("b")])) as _,
                true,
            ),
            (
                "flag",
                Arc::new(BooleanArray::from(vec![true, false])) as _,
                true,
            ),
        ])
        .unwrap();
        let records = super::records(&batch, "body", Some("n"), &["site"]).unwrap();
        assert_eq!(
            records,
            [
                Record::new("one").id("7"),
                Record::new("").field("site", "b")
            ]
        );
        for (text, id) in [("n", None), ("none", None), ("body", Some("flag"))] {
            assert!(
                super::records(&batch, text, id, &[]).is_err(),
                "{text} {id:?}"
            );
        }
    }
}
