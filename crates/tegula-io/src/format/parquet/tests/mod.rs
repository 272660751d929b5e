//! Reading and rewriting: every layout of strings, nested columns, bad rows, damage, and everything
//! that must be preserved.

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

/// By path, as tests have no collection.
fn chunks(file: u32, path: &Path, options: &ReadOptions) -> tegula::Result<super::read::Chunks> {
    super::chunks(file, &InputGuard::of(path)?, options, &Limits::default())
}

fn for_each_row(
    path: &Path,
    visit: &mut dyn FnMut(u64, &crate::convert::Fields<'_>) -> tegula::Result<()>,
) -> tegula::Result<Vec<crate::convert::Conversion>> {
    super::for_each_row(&InputGuard::of(path)?, &Limits::default(), visit)
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
        (File::create(output).unwrap(), output),
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

fn plain(prefix: &str) -> Plan<'_> {
    Plan {
        prefix,
        columns: MarkColumns::None,
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

#[test]
fn rows_come_in_order_with_id_and_fields() {
    let (_folder, path, _) = folder();
    let options = ReadOptions {
        fields: ["kind", "/meta/body", "seen", "tags", "nowhere"]
            .map(String::from)
            .into(),
        ..ReadOptions::default()
    };
    // Small groups, one group with an index, one group that must be decoded from its beginning.
    for (group_rows, index) in [(1_000, true), (100_000, true), (100_000, false)] {
        save(
            &path,
            &rich(20_500),
            &Layout {
                group_rows,
                index,
                metadata: Vec::new(),
            },
        );
        let read = read(&path, &options);
        assert_eq!(read.records.len(), 20_499);
        assert_eq!(read.bad.len(), 1);
        assert_eq!((read.bad[0].number, read.bad[0].bytes.clone()), (3, 2..3));
        assert!(
            read.bad[0]
                .error
                .to_string()
                .ends_with("expected a string in the column \"text\", found null")
        );
        assert!(
            String::from_utf8_lossy(&read.bad[0].raw)
                .starts_with("{\"text\":null,\"id\":2,\"kind\":\"x\"")
        );
        let mut number = 0;
        for record in &read.records {
            number += if number == 2 { 2 } else { 1 };
            assert_eq!(record.number, number);
            assert_eq!(record.bytes, number - 1..number);
            assert_eq!(read.text_of(record), format!("täxt {}", number - 1));
            assert_eq!(read.id_of(record), Some((number - 1).to_string().as_str()));
        }
        let last = read.fields_of(&read.records[18]);
        let expected = [Some("x".to_owned()), Some("b19".into()), None, None, None];
        assert_eq!(last.len(), 5);
        assert!(
            last[0].is_some() && last[2].as_deref() == Some("1970-01-01T00:00:00.000019Z"),
            "{last:?}"
        );
        assert_eq!(last[1], expected[1]);
        assert_eq!(last[3].as_deref(), Some("[0,null,2]"));
        assert_eq!(last[4], None);
        let total: u64 = chunks(0, &path, &options)
            .unwrap()
            .map(|chunk| chunk.unwrap().disk_bytes())
            .sum();
        assert_eq!(total, std::fs::metadata(&path).unwrap().len());
        let facts = check(&path, &options).unwrap();
        assert_eq!((facts.rows, facts.columns.len()), (20_500, 8));
        assert_eq!(facts.row_groups, 20_500usize.div_ceil(group_rows));
        assert!(facts.text_bytes > 100_000);
    }
}

#[test]
fn text_may_have_any_layout_and_stand_in_a_struct() {
    let (_folder, path, _) = folder();
    let rows = vec![
        Some("eins"),
        Some("zwei, und das ist länger als zwölf Bytes"),
        None,
    ];
    let dictionary: DictionaryArray<Int32Type> = rows.iter().copied().collect();
    let layouts: Vec<ArrayRef> = vec![
        Arc::new(LargeStringArray::from(rows.clone())),
        Arc::new(StringViewArray::from(rows.clone())),
        Arc::new(dictionary),
    ];
    for layout in layouts {
        save(&path, &batch(vec![("text", Arc::clone(&layout))]), &SMALL);
        let found = read(&path, &ReadOptions::default());
        assert_eq!(found.text, "einszwei, und das ist länger als zwölf Bytes");
        assert_eq!((found.records[0].id.clone(), found.bad.len()), (None, 1));

        let field = Arc::new(Field::new("b/c", layout.data_type().clone(), true));
        let nested = StructArray::new(
            vec![field].into(),
            vec![layout],
            Some(vec![false, true, true].into()),
        );
        save(
            &path,
            &batch(vec![("a", Arc::new(nested) as ArrayRef)]),
            &SMALL,
        );
        let options = ReadOptions {
            text_keys: vec!["/a/b~1c".into()],
            ..ReadOptions::default()
        };
        let found = read(&path, &options);
        assert_eq!(found.text, "zwei, und das ist länger als zwölf Bytes");
        assert_eq!(found.bad.len(), 2);
    }
}

#[test]
fn several_text_columns_are_joined_by_a_blank_line() {
    let (_folder, path, output) = folder();
    let title: ArrayRef = Arc::new(StringArray::from(vec!["Tä", "U"]));
    let body: ArrayRef = Arc::new(StringArray::from(vec!["bödy", "v"]));
    save(
        &path,
        &batch(vec![("title", title), ("body", body)]),
        &SMALL,
    );
    let options = ReadOptions {
        text_keys: vec!["title".into(), "body".into()],
        ..ReadOptions::default()
    };
    assert_eq!(read(&path, &options).text, "Tä\n\nbödyU\n\nv");
    // The first letter, then from the last of the title into the body.
    let cut = |number| {
        if number == 1 {
            Edit::Cut(vec![0..1, 3..6])
        } else {
            Edit::Keep
        }
    };
    rewrite(&path, &options, &output, plain(""), &cut).unwrap();
    assert_eq!(read(&output, &options).text, "ä\n\nödyU\n\nv");
}

#[test]
fn a_missing_or_other_column_is_named_before_anything_is_read() {
    let (_folder, path, _) = folder();
    save(&path, &rich(3), &SMALL);
    let with = |key: &str| ReadOptions {
        text_keys: vec![key.into()],
        ..ReadOptions::default()
    };
    let error = chunks(0, &path, &with("content")).err().unwrap();
    assert!(
        error
            .to_string()
            .contains("\"content\", found the columns id, text, tags, meta"),
        "{error}"
    );
    assert!(error.advice().unwrap().contains("text_key"));
    assert!(chunks(0, &path, &with("tags")).is_err());
    assert!(chunks(0, &path, &with("/tags/list")).is_err());
    assert!(check(&path, &with("weight")).is_err());
    let options = ReadOptions {
        id_key: Some("key".into()),
        ..ReadOptions::default()
    };
    assert!(
        chunks(0, &path, &options)
            .err()
            .unwrap()
            .advice()
            .unwrap()
            .contains("id_key")
    );
    let error = chunks(0, Path::new("no such.parquet"), &with("text"))
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
}

#[test]
fn an_empty_file_has_no_rows_and_comes_back_empty() {
    let (_folder, path, output) = folder();
    save(&path, &rich(0), &SMALL);
    assert!(read(&path, &ReadOptions::default()).records.is_empty());
    rewrite(&path, &ReadOptions::default(), &output, plain(""), &|_| {
        Edit::Keep
    })
    .unwrap();
    assert_eq!(load(&output), load(&path));
}

fn facts(path: &Path) -> (Vec<i64>, Vec<Compression>, Option<Vec<KeyValue>>, String) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let metadata = builder.metadata();
    let rows = metadata
        .row_groups()
        .iter()
        .map(RowGroupMetaData::num_rows)
        .collect();
    let codecs = metadata
        .row_group(0)
        .columns()
        .iter()
        .map(ColumnChunkMetaData::compression)
        .collect();
    let file = metadata.file_metadata();
    let schema = format!("{:?}", file.schema());
    (rows, codecs, file.key_value_metadata().cloned(), schema)
}

#[test]
fn dropped_rows_leave_everything_else_as_it_was() {
    let (_folder, path, output) = folder();
    let rich = rich(3_500);
    let layout = Layout {
        metadata: vec![KeyValue::new("corpus".into(), "α".to_owned())],
        ..SMALL
    };
    save(&path, &rich, &layout);
    // Row groups: some rows dropped; none; all; some.
    let kept = |row: usize| {
        row != 2
            && match row / 1_000 {
                0 | 3 => !row.is_multiple_of(7),
                1 => true,
                _ => false,
            }
    };
    rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plain(""),
        &|number| {
            if kept(number as usize - 1) {
                Edit::Keep
            } else {
                Edit::Drop
            }
        },
    )
    .unwrap();
    let mask = arrow_array::BooleanArray::from((0..3_500).map(kept).collect::<Vec<_>>());
    let expected = arrow_select::filter::filter_record_batch(&load(&path), &mask).unwrap();
    let found = load(&output);
    assert_eq!(found.schema(), expected.schema());
    for (found, expected) in found.columns().iter().zip(expected.columns()) {
        // Dictionaries may differ in their keys, but not in their contents.
        if let Some(found) = found.as_dictionary_opt::<Int32Type>() {
            let expected = expected.as_dictionary::<Int32Type>();
            let found: Vec<_> = found
                .downcast_dict::<StringArray>()
                .unwrap()
                .into_iter()
                .collect();
            let expected: Vec<_> = expected
                .downcast_dict::<StringArray>()
                .unwrap()
                .into_iter()
                .collect();
            assert_eq!(found, expected);
        } else {
            assert_eq!(found, expected);
        }
    }
    let (before, after) = (facts(&path), facts(&output));
    let count =
        |rows: std::ops::Range<usize>| i64::from(rows.filter(|row| kept(*row)).count() as u32);
    assert_eq!(after.0, [count(0..1_000), 1_000, count(3_000..3_500)]);
    assert_eq!((before.1, before.2, before.3), (after.1, after.2, after.3));
}

#[test]
fn a_kept_file_comes_back_with_the_same_pages() {
    let (_folder, path, output) = folder();
    let whole: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..2_500).map(|row| format!("text {row}")),
    ));
    save(&path, &batch(vec![("text", whole)]), &SMALL);
    rewrite(&path, &ReadOptions::default(), &output, plain(""), &|_| {
        Edit::Keep
    })
    .unwrap();
    let pages = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
        let (start, length) = builder.metadata().row_group(1).column(0).byte_range();
        bytes[start as usize..(start + length) as usize].to_vec()
    };
    assert_eq!(pages(&path), pages(&output));
    assert_eq!(
        read(&path, &ReadOptions::default()).text,
        read(&output, &ReadOptions::default()).text
    );
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

#[test]
fn marks_are_columns_behind_the_others() {
    let (_folder, path, output) = folder();
    save(&path, &rich(2_500), &SMALL);
    rewrite(&path, &ReadOptions::default(), &output, plain("x_"), &marks).unwrap();
    let found = load(&output);
    let names: Vec<String> = found
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    assert_eq!(
        names[8..],
        [
            "x_duplicate_of",
            "x_duplicate_score",
            "x_cluster_id",
            "x_duplicate_spans"
        ]
    );
    // The third row's text is null, so it is omitted.
    assert_eq!(found.num_rows(), 2_499);
    let of = found.column(8).as_string::<i32>();
    assert_eq!((of.value(0), of.null_count()), ("w", 2_498));
    assert!((found.column(9).as_primitive::<Float64Type>().value(0) - 0.5).abs() < 1e-12);
    assert_eq!(found.column(10).null_count(), 2_497);
    let spans = found.column(11).as_list::<i32>();
    assert_eq!(
        (spans.is_null(0), spans.is_valid(1), spans.value(1).len()),
        (true, true, 0)
    );
    assert_eq!(spans.null_count(), 2_497);
    let row = spans.value(2);
    let row = row.as_struct();
    let numbers = |name: &str| {
        row.column_by_name(name)
            .unwrap()
            .as_primitive::<Int64Type>()
            .values()
            .to_vec()
    };
    assert_eq!((numbers("start"), numbers("end")), (vec![1, 3], vec![2, 6]));
    let of = row
        .column_by_name("duplicate_of")
        .unwrap()
        .as_string::<i32>();
    assert_eq!((of.value(0), of.is_null(1)), ("s", true));
    // The file's own columns are preserved, including Arrow types.
    assert_eq!(found.column(5).data_type(), rich(1).column(5).data_type());
    assert_eq!(found.column(4).data_type(), rich(1).column(4).data_type());
}

#[test]
fn marks_that_clash_are_refused_with_the_cure() {
    let (_folder, path, output) = folder();
    save(&path, &rich(10), &SMALL);
    let marked = folder().1;
    std::fs::create_dir_all(marked.parent().unwrap()).unwrap();
    rewrite(&path, &ReadOptions::default(), &marked, plain(""), &marks).unwrap();
    let error = rewrite(&marked, &ReadOptions::default(), &output, plain(""), &marks).unwrap_err();
    assert!(error.to_string().contains("duplicate_of"));
    assert!(error.advice().unwrap().contains("mark_prefix"));
    rewrite(
        &marked,
        &ReadOptions::default(),
        &output,
        plain("again_"),
        &marks,
    )
    .unwrap();
    let plan = Plan {
        columns: MarkColumns::Records,
        limit: Some(5),
        ..plain("")
    };
    rewrite(&path, &ReadOptions::default(), &output, plan, &|_| {
        Edit::Keep
    })
    .unwrap();
    // Five rows, the third of them bad.
    assert_eq!(load(&output).num_rows(), 4);
    assert_eq!(load(&output).num_columns(), 11);
    std::fs::remove_dir_all(marked.parent().unwrap()).unwrap();
}

#[test]
fn cut_texts_and_nothing_else_change() {
    let (_folder, path, output) = folder();
    save(&path, &rich(2_500), &SMALL);
    let edits = |number: u64| {
        if number == 1_500 {
            Edit::Cut(vec![0..3, 5..7])
        } else {
            Edit::Keep
        }
    };
    rewrite(&path, &ReadOptions::default(), &output, plain(""), &edits).unwrap();
    let before = read(&path, &ReadOptions::default());
    let after = read(&output, &ReadOptions::default());
    assert!(after.bad.is_empty());
    assert_eq!(before.records.len(), after.records.len());
    for (before_record, after_record) in before.records.iter().zip(&after.records) {
        let text = before.text_of(before_record);
        let expected = if before_record.number == 1_500 {
            "xt499"
        } else {
            text
        };
        assert_eq!(after.text_of(after_record), expected);
        assert_eq!(before.id_of(before_record), after.id_of(after_record));
    }
}

/// Reads a damaged file, rewrites it with all that could be read kept, and compares.
fn try_damaged(bytes: &[u8], path: &Path, output: &Path) -> (usize, usize) {
    std::fs::write(path, bytes).unwrap();
    let options = ReadOptions::default();
    let Ok(all) = chunks(0, path, &options) else {
        return (0, 1);
    };
    let mut found = Batch::default();
    for chunk in all {
        chunk.unwrap().read(&mut found);
    }
    let mut last = 0;
    let numbers: HashMap<u64, String> = found
        .records
        .iter()
        .map(|record| (record.number, found.text_of(record).to_owned()))
        .collect();
    for bad in &found.bad {
        assert!(bad.number > last);
        last = bad.number;
        assert_eq!(bad.error.path(), Some(path));
        assert_eq!(bad.error.record_number(), Some(bad.number));
    }
    let edits = |number: u64| {
        if numbers.contains_key(&number) {
            Edit::Keep
        } else {
            Edit::Drop
        }
    };
    if rewrite(path, &options, output, plain(""), &edits).is_ok() && !found.records.is_empty() {
        let again = read(output, &options);
        let bad: u64 = again
            .bad
            .iter()
            .map(|bad| bad.bytes.end - bad.bytes.start)
            .sum();
        assert_eq!(again.records.len() as u64 + bad, found.records.len() as u64);
    }
    (found.records.len(), found.bad.len())
}

#[test]
fn damage_is_a_bad_record_never_a_panic() {
    let (_folder, path, output) = folder();
    for (group_rows, index) in [(500, true), (20_000, true), (20_000, false)] {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..12_000));
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
            (0..12_000).map(|row| format!("text {row}")),
        ));
        save(
            &path,
            &batch(vec![("id", ids), ("text", texts)]),
            &Layout {
                group_rows,
                index,
                metadata: Vec::new(),
            },
        );
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(try_damaged(&whole, &path, &output), (12_000, 0));
        let mut seen = 0;
        let step = whole.len() / 60;
        for place in (5..whole.len()).step_by(step) {
            let mut damaged = whole.clone();
            for byte in &mut damaged[place..(place + 3).min(whole.len())] {
                *byte ^= 0xA5;
            }
            let (_, bad) = try_damaged(&damaged, &path, &output);
            seen += usize::from(bad > 0);
        }
        assert!(seen > 10, "only {seen} of 60 places of damage were seen");
        for length in (0..whole.len()).step_by(step) {
            assert_eq!(try_damaged(&whole[..length], &path, &output), (0, 1));
        }
        // The footer, byte by byte.
        let length = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap())
            as usize;
        let footer = whole.len() - 8 - length;
        for place in (footer..whole.len()).step_by((length / 150).max(1)) {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x15;
            let _ = try_damaged(&damaged, &path, &output);
        }
    }
}

#[test]
fn a_damaged_group_costs_its_own_rows_only() {
    let (_folder, path, output) = folder();
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..3_000).map(|row| format!("text {row}")),
    ));
    save(&path, &batch(vec![("text", texts)]), &SMALL);
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let (start, length) = builder.metadata().row_group(1).column(0).byte_range();
    let mut bytes = std::fs::read(&path).unwrap();
    for byte in &mut bytes[start as usize..(start + length) as usize] {
        *byte = 0x77;
    }
    assert_eq!(try_damaged(&bytes, &path, &output), (2_000, 1));
    let found = read(&path, &ReadOptions::default());
    assert_eq!(
        (found.bad[0].number, found.bad[0].bytes.clone()),
        (1_001, 1_000..2_000)
    );
    assert!(
        found.bad[0]
            .error
            .message()
            .contains("rows 1001 to 2000 (row group 2)")
    );
    assert_eq!(found.records[1_000].number, 2_001);
}

#[test]
fn damage_in_a_column_that_only_comes_along_is_an_error() {
    let (_folder, path, output) = folder();
    save(&path, &rich(1_000), &SMALL);
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let columns = builder.metadata().row_group(0).columns();
    let column = columns
        .iter()
        .find(|column| column.column_path().string() == "weight")
        .unwrap();
    let (start, length) = column.byte_range();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[start as usize..(start + length) as usize].fill(0x77);
    std::fs::write(&path, bytes).unwrap();
    let drop_one = |number: u64| if number == 9 { Edit::Drop } else { Edit::Keep };
    let error = rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plain(""),
        &drop_one,
    )
    .unwrap_err();
    assert!(
        error.message().contains("\"weight\" (row group 1)"),
        "{error}"
    );
}

#[test]
fn a_text_of_many_megabytes_comes_through() {
    let (_folder, path, output) = folder();
    let big = "ä".repeat(9 << 20);
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", &big, "b", &big]));
    save(&path, &batch(vec![("text", texts)]), &SMALL);
    rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plain(""),
        &|number| if number == 2 { Edit::Drop } else { Edit::Keep },
    )
    .unwrap();
    let found = read(&output, &ReadOptions::default());
    assert_eq!(found.records.len(), 3);
    assert_eq!(found.text_of(&found.records[2]), big);
}

#[test]
fn rows_are_shown_with_all_their_fields() {
    use crate::convert::FieldValue;
    let (_folder, path, _) = folder();
    save(&path, &rich(4), &SMALL);
    let mut last = String::new();
    let conversions = for_each_row(&path, &mut |number, fields| {
        last = format!("{number}:");
        for (name, value) in fields {
            let shown = match value {
                FieldValue::Null => format!("{name}=null;"),
                FieldValue::Text(text) => format!("{name}='{text}';"),
                FieldValue::Json(json) => format!("{name}={json};"),
            };
            last.push_str(&shown);
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(
        last,
        "4:id=3;text='täxt 3';tags=[0,null,2];meta={\"body\":\"b3\"};kind='y';\
         seen='1970-01-01T00:00:00.000003Z';raw='A/8=';weight=null;"
    );
    let columns: Vec<&str> = conversions
        .iter()
        .map(|conversion| conversion.column.as_str())
        .collect();
    assert_eq!(columns, ["seen", "raw"]);
}

#[test]
fn schema_without_an_arrow_hint_stays_without() {
    let (_folder, path, output) = folder();
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let batch = batch(vec![("text", texts)]);
    let options =
        parquet::arrow::arrow_writer::ArrowWriterOptions::new().with_skip_arrow_metadata(true);
    let mut writer =
        ArrowWriter::try_new_with_options(File::create(&path).unwrap(), batch.schema(), options)
            .unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    rewrite(&path, &ReadOptions::default(), &output, plain(""), &marks).unwrap();
    assert_eq!(
        facts(&output).2.unwrap_or_default(),
        facts(&path).2.unwrap_or_default()
    );
    let schema: Schema = load(&output).schema().as_ref().clone();
    assert_eq!(schema.fields().len(), 5);
}

/// A file with a type that Arrow reads but does not write: a timestamp of 96 bits, and a required
/// column.
fn save_int96(path: &Path) {
    use parquet::basic::{LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, Int96, Int96Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::Type;
    let text = Type::primitive_type_builder("text", Physical::BYTE_ARRAY)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::String));
    let seen =
        Type::primitive_type_builder("seen", Physical::INT96).with_repetition(Repetition::OPTIONAL);
    let fields = vec![
        Arc::new(text.build().unwrap()),
        Arc::new(seen.build().unwrap()),
    ];
    let root = Arc::new(
        Type::group_type_builder("spark_schema")
            .with_fields(fields)
            .build()
            .unwrap(),
    );
    let file = File::create(path).unwrap();
    let mut writer =
        SerializedFileWriter::new(file, root, Arc::new(WriterProperties::builder().build()))
            .unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let texts: Vec<ByteArray> = (0..10)
        .map(|row| ByteArray::from(format!("t{row}").as_str()))
        .collect();
    column
        .typed::<ByteArrayType>()
        .write_batch(&texts, None, None)
        .unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let days: Vec<Int96> = (0..5)
        .map(|row| {
            let mut value = Int96::new();
            value.set_data(row, 0, 2_440_588);
            value
        })
        .collect();
    let levels: Vec<i16> = (0..10).map(|row| row % 2).collect();
    column
        .typed::<Int96Type>()
        .write_batch(&days, Some(&levels), None)
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn old_timestamps_and_required_columns_keep_their_stored_types() {
    let (_folder, path, output) = folder();
    save_int96(&path);
    let odd = |number: u64| {
        if number.is_multiple_of(2) {
            Edit::Keep
        } else {
            Edit::Drop
        }
    };
    let tally = rewrite(&path, &ReadOptions::default(), &output, plain(""), &odd).unwrap();
    assert_eq!((tally.kept, tally.dropped, tally.rows), (5, 5, 10));
    assert_eq!(facts(&path).3, facts(&output).3);
    let found = load(&output);
    assert_eq!(found.column(0).as_string::<i32>().value(4), "t9");
    assert_eq!(found.column(1).null_count(), 0);
    let expected = arrow_select::take::take(
        load(&path).column(1),
        &Int64Array::from(vec![1, 3, 5, 7, 9]),
        None,
    )
    .unwrap();
    assert_eq!(found.column(1), &expected);
}

#[test]
fn every_codec_is_read_and_kept() {
    use parquet::basic::{BrotliLevel, GzipLevel};
    let (_folder, path, output) = folder();
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..50).map(|row| format!("text {row}")),
    ));
    let batch = batch(vec![("text", texts)]);
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        let properties = WriterProperties::builder().set_compression(codec).build();
        let mut writer = ArrowWriter::try_new(
            File::create(&path).unwrap(),
            batch.schema(),
            Some(properties),
        )
        .unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let first = |number| if number == 1 { Edit::Drop } else { Edit::Keep };
        rewrite(&path, &ReadOptions::default(), &output, plain(""), &first).unwrap();
        assert_eq!(read(&output, &ReadOptions::default()).records.len(), 49);
        assert_eq!(facts(&path).1, facts(&output).1);
    }
}

fn limits(longest: usize) -> Limits {
    let mut limits = Limits::default();
    limits.longest = longest;
    limits
}

fn read_within(path: &Path, limits: &Limits) -> (Batch, usize) {
    let (mut found, mut largest) = (Batch::default(), 0);
    for chunk in super::chunks(
        0,
        &InputGuard::of(path).unwrap(),
        &ReadOptions::default(),
        limits,
    )
    .unwrap()
    {
        let before = found.text.len();
        chunk.unwrap().read(&mut found);
        largest = largest.max(found.text.len() - before);
    }
    (found, largest)
}

#[test]
fn a_page_that_the_ceiling_has_no_room_for_costs_its_row_group_and_is_named() {
    let (_folder, path, output) = folder();
    let texts = |row: usize| {
        if row == 1_250 {
            "long ".repeat(1 << 20)
        } else {
            format!("text {row}")
        }
    };
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..3_000).map(texts)));
    for index in [true, false] {
        save(
            &path,
            &batch(vec![("text", Arc::clone(&texts))]),
            &Layout { index, ..SMALL },
        );
        let (found, _) = read_within(&path, &limits(1 << 20));
        let [bad] = &found.bad[..] else {
            panic!("{:?}", found.bad)
        };
        assert_eq!(
            (bad.error.kind(), bad.bytes.clone()),
            (ErrorKind::Memory, 1_000..2_000)
        );
        assert!((1_001..=1_251).contains(&bad.number), "{}", bad.number);
        assert_eq!(found.records.len(), 2_000);
        assert!(
            bad.error
                .message()
                .contains("\"text\" (row group 2), found one of 5."),
            "{}",
            bad.error
        );
        assert!(
            bad.error
                .advice()
                .unwrap()
                .contains("raise memory to at least")
        );
        // Written back without the parts that were not read.
        let keep = |_: u64| Edit::Keep;
        let (watch, file) = (
            InputGuard::of(&path).unwrap(),
            (File::create(&output).unwrap(), output.as_path()),
        );
        let tally = super::rewrite(
            &watch,
            &ReadOptions::default(),
            file,
            plain(""),
            &limits(1 << 20),
            &keep,
        )
        .unwrap();
        assert_eq!(tally.kept, 2_000);
        assert_eq!(read_within(&path, &limits(16 << 20)).0.records.len(), 3_000);
    }
}

#[test]
fn what_a_dictionary_makes_of_many_rows_is_decoded_little_by_little() {
    let (_folder, path, _) = folder();
    // A few kilobytes on disk, a gibibyte of text.
    let long = ["a", "b", "c", "d"].map(|letter| format!("{letter} ").repeat(64 << 10));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..8_000).map(|row| long[row % 4].as_str()),
    ));
    save(
        &path,
        &batch(vec![("text", texts)]),
        &Layout {
            group_rows: 8_000,
            ..SMALL
        },
    );
    assert!(std::fs::metadata(&path).unwrap().len() < 100_000);
    let mut rows = 0;
    for chunk in super::chunks(
        0,
        &InputGuard::of(&path).unwrap(),
        &ReadOptions::default(),
        &limits(4 << 20),
    )
    .unwrap()
    .take(20)
    {
        let mut found = Batch::default();
        chunk.unwrap().read(&mut found);
        assert!(found.bad.is_empty(), "{:?}", found.bad);
        assert!(found.text.len() < 32 << 20, "{}", found.text.len());
        rows += found.records.len();
    }
    assert!(rows > 100, "{rows}");
}

#[test]
fn a_dictionary_with_one_long_value_is_an_error_before_it_fills_the_memory() {
    let (_folder, path, _) = folder();
    let long = "long ".repeat(100 << 10);
    let texts = |row: usize| {
        if row < 4_000 {
            format!("text {row}")
        } else {
            long.clone()
        }
    };
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..8_000).map(texts)));
    save(
        &path,
        &batch(vec![("text", texts)]),
        &Layout {
            group_rows: 8_000,
            index: false,
            ..SMALL
        },
    );
    let (found, largest) = read_within(&path, &limits(4 << 20));
    assert!(largest < 64 << 20, "{largest}");
    assert!(
        found
            .bad
            .iter()
            .all(|bad| bad.error.kind() == ErrorKind::Memory),
        "{:?}",
        found.bad
    );
    assert!(found.records.len() >= 4_000 || !found.bad.is_empty());
}

#[test]
fn a_footer_that_the_ceiling_has_no_room_for_is_not_read() {
    let (_folder, path, _) = folder();
    save(&path, &rich(1_000), &SMALL);
    let error = super::chunks(
        0,
        &InputGuard::of(&path).unwrap(),
        &ReadOptions::default(),
        &limits(100),
    )
    .err()
    .unwrap();
    assert_eq!(error.kind(), ErrorKind::Memory);
}
