//! Tables of a run, for any library that reads Arrow.

use crate::stream;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use pyo3::exceptions::{PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use tegula_io::memory::OtherTypes;
use tegula_io::store;

/// A table: the Arrow C stream interface, and the values of its columns.
#[pyclass(frozen, module = "tegula._tegula")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// The types of values that are no strings, for tables that commands read.
    pub(crate) other_types: OtherTypes,
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The type of a column for other libraries: strings without dictionaries.
fn plain(data: &DataType) -> DataType {
    match data {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        other => other.clone(),
    }
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self {
            schema,
            batches,
            other_types: OtherTypes::new(),
        }
    }

    /// These batches without dictionaries.
    pub(crate) fn plain(schema: &SchemaRef, batches: &[RecordBatch]) -> PyResult<Self> {
        let fields = schema
            .fields()
            .iter()
            .map(|field| Field::new(field.name(), plain(field.data_type()), field.is_nullable()));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let plain = |batch: &RecordBatch| {
            let columns = batch.columns().iter().zip(schema.fields());
            let columns = columns
                .map(|(column, field)| arrow_cast::cast(column, field.data_type()))
                .collect::<Result<Vec<_>, _>>()?;
            RecordBatch::try_new(Arc::clone(&schema), columns)
        };
        let batches = batches.iter().map(plain).collect::<Result<Vec<_>, _>>();
        Ok(Self::new(schema, batches.map_err(wrong)?))
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(crate) fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

#[pymethods]
impl Table {
    /// Reads a Parquet file, or some of its columns, in the file's order.
    #[staticmethod]
    #[pyo3(signature = (path, columns=None))]
    fn read(py: Python<'_>, path: PathBuf, columns: Option<Vec<String>>) -> PyResult<Self> {
        py.detach(|| {
            let file =
                store::File::open(&path).map_err(|error| PyOSError::new_err(error.to_string()))?;
            let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(wrong)?;
            let mask = match &columns {
                None => ProjectionMask::all(),
                Some(columns) => {
                    let names = columns.iter().map(String::as_str);
                    ProjectionMask::columns(builder.parquet_schema(), names)
                }
            };
            let reader = builder
                .with_projection(mask)
                .with_batch_size(1 << 16)
                .build()
                .map_err(wrong)?;
            let schema = arrow_array::RecordBatchReader::schema(&reader);
            let batches = reader.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
            Self::plain(&schema, &batches)
        })
    }

    /// The table of an object with `__arrow_c_stream__`.
    #[staticmethod]
    fn of(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let reader = stream::reader(source)?;
        let schema = arrow_array::RecordBatchReader::schema(&reader);
        let batches = reader.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        Ok(Self::new(schema, batches))
    }

    /// Writes a Parquet file.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let file = File::create(&path)
                .map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))?;
            let mut writer =
                ArrowWriter::try_new(file, Arc::clone(&self.schema), None).map_err(wrong)?;
            for batch in &self.batches {
                writer.write(batch).map_err(wrong)?;
            }
            writer.close().map(drop).map_err(wrong)
        })
    }

    /// These rows; nulls for None.
    fn take(&self, py: Python<'_>, rows: Vec<Option<u64>>) -> PyResult<Self> {
        py.detach(|| {
            let whole = concat_batches(&self.schema, &self.batches).map_err(wrong)?;
            let taken = take_record_batch(&whole, &UInt64Array::from(rows)).map_err(wrong)?;
            Ok(Self::new(Arc::clone(&self.schema), vec![taken]))
        })
    }

    /// The same with other values in a column of strings.
    fn with_column(&self, name: &str, values: Vec<Option<String>>) -> PyResult<Self> {
        let whole = concat_batches(&self.schema, &self.batches).map_err(wrong)?;
        let mut columns = whole.columns().to_vec();
        let mut fields = self.schema.fields().to_vec();
        let values: ArrayRef = Arc::new(StringArray::from(values));
        if let Ok(place) = self.schema.index_of(name) {
            let kind = fields[place].data_type();
            columns[place] = arrow_cast::cast(&values, kind).map_err(wrong)?;
        } else {
            columns.push(values);
            fields.push(Arc::new(Field::new(name, DataType::Utf8, true)));
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(wrong)?;
        Ok(Self::new(schema, vec![batch]))
    }

    /// The same with the columns of another table of as many rows.
    fn with_columns(&self, other: &Self) -> PyResult<Self> {
        let tables = [self, other];
        let wholes = tables.map(|table| concat_batches(&table.schema, &table.batches));
        let [a, b] = wholes.map(|whole| whole.map_err(wrong));
        let columns = [a?.columns(), b?.columns()].concat();
        let fields = tables.map(|table| table.schema.fields().to_vec()).concat();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(wrong)?;
        Ok(Self::new(schema, vec![batch]))
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    #[getter]
    fn column_names(&self) -> Vec<&str> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().as_str()).collect()
    }

    /// The values of a column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let place = self
            .schema
            .index_of(name)
            .map_err(|_| PyKeyError::new_err(name.to_owned()))?;
        let all = PyList::empty(py);
        for batch in &self.batches {
            append(&all, batch.column(place))?;
        }
        Ok(all)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows a producer to leave another schema to the consumer.
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, stream::NAME)
    }
}

/// Appends the values of an array.
fn append(all: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    let py = all.py();
    macro_rules! values {
        ($array:expr, $value:expr) => {{
            let array = $array;
            for row in 0..array.len() {
                if array.is_null(row) {
                    all.append(py.None())?;
                } else {
                    all.append($value(array.value(row)))?;
                }
            }
            Ok(())
        }};
    }
    match array.data_type() {
        DataType::Utf8 => values!(array.as_string::<i32>(), |value| value),
        DataType::LargeUtf8 => values!(array.as_string::<i64>(), |value| value),
        DataType::Boolean => values!(array.as_boolean(), |value| value),
        DataType::FixedSizeBinary(_) => {
            values!(array.as_fixed_size_binary(), |value| PyBytes::new(
                py, value
            ))
        }
        DataType::Float32 | DataType::Float64 => {
            let array = arrow_cast::cast(array, &DataType::Float64).map_err(wrong)?;
            values!(array.as_primitive::<Float64Type>(), |value| value)
        }
        DataType::List(_) => {
            let array = array.as_list::<i32>();
            for row in 0..array.len() {
                if array.is_null(row) {
                    all.append(py.None())?;
                } else {
                    let items = PyList::empty(py);
                    append(&items, &array.value(row))?;
                    all.append(items)?;
                }
            }
            Ok(())
        }
        DataType::Struct(fields) => {
            let rows: Vec<_> = (0..array.len()).map(|_| PyDict::new(py)).collect();
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                let values = PyList::empty(py);
                append(&values, column)?;
                for (row, value) in rows.iter().zip(values) {
                    row.set_item(field.name(), value)?;
                }
            }
            rows.into_iter().try_for_each(|row| all.append(row))
        }
        DataType::UInt64 => values!(array.as_primitive::<UInt64Type>(), |value| value),
        kind if kind.is_integer() => {
            let array = arrow_cast::cast(array, &DataType::Int64).map_err(wrong)?;
            values!(array.as_primitive::<Int64Type>(), |value| value)
        }
        _ => {
            let array = arrow_cast::cast(array, &DataType::Utf8).map_err(wrong)?;
            values!(array.as_string::<i32>(), |value| value)
        }
    }
}
