//! The commands that look at things: `recipes`, `tokens`, `plan`, `explain`, `cluster`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const T02: &str = "Dieter Rulff ist freier Journalist in Berlin. Nach langen Jahren bei der taz war er zuletzt leitender Redakteur \
    der Wochenzeitung „Die Woche“. Sein Interesse gilt seit langem der Entwicklung der deutschen Innen- und Parteipolitik.";
const T03: &str = "Dieter Rulff ist freier Journalist in Berlin. Nach vielen Jahren bei der taz war er zuletzt leitender Redakteur \
    der Zeitung „Die Woche“. Sein Interesse gilt seit langem der Entwicklung der deutschen Innen- und Parteipolitik.";

/// What a command did: exit code, standard output, standard error.
fn tegula(folder: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tegula"))
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts");
    let mut shown = format!("exit {}\n", output.status.code().unwrap_or(-1));
    for (name, bytes) in [("stdout", output.stdout), ("stderr", output.stderr)] {
        if !bytes.is_empty() {
            let _ = writeln!(
                shown,
                "--- {name}\n{}",
                String::from_utf8_lossy(&bytes).trim_end()
            );
        }
    }
    shown
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("the folder can be written");
}

fn collection() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let record = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let longer = format!("{T03} Er lebt in Köln.");
    let lines = [
        record("T02", T02),
        record(
            "other",
            "Ganz etwas anderes steht hier, und mit den übrigen hat es nichts zu tun.",
        ),
        record("T03", T03),
        record("T04", &longer),
        record("T02-caps", &T02.to_uppercase()),
    ];
    write(folder.path(), "taz.jsonl", &lines.concat());
    folder
}

fn run(folder: &Path, more: &[&str]) {
    let args = [
        "dedup",
        "taz.jsonl",
        "-o",
        "out.jsonl",
        "--run",
        "run",
        "--evidence",
        "all",
        "--threshold",
        "0.6",
        "-q",
    ];
    let shown = tegula(folder, &[&args[..], more].concat());
    assert!(shown.starts_with("exit 0"), "{shown}");
}

#[test]
fn recipes_are_listed_and_printed() {
    let folder = collection();
    insta::assert_snapshot!(
        "recipes",
        tegula(folder.path(), &["recipes", "--width", "120"])
    );
    insta::assert_snapshot!(
        "recipes_copies",
        tegula(folder.path(), &["recipes", "copies"])
    );
    insta::assert_snapshot!(
        "recipes_unknown",
        tegula(folder.path(), &["recipes", "minhash"])
    );
    let json = tegula(folder.path(), &["recipes", "--json"]);
    let json = json.trim_start_matches("exit 0\n--- stdout\n");
    let list: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(list[0]["fields"]["recipe"], "copies");
}

#[test]
fn a_printed_recipe_can_be_given_back() {
    let folder = collection();
    for name in [
        "copies",
        "sscr",
        "ssr",
        "sscr-containment",
        "ssr-containment",
        "exact",
        "plain",
    ] {
        let shown = tegula(folder.path(), &["recipes", name]);
        write(
            folder.path(),
            "mine.toml",
            shown.trim_start_matches("exit 0\n--- stdout\n"),
        );
        let by_file = tegula(
            folder.path(),
            &["plan", "--json", "--recipe", "mine.toml", "taz.jsonl"],
        );
        let by_name = tegula(
            folder.path(),
            &["plan", "--json", "--recipe", name, "taz.jsonl"],
        );
        let recipe = |shown: &str| -> serde_json::Value {
            let json: serde_json::Value =
                serde_json::from_str(shown.trim_start_matches("exit 0\n--- stdout\n"))
                    .expect("JSON");
            json["recipe"].clone()
        };
        assert_eq!(recipe(&by_file), recipe(&by_name), "{name}");
    }
}

#[test]
fn tokens_are_what_the_matcher_sees() {
    let folder = collection();
    let path = folder.path();
    insta::assert_snapshot!(
        "tokens",
        tegula(
            path,
            &[
                "tokens",
                "taz.jsonl",
                "--limit",
                "2",
                "--normalize",
                "kupietz"
            ]
        )
    );
    write(
        path,
        "a.csv",
        "id;text;year\n1;\"Ein Satz. B2B, 100 €!\";2001\n2;\"?!\";2002\n",
    );
    insta::assert_snapshot!(
        "tokens_csv",
        tegula(path, &["tokens", "a.csv", "--unit", "sentence"])
    );
    insta::assert_snapshot!(
        "tokens_lines",
        tegula(
            path,
            &[
                "tokens", "a.csv", "-q", "--lines", "--unit", "sentence", "--id", "1#s2"
            ]
        )
    );
    insta::assert_snapshot!(
        "tokens_unknown_id",
        tegula(path, &["tokens", "a.csv", "-q", "--id", "3"])
    );
}

#[test]
fn a_plan_says_what_is_read_and_what_it_takes() {
    let folder = collection();
    let path = folder.path();
    write(path, "notes.xyz", "?");
    write(path, ".hidden.txt", "?");
    write(path, "empty.txt", "");
    let shown = tegula(path, &["plan", ".", "--memory", "512M", "--threads", "2"]);
    insta::with_settings!({filters => vec![(r"\d+ s or more", "[time] or more")]}, {
        insta::assert_snapshot!("plan", shown);
    });
    insta::assert_snapshot!("plan_missing", tegula(path, &["plan", "missing.jsonl"]));
}

#[test]
fn a_removed_text_is_explained_by_its_witness() {
    let folder = collection();
    run(folder.path(), &[]);
    insta::assert_snapshot!(
        "explain_removed",
        tegula(folder.path(), &["explain", "run", "T02", "--width", "90"])
    );
    insta::assert_snapshot!(
        "explain_kept",
        tegula(folder.path(), &["explain", "run", "T04", "--width", "60"])
    );
    insta::assert_snapshot!(
        "explain_alone",
        tegula(folder.path(), &["explain", "run", "other"])
    );
    insta::assert_snapshot!(
        "explain_two",
        tegula(
            folder.path(),
            &["explain", "run", "T02", "T02-caps", "--width", "80"]
        )
    );
    insta::assert_snapshot!(
        "explain_unknown",
        tegula(folder.path(), &["explain", "run", "T05"])
    );
    let json = tegula(folder.path(), &["explain", "run", "T03", "--json"]);
    let json: serde_json::Value =
        serde_json::from_str(json.trim_start_matches("exit 0\n--- stdout\n")).expect("JSON");
    assert_eq!(json["decision"]["witness_id"], "T04");
    assert_eq!(json["comparison"]["measures"]["covered_a"], 34);
    assert_eq!(
        json["comparison"]["passages"][0]["a"]["tokens"],
        serde_json::json!([0, 34])
    );
}

#[test]
fn paragraphs_and_sentences_are_read_again_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let words = |sentence: &str| sentence.replace(' ', "\n") + "\n";
    let (one, two) = (
        "das ist der erste Absatz des Textes",
        "und das hier ist ein anderer",
    );
    let document = |id: &str, parts: &[&str]| {
        let parts = parts
            .iter()
            .map(|part| ["<p>\n", &words(part), "</p>\n"].concat())
            .collect::<Vec<_>>()
            .concat();
        format!("<doc id=\"{id}\">\n{parts}</doc>\n")
    };
    write(
        path,
        "a.vert",
        &(document("x", &[one, two]) + &document("y", &["ganz neu und nie gesehen", one])),
    );
    write(
        path,
        "b.txt",
        &format!("Ein Anfang, den es nur hier gibt.\n\n{two}\n"),
    );
    let args = [
        "dedup",
        "a.vert",
        "b.txt",
        "-o",
        "out",
        "--run",
        "run",
        "--unit",
        "paragraph",
        "-q",
    ];
    let shown = tegula(path, &args);
    assert!(shown.starts_with("exit 0"), "{shown}");
    insta::assert_snapshot!(
        "explain_paragraph",
        tegula(path, &["explain", "run", "y#p2", "--width", "80"])
    );
    insta::assert_snapshot!(
        "explain_paragraph_of_text",
        tegula(path, &["explain", "run", "b.txt#p2", "--width", "80"])
    );
    insta::assert_snapshot!(
        "explain_document_of_paragraphs",
        tegula(path, &["explain", "run", "y"])
    );
}

#[test]
fn inputs_that_changed_or_went_are_not_explained() {
    let folder = collection();
    let path = folder.path();
    run(path, &[]);
    write(path, "taz.jsonl", "{\"id\":\"T02\",\"text\":\"short\"}\n");
    insta::assert_snapshot!("explain_changed", tegula(path, &["explain", "run", "T02"]));
    std::fs::remove_file(path.join("taz.jsonl")).expect("it was there");
    insta::assert_snapshot!("explain_gone", tegula(path, &["explain", "run", "T02"]));
    // What needs no text can still be shown.
    assert!(tegula(path, &["explain", "run", "other"]).starts_with("exit 0"));
    insta::assert_snapshot!(
        "explain_no_run",
        tegula(path, &["explain", "out.jsonl", "T02"])
    );
}

fn table(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a table")
}

#[test]
fn a_run_is_cut_again_with_its_groups() {
    let folder = collection();
    let path = folder.path();
    run(path, &["--recipe", "sscr"]);
    for pairs in ["run", "run/pairs.parquet"] {
        let _ = std::fs::remove_file(path.join("c.tsv"));
        insta::assert_snapshot!(
            "cluster_run",
            tegula(
                path,
                &["cluster", pairs, "-o", "c.tsv", "--threshold", "0.9"]
            )
        );
        insta::assert_snapshot!("cluster_run_table", table(path, "c.tsv"));
    }
    // At the run's own threshold the clusters are those that it wrote.
    tegula(path, &["cluster", "run", "-o", "again.jsonl", "-q"]);
    let first = table(path, "again.jsonl");
    assert_eq!(first.lines().count(), 4);
    assert!(
        first.starts_with(r#"{"cluster_id":"T02","id":"T02","unit":0,"size":4,"min_edge":0.88"#),
        "{first}"
    );
    insta::assert_snapshot!(
        "cluster_below",
        tegula(
            path,
            &["cluster", "run", "-o", "c.tsv", "--threshold", "0.5"]
        )
    );
}

#[test]
fn any_table_of_pairs_can_be_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    // Out of order, one pair twice and turned around, one of an id with itself, other columns, a
    // score that six decimals round.
    let rows = "note\tscore\tid_b\tid_a\n-\t0.9\tb\ta\n-\t0.9\ta\tb\n-\t0.7\td\tc\n-\t0.333333\tc\tb\n-\t1.0\ta\ta\n";
    write(path, "p.tsv", rows);
    insta::assert_snapshot!(
        "cluster_tsv",
        tegula(
            path,
            &["cluster", "p.tsv", "-o", "c.tsv", "--threshold", "1/3"]
        )
    );
    insta::assert_snapshot!("cluster_tsv_table", table(path, "c.tsv"));
    write(path, "q.jsonl", "{\"id_a\":\"x\",\"score\":0.5}\n");
    insta::assert_snapshot!(
        "cluster_missing_column",
        tegula(path, &["cluster", "q.jsonl", "-o", "c.tsv"])
    );
    write(path, "r.tsv", "id_a\tid_b\tjaccard\nx\ty\t1\n");
    insta::assert_snapshot!(
        "cluster_missing_score",
        tegula(path, &["cluster", "r.tsv", "-o", "c.tsv"])
    );
    write(path, "s.tsv", "id_a\tid_b\tscore\nx\ty\t95\n");
    insta::assert_snapshot!(
        "cluster_percent",
        tegula(path, &["cluster", "s.tsv", "-o", "c.tsv"])
    );
    insta::assert_snapshot!(
        "cluster_bad_output",
        tegula(path, &["cluster", "s.tsv", "-o", "c.xlsx"])
    );
    write(path, "t.tsv", "");
    assert!(tegula(path, &["cluster", "t.tsv", "-o", "c.tsv"]).starts_with("exit 0"));
}

#[test]
fn what_masks_hide_is_shown_beside_the_score() {
    let rig = crate::rig::Rig::new();
    let texts = [
        (
            "a",
            "Your parcel waits, pick it up today or call 13800138000. Track it: http://a.example/x",
        ),
        (
            "b",
            "Your parcel waits, pick it up today or call 13699245511. Track it: http://b.example/y",
        ),
        ("c", "t.cn/A6x"),
        ("d", "www.example.org"),
    ];
    let lines: Vec<String> = texts
        .iter()
        .map(|(id, text)| format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n"))
        .collect();
    rig.write("sms.jsonl", lines.concat());
    let line = |args: &str| rig.ok(args).out().to_owned();
    insta::assert_snapshot!(
        "pairs_unmasked",
        line("pairs sms.jsonl --recipe messages --set levenshtein=0.5 -o - -q --run run")
    );
    // The two that are nothing but a link are one text under the mask, and have nothing in common
    // without.
    let shown = line("pairs sms.jsonl --recipe messages --set unmasked=show -o - -q --form jsonl");
    let pairs: Vec<serde_json::Value> = shown
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(pairs.len(), 2);
    assert_eq!(
        (&pairs[1]["id_a"], pairs[1]["score"].as_f64()),
        (&"c".into(), Some(1.0))
    );
    assert!(pairs[1]["unmasked"].as_f64().unwrap() < 0.1);
    let explained = line("explain run a b --width 80");
    insta::assert_snapshot!("explain_unmasked", explained.split("\n\n").nth(1).unwrap());
    // Read back from the run, the columns are the same.
    line(
        "pairs sms.jsonl --recipe messages --set levenshtein=0.5 -o again.tsv -q --run run --resume",
    );
    assert_eq!(
        rig.text("again.tsv"),
        line("pairs sms.jsonl --recipe messages --set levenshtein=0.5 -o - -q")
    );
}

#[test]
fn tokens_come_with_their_word_classes() {
    let rig = crate::rig::Rig::new();
    rig.write("a.txt", "She paid 20 pounds and left.");
    assert_eq!(
        rig.ok("tokens a.txt -q --classes").out(),
        "she/pronoun paid/noun 20/numeral pounds/noun and/connective left/noun\n"
    );
    let lines = rig.ok("tokens a.txt -q --classes --lines").out().to_owned();
    assert!(
        lines.starts_with("unit\ttoken\tclass\tstart\tend\toriginal\n"),
        "{lines}"
    );
    assert!(
        lines.contains("\tand\tconnective\t19\t22\tand\n"),
        "{lines}"
    );
}
