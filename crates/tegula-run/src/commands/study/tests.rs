//! Each study once on a small real sample: proposals of which each has several versions.

use super::StudySpec;
use crate::command::Command as _;
use crate::host::Host;
use std::fs;
use tegula::context::Context;
use tegula::declare::Options as _;
use tegula::error::Result;
use tegula::scratch::Scratch;
use tegula_report::table::{Cell, Table};

/// Runs a study as it is typed; PEPS is the sample.
fn study(line: &str) -> Result<Vec<Table>> {
    let peps = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/peps.jsonl");
    let mut words = line.split_whitespace();
    let mut spec = StudySpec::default();
    let mut set = |name: &str, value: &str| {
        let value = if value == "PEPS" { peps } else { value };
        spec.set(name, value.as_ref()).unwrap()
    };
    set("figures", words.next().unwrap())?;
    set("inputs", words.next().unwrap())?;
    while let Some(option) = words.next() {
        set(option.trim_start_matches('-'), words.next().unwrap())?;
    }
    let host = Host::new(Context::new(2, 1 << 30, Scratch::system()));
    Ok(spec.run(&host)?.tables)
}

fn named<'t>(tables: &'t [Table], name: &str) -> &'t Table {
    tables.iter().find(|table| table.name == name).unwrap()
}

/// The cells of a column.
fn column<'t>(table: &'t Table, name: &str) -> Vec<&'t Cell> {
    let place = table
        .columns
        .iter()
        .position(|column| column.name == name)
        .unwrap();
    table.rows.iter().map(|row| &row[place]).collect()
}

fn counts(table: &Table, name: &str) -> Vec<u64> {
    let count = |cell: &&Cell| {
        if let Cell::Count(count) = cell {
            *count
        } else {
            panic!("{name}: {cell:?}")
        }
    };
    column(table, name).iter().map(count).collect()
}

#[test]
fn degrees_are_drawn_judged_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = folder.path().join("sheet.tsv");
    let page = folder.path().join("page.html");
    let small = "--sizes 3 --features 4";
    let drawn = study(&format!(
        "simfinder PEPS --gold PEPS --draw 20 --sheet {} --output {} {small}",
        sheet.display(),
        page.display()
    ))
    .unwrap();
    let rows = fs::read_to_string(&sheet).unwrap();
    let judged = counts(&drawn[0], "(4) judged");
    let all = counts(&drawn[0], "(4) pairs");
    assert_eq!(all, [11, 17, 11, 8, 16, 46, 53, 61, 66, 60]);
    assert!(
        judged
            .iter()
            .zip(&all)
            .all(|(judged, all)| *judged == 20.min(*all)),
        "{judged:?} {all:?}"
    );
    let both = judged
        .iter()
        .chain(&counts(&drawn[0], "(3) judged"))
        .sum::<u64>();
    assert_eq!(rows.lines().count() as u64, 1 + both);
    // Versions of one proposal are called PROPOSAL@VERSION.
    for row in rows.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let proposal = |id: &str| id.split('@').next().unwrap().to_owned();
        assert_eq!(
            cells[7] == "1",
            proposal(cells[3]) == proposal(cells[4]),
            "{} {}",
            cells[3],
            cells[4]
        );
        let (degree, low) = (
            cells[2].parse::<f64>().unwrap(),
            cells[0][..4].parse::<f64>().unwrap(),
        );
        assert!(
            degree > low - 1e-6 && degree <= low + 0.05 + 1e-6 && cells[5].len() > 100,
            "{row}"
        );
    }
    // The sheet is gold for what was drawn.
    let read = study(&format!(
        "simfinder PEPS --gold {} --draw 20 {small}",
        sheet.display()
    ))
    .unwrap();
    assert_eq!(read[0], drawn[0]);
    let page = fs::read_to_string(page).unwrap();
    for figure in [
        "chart-precision-wide",
        "(4), weighted",
        "(3), equal weights",
        "chart-recall-by-size-wide",
        "chart-compared-by-size-wide",
        "chart-recall-by-features-wide",
        "chart-compared-by-features-wide",
    ] {
        assert!(page.contains(figure), "{figure}");
    }
}

#[test]
fn larger_keys_generate_fewer_candidates_and_skipped_pairs_are_counted() {
    let line = "simfinder PEPS --sizes 1,3,5 --features 4,12";
    let tables = study(line).unwrap();
    let [sizes, features] = ["keys-by-size", "keys-by-features"].map(|name| named(&tables, name));
    assert_eq!(counts(sizes, "Compared"), [5460, 2492, 1003, 5460]);
    assert_eq!(
        counts(features, "Texts with a duplicate"),
        [94, 103, 103, 103]
    );
    for table in [sizes, features] {
        assert_eq!(column(table, "Recall").last().unwrap(), &&Cell::Share(1.0));
    }
    assert_eq!(
        column(features, "Features")[..],
        [
            &text("4"),
            &text("12"),
            &text("inequality (5)"),
            &text("two words in a row")
        ]
    );
    let tables = study(&format!("{line} --threshold 0.9")).unwrap();
    let of = |name: &str| counts(named(&tables, "skipped"), name);
    assert_eq!(
        (of("Candidates"), of("Compared")),
        (vec![5460, 5460], vec![5460, 5370])
    );
    assert_eq!((of("Skipped"), of("Not pairs")), (vec![0, 90], vec![0, 22]));
    assert_eq!(of("Pairs found"), [126, 58]);
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

#[test]
fn growth_has_a_row_for_each_beginning_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    for (recipe, name) in [("simfinder", "growth.svg"), ("ssr", "growth.html")] {
        let picture = folder.path().join(name);
        let tables = study(&format!(
            "growth PEPS --steps 3 --by tokens --recipe {recipe} --output {}",
            picture.display()
        ))
        .unwrap();
        assert_eq!(counts(&tables[0], "Records"), [26, 52, 105], "{recipe}");
        assert!(counts(&tables[0], "Pairs").is_sorted());
        let drawn = fs::read_to_string(&picture).unwrap();
        assert!(drawn.contains("<polyline") && drawn.contains("Peak memory"));
        assert_eq!(drawn.contains("<table"), name.ends_with("html"));
    }
}

#[test]
fn what_cannot_be_studied_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.svg");
    fs::write(&own, "{\"id\":\"a\",\"text\":\"two words\"}\n").unwrap();
    let own = own.display();
    for (line, wrong) in [
        ("simfinder PEPS --recipe ssr", "weighted resemblance"),
        ("simfinder PEPS --steps 3", "steps: it has no effect"),
        ("growth PEPS --gold PEPS", "gold: it has no effect"),
        ("growth PEPS --steps 1", "from 2 to 16"),
        ("simfinder PEPS --sizes 0", "from 1 to 16"),
        ("simfinder PEPS --output a.svg", ".html"),
        ("growth - --steps 2", "standard input"),
        ("growth PEPS --recipe onion", "finds pairs"),
        ("growth PEPS --set no=1", "no"),
        (
            &format!("growth {own} --format jsonl --output {own}"),
            "own.svg",
        ),
    ] {
        let error = study(line).unwrap_err();
        assert!(error.to_string().contains(wrong), "{line}: {error}");
    }
}
