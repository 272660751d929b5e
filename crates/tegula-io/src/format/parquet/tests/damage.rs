//! Damaged files: bad records, never a panic.

use super::*;

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
    if rewrite(path, &options, output, plan(&style("")), &edits).is_ok()
        && !found.records.is_empty()
    {
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
    const ROWS: usize = 1_500;
    let (_folder, path, output) = folder();
    for (group_rows, index) in [(100, true), (ROWS, true), (ROWS, false)] {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
            (0..ROWS).map(|row| format!("text {row}")),
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
        assert_eq!(try_damaged(&whole, &path, &output), (ROWS, 0));
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
        plan(&style("")),
        &drop_one,
    )
    .unwrap_err();
    assert!(
        error.message().contains("\"weight\" (row group 1)"),
        "{error}"
    );
}
