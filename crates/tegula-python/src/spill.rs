//! Texts of the interpreter as Parquet files, which commands read like any other.

use crate::stream;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes of a row group, which is held in memory at once: small ones are read faster, but each takes
/// space in the footer, so they grow with the file.
const GROUP_BYTES: std::ops::RangeInclusive<usize> = (1 << 20)..=(32 << 20);

/// Row groups that a file may have before they grow.
const GROUPS: usize = 1000;

/// The column with the number of the row, from 0.
const ROW: &str = "tegula_row";

/// Adds rows to a file.
struct Spill {
    writer: ArrowWriter<File>,
    schema: SchemaRef,
    rows: u64,
    bytes: usize,
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyOSError::new_err(format!("cannot write a temporary file: {error}"))
}

impl Spill {
    fn create(path: PathBuf, fields: impl IntoIterator<Item = Arc<Field>>) -> PyResult<Self> {
        let row = Arc::new(Field::new(ROW, DataType::UInt64, false));
        let schema = Arc::new(Schema::new(
            fields.into_iter().chain([row]).collect::<Vec<_>>(),
        ));
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .build();
        let writer =
            ArrowWriter::try_new(File::create(path)?, Arc::clone(&schema), Some(properties))
                .map_err(wrong)?;
        Ok(Self {
            writer,
            schema,
            rows: 0,
            bytes: 0,
        })
    }

    fn push(&mut self, mut columns: Vec<ArrayRef>, rows: usize) -> PyResult<()> {
        let numbers = self.rows..self.rows + rows as u64;
        columns.push(Arc::new(UInt64Array::from_iter_values(numbers)));
        self.rows += rows as u64;
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        // A batch may be a whole collection, which is written bit by bit.
        let bytes = batch.get_array_memory_size();
        self.bytes += bytes;
        let group = (self.bytes / GROUPS).clamp(*GROUP_BYTES.start(), *GROUP_BYTES.end());
        let bits = bytes.div_ceil(group).max(1);
        let step = batch.num_rows().div_ceil(bits).max(1);
        for start in (0..batch.num_rows()).step_by(step) {
            let bit = batch.slice(start, step.min(batch.num_rows() - start));
            self.writer.write(&bit).map_err(wrong)?;
            if self.writer.in_progress_size() >= group {
                self.writer.flush().map_err(wrong)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> PyResult<u64> {
        self.writer.close().map_err(wrong)?;
        Ok(self.rows)
    }
}

/// Writes these columns of an object with `__arrow_c_stream__`, all if there are none; the number of
/// rows.
#[pyfunction]
#[pyo3(signature = (path, source, columns=None))]
pub(crate) fn spill_stream(
    py: Python<'_>,
    path: PathBuf,
    source: &Bound<'_, PyAny>,
    columns: Option<Vec<String>>,
) -> PyResult<u64> {
    let mut reader = stream::reader(source)?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let places = match &columns {
        None => (0..schema.fields().len()).collect(),
        Some(columns) => columns
            .iter()
            .map(|name| schema.index_of(name).map_err(|_| missing(name, &schema)))
            .collect::<PyResult<Vec<_>>>()?,
    };
    let fields = places
        .iter()
        .map(|place| Arc::clone(&schema.fields()[*place]));
    let mut spill = Spill::create(path, fields)?;
    loop {
        // The next batch may need the interpreter: what makes it decides.
        let Some(batch) = reader.next() else { break };
        let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let columns = places.iter().map(|place| Arc::clone(batch.column(*place)));
        let columns = columns.collect();
        py.detach(|| spill.push(columns, batch.num_rows()))?;
        py.check_signals()?;
    }
    py.detach(|| spill.finish())
}

fn missing(name: &str, schema: &Schema) -> PyErr {
    let all: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    PyValueError::new_err(format!(
        "expected a column {name}, found none; the columns are {}",
        all.join(", ")
    ))
}

/// Writes columns of strings by name, each from chunks of equal length: `chunks` is an iterable of
/// lists of columns, a column a list of strings or None. The number of rows.
#[pyfunction]
pub(crate) fn spill_columns(
    py: Python<'_>,
    path: PathBuf,
    names: Vec<String>,
    chunks: &Bound<'_, PyAny>,
) -> PyResult<u64> {
    let fields = names
        .iter()
        .map(|name| Arc::new(Field::new(name, DataType::Utf8, true)));
    let mut spill = Spill::create(path, fields)?;
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
        py.detach(|| spill.push(columns, rows))?;
        py.check_signals()?;
    }
    py.detach(|| spill.finish())
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
