//! Damage in columns that are not compared and may be null.

use super::*;
use parquet::basic::Encoding;
use parquet::file::properties::WriterVersion;

const ROWS: usize = 3_000;

/// How the column with the damage is stored.
#[derive(Debug, Clone, Copy)]
struct Stored {
    index: bool,
    dictionary: bool,
    version: WriterVersion,
    codec: Compression,
    group_rows: usize,
}

const PLAIN: Stored = Stored {
    index: false,
    dictionary: false,
    version: WriterVersion::PARQUET_1_0,
    codec: Compression::SNAPPY,
    group_rows: ROWS,
};

fn has_note(row: usize) -> bool {
    !row.is_multiple_of(7)
}

/// A note; every seventh is null.
fn note(row: usize) -> Option<String> {
    has_note(row).then(|| format!("note {} on {row}", row % 13))
}

/// Of 13 different values, as dictionaries are for.
fn kind(row: usize) -> Option<i64> {
    (!row.is_multiple_of(5)).then_some(row as i64 % 13)
}

fn text(row: usize) -> String {
    format!("text {row}")
}

/// A file with pages of 100 rows; the columns `note` and `kind` may be null.
fn create(path: &Path, stored: Stored) {
    let notes: ArrayRef = Arc::new((0..ROWS).map(note).collect::<StringArray>());
    let kinds: ArrayRef = Arc::new((0..ROWS).map(kind).collect::<Int64Array>());
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..ROWS).map(text)));
    let rows = batch(vec![("note", notes), ("text", texts), ("kind", kinds)]);
    let properties = WriterProperties::builder()
        .set_writer_version(stored.version)
        .set_max_row_group_row_count(Some(stored.group_rows))
        .set_compression(stored.codec)
        .set_dictionary_enabled(stored.dictionary)
        .set_encoding(Encoding::PLAIN)
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(50)
        .set_offset_index_disabled(!stored.index)
        .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None)
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties)).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
}

/// Where the bytes of a column of a row group are.
fn place(path: &Path, group: usize, column: usize) -> std::ops::Range<usize> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let column = builder.metadata().row_group(group).column(column);
    let (start, length) = column.byte_range();
    start as usize..(start + length) as usize
}

/// Where the pages of a column begin that zstd has compressed, behind their headers.
fn frames(path: &Path, column: std::ops::Range<usize>) -> Vec<usize> {
    let bytes = std::fs::read(path).unwrap();
    let frame = [0x28, 0xB5, 0x2F, 0xFD];
    let frames = memchr::memmem::find_iter(&bytes[column.clone()], &frame);
    frames.map(|at| column.start + at).collect()
}

/// Overwrites bytes.
fn damage(path: &Path, place: std::ops::Range<usize>) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[place].fill(0x77);
    std::fs::write(path, bytes).unwrap();
}

fn skipping() -> ReadOptions {
    ReadOptions {
        needs: crate::options::Needs {
            whole_rows: true,
            ..crate::options::Needs::default()
        },
        ..ReadOptions::default()
    }
}

/// The notes of a file whose texts are those of all rows but these.
fn notes(path: &Path, dropped: &[usize]) -> Vec<(usize, Option<String>)> {
    let written = load(path);
    let texts = written.column(1).as_string::<i32>();
    let rows: Vec<usize> = (0..ROWS).filter(|row| !dropped.contains(row)).collect();
    assert_eq!(texts.len(), rows.len());
    let notes = written.column(0).as_string::<i32>();
    let kinds = written.column(2).as_primitive::<Int64Type>();
    for (at, row) in rows.iter().enumerate() {
        assert_eq!(texts.value(at), text(*row));
        assert_eq!(kinds.is_valid(at).then(|| kinds.value(at)), kind(*row));
    }
    let value = |at: usize| notes.is_valid(at).then(|| notes.value(at).to_owned());
    rows.into_iter()
        .enumerate()
        .map(|(at, row)| (row, value(at)))
        .collect()
}

/// Reads, writes and converts the file; returns the rows whose notes were lost, which are the same
/// whether rows are dropped or not.
fn lost(path: &Path, output: &Path) -> Vec<usize> {
    let found = read(path, &skipping());
    assert_eq!((found.records.len(), found.bad.len()), (ROWS, 0));
    let mut all = Vec::new();
    for dropped in [&[][..], &[0, 150, 2_999]] {
        let edits = |number: u64| {
            if dropped.contains(&(number as usize - 1)) {
                Edit::Drop
            } else {
                Edit::Keep
            }
        };
        let tally = rewrite(path, &skipping(), output, plan(&style("")), &edits).unwrap();
        let mut lost = Vec::new();
        for (row, value) in notes(output, dropped) {
            if value.is_none() {
                lost.push(row);
            } else {
                assert_eq!(value, note(row), "never another value");
            }
        }
        let mut converted = Vec::new();
        let guard = InputGuard::of(path).unwrap();
        let shown = super::super::for_each_row(
            &guard,
            &skipping(),
            &Limits::default(),
            &mut |number, fields| {
                let is_kept = !dropped.contains(&(number as usize - 1));
                let value = fields.iter().find(|(name, _)| name == "note");
                if is_kept && value.unwrap().1 == crate::convert::FieldValue::Null {
                    converted.push(number as usize - 1);
                }
                Ok(is_kept)
            },
        );
        assert_eq!(converted, lost);
        assert_eq!(shown.unwrap().nulls, tally.nulls);
        if dropped.is_empty() {
            all = lost;
        } else {
            all.retain(|row| !dropped.contains(row));
            assert_eq!(lost, all);
            all = lost;
        }
        let told = tally.nulls.told(Path::new("out"));
        let count = all.len() - all.iter().filter(|row| !has_note(**row)).count();
        assert_eq!(told.is_empty(), count == 0, "{told:?}");
    }
    // Values that were null before are no loss.
    all.retain(|row| has_note(*row));
    all
}

/// The notes of these rows.
fn noted(rows: std::ops::Range<usize>) -> Vec<usize> {
    rows.filter(|row| has_note(*row) && ![0, 150, 2_999].contains(row))
        .collect()
}

#[test]
fn a_damaged_page_costs_its_own_values_only() {
    let (_folder, path, output) = folder();
    for index in [false, true] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for codec in [Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())] {
                let stored = Stored {
                    index,
                    version,
                    codec,
                    ..PLAIN
                };
                create(&path, stored);
                assert_eq!(lost(&path, &output), [0_usize; 0], "{stored:?}");
                let column = place(&path, 0, 0);
                let page = column.len() / 30;
                // In the middle of the eleventh page, and in the first one.
                for (at, expected) in [(10, 1_000..1_100), (0, 0..100)] {
                    create(&path, stored);
                    let at = column.start + at * page + page / 2;
                    damage(&path, at..at + page / 4);
                    assert_eq!(lost(&path, &output), noted(expected), "{stored:?} {at}");
                }
            }
        }
    }
}

#[test]
fn what_is_behind_a_damaged_header_is_found_by_the_index_only() {
    let (_folder, path, output) = folder();
    for (index, end) in [(true, 100), (false, ROWS)] {
        create(&path, Stored { index, ..PLAIN });
        let column = place(&path, 0, 0);
        damage(&path, column.start..column.start + 60);
        assert_eq!(lost(&path, &output), noted(0..end), "{index}");
    }
}

#[test]
fn a_damaged_dictionary_costs_all_values_that_need_it() {
    let (_folder, path, output) = folder();
    for index in [false, true] {
        for group_rows in [ROWS, 1_000] {
            let stored = Stored {
                index,
                dictionary: true,
                group_rows,
                ..PLAIN
            };
            create(&path, stored);
            let group = usize::from(group_rows < ROWS);
            let column = place(&path, group, 0);
            damage(&path, column.start + 40..column.start + 90);
            let rows = if group == 0 { 0..ROWS } else { 1_000..2_000 };
            assert_eq!(lost(&path, &output), noted(rows), "{stored:?}");
        }
    }
}

#[test]
fn a_column_that_is_all_damaged_is_null_in_its_row_group() {
    let (_folder, path, output) = folder();
    create(
        &path,
        Stored {
            group_rows: 1_000,
            ..PLAIN
        },
    );
    damage(&path, place(&path, 2, 0));
    assert_eq!(lost(&path, &output), noted(2_000..3_000));
    let tally = rewrite(&path, &skipping(), &output, plan(&style("")), &|_| {
        Edit::Keep
    })
    .unwrap();
    let told = tally.nulls.told(Path::new("out.parquet"));
    assert_eq!(told.len(), 1);
    let (begin, end) = (format!("{}: ", path.display()), "are null in out.parquet: ");
    assert!(
        told[0].starts_with(&begin)
            && told[0].contains("1000 values of the column \"note\" could not be read")
            && told[0].contains(end),
        "{told:?}"
    );
}

#[test]
fn damaged_headers_give_no_note_to_another_row() {
    let (_folder, path, output) = folder();
    for index in [false, true] {
        let stored = Stored {
            index,
            dictionary: index,
            codec: Compression::ZSTD(ZstdLevel::default()),
            ..PLAIN
        };
        create(&path, stored);
        let whole = std::fs::read(&path).unwrap();
        let column = place(&path, 0, 0);
        // The ends of the first headers, before what zstd has compressed.
        let headers = frames(&path, column).into_iter().take(2);
        for at in headers.flat_map(|end| end - 16..end) {
            for bits in [0x02, 0x10, 0x40, 0x80] {
                let mut bytes = whole.clone();
                bytes[at] ^= bits;
                std::fs::write(&path, bytes).unwrap();
                rewrite(&path, &skipping(), &output, plan(&style("")), &|_| {
                    Edit::Keep
                })
                .unwrap();
                for (row, value) in notes(&output, &[]) {
                    let is_own = value == note(row) || value.is_none();
                    assert!(is_own, "{stored:?} {at} {bits}: {row} {value:?}");
                }
            }
        }
    }
}

#[test]
fn a_header_that_claims_too_much_is_damage_under_any_ceiling() {
    let (_folder, path, output) = folder();
    let stored = Stored {
        group_rows: 100,
        codec: Compression::ZSTD(ZstdLevel::default()),
        ..PLAIN
    };
    create(&path, stored);
    let at = place(&path, 1, 0).start;
    let mut bytes = std::fs::read(&path).unwrap();
    // The second byte of the size of the page when it is decompressed.
    assert_eq!((bytes[at + 2], bytes[at + 3] & 0x80), (0x15, 0x80));
    bytes[at + 4] = 0x7F;
    std::fs::write(&path, bytes).unwrap();
    let mut written = Vec::new();
    for longest in [6_000, usize::MAX] {
        let mut limits = Limits::default();
        limits.longest = longest;
        let guard = InputGuard::of(&path).unwrap();
        let file = (File::create(&output).unwrap().into(), output.as_path());
        let edits = |_| Edit::Keep;
        super::super::rewrite(&guard, &skipping(), file, plan(&style("")), &limits, &edits)
            .unwrap();
        let lost: Vec<usize> = notes(&output, &[])
            .into_iter()
            .filter(|(row, value)| value.is_none() && has_note(*row))
            .map(|(row, _)| row)
            .collect();
        let expected: Vec<usize> = (100..200).filter(|row| has_note(*row)).collect();
        assert_eq!(lost, expected, "{longest}");
        written.push(std::fs::read(&output).unwrap());
    }
    assert_eq!(written[0], written[1]);
}

#[test]
fn damaged_strings_become_null_in_formats_of_strings() {
    let (_folder, path, output) = folder();
    create(
        &path,
        Stored {
            codec: Compression::UNCOMPRESSED,
            ..PLAIN
        },
    );
    let mut bytes = std::fs::read(&path).unwrap();
    let at = memchr::memmem::find(&bytes, b"note 9 on 1114").unwrap();
    bytes[at] = 0xFF;
    std::fs::write(&path, bytes).unwrap();
    let mut seen = Vec::new();
    let guard = InputGuard::of(&path).unwrap();
    let visit: crate::format::arrow::Visit<'_> = &mut |number, fields| {
        seen.push((number, fields[0].1 == crate::convert::FieldValue::Null));
        Ok(true)
    };
    let shown = super::super::for_each_row(&guard, &skipping(), &Limits::default(), visit).unwrap();
    assert!(seen.len() == ROWS && seen[1_114].1);
    assert!(shown.nulls.told(Path::new("out"))[0].contains("UTF-8"));
    // At the level of stored values it is one like any other.
    let tally = rewrite(&path, &skipping(), &output, plan(&style("")), &|_| {
        Edit::Keep
    })
    .unwrap();
    assert_eq!(tally.nulls, crate::passed_over::Nulls::default());
}

#[test]
fn rows_and_values_are_lost_in_one_row_group() {
    let (_folder, path, output) = folder();
    let rows = 20_000_i64;
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..rows).map(|row| format!("text {row}")),
    ));
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let columns = [
        ("text", texts, false),
        ("must", Arc::clone(&numbers), false),
        ("may", numbers, true),
    ];
    let columns = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    for index in [false, true] {
        let layout = Layout {
            group_rows: rows as usize,
            index,
            metadata: Vec::new(),
        };
        save(&path, &columns, &layout);
        // A page in the middle of one column; of the other the one with the row 16,384, with which
        // the next window begins.
        for (column, from_last) in [(1, 100), (2, 37)] {
            let frames = frames(&path, place(&path, 0, column));
            let at = frames[frames.len() - from_last];
            damage(&path, at..at + 4);
        }
        let found = read(&path, &skipping());
        let bad: Vec<_> = found.bad.iter().map(|bad| bad.bytes.clone()).collect();
        assert_eq!(bad[0].start, 8_192, "{index}");
        let lost = bad[0].start..bad[bad.len() - 1].end;
        let tally = rewrite(&path, &skipping(), &output, plan(&style("")), &|_| {
            Edit::Keep
        })
        .unwrap();
        let written = load(&output);
        let [must, may] = [1, 2].map(|at| written.column(at).as_primitive::<Int64Type>());
        let kept: Vec<i64> = (0..rows)
            .filter(|row| !lost.contains(&(*row as u64)))
            .collect();
        assert_eq!(must.values(), kept.as_slice());
        let mut nulls = 0;
        for (at, row) in kept.iter().enumerate() {
            nulls += usize::from(may.is_null(at));
            assert!(may.is_null(at) || may.value(at) == *row);
        }
        let mut shown = Vec::new();
        let guard = InputGuard::of(&path).unwrap();
        let visit: crate::format::arrow::Visit<'_> = &mut |number, fields| {
            shown.push(number as i64 - 1);
            assert!(fields[2].1 != crate::convert::FieldValue::Null || nulls > 0);
            Ok(true)
        };
        let found =
            super::super::for_each_row(&guard, &skipping(), &Limits::default(), visit).unwrap();
        assert_eq!(shown, kept);
        assert_eq!(found.nulls, tally.nulls);
        assert_eq!((nulls, lost), (16, 8_192..16_384), "{index}");
    }
}

#[test]
fn rows_are_lost_where_a_nested_column_is_damaged() {
    let (_folder, path, _) = folder();
    for column in ["tags", "meta"] {
        save(&path, &rich(1_000), &SMALL);
        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
        let columns = builder.metadata().row_group(0).columns();
        let at = columns
            .iter()
            .position(|leaf| leaf.column_path().parts()[0] == column)
            .unwrap();
        damage(&path, place(&path, 0, at));
        let found = read(&path, &skipping());
        assert_eq!(found.records.len(), 0);
        let message = found.bad[0].error.message();
        assert!(
            message.contains(&format!("of the column \"{column}/")),
            "{message}"
        );
    }
}
