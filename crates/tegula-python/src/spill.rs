//! Texts of the interpreter as JSON Lines, which commands read like any other file.

use crate::error::raised;
use crate::stream;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, StructArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tegula::error::{Error, Result};

/// Bytes written at a time.
const PENDING: usize = 1 << 18;

/// The field with the number of the row.
const ROW: &str = "tegula_row";

/// Adds rows to a file.
struct Spill {
    path: PathBuf,
    file: File,
    schema: SchemaRef,
    /// The number of the first row.
    first: u64,
    rows: u64,
    /// Lines to be written together.
    pending: String,
}

impl Spill {
    fn create(
        path: PathBuf,
        first: u64,
        fields: impl IntoIterator<Item = Arc<Field>>,
    ) -> Result<Self> {
        let row = Arc::new(Field::new(ROW, DataType::UInt64, false));
        let fields: Vec<_> = fields.into_iter().chain([row]).collect();
        Ok(Self {
            file: File::create(&path).map_err(|error| Error::io("create", &path, error))?,
            path,
            schema: Arc::new(Schema::new(fields)),
            first,
            rows: 0,
            pending: String::new(),
        })
    }

    fn push(&mut self, mut columns: Vec<ArrayRef>, rows: usize) -> Result<()> {
        let first = self.first + self.rows;
        let numbers = first..first + rows as u64;
        columns.push(Arc::new(UInt64Array::from_iter_values(numbers)));
        self.rows += rows as u64;
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| Error::data(error.to_string()))?;
        let batch = StructArray::from(batch);
        for row in 0..rows {
            tegula_io::write_json(&batch, row, &mut self.pending);
            self.pending.push('\n');
            if self.pending.len() >= PENDING {
                self.write()?;
            }
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        self.file
            .write_all(self.pending.as_bytes())
            .map_err(|error| Error::io("write", &self.path, error))?;
        self.pending.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<u64> {
        self.write()?;
        Ok(self.rows)
    }
}

/// Writes these columns of an object with `__arrow_c_stream__`, the text first, with the numbers of
/// their rows from `first` on; how many there are.
#[pyfunction]
pub(crate) fn spill_stream(
    py: Python<'_>,
    path: PathBuf,
    source: &Bound<'_, PyAny>,
    columns: Vec<String>,
    first: u64,
) -> PyResult<u64> {
    let mut reader = stream::reader(source)?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let places = columns
        .iter()
        .map(|name| schema.index_of(name).map_err(|_| missing(name, &schema)))
        .collect::<PyResult<Vec<_>>>()?;
    let mut fields = places
        .iter()
        .map(|place| Arc::clone(&schema.fields()[*place]))
        .peekable();
    if let Some(text) = fields.peek()
        && !is_text(text.data_type())
    {
        let error = Error::data(format!(
            "expected strings in the column \"{}\", found the type {}",
            text.name(),
            text.data_type()
        ));
        return raised(
            py,
            Err(error.hint("set ⟨text_key⟩ to the column of the text")),
        );
    }
    let mut spill = raised(py, Spill::create(path, first, fields))?;
    loop {
        // The next batch may need the interpreter: what makes it decides.
        let Some(batch) = reader.next() else { break };
        let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let columns = places.iter().map(|place| Arc::clone(batch.column(*place)));
        let columns = columns.collect();
        raised(py, py.detach(|| spill.push(columns, batch.num_rows())))?;
        py.check_signals()?;
    }
    raised(py, py.detach(|| spill.finish()))
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

/// Writes columns of strings by name, each from chunks of equal length: `chunks` is an iterable of
/// lists of columns, a column a list of strings or None; with the numbers of their rows from `first`
/// on. How many there are.
#[pyfunction]
pub(crate) fn spill_columns(
    py: Python<'_>,
    path: PathBuf,
    names: Vec<String>,
    chunks: &Bound<'_, PyAny>,
    first: u64,
) -> PyResult<u64> {
    let fields = names
        .iter()
        .map(|name| Arc::new(Field::new(name, DataType::Utf8, true)));
    let mut spill = raised(py, Spill::create(path, first, fields))?;
    for chunk in chunks.try_iter()? {
        let chunk: Vec<Bound<'_, PyAny>> = chunk?.extract()?;
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(chunk.len());
        let mut rows = 0;
        for (column, name) in chunk.iter().zip(&names) {
            let mut builder = StringBuilder::new();
            rows = 0;
            for value in column.try_iter()? {
                let value = value?;
                if value.is_none() {
                    builder.append_null();
                } else {
                    builder.append_value(string(&value, name, spill.rows + rows as u64)?);
                }
                rows += 1;
            }
            columns.push(Arc::new(builder.finish()));
        }
        raised(py, py.detach(|| spill.push(columns, rows)))?;
        py.check_signals()?;
    }
    raised(py, py.detach(|| spill.finish()))
}

/// The characters of a string.
fn string<'a>(value: &'a Bound<'_, PyAny>, name: &str, row: u64) -> PyResult<&'a str> {
    let value = value.cast::<PyString>().map_err(|_| {
        PyTypeError::new_err(format!(
            "{name}: row {row}: expected a string, found another object"
        ))
    })?;
    value.to_str().map_err(|_| {
        PyValueError::new_err(format!(
            "{name}: row {row}: expected characters, found a lone surrogate; encode it with errors=\"replace\" first"
        ))
    })
}
