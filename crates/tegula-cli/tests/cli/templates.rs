//! `tegula templates`.

use crate::rig::{Rig, assert_shown};
use regex::Regex;

/// Weather reports of one form, one of them twice, league results of another, and other texts.
fn forms(rig: &Rig) {
    let texts = [
        "Weather in Bonn today: sunny with 20 degrees and a light wind from the west.",
        "Weather in Bad Ems today: rain with 9 degrees and a light wind from the east.",
        "Weather in Jena today: cloudy with 12 degrees and a light wind from the west.",
        "Weather in Jena today: cloudy with 12 degrees and a light wind from the west.",
        "WEATHER in Kiel today: storm with 7 degrees and a strong wind from the north, take care!",
        "The team of Bonn won its match at home by 3 to 1 goals.",
        "The team of Jena won its match at home by 2 to 0 goals.",
        "The team of Kiel lost its match at home by 0 to 4 goals.",
        "A text that is like none of the others, and of no form at all.",
    ];
    let lines = (1..).zip(texts).map(|(id, text)| {
        serde_json::json!({ "id": format!("t{id}"), "text": text }).to_string() + "\n"
    });
    rig.write("forms.jsonl", lines.collect::<String>());
}

#[test]
fn templates_have_slots_with_fillers() {
    let rig = Rig::new();
    forms(&rig);
    assert_shown!("templates", rig.run("templates forms.jsonl"));
    assert_shown!(
        "templates_table",
        rig.run("templates forms.jsonl -o - --min-texts 4")
    );
    assert_shown!(
        "templates_none",
        rig.run("templates forms.jsonl --min-texts 9")
    );
}

#[test]
fn expressions_match_the_texts_of_their_templates_alone() {
    let rig = Rig::new();
    forms(&rig);
    rig.ok("templates forms.jsonl -o t.jsonl --report t.html -q");
    let rows: Vec<serde_json::Value> = rig
        .text("t.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|row: &serde_json::Value| row["regex"].is_string())
        .collect();
    assert_eq!(rows.len(), 2);
    for row in rows {
        let regex = Regex::new(row["regex"].as_str().unwrap()).unwrap();
        for line in rig.text("forms.jsonl").lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            let is_of_it = row["ids"].as_array().unwrap().contains(&record["id"]);
            let matches = regex.is_match(record["text"].as_str().unwrap());
            assert_eq!(matches, is_of_it, "{record}");
        }
    }
    let page = rig.text("t.html");
    for part in [
        "id=\"template-1\"",
        "id=\"template-2\"",
        "class=\"slot\"",
        "Bad Ems",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn templates_can_be_filtered_out() {
    let rig = Rig::new();
    forms(&rig);
    for table in ["t.tsv", "t.jsonl", "t.parquet"] {
        rig.ok(&format!("templates forms.jsonl -o {table} -q"));
        let ended = rig.ok(&format!("filter forms.jsonl --drop-template {table}"));
        let out = String::from_utf8(ended.stdout).unwrap();
        assert_eq!(out.lines().count(), 1, "{out}");
        assert!(out.contains("\"t9\""), "{out}");
        assert!(
            ended
                .stderr
                .starts_with("9 hits: 1 kept, 0 hidden, 8 dropped as templates"),
            "{}",
            ended.stderr
        );
    }
    rig.write("own.tsv", "regex\n(?i)team of\n")
        .write("bad.tsv", "regex\n(\n")
        .write("none.tsv", "pattern\nx\n");
    let out = rig
        .ok("filter forms.jsonl --drop-template own.tsv -q")
        .stdout;
    assert_eq!(String::from_utf8(out).unwrap().lines().count(), 5);
    let all = rig.refused(
        "filter forms.jsonl",
        &[
            "--drop-template bad.tsv",
            "--drop-template none.tsv",
            "--drop-template no.tsv",
            "--drop-template t.tsv -o t.tsv",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("templates_bad", all);
    });
}

#[test]
fn tables_are_the_same_whatever_threads_and_memory() {
    let rig = Rig::new();
    forms(&rig);
    for name in ["t.tsv", "t.jsonl", "t.parquet"] {
        rig.ok(&format!("templates forms.jsonl -o {name} --threads 1 -q"));
        let first = rig.read(name);
        rig.ok(&format!(
            "templates forms.jsonl -o {name} --threads 7 --memory 64M -q"
        ));
        assert!(rig.read(name) == first, "{name}");
    }
}

#[test]
fn wrong_options_are_named() {
    let rig = Rig::new();
    forms(&rig);
    let all = rig.refused(
        "templates",
        &[
            "",
            "forms.jsonl --min-texts 1",
            "forms.jsonl --min-tokens 0",
            "forms.jsonl --min-constant 2",
            "forms.jsonl --recipe onion",
            "forms.jsonl --recipe benko",
            "forms.jsonl -o forms.jsonl",
            "forms.jsonl -o t.xml",
            "forms.jsonl -o t.tsv --report t.tsv",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("templates_options", all);
    });
}
