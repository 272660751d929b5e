//! `tegula phrases`.

use crate::rig::{Rig, assert_shown};

/// A formula that recurs, with a longer form in two of three texts, in two years.
fn laws(rig: &Rig) {
    let line = |id: &str, date: &str, text: &str| {
        serde_json::json!({ "id": id, "date": date, "text": text }).to_string() + "\n"
    };
    rig.write(
        "laws.jsonl",
        line(
            "a",
            "2001-05-01",
            "Märchen. This Act enters into force on the day after its publication. Done.",
        ) + &line(
            "b",
            "2001-07-01",
            "The first. This act enters into force on the day after its PUBLICATION, as said.",
        ) + &line(
            "c",
            "2002-01-01",
            "Paragraph 2 enters into force on the day of its signature; paragraph 3 \
             enters into force on the day of the election.",
        ),
    );
}

#[test]
fn the_longest_come_first_and_their_parts_only_if_more_frequent() {
    let rig = Rig::new();
    laws(&rig);
    assert_shown!("phrases", rig.run("phrases laws.jsonl -o -"));
    assert_shown!(
        "phrases_by",
        rig.run("phrases laws.jsonl -o - --by date:year --form jsonl --min-tokens 7")
    );
    assert_shown!(
        "phrases_none",
        rig.run("phrases laws.jsonl -o - --min-tokens 30")
    );
}

#[test]
fn tables_are_the_same_whatever_threads_and_memory() {
    let rig = Rig::new();
    laws(&rig);
    for name in ["p.tsv", "p.jsonl", "p.parquet"] {
        let to = format!("phrases laws.jsonl -o {name} --by date:year --min-tokens 2 -q");
        rig.ok(&format!("{to} --threads 1"));
        let first = rig.read(name);
        rig.ok(&format!("{to} --threads 7 --memory 64M"));
        assert!(rig.read(name) == first, "{name}");
    }
    let row: serde_json::Value =
        serde_json::from_str(rig.text("p.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!(
        row["phrase"],
        "This Act enters into force on the day after its publication"
    );
    assert_eq!(row["start"], "Märchen. ".chars().count());
    assert_eq!(row["by"]["2001"]["texts"], 2);
}

#[test]
fn wrong_options_are_named() {
    let rig = Rig::new();
    laws(&rig);
    let all = rig.refused(
        "phrases",
        &[
            "-o p.tsv",
            "laws.jsonl",
            "laws.jsonl -o p.xml",
            "laws.jsonl -o laws.jsonl",
            "laws.jsonl -o p.tsv --min-tokens 0",
            "laws.jsonl -o p.tsv --max-tokens 2",
            "laws.jsonl -o p.tsv --min-occurrences 1",
            "laws.jsonl -o p.tsv --top 0",
            "laws.jsonl -o p.tsv --by place",
            "laws.jsonl -o - --json",
            "laws.jsonl -o p.tsv --memory 1M",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("phrases_options", all);
    });
}
