//! Tables in memory give the same records as Parquet files with the same rows.

mod writing;

use super::*;
use crate::collection::Collection;
use crate::fetch::{self, Wanted};
use crate::limits::Limits;
use crate::options::{Needs, ReadOptions};
use arrow_array::types::{Int32Type, UInt8Type};
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Float64Array, Int64Array,
    LargeBinaryArray, LargeStringArray, StringArray, StringViewArray, StructArray,
    TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use std::fs::File;
use std::path::PathBuf;
use tegula::error::ErrorKind;
use tegula::record::{Batch, Source};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn strings(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// The rows as a Parquet file.
fn save(folder: &Path, table: &Table) -> PathBuf {
    let path = folder.join(format!("{}.parquet", table.name()));
    let file = File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, table.schema().clone(), None).unwrap();
    for batch in table.batches() {
        writer.write(batch).unwrap();
    }
    writer.close().unwrap();
    path
}

/// What is read of a collection: of each record its number, bytes, text, id and fields; of each bad
/// one number, message, advice and what goes to the quarantine.
type Read = (
    Vec<(
        u32,
        u64,
        Range<u64>,
        String,
        Option<String>,
        Vec<Option<String>>,
    )>,
    Vec<(u32, u64, String, String, String)>,
);

fn read(collection: &Collection) -> Read {
    let (mut records, mut bad) = (Vec::new(), Vec::new());
    let mut bytes = 0;
    for chunk in collection.chunks().unwrap() {
        let chunk = chunk.unwrap();
        bytes += chunk.disk_bytes();
        let mut batch = Batch::default();
        chunk.read(&mut batch);
        for record in &batch.records {
            records.push((
                chunk.file(),
                record.number,
                record.bytes.clone(),
                batch.text_of(record).to_owned(),
                batch.id_of(record).map(str::to_owned),
                batch.fields_of(record).to_vec(),
            ));
        }
        for found in &batch.bad {
            bad.push((
                chunk.file(),
                found.number,
                found.error.message(),
                found.error.advice().unwrap_or_default().to_owned(),
                String::from_utf8_lossy(&found.raw).into_owned(),
            ));
        }
    }
    if collection.is_in_memory() && collection.options().limit.is_none() {
        assert_eq!(
            bytes,
            collection.files().iter().map(|f| f.bytes).sum::<u64>()
        );
    }
    (records, bad)
}

fn options(fields: &[&str]) -> ReadOptions {
    ReadOptions {
        needs: Needs {
            fields: fields.iter().map(ToString::to_string).collect(),
            ..Needs::default()
        },
        ..ReadOptions::default()
    }
}

/// Both ways to read some tables.
fn both(tables: &[Table], options: &ReadOptions, chunk: usize) -> (Read, Read) {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = tables
        .iter()
        .map(|table| save(folder.path(), table))
        .collect();
    let files = Collection::open(&paths, options, folder.path()).unwrap();
    let memory = Collection::of_tables(tables, options).unwrap();
    (read(&memory.chunked(chunk)), read(&files))
}

/// The same strings in some layout.
fn laid(values: &[Option<String>], layout: usize) -> ArrayRef {
    let rows: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
    let bytes = || {
        rows.iter()
            .map(|row| row.map(str::as_bytes))
            .collect::<Vec<_>>()
    };
    match layout {
        0 => Arc::new(StringArray::from(rows)),
        1 => Arc::new(LargeStringArray::from(rows)),
        2 => Arc::new(StringViewArray::from(rows)),
        3 => Arc::new(rows.into_iter().collect::<DictionaryArray<Int32Type>>()),
        4 => Arc::new(rows.into_iter().collect::<DictionaryArray<UInt8Type>>()),
        5 => Arc::new(BinaryArray::from(bytes())),
        6 => Arc::new(LargeBinaryArray::from(bytes())),
        _ => Arc::new(BinaryViewArray::from(bytes())),
    }
}

prop_compose! {
    fn rows()(
        texts in prop::collection::vec(prop::option::weighted(0.9, "[a-zä]{1,20}( [a-z]{1,5}){0,4}"), 1..60),
        cuts in prop::collection::vec(0usize..60, 0..6),
        layouts in (0usize..8, 0usize..5),
        chunk in 1usize..400,
        limit in prop::option::of(0u64..70),
        second in any::<bool>(),
    ) -> (Vec<Option<String>>, Vec<usize>, (usize, usize), usize, Option<u64>, bool) {
        (texts, cuts, layouts, chunk, limit, second)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn tables_are_read_like_parquet_files((texts, cuts, (layout, other), chunk, limit, second) in rows()) {
        let count = texts.len();
        let ids: Vec<Option<String>> = (0..count)
            .map(|row| (row % 5 != 3).then(|| format!("k{row}")))
            .collect();
        let title: Vec<Option<String>> = texts.iter().rev().map(|text| text.clone().filter(|text| text.len() > 3)).collect();
        let all = batch(vec![
            ("n", Arc::new((0..count as i64).map(|n| (n % 3 != 0).then_some(n)).collect::<Int64Array>()) as ArrayRef),
            ("id", laid(&ids, other)),
            ("title", laid(&title, other)),
            ("text", laid(&texts, layout)),
            ("time", Arc::new((0..count as i64).map(Some).collect::<TimestampMillisecondArray>())),
            ("score", Arc::new((0..count).map(|n| Some(n as f64 / 7.0)).collect::<Float64Array>())),
        ]);
        // Batches of odd sizes, some of them empty.
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (count + 1)).collect();
        cuts.extend([0, count]);
        cuts.sort_unstable();
        let batches: Vec<RecordBatch> = cuts.windows(2).map(|cut| all.slice(cut[0], cut[1] - cut[0])).collect();
        let table = Table::new("texts", batches).unwrap();
        prop_assert_eq!(table.rows(), count as u64);
        let mut tables = vec![table];
        if second {
            tables.push(Table::new("more", vec![all]).unwrap());
        }
        let mut options = options(&["n", "time", "title", "none", "score"]);
        options.limit = limit;
        let (memory, files) = both(&tables, &options, chunk);
        prop_assert_eq!(&memory, &files);
        options.text_key = vec!["title".into(), "text".into()];
        options.id_key = Some("n".into());
        let (memory, files) = both(&tables, &options, chunk);
        prop_assert_eq!(&memory, &files);
    }
}

#[test]
fn rows_without_text_are_bad_and_say_where() {
    let texts = strings(&[Some("one"), None, Some("three")]);
    let table = Table::new("posts", vec![batch(vec![("text", texts)])]).unwrap();
    let (memory, files) = both(std::slice::from_ref(&table), &options(&[]), 1 << 20);
    assert_eq!(memory, files);
    let [(0, 2, message, advice, raw)] = &memory.1[..] else {
        panic!("{memory:?}")
    };
    assert_eq!(
        message,
        "expected a string in the column \"text\", found null"
    );
    assert_eq!(advice, "skip such rows with on_bad_record = skip");
    assert_eq!(raw, "{\"text\":null}\n");
    let collection = Collection::of_tables(&[table], &options(&[])).unwrap();
    let mut found = Batch::default();
    collection
        .chunks()
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .read(&mut found);
    assert_eq!(found.bad[0].error.path(), Some(Path::new("posts")));
}

#[test]
fn a_value_that_is_no_string_is_bad_by_its_type() {
    let texts = strings(&[Some("one"), None, None]);
    let table = Table::new("posts", vec![batch(vec![("text", texts)])]).unwrap();
    let table = table.with_other_types([(2, "int".to_owned())].into());
    let mut found = Vec::new();
    for_each_text(&table, &["text".into()], |_, text| {
        found.extend(text.err().map(|bad| bad.error.message()));
        Ok(())
    })
    .unwrap();
    let expected = "expected a string in the column \"text\", found";
    assert_eq!(
        found,
        [format!("{expected} null"), format!("{expected} int")]
    );
}

#[test]
fn missing_and_unsuitable_columns_are_named_with_those_that_exist() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let body = strings(&[Some("one"), Some("two")]);
    let table = Table::new("posts", vec![batch(vec![("n", numbers), ("body", body)])]).unwrap();
    let wrong = |options: ReadOptions| {
        let collection = Collection::of_tables(std::slice::from_ref(&table), &options).unwrap();
        let error = collection.chunks().unwrap().next().unwrap().err().unwrap();
        assert_eq!(error.path(), Some(Path::new("posts")));
        error.message()
    };
    let with = |key: &str| ReadOptions {
        text_key: vec![key.into()],
        ..ReadOptions::default()
    };
    assert_eq!(
        wrong(ReadOptions::default()),
        "expected a column \"text\", found the columns n, body"
    );
    assert_eq!(
        wrong(with("n")),
        "expected strings in the column \"n\", found the type Int64"
    );
    assert_eq!(
        wrong(ReadOptions {
            id_key: Some("key".into()),
            ..with("body")
        }),
        "expected a column \"key\", found the columns n, body"
    );
    let collection = Collection::of_tables(std::slice::from_ref(&table), &with("body")).unwrap();
    assert_eq!(collection.describe(0).unwrap().name, "posts");
    assert!(!collection.can_be_cut(0) && collection.is_single());
    assert!(collection.guards()[0].check().is_ok());
    let error = collection.guards()[0].open().unwrap_err();
    assert_eq!(error.message(), "expected a file, found a table in memory");
}

#[test]
fn a_column_without_any_value_has_no_wrong_type() {
    let nothing: ArrayRef = Arc::new(Int64Array::from(vec![None, None]));
    let table = Table::new("posts", vec![batch(vec![("text", nothing)])]).unwrap();
    let (memory, files) = both(&[table], &options(&[]), 1 << 20);
    assert_eq!(memory, files);
    assert_eq!(memory.1.len(), 2);
}

#[test]
fn texts_stand_in_structs_and_bytes_need_not_be_texts() {
    let inner = Arc::new(Field::new("text", DataType::Utf8, true));
    let within: ArrayRef = Arc::new(StructArray::from(vec![(
        inner,
        strings(&[Some("a b"), None, Some("")]),
    )]));
    let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values([&b"x"[..], b"\xFF", b"y"]));
    let table = Table::new("posts", vec![batch(vec![("doc", within), ("raw", bytes)])]).unwrap();
    for key in ["/doc/text", "raw"] {
        let options = ReadOptions {
            text_key: vec![key.into()],
            ..options(&["raw"])
        };
        let (mut memory, mut files) = both(std::slice::from_ref(&table), &options, 1 << 20);
        // An empty text is compared by what the row holds, in a file by where it is.
        let blank = |read: &mut Read| read.0.retain(|record| !record.3.trim().is_empty());
        blank(&mut memory);
        blank(&mut files);
        assert_eq!(memory, files);
        assert_eq!(memory.1.len(), 1, "{key}");
    }
}

#[test]
fn rows_without_text_equal_only_the_same_rows() {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 1]));
    let texts = strings(&[Some(""), Some(" "), Some("")]);
    let table = Table::new("posts", vec![batch(vec![("id", ids), ("text", texts)])]).unwrap();
    let (records, _) = read(&Collection::of_tables(&[table], &options(&[])).unwrap());
    assert!(records.iter().all(|record| record.3.trim().is_empty()));
    assert_eq!(records[0].3, records[2].3);
    assert_ne!(records[0].3, records[1].3);
}

#[test]
fn single_texts_are_found_by_their_rows() {
    let first = batch(vec![("text", strings(&[Some("one"), None]))]);
    let second = batch(vec![("text", strings(&[Some("three")]))]);
    let table = Table::new("posts", vec![first, second]).unwrap();
    assert_eq!(table.place(1), Some((0, 1)));
    assert_eq!(table.place(2), Some((1, 0)));
    assert_eq!(table.place(3), None);
    let collection = Collection::of_tables(&[table], &options(&["none"])).unwrap();
    let wanted = [3, 1, 2, 4].map(|number| Wanted {
        file: 0,
        number,
        bytes: None,
    });
    assert_eq!(
        fetch::texts(&collection, &wanted).unwrap(),
        [Some("three".to_owned()), Some("one".to_owned()), None, None]
    );
}

#[test]
fn a_text_that_does_not_fit_under_the_ceiling_is_a_bad_record() {
    let long = "word ".repeat(1 << 18);
    let texts = strings(&[Some("short"), Some(&long), Some("end")]);
    let table = Table::new("posts", vec![batch(vec![("text", texts)])]).unwrap();
    let collection = || Collection::of_tables(std::slice::from_ref(&table), &options(&[])).unwrap();
    let large: Vec<bool> = (collection().chunks().unwrap())
        .map(|chunk| chunk.unwrap().large().is_some())
        .collect();
    assert_eq!(large, [false, true, false]);
    let mut limits = Limits::clone(collection().limits());
    limits.memory = 1 << 20;
    let (records, bad) = read(&collection().limited(limits));
    assert_eq!(records.len(), 2);
    assert_eq!(bad[0].1, 2);
    assert!(
        bad[0].2.contains("fits under the memory ceiling"),
        "{bad:?}"
    );
}

#[test]
fn names_and_batches_are_checked() {
    let one = batch(vec![("text", strings(&[Some("one")]))]);
    let other = batch(vec![("body", strings(&[Some("one")]))]);
    for name in ["", "-", "/tmp/x", "../x", "against/x"] {
        let error = Table::new(name, vec![one.clone()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{name}");
    }
    let error = Table::new("posts", vec![one.clone(), other]).unwrap_err();
    assert_eq!(
        error.message(),
        "expected batches of one schema (text: Utf8), found one with body: Utf8"
    );
    let table = Table::new("posts", vec![one]).unwrap();
    let error = Collection::of_tables(&[table.clone(), table.clone()], &options(&[])).unwrap_err();
    assert!(error.message().contains("'posts' twice"), "{error}");
    let error = Collection::of_tables(&[], &options(&[])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    let gone = Table::gone("posts", 7).unwrap();
    assert_ne!(gone, table);
    let collection = Collection::of_tables(&[gone], &options(&[])).unwrap();
    assert_eq!(collection.files()[0].bytes, 7);
    let error = collection.chunks().unwrap().next().unwrap().err().unwrap();
    assert!(error.message().contains("were in memory"), "{error}");
}
