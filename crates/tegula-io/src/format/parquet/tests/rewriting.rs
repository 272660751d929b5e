//! What is written back: rows, pages, codecs, schemas and types that must be preserved.

use super::*;

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
        plan(&style("")),
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
    rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plan(&style("")),
        &|_| Edit::Keep,
    )
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
    rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plan(&style("")),
        &edits,
    )
    .unwrap();
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
    rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plan(&style("")),
        &marks,
    )
    .unwrap();
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
    let tally = rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plan(&style("")),
        &odd,
    )
    .unwrap();
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
        rewrite(
            &path,
            &ReadOptions::default(),
            &output,
            plan(&style("")),
            &first,
        )
        .unwrap();
        assert_eq!(read(&output, &ReadOptions::default()).records.len(), 49);
        assert_eq!(facts(&path).1, facts(&output).1);
    }
}
