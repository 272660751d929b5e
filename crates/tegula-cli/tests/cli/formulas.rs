//! Cells that a spreadsheet would run as formulas.

use crate::rig::{Ended, Rig};
use std::fmt::Write as _;

/// Ids that a spreadsheet runs, and those that are numbers.
const IDS: [&str; 6] = [
    "=HYPERLINK(\"x\")",
    "+1+cmd",
    "-2+3",
    "@SUM(A1)",
    "-1.5",
    "+3",
];

/// Equal texts with these ids and sources, that begin with a formula and are a token longer each.
fn rig() -> Rig {
    let rig = Rig::new();
    let mut lines = String::new();
    let mut text =
        "=SUM(A1)\nwas the sum of the first, the second and the third column".replace(' ', "\n");
    for (at, id) in IDS.iter().enumerate() {
        let _ = write!(text, "\n{at}");
        let line = serde_json::json!({"id": id, "text": text, "source": id, "date": "2020-01-01"});
        let _ = writeln!(lines, "{line}");
    }
    rig.write("in.jsonl", lines);
    for (name, text) in [("=a.txt", &text), ("-b.txt", &text)] {
        rig.write(&format!("letters/{name}"), text);
    }
    let rows = IDS.join("\tg\n");
    rig.write("gold.tsv", format!("id\tgroup\n{rows}\tg\n"));
    rig.ok("dedup in.jsonl -o kept.jsonl --recipe sscr --threshold 0.5 --by source --run run --evidence all -q");
    rig.ok("dedup in.jsonl -o kept2.jsonl --recipe sscr --threshold 0.9 --by source --run run2 --evidence all -q");
    rig.ok("pairs in.jsonl --recipe sscr --threshold 0.5 --run paired -q");
    rig
}

/// The cells of a table that a spreadsheet would run.
fn formulas(table: &str) -> Vec<&str> {
    let cells = table.lines().flat_map(|line| line.split('\t'));
    cells
        .filter(|cell| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err())
        .collect()
}

/// Each command that writes TSV, and its tables; `-` is standard output.
const LINES: &[(&str, &[&str])] = &[
    (
        "pairs in.jsonl -o pairs.tsv --threshold 0.5",
        &["pairs.tsv"],
    ),
    ("pairs in.jsonl -o - --threshold 0.5", &["-"]),
    ("cluster run -o clusters.tsv", &["clusters.tsv"]),
    ("compare in.jsonl -o compared.tsv", &["compared.tsv"]),
    ("diff run run2 -o diff.tsv --tables diff", &["diff.tsv"]),
    ("diff run run2 -o -", &["-"]),
    ("evaluate gold.tsv run --form tsv", &["-"]),
    ("find letters -o found.tsv", &["found.tsv"]),
    (
        "passages in.jsonl -o passages.tsv --texts",
        &["passages.tsv"],
    ),
    ("phrases in.jsonl -o phrases.tsv", &["phrases.tsv"]),
    ("report run --tables tables", &["tables/by-source.tsv"]),
    (
        "stats in.jsonl -o frequencies.tsv --normalize as-is",
        &["frequencies.tsv"],
    ),
    (
        "stories in.jsonl --date date --by source -o stories.tsv --texts texts.tsv --min-tokens 1",
        &["stories.tsv", "texts.tsv"],
    ),
    ("sweep in.jsonl --tables sweep", &["sweep/sweep-units.tsv"]),
    (
        "templates in.jsonl -o templates.tsv --normalize as-is",
        &["templates.tsv"],
    ),
    ("tokens in.jsonl --lines -q", &["-"]),
    ("tokens in.jsonl --keys --recipe simhash -q", &["-"]),
];

/// Tables whose cells are names of tables, lengths and numbers.
const WITHOUT: [&str; 2] = [
    "evaluate gold.tsv run --form tsv",
    "sweep in.jsonl --tables sweep",
];

#[test]
fn formulas_are_escaped_in_every_table_that_is_tsv() {
    let rig = rig();
    let read = |ended: &Ended, table: &str| match table {
        "-" => ended.out().to_owned(),
        file => rig.text(file),
    };
    for (line, tables) in LINES {
        let plain = rig.ok(line);
        let plain: Vec<String> = tables.iter().map(|table| read(&plain, table)).collect();
        for table in tables.iter().filter(|table| **table != "-") {
            std::fs::remove_file(rig.path(table)).unwrap();
        }
        let overwrite = if line.contains("--tables") {
            "--overwrite"
        } else {
            ""
        };
        let ended = rig.ok(&format!("{line} --escape-formulas {overwrite}"));
        for (table, plain) in tables.iter().zip(plain) {
            let escaped = read(&ended, table);
            assert_eq!(formulas(&escaped), [""; 0], "{line}: {table}");
            let is_without = WITHOUT.contains(line) || escaped.starts_with("phrase\t");
            assert!(
                is_without || !formulas(&plain).is_empty(),
                "{line}: {table}\n{plain}"
            );
            // Nothing else is changed.
            let restored = escaped.replace("\t'", "\t").replace("\n'", "\n");
            let restored = restored.replace("# formulas escaped\n", "");
            assert_eq!(restored, plain, "{line}: {table}");
        }
    }
    let pairs = rig.text("pairs.tsv");
    for id in &IDS[..4] {
        assert!(pairs.contains(&format!("\t'{id}\t")), "{id}\n{pairs}");
    }
    for number in &IDS[4..] {
        assert!(
            pairs.contains(&format!("\t{number}\t")),
            "{number}\n{pairs}"
        );
    }
}

#[test]
fn what_reads_such_tables_reads_the_ids_that_were_written() {
    let rig = rig();
    rig.ok(
        "pairs in.jsonl -o pairs.tsv --recipe sscr --threshold 0.5 --escape-formulas --expand -q",
    );
    rig.ok("cluster pairs.tsv -o clusters.jsonl --escape-formulas -q");
    let clusters = rig.text("clusters.jsonl");
    assert!(clusters.contains("\"id\":\"@SUM(A1)\""), "{clusters}");
    let judged = rig.ok("evaluate gold.tsv pairs.tsv --escape-formulas --form json");
    assert!(judged.stderr.is_empty(), "{}", judged.stderr);
    let judged = rig.ok("evaluate gold.tsv pairs.tsv --form json");
    assert!(
        judged.stderr.contains("not in gold, such as '"),
        "{}",
        judged.stderr
    );

    let answers = |line: &str, given: &str| {
        let ended = rig.fed(line, given);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        ended.out().matches("Pair ").count()
    };
    let line = "judge paired -o answers.tsv --escape-formulas";
    let all = answers(line, &"y\n".repeat(50));
    assert_eq!(formulas(&rig.text("answers.tsv")), [""; 0]);
    assert!(rig.text("answers.tsv").contains('\''));
    assert!(all > 1);
    assert_eq!(answers(line, ""), 0);
    assert_eq!(
        answers(
            "judge paired -o more.jsonl --answers answers.tsv --escape-formulas",
            ""
        ),
        0
    );

    // A file of frequencies says itself how its terms are written.
    let weighted =
        "pairs in.jsonl --recipe cosine --normalize as-is --threshold 0.3 -o - --statistics";
    rig.ok("stats in.jsonl -o plain.tsv --recipe cosine --normalize as-is -q");
    rig.ok("stats in.jsonl -o escaped.tsv --recipe cosine --normalize as-is --escape-formulas -q");
    assert!(rig.text("escaped.tsv").contains("\n'=SUM(A1)\t"));
    assert_eq!(
        rig.ok(&format!("{weighted} plain.tsv")).out(),
        rig.ok(&format!("{weighted} escaped.tsv")).out()
    );
}

#[test]
fn without_tsv_the_option_is_refused() {
    let rig = rig();
    for line in [
        "pairs in.jsonl -o pairs.jsonl",
        "pairs in.jsonl -o pairs.parquet",
        "pairs in.jsonl -o - --form jsonl",
        "pairs in.jsonl --run other",
        "phrases in.jsonl -o phrases.jsonl",
        "passages in.jsonl",
        "templates in.jsonl --report templates.html",
        "stories in.jsonl --date date --texts texts.jsonl",
        "find letters",
        "cluster run -o clusters.parquet",
        "compare in.jsonl -o compared.html",
        "diff run run2 -o diff.html",
        "evaluate in.jsonl run --group-key source --form json",
        "judge paired -o judge.html",
        "report run -o report.html",
        "sweep in.jsonl",
        "tokens in.jsonl",
        "stats in.jsonl --recipe revisions -o frequencies.tsv",
    ] {
        rig.refuses(
            &format!("{line} --escape-formulas"),
            &["--escape-formulas: expected a table in TSV, found none"],
        );
    }
}
