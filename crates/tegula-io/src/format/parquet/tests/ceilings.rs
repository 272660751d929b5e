//! What a ceiling has no room for.

use super::*;

fn limits(longest: usize) -> Limits {
    let mut limits = Limits::default();
    limits.longest = longest;
    limits
}

fn read_within(path: &Path, limits: &Limits) -> (Batch, usize) {
    let (mut found, mut largest) = (Batch::default(), 0);
    for chunk in crate::format::parquet::chunks(
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
            (File::create(&output).unwrap().into(), output.as_path()),
        );
        let tally = crate::format::parquet::rewrite(
            &watch,
            &ReadOptions::default(),
            file,
            plan(&style("")),
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
    for chunk in crate::format::parquet::chunks(
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
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..4_600).map(texts)));
    save(
        &path,
        &batch(vec![("text", texts)]),
        &Layout {
            group_rows: 4_600,
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
    let error = crate::format::parquet::chunks(
        0,
        &InputGuard::of(&path).unwrap(),
        &ReadOptions::default(),
        &limits(100),
    )
    .err()
    .unwrap();
    assert_eq!(error.kind(), ErrorKind::Memory);
}
