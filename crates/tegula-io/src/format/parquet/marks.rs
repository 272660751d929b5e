//! The columns of marks: their schema, and their values by row group.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::schema::types::{Type, TypePtr};
use serde_json::{Value, json};
use tegula::error::{ErrorKind, Result};

use super::group::{Group, Out};
use crate::edit::{Edit, Marks, SpanMark};
use crate::format::{MarkColumn, MarkKind, MarkValue};

/// Rows encoded at a time.
const ROWS: usize = 4_096;

/// Refuses marks whose names already exist.
pub(super) fn check_names(schema: &Schema, columns: &[MarkColumn]) -> Result<()> {
    for MarkColumn { name, .. } in columns {
        if schema.fields().iter().any(|field| field.name() == name) {
            return Err(ErrorKind::Data
                .expected(format!("no column \"{name}\", as it is the name of a mark"))
                .found("one")
                .hint("give the marks other names with ⟨mark_prefix⟩"));
        }
    }
    Ok(())
}

/// The type of a column.
pub(crate) fn mark_type(kind: MarkKind) -> DataType {
    match kind {
        MarkKind::Witness | MarkKind::Cluster | MarkKind::CountBy => DataType::Utf8,
        MarkKind::Score => DataType::Float64,
        MarkKind::Count => DataType::Int64,
        MarkKind::Spans => DataType::List(Arc::new(span_item())),
    }
}

fn leaf(name: &str, physical: Physical, repetition: Repetition) -> Result<TypePtr, ParquetError> {
    let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
    let builder = if physical == Physical::BYTE_ARRAY {
        builder.with_logical_type(Some(LogicalType::String))
    } else {
        builder
    };
    builder.build().map(Arc::new)
}

fn group(
    name: &str,
    repetition: Repetition,
    logical: Option<LogicalType>,
    fields: Vec<TypePtr>,
) -> Result<TypePtr, ParquetError> {
    Type::group_type_builder(name)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .with_fields(fields)
        .build()
        .map(Arc::new)
}

/// The file's schema followed by the columns of marks.
pub(super) fn schema(root: &Type, columns: &[MarkColumn]) -> Result<TypePtr, ParquetError> {
    use parquet::basic::FieldRepetitionType::{OPTIONAL, REPEATED, REQUIRED};
    let mut fields = root.get_fields().to_vec();
    for MarkColumn { name, kind, .. } in columns {
        fields.push(match kind {
            MarkKind::Witness | MarkKind::Cluster | MarkKind::CountBy => {
                leaf(name, Physical::BYTE_ARRAY, OPTIONAL)?
            }
            MarkKind::Score => leaf(name, Physical::DOUBLE, OPTIONAL)?,
            MarkKind::Count => leaf(name, Physical::INT64, OPTIONAL)?,
            MarkKind::Spans => {
                let span = vec![
                    leaf("start", Physical::INT64, REQUIRED)?,
                    leaf("end", Physical::INT64, REQUIRED)?,
                    leaf("duplicate_of", Physical::BYTE_ARRAY, OPTIONAL)?,
                    leaf("score", Physical::DOUBLE, REQUIRED)?,
                ];
                let element = group("element", REQUIRED, None, span)?;
                let list = group("list", REPEATED, None, vec![element])?;
                group(name, OPTIONAL, Some(LogicalType::List), vec![list])?
            }
        });
    }
    Type::group_type_builder(root.name())
        .with_fields(fields)
        .build()
        .map(Arc::new)
}

/// The key of the schema that Spark gives its files.
const SPARK_SCHEMA: &str = "org.apache.spark.sql.parquet.row.metadata";

/// The file's key-value metadata. If it contains a schema of Arrow or Spark, the columns of marks are
/// added to it: readers match it with the file's own schema column by column.
pub(super) fn metadata(
    entries: Option<&Vec<KeyValue>>,
    schema: &Schema,
    columns: &[MarkColumn],
) -> Option<Vec<KeyValue>> {
    let mut entries = entries?.clone();
    let arrow = entries
        .iter_mut()
        .find(|entry| entry.key == ARROW_SCHEMA_META_KEY);
    if let Some(entry) = arrow
        && !columns.is_empty()
    {
        let mut fields: Vec<Field> = schema
            .fields()
            .iter()
            .map(|field| field.as_ref().clone())
            .collect();
        let marks = columns.iter();
        fields.extend(marks.map(|column| Field::new(&column.name, mark_type(column.kind), true)));
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        entry.value = Some(encode_arrow_schema(&schema));
    }
    let spark = entries.iter_mut().find(|entry| entry.key == SPARK_SCHEMA);
    if let Some(entry) = spark
        && let Some(schema) = entry.value.as_deref()
        && let Some(schema) = spark_schema(schema, columns)
    {
        entry.value = Some(schema);
    }
    Some(entries)
}

/// A schema of Spark with the columns of marks: Spark sees no others, whatever the file has.
fn spark_schema(schema: &str, columns: &[MarkColumn]) -> Option<String> {
    let mut schema: Value = serde_json::from_str(schema).ok()?;
    let field = |name: &str, of: Value, nullable: bool| json!({"name": name, "type": of, "nullable": nullable, "metadata": {}});
    let span = json!({"type": "struct", "fields": [
        field("start", "long".into(), false),
        field("end", "long".into(), false),
        field("duplicate_of", "string".into(), true),
        field("score", "double".into(), false),
    ]});
    let fields = schema.get_mut("fields")?.as_array_mut()?;
    for MarkColumn { name, kind, .. } in columns {
        let of = match kind {
            MarkKind::Witness | MarkKind::Cluster | MarkKind::CountBy => "string".into(),
            MarkKind::Score => "double".into(),
            MarkKind::Count => "long".into(),
            MarkKind::Spans => json!({"type": "array", "elementType": span, "containsNull": false}),
        };
        fields.push(field(name, of, true));
    }
    Some(schema.to_string())
}

/// The parts of a span.
pub(crate) fn span_fields() -> Vec<Field> {
    vec![
        Field::new("start", DataType::Int64, false),
        Field::new("end", DataType::Int64, false),
        Field::new("duplicate_of", DataType::Utf8, true),
        Field::new("score", DataType::Float64, false),
    ]
}

/// A span in a list of them.
pub(crate) fn span_item() -> Field {
    Field::new("element", DataType::Struct(span_fields().into()), false)
}

/// Writes the columns of marks for one row group.
pub(super) fn write(
    out: &mut Out<'_>,
    group: &Group,
    columns: &[MarkColumn],
    edits: &dyn Fn(u64) -> Edit,
) -> Result<(), ParquetError> {
    for column in columns {
        match column.kind {
            MarkKind::Witness | MarkKind::Cluster | MarkKind::CountBy => {
                flat::<ByteArrayType>(out, group, edits, &|marks| match column.of(marks)? {
                    MarkValue::Text(text) | MarkValue::Json(text) => Some(ByteArray::from(text)),
                    _ => None,
                })?;
            }
            MarkKind::Score => {
                flat::<DoubleType>(out, group, edits, &|marks| marks.duplicate_score)?;
            }
            MarkKind::Count => {
                flat::<Int64Type>(out, group, edits, &|marks| match column.of(marks)? {
                    MarkValue::Count(count) => Some(count as i64),
                    _ => None,
                })?;
            }
            MarkKind::Spans => {
                spans::<Int64Type>(out, group, edits, 2, &|_, place| Some(place.0))?;
                spans::<Int64Type>(out, group, edits, 2, &|_, place| Some(place.1))?;
                spans::<ByteArrayType>(out, group, edits, 3, &|span, _| {
                    span.duplicate_of.as_deref().map(ByteArray::from)
                })?;
                spans::<DoubleType>(out, group, edits, 2, &|span, _| Some(span.score))?;
            }
        }
    }
    Ok(())
}

/// The marks of a kept row; one without marks has none.
fn marks_of(edit: Edit) -> Marks {
    match edit {
        Edit::Mark(marks) | Edit::Change { marks, .. } => marks,
        _ => Marks::default(),
    }
}

fn flat<T: parquet::data_type::DataType>(
    out: &mut Out<'_>,
    group: &Group,
    edits: &dyn Fn(u64) -> Edit,
    value: &dyn Fn(&Marks) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let mut column = out
        .next_column()?
        .ok_or_else(|| ParquetError::General("expected a column for a mark".into()))?;
    let kept: Vec<usize> = group.kept().collect();
    for rows in kept.chunks(ROWS) {
        let (mut values, mut levels) = (Vec::new(), Vec::with_capacity(rows.len()));
        for row in rows {
            let value = value(&marks_of(edits(group.number(*row))));
            levels.push(i16::from(value.is_some()));
            values.extend(value);
        }
        column
            .typed::<T>()
            .write_batch(&values, Some(&levels), None)?;
    }
    column.close()
}

/// The column's value for a span, given its boundaries in code points.
type OfSpan<'f, V> = &'f dyn Fn(&SpanMark, (i64, i64)) -> Option<V>;

fn spans<T: parquet::data_type::DataType>(
    out: &mut Out<'_>,
    group: &Group,
    edits: &dyn Fn(u64) -> Edit,
    full: i16,
    value: OfSpan<'_, T::T>,
) -> Result<(), ParquetError> {
    let mut column = out
        .next_column()?
        .ok_or_else(|| ParquetError::General("expected a column for a mark".into()))?;
    let kept: Vec<usize> = group.kept().collect();
    for rows in kept.chunks(ROWS) {
        let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let marks = marks_of(edits(group.number(*row)));
            let places = group.spans.get(row);
            let (Some(spans), Some(places)) = (&marks.spans, places) else {
                defined.push(0);
                repeated.push(0);
                continue;
            };
            if spans.is_empty() {
                defined.push(1);
                repeated.push(0);
            }
            for (index, (span, place)) in spans.iter().zip(places).enumerate() {
                let value = value(span, *place);
                defined.push(if value.is_some() { full } else { full - 1 });
                repeated.push(i16::from(index > 0));
                values.extend(value);
            }
        }
        column
            .typed::<T>()
            .write_batch(&values, Some(&defined), Some(&repeated))?;
    }
    column.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::MarkStyle;

    #[test]
    fn spark_sees_the_columns_of_marks() {
        let own = r#"{"type":"struct","fields":[{"name":"text","type":"string","nullable":true,"metadata":{}}]}"#;
        let style = MarkStyle {
            prefix: "x_".into(),
            counts: vec![("copies".into(), false), ("copies_by_source".into(), true)],
            ..MarkStyle::default()
        };
        let names = |columns: &[MarkColumn]| -> Vec<String> {
            let schema: Value = serde_json::from_str(&spark_schema(own, columns).unwrap()).unwrap();
            let fields = schema["fields"].as_array().unwrap().iter();
            fields
                .map(|field| format!("{} {}", field["name"], field["type"]))
                .collect()
        };
        assert_eq!(names(&[]), ["\"text\" \"string\""]);
        let all = names(&style.marks(true));
        assert_eq!(all[1], "\"x_duplicate_of\" \"string\"");
        assert_eq!(all[5], "\"x_copies\" \"long\"");
        assert_eq!(all[6], "\"x_copies_by_source\" \"string\"");
        assert_eq!(spark_schema("{}", &style.marks(false)), None);
    }
}
