//! Tables in memory are written like the records of files.

use super::*;
use crate::convert;
use crate::edit::{Edit, Marks, SpanMark};
use crate::options::FormatName;
use crate::outputs::Outputs;
use crate::rewrite::{MarkStyle, RewriteOptions};
use arrow_array::UInt64Array;
use arrow_array::cast::AsArray;
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs;

/// Drops the second row, cuts the third, marks the rest.
fn edit(number: u64) -> Edit {
    match number {
        2 => Edit::Drop,
        3 => Edit::Cut(std::iter::once(0..4).collect()),
        _ => Edit::Mark(Marks {
            duplicate_of: Some("k1".into()),
            duplicate_score: Some(0.5),
            cluster_id: None,
            spans: Some(vec![SpanMark {
                text: 0..2,
                duplicate_of: None,
                score: 1.0,
            }]),
            counts: Vec::new(),
        }),
    }
}

/// Writes a collection to a file, with marks.
fn write(collection: &Collection, output: &Path) {
    let outputs = Outputs::default();
    let format = match output.extension().and_then(|ending| ending.to_str()) {
        Some("jsonl") => FormatName::Jsonl,
        Some("csv") => FormatName::Csv,
        _ => FormatName::Parquet,
    };
    if collection.is_in_memory() {
        assert_eq!(convert::wanted(collection, output).unwrap(), Some(format));
    }
    let style = MarkStyle {
        spans: true,
        ..MarkStyle::default()
    };
    let rewriting = RewriteOptions {
        threads: 1,
        marks: true,
        style,
    };
    let target = (output, format);
    let edits = |_, number| edit(number);
    convert::convert(
        collection,
        &outputs,
        target,
        &edits,
        &rewriting,
        &|_| Ok(()),
    )
    .unwrap();
    outputs.publish().unwrap();
}

/// Four rows in two batches: texts of two layouts, one of them in a struct, and other columns.
fn four_rows() -> Table {
    let times: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![0, 1, 2, 3]));
    let values = [Some("ä b"), Some("two"), Some("one more"), Some("last")];
    let texts: ArrayRef = Arc::new(StringViewArray::from(values.to_vec()));
    let n: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(4)]));
    let kinds: ArrayRef = Arc::new(
        ["a", "b", "a", "b"]
            .into_iter()
            .collect::<DictionaryArray<Int32Type>>(),
    );
    let inner = Arc::new(Field::new("text", DataType::Utf8, true));
    let doc: ArrayRef = Arc::new(StructArray::from(vec![(inner, strings(&values))]));
    let all = batch(vec![
        ("n", n),
        ("text", texts),
        ("time", times),
        ("kind", kinds),
        ("doc", doc),
    ]);
    Table::new("posts", vec![all.slice(0, 3), all.slice(3, 1)]).unwrap()
}

#[test]
fn tables_are_written_as_parquet_files_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let table = four_rows();
    let path = save(folder.path(), &table);
    for key in ["text", "/doc/text"] {
        let options = ReadOptions {
            text_key: vec![key.into()],
            ..ReadOptions::default()
        };
        let memory = Collection::of_tables(std::slice::from_ref(&table), &options).unwrap();
        let file = Collection::open(std::slice::from_ref(&path), &options, folder.path()).unwrap();
        for ending in ["jsonl", "csv"] {
            let at = |name: &str| folder.path().join(format!("{name}.{ending}"));
            write(&memory, &at("mine"));
            write(&file, &at("theirs"));
            let bytes = |name: &str| fs::read(at(name)).unwrap();
            assert_eq!(bytes("mine"), bytes("theirs"), "{key} {ending}");
        }
        let lines = fs::read_to_string(folder.path().join("mine.jsonl")).unwrap();
        let cut: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
        let pointer = format!("/{}", key.trim_start_matches('/'));
        assert_eq!(cut.pointer(&pointer).unwrap(), "more");
        let marked: serde_json::Value =
            serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!(marked.pointer("/duplicate_spans/0/end").unwrap(), 1);
    }
    let memory = Collection::of_tables(&[table], &ReadOptions::default()).unwrap();
    for output in ["-", "out.txt.unknown"] {
        let error = convert::wanted(&memory, Path::new(output)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
    }
}

#[test]
fn columns_of_tables_keep_their_types_in_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let table = four_rows();
    let options = ReadOptions {
        limit: Some(6),
        ..ReadOptions::default()
    };
    let tables = [
        table.clone(),
        Table::new("more", table.batches().to_vec()).unwrap(),
    ];
    let output = folder.path().join("out.parquet");
    write(&Collection::of_tables(&tables, &options).unwrap(), &output);
    let file = File::open(&output).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .build()
        .unwrap();
    let read: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    let [read] = &read[..] else {
        panic!("{read:?}")
    };
    // Three rows of the first table, of which the second is cut, and one of the other.
    let rows = UInt64Array::from(vec![0, 2, 3, 0]);
    let all = concat_batches(table.schema(), table.batches()).unwrap();
    for (at, field) in table.schema().fields().iter().enumerate() {
        let expected = take(all.column(at), &rows, None).unwrap();
        let found = read.column(at);
        assert_eq!(found.data_type(), field.data_type());
        if field.name() == "text" {
            let texts = vec!["ä b", "more", "last", "ä b"];
            assert_eq!(found.as_string_view(), &StringViewArray::from(texts));
        } else if field.name() != "kind" {
            assert_eq!(found, &expected, "{}", field.name());
        }
    }
    let names: Vec<&str> = read.schema_ref().fields()[5..]
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    assert_eq!(
        names,
        [
            "duplicate_of",
            "duplicate_score",
            "cluster_id",
            "duplicate_spans"
        ]
    );
    let of = read.column(5).as_string::<i32>();
    assert_eq!(
        of,
        &StringArray::from(vec![Some("k1"), None, Some("k1"), Some("k1")])
    );

    // Marks that clash, and tables that differ.
    let clash = batch(vec![
        ("text", strings(&[Some("a")])),
        ("cluster_id", strings(&[None])),
    ]);
    let clash = Table::new("clash", vec![clash]).unwrap();
    let collection =
        Collection::of_tables(std::slice::from_ref(&clash), &ReadOptions::default()).unwrap();
    let rewriting = RewriteOptions {
        marks: true,
        ..RewriteOptions::default()
    };
    let outputs = Outputs::default();
    let target = (output.as_path(), FormatName::Parquet);
    let error = convert::convert(
        &collection,
        &outputs,
        target,
        &|_, _| Edit::Keep,
        &rewriting,
        &|_| Ok(()),
    )
    .unwrap_err();
    assert!(error.message().contains("\"cluster_id\""), "{error}");
    let differ = Collection::of_tables(&[table, clash], &ReadOptions::default()).unwrap();
    let rewriting = RewriteOptions::default();
    let outputs = Outputs::default();
    let (written, conversions) = convert::convert(
        &differ,
        &outputs,
        target,
        &|_, _| Edit::Keep,
        &rewriting,
        &|_| Ok(()),
    )
    .unwrap();
    assert_eq!(written.kept, 5);
    assert!(
        conversions
            .iter()
            .any(|conversion| conversion.column == "time"),
        "{conversions:?}"
    );
}
