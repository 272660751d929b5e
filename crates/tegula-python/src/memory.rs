//! Texts of the interpreter as tables that commands read in place.

use crate::error::raised;
use crate::table::Table;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;
use tegula::error::{ErrorKind, Result};
use tegula_io::memory::{self, OtherTypes};

/// The most values of another type of which the type is kept; further ones are called null.
const NAMED: usize = 10_000;

/// The column with the number of the row, through all collections.
const ROW: &str = "tegula_row";

/// Batches with the numbers of their rows.
struct Numbered {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// The number of the next row.
    next: u64,
}

impl Numbered {
    fn new(fields: impl IntoIterator<Item = Arc<Field>>, first: u64) -> Self {
        let row = Arc::new(Field::new(ROW, DataType::UInt64, false));
        let fields: Vec<_> = fields.into_iter().chain([row]).collect();
        Self {
            schema: Arc::new(Schema::new(fields)),
            batches: Vec::new(),
            next: first,
        }
    }

    fn push(&mut self, mut columns: Vec<ArrayRef>, rows: usize) -> PyResult<()> {
        let numbers = self.next..self.next + rows as u64;
        self.next = numbers.end;
        columns.push(Arc::new(UInt64Array::from_iter_values(numbers)));
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        self.batches.push(batch);
        Ok(())
    }

    fn finish(self) -> Table {
        Table::new(self.schema, self.batches)
    }
}

/// These columns of a table, the text first, with the numbers of their rows from `first` on.
///
/// # Errors
/// If there is no such column, or the text is not of strings.
#[pyfunction]
pub(crate) fn numbered(
    py: Python<'_>,
    table: &Table,
    columns: Vec<String>,
    first: u64,
) -> PyResult<Table> {
    let schema = table.schema();
    let places = columns
        .iter()
        .map(|name| schema.index_of(name).map_err(|_| missing(name, schema)))
        .collect::<PyResult<Vec<_>>>()?;
    let fields: Vec<_> = places
        .iter()
        .map(|place| Arc::clone(&schema.fields()[*place]))
        .collect();
    if let Some(text) = fields.first()
        && !is_text(text.data_type())
    {
        let error = ErrorKind::Data
            .expected(format!("strings in the column \"{}\"", text.name()))
            .found(format!("the type {}", text.data_type()));
        return raised(
            py,
            Err(error.hint("set ⟨text_key⟩ to the column of the text")),
        );
    }
    let mut all = Numbered::new(fields, first);
    for batch in table.batches() {
        let columns = places.iter().map(|place| Arc::clone(batch.column(*place)));
        all.push(columns.collect(), batch.num_rows())?;
    }
    Ok(all.finish())
}

/// Whether a column of this type holds strings.
fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_text(values),
        kind => kind.is_string(),
    }
}

fn missing(name: &str, schema: &Schema) -> PyErr {
    let fields = schema.fields().iter();
    let all: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
    PyValueError::new_err(format!(
        "expected a column {name}, found none; the columns are {}",
        all.join(", ")
    ))
}

/// A table of columns of strings by name, each from chunks of equal length: `chunks` is an iterable of
/// lists of columns, a column a list of strings or None; with the numbers of the rows from `first` on.
/// Texts of another type become null, and the table notes the type: what is done about them is up to
/// the command.
#[pyfunction]
pub(crate) fn columns(
    py: Python<'_>,
    names: Vec<String>,
    chunks: &Bound<'_, PyAny>,
    first: u64,
) -> PyResult<Table> {
    let fields = names
        .iter()
        .map(|name| Arc::new(Field::new(name, DataType::Utf8, true)));
    let mut all = Numbered::new(fields, first);
    let mut other_types = OtherTypes::new();
    for chunk in chunks.try_iter()? {
        let chunk: Vec<Bound<'_, PyAny>> = chunk?.extract()?;
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(chunk.len());
        let mut rows = 0;
        for (column, name) in chunk.iter().zip(&names) {
            let mut builder = StringBuilder::new();
            rows = 0;
            for value in column.try_iter()? {
                let value = value?;
                let row = all.next - first + rows as u64;
                if let Ok(text) = value.cast::<PyString>() {
                    builder.append_value(characters(text, name, row)?);
                } else {
                    builder.append_null();
                    // Only texts come as they are: other fields are made strings before.
                    if !value.is_none() && other_types.len() < NAMED {
                        other_types.insert(row, value.get_type().name()?.to_string());
                    }
                }
                rows += 1;
            }
            columns.push(Arc::new(builder.finish()));
        }
        all.push(columns, rows)?;
        py.check_signals()?;
    }
    let mut table = all.finish();
    table.other_types = other_types;
    Ok(table)
}

/// A table under the name by which commands know it.
pub(crate) fn named(name: &str, table: &Table) -> Result<memory::Table> {
    let (schema, batches) = (Arc::clone(table.schema()), table.batches().to_vec());
    let read = memory::Table::with_schema(name, schema, batches)?;
    Ok(read.with_other_types(table.other_types.clone()))
}

/// The characters of a string.
fn characters<'a>(text: &'a Bound<'_, PyString>, name: &str, row: u64) -> PyResult<&'a str> {
    text.to_str().or_else(|_| {
        let error = ErrorKind::Data
            .expected(format!("characters in row {row} of {name}"))
            .found("a lone surrogate")
            .hint("encode it with errors=\"replace\" first");
        raised(text.py(), Err(error))
    })
}
