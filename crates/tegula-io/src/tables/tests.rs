//! Round trips of the tables through all their formats, and damaged tables.

use std::path::Path;

use super::*;
use crate::outputs::Outputs;

fn info() -> TableInfo {
    TableInfo {
        version: "0.1.0".into(),
        recipe: "abc".into(),
        fields: Vec::new(),
    }
}

fn pair(a: &'static str, b: &'static str, score: f64) -> PairRow<'static> {
    PairRow {
        unit_a: Some(u64::MAX),
        unit_b: Some(1),
        id_a: a,
        id_b: b,
        score,
        sscr: Some(2.0 / 3.0),
        common: Some(u32::MAX),
        ..PairRow::default()
    }
}

type Read = (Option<u64>, String, String, f64, Option<f64>, Option<u32>);

fn read_pairs(path: &Path) -> Vec<Read> {
    let mut rows = Vec::new();
    for batch in read_table::<Pairs>(path, Formulas::Kept).unwrap() {
        for row in batch.unwrap().iter() {
            rows.push((
                row.unit_a,
                row.id_a.to_owned(),
                row.id_b.to_owned(),
                row.score,
                row.sscr,
                row.common,
            ));
        }
    }
    rows
}

#[test]
fn pairs_come_back_from_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    for name in [
        "p.parquet",
        "p.tsv",
        "p.tsv.gz",
        "p.tsv.zst",
        "p.jsonl",
        "p.jsonl.gz",
        "p.jsonl.zst",
    ] {
        let path = folder.path().join(name);
        let mut writer =
            TableFileWriter::<Pairs>::create(&outputs, &path, Formulas::Kept, &info()).unwrap();
        for _ in 0..10_000 {
            writer.push(&pair("a\tb\\", "Ä\n\"x\"", 0.75)).unwrap();
        }
        writer
            .push(&PairRow {
                id_a: "",
                id_b: "b",
                score: 1.0,
                ..PairRow::default()
            })
            .unwrap();
        assert!(!path.exists(), "{name} has its name before it is whole");
        assert_eq!(writer.finish().unwrap(), 10_001);
        outputs.publish().unwrap();
        let rows = read_pairs(&path);
        assert_eq!(rows.len(), 10_001, "{name}");
        let (unit, a, b, score, sscr, common) = &rows[9_999];
        assert_eq!(
            (*unit, a.as_str(), b.as_str(), *common),
            (Some(u64::MAX), "a\tb\\", "Ä\n\"x\"", Some(u32::MAX))
        );
        assert!((score - 0.75).abs() < 1e-12);
        let lost = (sscr.unwrap() - 2.0 / 3.0).abs();
        assert!(lost <= if name.contains("parquet") { 0.0 } else { 1e-6 });
        assert_eq!(
            rows[10_000],
            (None, String::new(), "b".into(), 1.0, None, None)
        );
    }
}

#[test]
fn a_tsv_has_a_header_and_the_decimals_that_numbers_need() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    let path = folder.path().join("c.tsv");
    let mut writer =
        TableFileWriter::<Clusters>::create(&outputs, &path, Formulas::Kept, &info()).unwrap();
    writer
        .push(&ClusterRow {
            cluster_id: "a",
            id: "b",
            unit: None,
            size: 2,
            min_edge: 0.8,
            density: Some(1.0),
        })
        .unwrap();
    writer.finish().unwrap();
    outputs.publish().unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "cluster_id\tid\tunit\tsize\tmin_edge\tdensity\na\tb\t\t2\t0.8\t1\n"
    );
}

#[test]
fn pairs_of_others_need_ids_and_score_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.tsv");
    std::fs::write(
        &path,
        "score\textra\tid_b\tid_a\r\n0.5\tx\tb\ta\r\n\n1\ty\td\tc",
    )
    .unwrap();
    let rows = read_pairs(&path);
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0].1.as_str(), rows[0].2.as_str()), ("a", "b"));
    let path = folder.path().join("p.jsonl");
    std::fs::write(&path, "{\"id_b\":\"b\",\"id_a\":7,\"score\":1}\n").unwrap();
    assert_eq!(read_pairs(&path)[0].1, "7");
}

fn first_error(path: &Path) -> tegula::error::Error {
    match read_table::<Pairs>(path, Formulas::Kept) {
        Err(error) => error,
        Ok(mut rows) => rows.find_map(Result::err).unwrap(),
    }
}

#[test]
fn a_bad_table_names_row_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.tsv");
    std::fs::write(&path, "id_a\tid_b\tscore\na\tb\t1\na\tb\thigh\n").unwrap();
    let error = first_error(&path);
    assert_eq!(error.record_number(), Some(2));
    assert_eq!(
        error.message(),
        "expected a number in column \"score\", found \"high\""
    );
    std::fs::write(&path, "id_a\tid_b\na\tb\n").unwrap();
    assert!(
        first_error(&path)
            .message()
            .contains("a column \"score\", found id_a, id_b")
    );
    std::fs::write(&path, "id_a\tid_b\tscore\na\n").unwrap();
    assert!(first_error(&path).message().contains("at least 2 cells"));
    let path = folder.path().join("p.jsonl");
    std::fs::write(&path, "[1]\n").unwrap();
    assert!(first_error(&path).message().contains("JSON object"));
    let path = folder.path().join("p.jsonl.gz");
    std::fs::write(&path, "no gz").unwrap();
    assert_eq!(first_error(&path).path(), Some(path.as_path()));
    assert!(check_table_name(Path::new("p.xlsx")).is_err());
    assert!(check_table_name(Path::new("p.parquet.gz")).is_err());
}

#[test]
fn an_empty_table_has_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    for name in ["p.tsv", "p.jsonl", "p.parquet"] {
        let path = folder.path().join(name);
        TableFileWriter::<Pairs>::create(&outputs, &path, Formulas::Kept, &info())
            .unwrap()
            .finish()
            .unwrap();
        outputs.publish().unwrap();
        assert_eq!(read_pairs(&path).len(), 0, "{name}");
    }
    let path = folder.path().join("nothing.tsv");
    std::fs::write(&path, "").unwrap();
    assert_eq!(read_pairs(&path).len(), 0);
}

#[test]
fn units_carry_metadata_fields_and_key_values() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    let path = folder.path().join("units.parquet");
    let info = TableInfo {
        fields: vec!["date".into(), "id".into()],
        ..info()
    };
    let mut writer = TableWriter::<Units>::create(&outputs, &path, &info).unwrap();
    let ids: Vec<String> = (0..70_000).map(|i| format!("u{i}")).collect();
    for (unit, id) in ids.iter().enumerate() {
        let unit = unit as u64;
        let row = UnitRow {
            unit,
            id,
            file: if unit < 9 { "a" } else { "b" },
            record: unit + 1,
            byte_start: 0,
            byte_len: 1,
            tokens: 3,
            digest: u128::from(unit).to_be_bytes(),
            group: unit.is_multiple_of(2).then_some(unit / 2),
            ..UnitRow::default()
        };
        writer.push_with(&row, &[Some("2001"), None]).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), 70_000);
    outputs.publish().unwrap();

    let reader = TableReader::<Units>::open(&path).unwrap();
    assert_eq!(reader.info(), &info);
    assert_eq!(reader.rows(), 70_000);
    let mut next = 0;
    for batch in reader {
        let batch = batch.unwrap();
        for (place, row) in batch.iter().enumerate() {
            assert_eq!(row.unit, next);
            assert_eq!(row.id, ids[next as usize]);
            assert_eq!(row.digest, u128::from(next).to_be_bytes());
            assert_eq!(row.file, if next < 9 { "a" } else { "b" });
            assert_eq!(row.group, next.is_multiple_of(2).then_some(next / 2));
            assert_eq!(batch.field(place, 0), Some("2001"));
            assert_eq!(batch.field(place, 1), None);
            next += 1;
        }
    }
    assert_eq!(next, 70_000);
    assert!(
        TableReader::<Groups>::open(&path)
            .err()
            .unwrap()
            .message()
            .contains("\"groups\", found \"units\"")
    );
}

#[test]
fn verdicts_and_groups_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    let path = folder.path().join("verdicts.parquet");
    let kept = VerdictRow {
        id: "a",
        unit: 0,
        verdict: "kept",
        witness_id: None,
        witness: None,
        score: None,
        stage: "s",
        label: None,
    };
    let removed = VerdictRow {
        id: "b",
        unit: 1,
        verdict: "removed",
        witness_id: Some("a"),
        witness: Some(0),
        score: Some(0.9),
        ..kept
    };
    let mut writer = TableWriter::<Verdicts>::create(&outputs, &path, &info()).unwrap();
    writer.push(&kept).unwrap();
    writer.push(&removed).unwrap();
    writer.finish().unwrap();
    outputs.publish().unwrap();
    let mut rows = 0;
    TableReader::<Verdicts>::open(&path)
        .unwrap()
        .for_each(|row| {
            assert_eq!(row, if row.unit == 0 { kept } else { removed });
            rows += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(rows, 2);

    let path = folder.path().join("groups.parquet");
    let mut writer = TableWriter::<Groups>::create(&outputs, &path, &info()).unwrap();
    let row = GroupRow {
        group: 1,
        unit: 2,
        id: "c",
    };
    writer.push(&row).unwrap();
    writer.finish().unwrap();
    outputs.publish().unwrap();
    TableReader::<Groups>::open(&path)
        .unwrap()
        .for_each(|found| {
            assert_eq!(found, row);
            Ok(())
        })
        .unwrap();
}

#[test]
fn numbers_in_order_take_next_to_no_space() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("units.parquet");
    let info = TableInfo {
        // Not a number, though its name is that of one.
        fields: vec!["unit".into()],
        ..info()
    };
    let rows = 20_000;
    let outputs = Outputs::default();
    let mut table = TableWriter::<Units>::create(&outputs, &path, &info).unwrap();
    for unit in 0..rows {
        let row = UnitRow {
            unit,
            id: "a",
            file: "f",
            record: unit + 1,
            byte_start: unit * 100,
            ..UnitRow::default()
        };
        table.push_with(&row, &[Some("value")]).unwrap();
    }
    table.finish().unwrap();
    outputs.publish().unwrap();
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert!(bytes < rows, "{bytes}");
    let read = read_table::<Units>(&path, Formulas::Kept).unwrap();
    let units: Vec<u64> = read
        .flat_map(|batch| {
            batch
                .unwrap()
                .iter()
                .map(|row| row.unit)
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(units.into_iter().eq(0..rows));
}

#[test]
fn long_strings_end_a_batch_early() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    let path = folder.path().join("units.parquet");
    let info = TableInfo {
        fields: vec!["body".into()],
        ..info()
    };
    let mut writer = TableWriter::<Units>::create(&outputs, &path, &info).unwrap();
    let body = "x".repeat(3 << 20);
    for unit in 0..40 {
        let row = UnitRow {
            unit,
            id: "i",
            file: "f",
            record: 1,
            byte_start: 0,
            byte_len: 1,
            tokens: 3,
            digest: [0; 16],
            ..UnitRow::default()
        };
        writer.push_with(&row, &[Some(&body)]).unwrap();
    }
    writer.finish().unwrap();
    outputs.publish().unwrap();
    let rows: usize = TableReader::<Units>::open(&path)
        .unwrap()
        .map(|rows| rows.unwrap().len())
        .sum();
    assert_eq!(rows, 40);
}

#[test]
fn damaged_tables_are_errors_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::default();
    let path = folder.path().join("p.parquet");
    let mut writer =
        TableFileWriter::<Pairs>::create(&outputs, &path, Formulas::Kept, &info()).unwrap();
    for _ in 0..2_000 {
        writer.push(&pair("a", "b", 0.5)).unwrap();
    }
    writer.finish().unwrap();
    outputs.publish().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let try_read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        match read_table::<Pairs>(&path, Formulas::Kept) {
            Err(_) => true,
            Ok(rows) => rows.take(10_000).any(|rows| rows.is_err()),
        }
    };
    assert!(!try_read(&whole));
    for length in (0..whole.len()).step_by(97) {
        assert!(try_read(&whole[..length]), "cut at {length}");
    }
    for place in (0..whole.len()).step_by(41) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x55;
        // Some flips cannot be detected, such as one in a name; the point is that none of them
        // panics.
        let _ = try_read(&damaged);
    }
}
