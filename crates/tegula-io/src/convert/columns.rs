//! Records as a Parquet file with inferred columns.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder,
    UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::path::Path;
use tegula::error::{ErrorKind, Result};

use super::FieldValue;
use super::infer::{Columns, Kind};
use super::output::{OutputRecord, SinkOptions, mark_columns, text_span};
use crate::edit::{Marks, SpanMark};
use crate::format::parquet::{mark_type, span_fields, span_item};
use crate::format::{MarkColumn, MarkKind, MarkValue};
use crate::outputs::{AtomicFile, Handle, Outputs};
use crate::tables::{LONGEST, parquet_error};

/// Rows passed to the encoder at a time.
const BATCH_ROWS: usize = 4_096;
/// Bytes of text at which a batch is passed on before it is full.
const BATCH_BYTES: usize = 16 << 20;
/// Maximum rows in a row group, which is held in memory while it is written.
const GROUP_ROWS: usize = 65_536;
const GROUP_BYTES: usize = 128 << 20;

enum Builder {
    Text(StringBuilder),
    Json(StringBuilder),
    Bool(BooleanBuilder),
    Int(Int64Builder),
    Unsigned(UInt64Builder),
    Float(Float64Builder),
}

impl Builder {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Json => Self::Json(StringBuilder::new()),
            Kind::Bool => Self::Bool(BooleanBuilder::new()),
            Kind::Int => Self::Int(Int64Builder::new()),
            Kind::Unsigned => Self::Unsigned(UInt64Builder::new()),
            Kind::Float => Self::Float(Float64Builder::new()),
        }
    }

    fn data_type(kind: Kind) -> DataType {
        match kind {
            Kind::Text | Kind::Json => DataType::Utf8,
            Kind::Bool => DataType::Boolean,
            Kind::Int => DataType::Int64,
            Kind::Unsigned => DataType::UInt64,
            Kind::Float => DataType::Float64,
        }
    }

    /// Appends a value and returns its bytes of text; none if it does not fit the column.
    fn push(&mut self, value: &FieldValue<'_>) -> Option<usize> {
        match (self, value) {
            (Self::Text(builder) | Self::Json(builder), FieldValue::Null) => builder.append_null(),
            (Self::Bool(builder), FieldValue::Null) => builder.append_null(),
            (Self::Int(builder), FieldValue::Null) => builder.append_null(),
            (Self::Unsigned(builder), FieldValue::Null) => builder.append_null(),
            (Self::Float(builder), FieldValue::Null) => builder.append_null(),
            (Self::Text(builder), FieldValue::Text(text)) if text.len() <= LONGEST => {
                builder.append_value(text);
                return Some(text.len());
            }
            (Self::Json(builder), FieldValue::Json(json)) if json.len() <= LONGEST => {
                builder.append_value(json);
                return Some(json.len());
            }
            (Self::Json(builder), FieldValue::Text(text)) if text.len() <= LONGEST / 6 => {
                let mut json = String::with_capacity(text.len() + 2);
                crate::tables::escape_json(text, &mut json);
                builder.append_value(&json);
                return Some(json.len());
            }
            (Self::Bool(builder), FieldValue::Json(json)) => {
                builder.append_value(json.parse().ok()?);
            }
            (Self::Int(builder), FieldValue::Json(json)) => {
                builder.append_value(json.parse().ok()?);
            }
            (Self::Unsigned(builder), FieldValue::Json(json)) => {
                builder.append_value(json.parse().ok()?);
            }
            (Self::Float(builder), FieldValue::Json(json)) => {
                builder.append_value(json.parse().ok()?);
            }
            _ => return None,
        }
        Some(0)
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) | Self::Json(builder) => Arc::new(builder.finish()),
            Self::Bool(builder) => Arc::new(builder.finish()),
            Self::Int(builder) => Arc::new(builder.finish()),
            Self::Unsigned(builder) => Arc::new(builder.finish()),
            Self::Float(builder) => Arc::new(builder.finish()),
        }
    }
}

/// The columns of marks, with their values so far.
pub(super) struct MarkBuilders(Vec<(MarkColumn, MarkBuilder)>);

enum MarkBuilder {
    Text(StringBuilder),
    Score(Float64Builder),
    Count(Int64Builder),
    Spans(ListBuilder<StructBuilder>),
}

impl MarkBuilder {
    fn new(kind: MarkKind) -> Self {
        match kind {
            MarkKind::Witness | MarkKind::Cluster | MarkKind::CountBy => {
                Self::Text(StringBuilder::new())
            }
            MarkKind::Score => Self::Score(Float64Builder::new()),
            MarkKind::Count => Self::Count(Int64Builder::new()),
            MarkKind::Spans => {
                let spans = StructBuilder::from_fields(span_fields(), 0);
                Self::Spans(ListBuilder::new(spans).with_field(Arc::new(span_item())))
            }
        }
    }

    fn push(&mut self, value: Option<MarkValue>, text: &str) -> usize {
        match (self, value) {
            (Self::Text(builder), Some(MarkValue::Text(text) | MarkValue::Json(text))) => {
                builder.append_value(text);
                return text.len();
            }
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Score(builder), Some(MarkValue::Score(score))) => builder.append_value(score),
            (Self::Score(builder), _) => builder.append_null(),
            (Self::Count(builder), Some(MarkValue::Count(count))) => {
                builder.append_value(count as i64);
            }
            (Self::Count(builder), _) => builder.append_null(),
            (Self::Spans(list), Some(MarkValue::Spans(spans))) => {
                for span in spans {
                    push_span(list.values(), span, text);
                }
                list.append(true);
            }
            (Self::Spans(list), _) => list.append(false),
        }
        0
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Score(builder) => Arc::new(builder.finish()),
            Self::Count(builder) => Arc::new(builder.finish()),
            Self::Spans(list) => Arc::new(list.finish()),
        }
    }
}

fn push_span(values: &mut StructBuilder, span: &SpanMark, text: &str) {
    let (start, end) = text_span(text, &span.text);
    if let Some(builder) = values.field_builder::<Int64Builder>(0) {
        builder.append_value(start);
    }
    if let Some(builder) = values.field_builder::<Int64Builder>(1) {
        builder.append_value(end);
    }
    if let Some(builder) = values.field_builder::<StringBuilder>(2) {
        builder.append_option(span.duplicate_of.as_deref());
    }
    if let Some(builder) = values.field_builder::<Float64Builder>(3) {
        builder.append_value(span.score);
    }
    values.append(true);
}

impl MarkBuilders {
    pub(super) fn new(options: &SinkOptions) -> Self {
        let columns = mark_columns(options).into_iter();
        Self(
            columns
                .map(|column| {
                    let builder = MarkBuilder::new(column.kind);
                    (column, builder)
                })
                .collect(),
        )
    }

    /// Adds the marks of a record with this text; returns how many bytes they take.
    pub(super) fn push(&mut self, marks: &Marks, text: &str) -> usize {
        let columns = self.0.iter_mut();
        columns
            .map(|(column, builder)| builder.push(column.of(marks), text))
            .sum()
    }

    /// Appends the columns of what was added.
    pub(super) fn finish(&mut self, out: &mut Vec<ArrayRef>) {
        out.extend(self.0.iter_mut().map(|(_, builder)| builder.finish()));
    }
}

/// The columns of marks.
pub(super) fn mark_fields(options: &SinkOptions) -> Vec<Field> {
    let columns = mark_columns(options).into_iter();
    columns
        .map(|column| Field::new(column.name, mark_type(column.kind), true))
        .collect()
}

/// Starts a file with these columns.
///
/// # Errors
/// If Parquet lacks the type of one.
pub(super) fn writer(draft: &AtomicFile, schema: &SchemaRef) -> Result<ArrowWriter<Handle>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_created_by(format!("tegula {}", env!("CARGO_PKG_VERSION")))
        .build();
    ArrowWriter::try_new(draft.file()?, Arc::clone(schema), Some(properties))
        .map_err(|error| parquet_error("write", draft.target(), error))
}

/// Writes records to Parquet.
pub(super) struct ParquetSink {
    writer: ArrowWriter<Handle>,
    draft: AtomicFile,
    schema: SchemaRef,
    names: Vec<String>,
    builders: Vec<Builder>,
    marks: Option<MarkBuilders>,
    rows: usize,
    bytes: usize,
}

impl ParquetSink {
    pub(super) fn create(
        outputs: &Outputs,
        path: &Path,
        columns: &Columns,
        options: &SinkOptions,
    ) -> Result<Self> {
        let mut fields: Vec<Field> = columns
            .columns
            .iter()
            .map(|(name, kind)| Field::new(name, Builder::data_type(*kind), true))
            .collect();
        fields.extend(mark_fields(options));
        let schema = Arc::new(Schema::new(fields));
        let draft = outputs.create(path)?;
        let writer = writer(&draft, &schema)?;
        Ok(Self {
            writer,
            draft,
            schema,
            names: columns.names().map(Into::into).collect(),
            builders: columns
                .columns
                .iter()
                .map(|(_, kind)| Builder::new(*kind))
                .collect(),
            marks: options.marks.then(|| MarkBuilders::new(options)),
            rows: 0,
            bytes: 0,
        })
    }

    pub(super) fn push(&mut self, record: &OutputRecord<'_>, number: u64) -> Result<()> {
        for (place, name) in self.names.iter().enumerate() {
            // Records usually have their fields in the order of the columns.
            let here = record.fields.get(place).filter(|(field, _)| field == name);
            let field = here.or_else(|| record.fields.iter().find(|(field, _)| field == name));
            let value = field.map_or(&FieldValue::Null, |(_, value)| value);
            let Some(bytes) = self.builders[place].push(value) else {
                return Err(ErrorKind::Data
                    .expected(format!(
                        "in the column \"{name}\" a value as in the first pass over the records"
                    ))
                    .found(format!(
                        "another type or a string of more than {LONGEST} bytes"
                    ))
                    .at(self.draft.target())
                    .record(number)
                    .hint("do not change the input while it is read; write JSON Lines instead"));
            };
            self.bytes += bytes;
        }
        if let Some(builders) = &mut self.marks {
            let none = Marks::default();
            self.bytes += builders.push(record.marks.unwrap_or(&none), record.text);
        }
        self.rows += 1;
        if self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.write_batch()?;
        }
        Ok(())
    }

    fn write_batch(&mut self) -> Result<()> {
        let mut columns: Vec<ArrayRef> = self.builders.iter_mut().map(Builder::finish).collect();
        if let Some(marks) = &mut self.marks {
            marks.finish(&mut columns);
        }
        // A record without fields is still a row.
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(self.rows));
        self.rows = 0;
        self.bytes = 0;
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(|error| {
                ErrorKind::Data
                    .expected(format!("columns of one length: {error}"))
                    .at(self.draft.target())
            })?;
        self.writer
            .write(&batch)
            .map_err(|error| parquet_error("write", self.draft.target(), error))
    }

    pub(super) fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        let Self { writer, draft, .. } = self;
        writer
            .close()
            .map_err(|error| parquet_error("write", draft.target(), error))?;
        draft.finish()
    }
}
