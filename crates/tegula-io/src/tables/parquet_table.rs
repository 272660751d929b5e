//! Tables in Parquet: written in row groups of bounded size, read back batch by batch.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use tegula::error::{Error, ErrorKind, Result};

use crate::decoder;
use crate::memory::Received;
use crate::outputs::{AtomicFile, Handle, Outputs};
use crate::store::File;

use super::cell::LONGEST;
use super::strings::Strings;
use super::table::{self, Table};

/// Rows of a row group: large enough to compress well, small enough to be held while it is written.
const GROUP_ROWS: usize = 65_536;
/// Rows passed to the encoder, and read back, at a time.
const BATCH_ROWS: usize = 8_192;
/// Bytes of text at which a batch is passed on before it is full.
const BATCH_BYTES: usize = 16 << 20;
/// Bytes of a row group at which it ends before it is full.
const GROUP_BYTES: usize = 64 << 20;
/// Columns whose values differ in nearly every row: a dictionary would be made only to be given up.
const DISTINCT: &[&str] = &["id", "digest"];
/// Columns of numbers that ascend, stored as differences.
const ASCENDING: &[&str] = &["unit", "record", "byte_start"];
/// The version of the tables' layout.
const FORMAT: &str = "1";

/// The key-value metadata of every table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableInfo {
    /// `tegula.version`: the version of the program that wrote it.
    pub version: String,
    /// `tegula.recipe`: the hash of the recipe.
    pub recipe: String,
    /// `tegula.fields`: metadata fields of the records, as nullable string columns after the
    /// table's own.
    pub fields: Vec<String>,
}

/// Writes one table. If dropped before [`TableWriter::finish`], it leaves no file.
pub struct TableWriter<T: Table> {
    to: To,
    schema: SchemaRef,
    builders: T::Builders,
    fields: Vec<StringBuilder>,
    rows: usize,
    bytes: usize,
    written: u64,
}

impl<T: Table> TableWriter<T> {
    /// Creates the table at `path`.
    pub fn create(outputs: &Outputs, path: &Path, info: &TableInfo) -> Result<Self> {
        let schema = Arc::new(schema::<T>(&info.fields));
        Ok(Self {
            to: To::create(outputs, path, Arc::clone(&schema), T::NAME, info)?,
            schema,
            builders: T::builders(),
            fields: info.fields.iter().map(|_| StringBuilder::new()).collect(),
            rows: 0,
            bytes: 0,
            written: 0,
        })
    }

    /// Appends a row of a table without metadata fields.
    pub fn push(&mut self, row: &T::Row<'_>) -> Result<()> {
        self.push_with::<&str>(row, &[])
    }

    /// Appends a row with the values of [`TableInfo::fields`]; missing values are null.
    pub fn push_with<S: AsRef<str>>(
        &mut self,
        row: &T::Row<'_>,
        values: &[Option<S>],
    ) -> Result<()> {
        self.bytes += T::push(&mut self.builders, row).ok_or_else(|| self.too_long())?;
        for place in 0..self.fields.len() {
            let value = values
                .get(place)
                .and_then(|value| value.as_ref().map(AsRef::as_ref));
            let bytes = value.map_or(0, str::len);
            if bytes > LONGEST {
                return Err(self.too_long());
            }
            self.bytes += bytes;
            self.fields[place].append_option(value);
        }
        self.rows += 1;
        self.written += 1;
        if self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.write_batch()?;
        }
        Ok(())
    }

    /// The number of rows so far.
    pub fn rows(&self) -> u64 {
        self.written
    }

    /// Writes pending rows; the file is then ready to be renamed. Returns the number of rows.
    pub fn finish(mut self) -> Result<u64> {
        self.write_batch()?;
        self.to.close(self.schema)?;
        Ok(self.written)
    }

    fn write_batch(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut columns = T::finish(&mut self.builders);
        columns.extend(
            self.fields
                .iter_mut()
                .map(|builder| Arc::new(builder.finish()) as ArrayRef),
        );
        self.rows = 0;
        self.bytes = 0;
        self.to.write(&self.schema, columns)
    }

    fn too_long(&self) -> Error {
        too_long(self.to.path(), self.written + 1)
    }
}

// Code that does not depend on the table is outside the generic types, or each table would have a
// copy of it and of the library code that it calls.

/// Where the batches of a table go.
enum To {
    File {
        writer: Box<ArrowWriter<Handle>>,
        file: AtomicFile,
    },
    Memory {
        received: Arc<Received>,
        batches: Vec<RecordBatch>,
    },
}

impl To {
    /// Creates the file and its writer, unless the table is received in memory.
    fn create(
        outputs: &Outputs,
        path: &Path,
        schema: SchemaRef,
        table: &str,
        info: &TableInfo,
    ) -> Result<Self> {
        if let Some(received) = outputs.received(path) {
            let batches = Vec::new();
            return Ok(Self::Memory { received, batches });
        }
        let file = outputs.create(path)?;
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_max_row_group_bytes(Some(GROUP_BYTES))
            .set_created_by(format!("tegula {}", info.version))
            .set_key_value_metadata(Some(metadata(table, info)));
        for field in schema.fields() {
            let name = field.name().as_str();
            let ascends = *field.data_type() == DataType::UInt64 && ASCENDING.contains(&name);
            if ascends || DISTINCT.contains(&name) {
                properties = properties.set_column_dictionary_enabled(name.into(), false);
            }
            if ascends {
                properties =
                    properties.set_column_encoding(name.into(), Encoding::DELTA_BINARY_PACKED);
            }
        }
        let writer = ArrowWriter::try_new(file.file()?, schema, Some(properties.build()))
            .map_err(|error| parquet_error("write", path, error))?;
        let writer = Box::new(writer);
        Ok(Self::File { writer, file })
    }

    /// The path.
    fn path(&self) -> &Path {
        match self {
            Self::File { file, .. } => file.target(),
            Self::Memory { received, .. } => received.path(),
        }
    }

    /// Writes a batch.
    fn write(&mut self, schema: &SchemaRef, columns: Vec<ArrayRef>) -> Result<()> {
        let batch = RecordBatch::try_new(Arc::clone(schema), columns).map_err(|error| {
            ErrorKind::Data
                .expected(format!("columns of one length: {error}"))
                .at(self.path())
        })?;
        match self {
            Self::File { writer, file } => writer
                .write(&batch)
                .map_err(|error| parquet_error("write", file.target(), error)),
            Self::Memory { batches, .. } => {
                batches.push(batch);
                Ok(())
            }
        }
    }

    /// Completes the table.
    fn close(self, schema: SchemaRef) -> Result<()> {
        match self {
            Self::File { writer, file } => {
                writer
                    .close()
                    .map_err(|error| parquet_error("write", file.target(), error))?;
                file.finish()
            }
            Self::Memory { received, batches } => {
                received.put(schema, batches);
                Ok(())
            }
        }
    }
}

fn too_long(path: &Path, record: u64) -> Error {
    ErrorKind::Data
        .expected(format!("strings of at most {LONGEST} bytes"))
        .found("a longer one")
        .at(path)
        .record(record)
        .hint("use another id or metadata field")
}

/// The table's columns, then the fields; a field with the name of a column gets underscores until
/// it is unique.
fn schema<T: Table>(names: &[String]) -> Schema {
    with_fields(table::fields::<T>(), names)
}

fn with_fields(mut fields: Vec<Field>, names: &[String]) -> Schema {
    for name in names {
        let mut name = name.clone();
        while fields.iter().any(|field| *field.name() == name) {
            name.push('_');
        }
        fields.push(Field::new(name, DataType::Utf8, true));
    }
    Schema::new(fields)
}

fn metadata(table: &str, info: &TableInfo) -> Vec<KeyValue> {
    let entry = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    let mut entries = vec![
        entry("tegula.version", info.version.clone()),
        entry("tegula.table", table.to_owned()),
        entry("tegula.format", FORMAT.to_owned()),
        entry("tegula.recipe", info.recipe.clone()),
    ];
    if !info.fields.is_empty() {
        entries.push(entry(
            "tegula.fields",
            serde_json::Value::from(info.fields.clone()).to_string(),
        ));
    }
    entries
}

/// Reads one table from the beginning, batch by batch.
pub struct TableReader<T: Table> {
    reader: ParquetRecordBatchReader,
    path: PathBuf,
    info: TableInfo,
    rows: u64,
    seen: u64,
    failed: bool,
    table: PhantomData<T>,
}

impl<T: Table> TableReader<T> {
    /// Opens a table; columns that may be null may also be missing.
    pub fn open(path: &Path) -> Result<Self> {
        let (reader, info, rows) = open(path, T::NAME)?;
        Ok(Self {
            reader,
            path: path.to_path_buf(),
            info,
            rows,
            seen: 0,
            failed: false,
            table: PhantomData,
        })
    }

    /// Version, recipe and fields.
    pub fn info(&self) -> &TableInfo {
        &self.info
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Calls `visit` with each remaining row.
    pub fn for_each(self, mut visit: impl FnMut(T::Row<'_>) -> Result<()>) -> Result<()> {
        for rows in self {
            let rows = rows?;
            for row in rows.iter() {
                visit(row)?;
            }
        }
        Ok(())
    }
}

impl<T: Table> Iterator for TableReader<T> {
    type Item = Result<Rows<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let batch = next(&mut self.reader, &self.path);
        let rows = match batch {
            Ok(None) => return None,
            Ok(Some(batch)) => Rows::new(&batch, self.info.fields.len())
                .map_err(|error| error.at(&self.path).record(self.seen + 1)),
            Err(error) => Err(error.record(self.seen + 1)),
        };
        match &rows {
            Ok(rows) => self.seen += rows.len() as u64,
            Err(_) => self.failed = true,
        }
        Some(rows)
    }
}

/// Opens a table of this name: its reader, its metadata, and the number of its rows.
fn open(path: &Path, table: &str) -> Result<(ParquetRecordBatchReader, TableInfo, u64)> {
    let file = File::open(path)?;
    guard(path, || {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file)
            .map_err(|error| parquet_error("read", path, error))?;
        let meta = builder.metadata().file_metadata();
        let value = |key: &str| {
            meta.key_value_metadata()
                .into_iter()
                .flatten()
                .find(|entry| entry.key == key)
                .and_then(|entry| entry.value.clone())
        };
        if let Some(name) = value("tegula.table")
            && name != table
        {
            return Err(ErrorKind::Data
                .expected(format!("the table \"{table}\""))
                .found(format!("\"{name}\""))
                .at(path));
        }
        if let Some(format) = value("tegula.format")
            && format != FORMAT
        {
            return Err(Error::new(
                ErrorKind::Run,
                format!("expected a table of format {FORMAT}, found format {format}"),
            )
            .at(path)
            .hint("read it with the version that wrote it, or run again"));
        }
        let info = TableInfo {
            version: value("tegula.version").unwrap_or_default(),
            recipe: value("tegula.recipe").unwrap_or_default(),
            fields: value("tegula.fields")
                .and_then(|names| serde_json::from_str(&names).ok())
                .unwrap_or_default(),
        };
        let rows = u64::try_from(meta.num_rows()).unwrap_or_default();
        let reader = builder
            .with_batch_size(BATCH_ROWS)
            .build()
            .map_err(|error| parquet_error("read", path, error))?;
        Ok((reader, info, rows))
    })
}

/// The next batch; none at the end.
fn next(reader: &mut ParquetRecordBatchReader, path: &Path) -> Result<Option<RecordBatch>> {
    guard(path, || match reader.next() {
        None => Ok(None),
        Some(Ok(batch)) => Ok(Some(batch)),
        Some(Err(error)) => Err(ErrorKind::Data
            .expected("a readable table")
            .found(format!("damage: {error}"))
            .at(path)
            .hint("run again to recreate it")),
    })
}

/// Some rows of a table, from any of its formats.
pub struct Rows<T: Table> {
    columns: T::Columns,
    fields: Vec<Option<Strings>>,
    len: usize,
}

impl<T: Table> Rows<T> {
    /// The rows of a batch; the last `fields` columns are metadata fields.
    pub(crate) fn new(batch: &RecordBatch, fields: usize) -> Result<Self> {
        let own = T::columns().len();
        Ok(Self {
            columns: T::read(batch)?,
            fields: (own..own + fields)
                .map(|place| batch.columns().get(place).and_then(Strings::of))
                .collect(),
            len: batch.num_rows(),
        })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A row, counted from 0; it must be below [`Rows::len`].
    pub fn row(&self, row: usize) -> T::Row<'_> {
        T::row(&self.columns, row)
    }

    /// The value of a metadata field ([`TableInfo::fields`]) in a row.
    pub fn field(&self, row: usize, field: usize) -> Option<&str> {
        self.fields.get(field)?.as_ref()?.get(row)
    }

    /// All rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = T::Row<'_>> {
        (0..self.len).map(|row| self.row(row))
    }
}

/// An error of the Parquet library; an error of the disk keeps its kind.
pub(crate) fn parquet_error(doing: &str, path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(io) if io.kind() != std::io::ErrorKind::UnexpectedEof => Error::io(doing, path, *io),
            Ok(end) => ErrorKind::Data
                .expected("a Parquet file")
                .found(format!("damage: {end}"))
                .at(path),
            Err(cause) => Error::data(format!("cannot {doing}: {cause}")).at(path),
        },
        other => ErrorKind::Data
            .expected("a Parquet file")
            .found(format!("damage: {other}"))
            .at(path),
    }
}

/// Runs a decoder that may panic on damaged bytes: the Parquet library checks most of its input,
/// but not all.
pub(crate) fn guard<R>(path: &Path, decode: impl FnOnce() -> Result<R>) -> Result<R> {
    decoder::caught(decode).unwrap_or_else(|| {
        Err(ErrorKind::Data
            .expected("a Parquet file")
            .found("damage that stops its decoder")
            .at(path))
    })
}
