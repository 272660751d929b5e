//! Damage in a column that is not compared and must have values.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

const ROWS: i64 = 20_000;

/// A file of one row group with a damaged page in a column, at 3/5 of it; with `header`, the header
/// of the page is damaged too.
fn damaged(path: &Path, index: bool, column: usize, header: bool) {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..ROWS).map(number)));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..ROWS).map(|row| format!("text {row}")),
    ));
    let layout = Layout {
        group_rows: ROWS as usize,
        index,
        metadata: Vec::new(),
    };
    // Without nulls in the schema.
    let columns = [("id", ids), ("n", numbers), ("text", texts)];
    save(path, &RecordBatch::try_from_iter(columns).unwrap(), &layout);
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let (start, length) = builder.metadata().row_group(0).column(column).byte_range();
    let mut whole = std::fs::read(path).unwrap();
    // The first bytes of what zstd has compressed.
    let frame = [0x28, 0xB5, 0x2F, 0xFD];
    let chunk = &whole[start as usize..(start + length) as usize];
    let frames: Vec<usize> = memchr::memmem::find_iter(chunk, &frame).collect();
    let at = start as usize + frames[frames.len() * 3 / 5];
    whole[if header { at - 16 } else { at }..at + 4].fill(0x77);
    std::fs::write(path, whole).unwrap();
}

fn number(row: i64) -> i64 {
    row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64.cast_signed())
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

#[test]
fn rows_that_could_not_be_written_back_are_bad_and_the_others_are_kept() {
    let (_folder, path, output) = folder();
    for (index, header) in [(true, false), (true, true), (false, false), (false, true)] {
        damaged(&path, index, 1, header);
        let found = read(&path, &skipping());
        let ranges: Vec<_> = found.bad.iter().map(|bad| bad.bytes.clone()).collect();
        // The window around the damage; or also those behind it, if nothing locates the next page.
        let mut expected: Vec<_> = std::iter::once(8_192..16_384).collect();
        if header && !index {
            expected.push(16_384..20_000);
        }
        assert_eq!(ranges, expected, "{index} {header}");
        let bad = &found.bad[0];
        let lost = 8_192..expected[expected.len() - 1].end;
        let message = bad.error.message();
        assert!(
            message.starts_with("expected readable pages of the column \"n\" in rows 8193 to ")
                && message.contains("(row group 1), found damage: "),
            "{message}"
        );
        let lines = String::from_utf8(bad.raw.clone()).unwrap();
        assert_eq!(
            lines.lines().count() as u64,
            bad.bytes.end - bad.bytes.start
        );
        assert!(
            lines.starts_with("{\"text\":\"text 8192\",\"id\":8192}\n"),
            "quarantine"
        );
        assert_eq!(
            found.records.len() as u64 + lost.end - lost.start,
            ROWS as u64
        );
        let edits = |number: u64| match number {
            3 | 17_000 => Edit::Drop,
            _ => Edit::Keep,
        };
        rewrite(&path, &skipping(), &output, plan(&style("")), &edits).unwrap();
        let kept: Vec<i64> = (0..ROWS)
            .filter(|row| ![2, 16_999].contains(row) && !lost.contains(&(*row as u64)))
            .collect();
        let written = load(&output);
        let ids = written.column(0).as_primitive::<Int64Type>();
        assert_eq!(ids.values(), kept.as_slice());
        let numbers = written.column(1).as_primitive::<Int64Type>();
        assert!(
            numbers
                .values()
                .iter()
                .zip(&kept)
                .all(|(n, row)| *n == number(*row))
        );
        // In another format.
        let mut rows = Vec::new();
        let guard = InputGuard::of(&path).unwrap();
        super::super::for_each_row(&guard, &skipping(), &Limits::default(), &mut |number, _| {
            rows.push(number);
            Ok(true)
        })
        .unwrap();
        let expected: Vec<u64> = (0..ROWS as u64)
            .filter(|row| !lost.contains(row))
            .map(|row| row + 1)
            .collect();
        assert_eq!(rows, expected);
    }
}

#[test]
fn where_nothing_is_skipped_damage_is_copied_or_named() {
    let (_folder, path, output) = folder();
    damaged(&path, true, 1, false);
    let options = ReadOptions::default();
    let found = read(&path, &options);
    assert_eq!((found.records.len(), found.bad.len()), (ROWS as usize, 0));
    // A row group that keeps all rows is copied as stored, damage and all.
    rewrite(&path, &options, &output, plan(&style("")), &|_| Edit::Keep).unwrap();
    let of = |path: &Path| {
        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
        let (start, length) = builder.metadata().row_group(0).column(1).byte_range();
        std::fs::read(path).unwrap()[start as usize..(start + length) as usize].to_vec()
    };
    assert_eq!(of(&path), of(&output));
    let drop = |number: u64| if number == 9 { Edit::Drop } else { Edit::Keep };
    let error = rewrite(&path, &options, &output, plan(&style("")), &drop).unwrap_err();
    assert_eq!(error.path(), Some(path.as_path()));
    assert!(
        error.message().contains("the column \"n\" (row group 1)"),
        "{error}"
    );
    assert!(error.marked().1.unwrap().contains("⟨on_bad_record=skip⟩"));
    let guard = InputGuard::of(&path).unwrap();
    let error =
        super::super::for_each_row(&guard, &options, &Limits::default(), &mut |_, _| Ok(true));
    assert!(
        error
            .unwrap_err()
            .message()
            .contains("of the column \"n\" in rows")
    );
}

#[test]
fn damage_in_the_text_itself_costs_its_window_and_nothing_when_written() {
    let (_folder, path, output) = folder();
    damaged(&path, true, 2, false);
    let found = read(&path, &ReadOptions::default());
    let bad: Vec<_> = found.bad.iter().map(|bad| bad.bytes.clone()).collect();
    assert!(bad.iter().eq(std::iter::once(&(8_192..16_384))));
    assert!(
        found.bad[0]
            .error
            .message()
            .contains("of the column \"text\""),
        "{:?}",
        found.bad
    );
    rewrite(
        &path,
        &ReadOptions::default(),
        &output,
        plan(&style("")),
        &|_| Edit::Keep,
    )
    .unwrap();
    assert_eq!(load(&output).num_rows() as u64, ROWS as u64 - 8_192);
}

/// A file of three texts, `text 41` to `text 43`, whose page has a checksum.
const CHECKED: &str = "UEFSMRUAFU4VThWMk6y+CxwVBhUAFQYVBhwAAAACAAAABgEHAAAAdGV4dCA0MQcAAAB0ZXh0IDQyBwAAAHRleHQgND\
    MVBBksNQAYBnNjaGVtYRUCABUMJQIYBHRleHQlAEwcAAAAFgYZHBkcJgAcFQwZJQYAGRgEdGV4dBUAFgYWgAEWgAEm\
    CEkcFQAVABUCADwWKhkGGSYABgAAABaAARYGJggWgAEAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMR\
    kcHAAAAIwAAABQQVIx";

#[test]
fn a_page_whose_checksum_is_wrong_is_damage() {
    let (_folder, path, _) = folder();
    let mut bytes = BASE64.decode(CHECKED).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(read(&path, &ReadOptions::default()).records.len(), 3);
    let at = bytes.windows(7).position(|window| window == b"text 42");
    bytes[at.unwrap() + 5] = b'9';
    std::fs::write(&path, &bytes).unwrap();
    let found = read(&path, &ReadOptions::default());
    assert_eq!((found.records.len(), found.bad.len()), (0, 1));
    let message = found.bad[0].error.message();
    assert!(message.contains("CRC"), "{message}");
}
