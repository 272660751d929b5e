//! The experiments of SimFinder.

use crate::rig::Rig;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const THINGS: [&str; 8] = ["train", "bakery", "concert", "hospital", "library", "airport", "museum", "harbour"];
const DAYS: [&str; 5] = ["monday", "tuesday", "thursday", "friday", "sunday"];

/// For each place five messages of a kind that differ by the day, and one that is its own.
fn messages() -> Rig {
    let rig = Rig::new();
    let (mut texts, mut gold) = (String::new(), String::from("id\tgroup\n"));
    for (number, thing) in THINGS.iter().enumerate() {
        for day in DAYS {
            let text = format!("please meet {number}{thing} visitors near the old {thing} entrance gate on {day}");
            let _ = writeln!(texts, r#"{{"id":"{thing}-{day}","text":"{text}"}}"#);
            let _ = writeln!(gold, "{thing}-{day}\t{thing}");
        }
        let _ = writeln!(
            texts,
            r#"{{"id":"{thing}","text":"whatever happened to {thing}{number} yesterday evening {thing}y stuff"}}"#
        );
        let _ = writeln!(gold, "{thing}\talone-{thing}");
    }
    rig.write("m.jsonl", texts).write("gold.tsv", gold);
    rig
}

/// The rows of the first table of a TSV output, by column.
fn rows(tsv: &str) -> Vec<Vec<String>> {
    tsv.split("\n\n").next().unwrap().lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn column(rows: &[Vec<String>], name: &str) -> usize {
    rows[0].iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}: {:?}", rows[0]))
}

#[test]
fn degrees_are_drawn_judged_and_counted() {
    let rig = messages();
    let by_gold = rig.ok("study degrees m.jsonl --gold gold.tsv --draw 20 -o sheet.tsv --form tsv -q");
    let sheet = rows(&rig.text("sheet.tsv"));
    let at = |name: &str| column(&sheet, name);
    assert!(sheet.len() > 20, "{}", sheet.len());
    for row in &sheet[1..] {
        let stem = |id: &str| id.split('-').next().unwrap().to_owned();
        let same =
            stem(&row[at("id_a")]) == stem(&row[at("id_b")]) && row[at("id_a")].contains('-') && row[at("id_b")].contains('-');
        assert_eq!(row[at("same")], u8::from(same).to_string(), "{row:?}");
        let degree: f64 = row[at("degree")].parse().unwrap();
        let low: f64 = row[at("bin")].split('\u{2013}').next().unwrap().parse().unwrap();
        assert!(degree > low - 1e-6 && degree <= low + 0.05 + 1e-6, "{row:?}");
        assert!(row[at("text_a")].contains(' ') && row[at("text_b")].contains(' '), "{row:?}");
    }
    assert_eq!(sheet[1..].iter().map(|row| row[at("equation")].clone()).collect::<BTreeSet<_>>().len(), 2);
    // The same draw again, and what was judged read back.
    rig.ok("study degrees m.jsonl --draw 20 -o again.tsv -q --threads 1");
    let blank = rows(&rig.text("again.tsv"));
    assert_eq!(blank.len(), sheet.len());
    assert!(blank.iter().zip(&sheet).skip(1).all(|(a, b)| a[..7] == b[..7] && a[7].is_empty()));
    let read = rows(rig.ok("study degrees --judged sheet.tsv --form tsv").out());
    let drawn = rows(by_gold.out());
    assert_eq!(read.len(), 11);
    for name in ["(4) precision", "(3) precision", "(4) judged", "(3) judged"] {
        let of = |table: &[Vec<String>]| table.iter().map(|row| row[column(table, name)].clone()).collect::<Vec<_>>();
        assert_eq!(of(&read), of(&drawn), "{name}");
    }
}

#[test]
fn larger_keys_nominate_less_and_the_baseline_finds_all() {
    let rig = messages();
    let tsv = rig.ok("study keys m.jsonl --sizes 1,3,5 --features 2,12 -o keys.tsv --form tsv -q");
    let table = rows(tsv.out());
    let compared = |row: usize| table[row][column(&table, "Compared")].parse::<u64>().unwrap();
    assert!(compared(1) >= compared(2) && compared(2) >= compared(3) && compared(2) > 0, "{table:?}");
    let last = table.last().unwrap();
    assert_eq!((last[0].as_str(), last[column(&table, "Recall")].as_str()), ("two words in a row", "100.0000"));
    assert_eq!(table.len(), 5);
    assert_eq!(rig.text("keys.tsv").matches("Texts with a duplicate").count(), 2);
}

#[test]
fn skipping_saves_comparisons_and_no_clusters() {
    let rig = messages();
    let tsv = rig.ok("study transitivity m.jsonl --draw 7 --form tsv -q");
    let table = rows(tsv.out());
    let of = |row: usize, name: &str| table[row][column(&table, name)].parse::<u64>().unwrap();
    assert_eq!(of(1, "Skipped"), 0);
    assert!(of(2, "Skipped") > 7, "{table:?}");
    assert_eq!(of(2, "Compared") + of(2, "Skipped"), of(2, "Candidates"));
    for name in ["Candidates", "Clusters", "Texts in them"] {
        assert_eq!(of(1, name), of(2, name), "{name}");
    }
    let scores = tsv.out().split("\n\n").nth(1).unwrap();
    let counted: u64 = scores
        .lines()
        .skip(1)
        .filter(|line| !line.starts_with("no pairs"))
        .map(|line| line.split('\t').nth(1).unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(counted, 7);
}

#[test]
fn growth_has_a_row_for_each_beginning_and_a_plot() {
    let rig = messages();
    let table = rows(rig.ok("study growth m.jsonl --steps 3 -o growth.html --form tsv -q").out());
    let records: Vec<&str> = table[1..].iter().map(|row| row[0].as_str()).collect();
    assert_eq!(records, ["12", "24", "48"]);
    assert!(rig.text("growth.html").contains("<polyline"));
    rig.ok("study growth m.jsonl --steps 2 -o growth.svg -q");
    assert!(rig.text("growth.svg").starts_with("<?xml"));
}

#[test]
fn what_cannot_be_studied_is_refused() {
    let rig = messages();
    for (line, wrong) in [
        ("study keys m.jsonl --recipe ssr", "expected one with keys"),
        ("study degrees m.jsonl", "expected a file for the sheet"),
        ("study degrees m.jsonl --recipe sketch -o s.tsv", "weighted resemblance"),
        ("study keys m.jsonl --sizes 0", "keys.size"),
        ("study keys m.jsonl -o keys.pdf", "ends in .tsv"),
        ("study growth -", "standard input"),
        ("study transitivity", "at least one input"),
        ("study degrees --judged gold.tsv", "column \"bin\""),
    ] {
        let ended = rig.run(line);
        assert_eq!(ended.code, 2, "{line}");
        assert!(ended.stderr.contains(wrong), "{line}: {}", ended.stderr);
    }
}

#[test]
fn the_growth_of_recipes_without_keys_is_studied_too() {
    let rig = messages();
    for recipe in ["ssr", "sscr", "copies", "exact"] {
        let ended = rig.ok(&format!("study growth m.jsonl --recipe {recipe} --normalize default --steps 2 -o growth.tsv -q"));
        assert_eq!(rows(&rig.text("growth.tsv")).len(), 3, "{recipe}: {}", ended.stderr);
    }
    let ended = rig.run("study degrees m.jsonl --recipe ssr -o sheet.tsv");
    assert!(ended.code == 2 && ended.stderr.contains("expected one with keys"), "{}", ended.stderr);
}
