//! Reading and rewriting: every layout of strings, nested columns, bad rows, damage, and everything
//! that must be preserved.

mod ceilings;
mod damage;
mod lost;
mod marking;
mod nulls;
mod reading;
mod rewriting;
mod texts;

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Float64Array, Int64Array, LargeStringArray,
    RecordBatch, StringArray, StringViewArray, StructArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use tegula::error::ErrorKind;
use tegula::record::Batch;

use super::*;
use crate::edit::{Edit, Marks, SpanMark};
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::ReadOptions;
use crate::rewrite::MarkStyle;

/// By path, as tests have no collection.
fn chunks(file: u32, path: &Path, options: &ReadOptions) -> tegula::Result<super::read::Chunks> {
    super::chunks(file, &InputGuard::of(path)?, options, &Limits::default())
}

fn for_each_row(
    path: &Path,
    visit: &mut dyn FnMut(u64, &crate::convert::Fields<'_>),
) -> tegula::Result<Vec<crate::convert::Conversion>> {
    let options = ReadOptions::default();
    let visit: crate::format::arrow::Visit<'_> = &mut |number, fields| {
        visit(number, fields);
        Ok(true)
    };
    let shown = super::for_each_row(&InputGuard::of(path)?, &options, &Limits::default(), visit)?;
    Ok(shown.conversions)
}

fn rewrite(
    path: &Path,
    options: &ReadOptions,
    output: &Path,
    plan: Plan<'_>,
    edits: &dyn Fn(u64) -> Edit,
) -> tegula::Result<super::group::Tally> {
    super::rewrite(
        &InputGuard::of(path)?,
        options,
        (File::create(output).unwrap().into(), output),
        plan,
        &Limits::default(),
        edits,
    )
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

fn style(prefix: &str) -> MarkStyle {
    MarkStyle {
        prefix: prefix.into(),
        ..MarkStyle::default()
    }
}

fn plan(style: &MarkStyle) -> Plan<'_> {
    Plan {
        style,
        marks: false,
        limit: None,
    }
}

struct Layout {
    group_rows: usize,
    index: bool,
    metadata: Vec<KeyValue>,
}

const SMALL: Layout = Layout {
    group_rows: 1_000,
    index: true,
    metadata: Vec::new(),
};

fn save(path: &Path, batch: &RecordBatch, layout: &Layout) {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(layout.group_rows))
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_column_compression("id".into(), Compression::SNAPPY)
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(50)
        .set_offset_index_disabled(!layout.index)
        .set_statistics_enabled(parquet::file::properties::EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(layout.metadata.clone()))
        .build();
    let mut writer = ArrowWriter::try_new(
        File::create(path).unwrap(),
        batch.schema(),
        Some(properties),
    )
    .unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn load(path: &Path) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let schema = Arc::clone(builder.schema());
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    arrow_select::concat::concat_batches(&schema, &batches).unwrap()
}

fn read(path: &Path, options: &ReadOptions) -> Batch {
    let mut all = Batch::default();
    for chunk in chunks(0, path, options).unwrap() {
        chunk.unwrap().read(&mut all);
    }
    all
}

fn folder() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (
        folder.path().join("a.parquet"),
        folder.path().join("b.parquet"),
    );
    (folder, a, b)
}

/// Ids, texts with a null in the third row, and columns of types that a detour over Arrow or JSON
/// would change.
fn rich(rows: usize) -> RecordBatch {
    let texts: Vec<Option<String>> = (0..rows)
        .map(|row| (row != 2).then(|| format!("täxt {row}")))
        .collect();
    let mut tags = ListBuilder::new(Int64Builder::new());
    for row in 0..rows {
        for tag in 0..i64::from(row as u32 % 4) {
            tags.values().append_option((tag != 1).then_some(tag));
        }
        tags.append(row % 5 != 0);
    }
    let inner: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..rows).map(|row| format!("b{row}")),
    ));
    let nested = StructArray::from(vec![(
        Arc::new(Field::new("body", DataType::Utf8, true)),
        inner,
    )]);
    let kind: DictionaryArray<Int32Type> = (0..rows).map(|row| Some(["x", "y"][row % 2])).collect();
    batch(vec![
        (
            "id",
            Arc::new(Int64Array::from_iter_values(0..i64::from(rows as u32))) as ArrayRef,
        ),
        ("text", Arc::new(StringArray::from(texts))),
        ("tags", Arc::new(tags.finish())),
        ("meta", Arc::new(nested)),
        ("kind", Arc::new(kind)),
        (
            "seen",
            Arc::new(
                TimestampMicrosecondArray::from_iter_values(0..i64::from(rows as u32))
                    .with_timezone("Europe/Berlin"),
            ),
        ),
        (
            "raw",
            Arc::new(BinaryArray::from_iter_values(
                (0..rows).map(|row| [row as u8, 0xFF]),
            )),
        ),
        (
            "weight",
            Arc::new(
                (0..rows)
                    .map(|row| (row % 3 > 0).then_some(0.1 * row as f64))
                    .collect::<Float64Array>(),
            ),
        ),
    ])
}

fn span(text: std::ops::Range<usize>, of: Option<&str>) -> SpanMark {
    SpanMark {
        text,
        duplicate_of: of.map(Into::into),
        score: 0.875,
    }
}

fn marks(number: u64) -> Edit {
    match number {
        1 => Edit::Mark(Marks {
            duplicate_of: Some("w".into()),
            duplicate_score: Some(0.5),
            cluster_id: Some("c".into()),
            spans: None,
            counts: Vec::new(),
        }),
        2 => Edit::Mark(Marks {
            cluster_id: Some("c".into()),
            spans: Some(Vec::new()),
            ..Marks::default()
        }),
        // "täxt 3": bytes 1..3 are one letter.
        4 => Edit::Mark(Marks {
            spans: Some(vec![span(1..3, Some("s")), span(4..7, None)]),
            ..Marks::default()
        }),
        _ => Edit::Keep,
    }
}
