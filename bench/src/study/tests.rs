//! Each experiment once on a small real sample: proposals of which each has several versions.

use super::{Experiment, run, shown};
use clap::Parser;
use std::fs;
use tegula::error::Result;
use tegula_report::table::{Cell, Table};

#[derive(Debug, Parser)]
struct Line {
    #[command(subcommand)]
    experiment: Experiment,
}

fn study(line: &str) -> Result<Vec<Table>> {
    let peps = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/peps.jsonl");
    let words = ["study"].into_iter().chain(
        line.split_whitespace()
            .map(|word| if word == "PEPS" { peps } else { word }),
    );
    run(&Line::try_parse_from(words).unwrap().experiment)
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
    let drawn = study(&format!(
        "degrees PEPS --gold PEPS --draw 20 -o {}",
        sheet.display()
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
    let read = study(&format!("judged {}", sheet.display())).unwrap();
    for name in ["(4) judged", "(4) precision", "(3) judged", "(3) precision"] {
        assert_eq!(column(&read[0], name), column(&drawn[0], name), "{name}");
    }
    assert!(shown(&drawn).contains("0.95\u{2013}1.00"));
}

#[test]
fn larger_keys_generate_fewer_candidates_and_the_baseline_finds_all() {
    let tables = study("keys PEPS --sizes 1,3,5 --features 4,12").unwrap();
    assert_eq!(counts(&tables[0], "Compared"), [5460, 2492, 1003, 5460]);
    assert_eq!(
        counts(&tables[1], "Texts with a duplicate"),
        [94, 103, 103, 103]
    );
    for table in &tables {
        assert_eq!(column(table, "Recall").last().unwrap(), &&Cell::Share(1.0));
    }
    assert_eq!(
        column(&tables[1], "Features")[..],
        [
            &text("4"),
            &text("12"),
            &text("inequality (5)"),
            &text("two words in a row")
        ]
    );
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

#[test]
fn skipped_pairs_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("skipped.tsv");
    let table = study(&format!(
        "transitivity PEPS --set threshold=0.9 -o {}",
        kept.display()
    ))
    .unwrap()
    .remove(0);
    let of = |name: &str| counts(&table, name);
    assert_eq!(
        (of("Candidates"), of("Compared")),
        (vec![5460, 5460], vec![5460, 5370])
    );
    assert_eq!((of("Skipped"), of("Not pairs")), (vec![0, 90], vec![0, 22]));
    assert_eq!(of("Pairs found"), [126, 58]);
    assert_eq!(fs::read_to_string(kept).unwrap().lines().count(), 3);
}

#[test]
fn growth_has_a_row_for_each_beginning_and_a_plot() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("growth.svg");
    for recipe in ["simfinder", "ssr"] {
        let tables = study(&format!(
            "growth PEPS --steps 3 --recipe {recipe} -o {}",
            plot.display()
        ))
        .unwrap();
        assert_eq!(counts(&tables[0], "Records"), [26, 52, 105], "{recipe}");
        assert!(counts(&tables[0], "Pairs").is_sorted());
        assert!(fs::read_to_string(&plot).unwrap().contains("<polyline"));
    }
}

#[test]
fn what_cannot_be_studied_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.jsonl");
    fs::write(&own, "{\"id\":\"a\",\"text\":\"two words\"}\n").unwrap();
    let own = own.display();
    for (line, wrong) in [
        ("keys PEPS --recipe ssr", "keys"),
        ("transitivity PEPS --recipe ssr", "transitive"),
        ("degrees PEPS --recipe sketch", "weighted resemblance"),
        ("growth - --steps 2", "standard input"),
        ("judged PEPS", "column \"bin\""),
        ("growth PEPS --set no=1", "no"),
        (&format!("growth {own} -o {own}"), "own.jsonl"),
    ] {
        let error = study(line).unwrap_err();
        assert!(error.to_string().contains(wrong), "{line}: {error}");
    }
}
