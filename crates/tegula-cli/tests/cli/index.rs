//! An index: made, changed and asked.

use crate::rig::{Rig, assert_shown, testdata};
use std::collections::BTreeMap;
use std::fs;

const HARBOUR: &str =
    "the harbour was closed at noon because of the storm the port authority said on monday";
const FERRIES: &str =
    "two more ferries were cancelled in the evening and nobody knows when they sail";

fn row(id: &str, day: &str, text: &str) -> String {
    format!("{{\"id\":\"{id}\",\"day\":\"{day}\",\"text\":\"{text}\"}}\n")
}

/// An index of three texts, and two to ask about.
fn three() -> Rig {
    let rig = Rig::new();
    let longer = format!("{HARBOUR} and so were the schools of all islands");
    let all = [
        row("a", "2020-01-01", HARBOUR),
        row("b", "2020-02-01", FERRIES),
        row("c", "2020-03-01", &longer),
    ];
    rig.write("old.jsonl", all.concat());
    let asked = [
        row("x", "", &longer[..80]),
        row("y", "", "nothing of that kind at all here"),
    ];
    rig.write("new.jsonl", asked.concat());
    rig
}

#[test]
fn an_index_is_made_asked_and_changed() {
    let rig = three();
    assert_shown!(
        "index_made",
        rig.run_in("", "index idx old.jsonl --fields day")
    );
    assert_shown!("index_asked", rig.run("query idx new.jsonl --passages"));
    assert_shown!("index_ranked", rig.run("query idx new.jsonl --top 2"));
    assert_shown!(
        "index_explained",
        rig.run("query idx new.jsonl --explain --width 100")
    );
    assert_shown!("index_taken", rig.run_in("", "index idx old.jsonl"));
    assert_shown!(
        "index_replaced",
        rig.run_in("", "index idx old.jsonl --replace --remove b")
    );
    assert_shown!(
        "index_skipped",
        rig.run_in("", "index idx old.jsonl --skip-known")
    );
    rig.write("gone.txt", "a\nnone\n");
    assert_shown!(
        "index_removed",
        rig.run_in("", "index idx --remove-list gone.txt --merge --check")
    );
    assert_shown!("index_info", rig.run_in("", "index idx --info --width 80"));
    assert_shown!("index_expired", rig.run_in("", "index idx --expire day=4w"));
    let answered = rig.ok("query idx new.jsonl -q");
    assert_eq!(
        answered.out(),
        "{\"id\":\"x\",\"matches\":[]}\n{\"id\":\"y\",\"matches\":[]}\n"
    );
}

#[test]
fn a_dry_run_says_what_would_change_and_changes_nothing() {
    let rig = three();
    let made = rig.run_in("", "index idx old.jsonl --fields day --dry-run");
    assert_eq!(made.code, 0);
    assert!(
        made.stderr.contains("Dry run, without changes: 3 added."),
        "{}",
        made.stderr
    );
    assert!(!rig.path("idx").exists());
    rig.ok("index idx old.jsonl --fields day -q");
    let before = rig.digests();
    for (options, says) in [
        ("--expire day=4w", "3 removed"),
        ("--remove b --remove none", "1 removed, 1 not found"),
        ("old.jsonl --replace", "3 added, 3 removed"),
        ("new.jsonl --remove a", "2 added, 1 removed"),
    ] {
        let said = rig.run_in("", &format!("index idx {options} --dry-run"));
        assert_eq!(said.code, 0, "{}", said.stderr);
        assert!(said.stderr.contains(says), "{options}: {}", said.stderr);
        assert!(said.stderr.contains("idx: 3 texts"), "{}", said.stderr);
        assert_eq!(rig.digests(), before, "{options}");
    }
}

#[test]
fn what_cannot_be_done_is_refused_and_changes_nothing() {
    let rig = three();
    rig.ok("index idx old.jsonl --no-texts -q");
    let all = rig.refused(
        "",
        &[
            "index idx",
            "index none --info",
            "index none old.jsonl --recipe cosine",
            "index none old.jsonl --recipe onion",
            "index none old.jsonl --recipe messages --no-texts",
            "index none old.jsonl --recipe revisions",
            "index none old.jsonl --unit passage",
            "index none old.jsonl --fields score",
            "index idx old.jsonl --recipe ssr",
            "index idx old.jsonl --fields day",
            "index idx idx/index.toml",
            "index idx --expire day=4w",
            "index idx new.jsonl --replace --skip-known",
            "index idx --merge --dry-run",
            "index idx --check --dry-run",
            "index idx old.jsonl",
            "index idx missing.jsonl",
            "query none new.jsonl",
            "query old.jsonl new.jsonl",
            "query idx new.jsonl --passages",
            "query idx new.jsonl --explain",
            "query idx missing.jsonl",
            "dedup new.jsonl --against idx -o out.jsonl",
        ],
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("index_refused", all);
    });
    rig.ok("index equal old.jsonl --recipe exact -q");
    rig.refuses("query equal new.jsonl --threshold 0.5", &["threshold"]);
}

#[test]
fn a_damaged_index_is_named_and_never_answered_from() {
    let rig = three();
    rig.ok("index idx old.jsonl -q");
    let names: Vec<String> = rig
        .files()
        .into_iter()
        .filter(|name| name.starts_with("idx/"))
        .collect();
    for name in names.iter().filter(|name| !name.ends_with("lock")) {
        let whole = rig.read(name);
        for at in (0..whole.len()).step_by(1 + whole.len() / 40) {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            rig.write(name, &bytes);
            let ended = rig.run("index idx --check");
            assert_eq!(ended.code, 2, "{name} {at}");
            assert!(ended.stderr.contains("idx"), "{}", ended.stderr);
            let asked = rig.run("query idx new.jsonl -q");
            assert!(
                asked.code == 2 || asked.out().contains("\"id\":\"c\",\"score\":1.0"),
                "{name} {at}"
            );
        }
        rig.write(name, &whole[..whole.len() / 2]);
        assert_eq!(rig.run("query idx new.jsonl").code, 2, "{name}");
        fs::remove_file(rig.path(name)).unwrap();
        assert_eq!(rig.run("query idx new.jsonl").code, 2, "{name}");
        rig.write(name, &whole);
    }
    rig.ok("index idx --check");
    // Without its description it is not taken for a new one.
    let description = rig.read("idx/index.toml");
    fs::remove_file(rig.path("idx/index.toml")).unwrap();
    let before = rig.digests();
    for line in ["index idx new.jsonl", "index idx --recipe ssr"] {
        rig.refuses(line, &["segments alone", "restore index.toml"]);
    }
    assert_eq!(rig.digests(), before);
    rig.write("idx/index.toml", &description);
    rig.ok("index idx --check");
    for name in names.iter().filter(|name| name.contains("segments/")) {
        fs::remove_file(rig.path(name)).unwrap();
    }
    rig.refuses("query idx new.jsonl", &["the index is damaged"]);
}

#[test]
fn an_id_that_two_new_texts_have_is_said() {
    let rig = Rig::new();
    rig.write(
        "twice.jsonl",
        row("x", "", HARBOUR) + &row("x", "", FERRIES),
    );
    rig.refuses(
        "index idx twice.jsonl",
        &[
            "record 2: expected a different id for each text, found 'x' twice",
            "--replace",
        ],
    );
    rig.ok("index idx twice.jsonl --replace -q");
    rig.refuses(
        "query idx twice.jsonl --top 0",
        &["top: expected at least 1, found 0"],
    );
}

/// Pairs by the id of the text that is asked about: ids and scores.
type Found = BTreeMap<String, BTreeMap<String, String>>;

fn score(score: f64) -> String {
    format!("{score:.9}")
}

#[test]
fn answers_and_verdicts_are_those_of_files() {
    let rig = Rig::new();
    let texts = fs::read_to_string(testdata().join("peps.jsonl")).unwrap();
    let (mut old, mut new) = (String::new(), String::new());
    for (at, line) in texts.lines().enumerate() {
        let to = if at % 3 == 0 { &mut new } else { &mut old };
        to.push_str(line);
        to.push('\n');
    }
    rig.write("old.jsonl", old).write("new.jsonl", new);
    rig.ok("stats old.jsonl --recipe revisions -o counts.tsv -q");
    for recipe in [
        "copies",
        "ssr --threshold 0.3",
        "sscr --threshold 0.4",
        "ssr-containment",
        "sscr-containment",
        "exact",
        "plain",
        "messages",
        "simhash",
        "revisions --statistics counts.tsv",
        "ssr --unit paragraph",
        "copies --unit sentence",
    ] {
        let index = "idx-".to_owned() + &recipe.replace([' ', '.'], "");
        rig.ok(&format!("index {index} old.jsonl --recipe {recipe} -q"));
        let answered = rig.ok(&format!("query {index} new.jsonl -q"));
        let mut found = Found::new();
        for line in answered.out().lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            for one in value["matches"].as_array().unwrap() {
                let of = found
                    .entry(value["id"].as_str().unwrap().to_owned())
                    .or_default();
                let score = score(one["score"].as_f64().unwrap());
                of.insert(one["id"].as_str().unwrap().to_owned(), score);
            }
        }
        rig.ok(&format!(
            "pairs new.jsonl --against old.jsonl --recipe {recipe} --expand -o p.jsonl -q"
        ));
        let mut truth = Found::new();
        let own: Vec<String> = answered
            .out()
            .lines()
            .map(|line| line.split('"').nth(3).unwrap().to_owned())
            .collect();
        for line in rig.text("p.jsonl").lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let [a, b] = ["id_a", "id_b"].map(|name| value[name].as_str().unwrap().to_owned());
            if own.contains(&b) {
                continue;
            }
            truth
                .entry(a)
                .or_default()
                .insert(b, score(value["score"].as_f64().unwrap()));
        }
        let is_equality = matches!(recipe, "exact" | "plain");
        assert!(is_equality || !truth.is_empty(), "{recipe}");
        assert_eq!(found, truth, "{recipe}");
        for job in ["dedup", "mark"] {
            for (against, to) in [
                ("old.jsonl", "files.jsonl"),
                (index.as_str(), "index.jsonl"),
            ] {
                rig.ok(&format!(
                    "{job} new.jsonl --against {against} --recipe {recipe} -o {to} -q"
                ));
            }
            assert_eq!(
                rig.text("files.jsonl"),
                rig.text("index.jsonl"),
                "{job} {recipe}"
            );
        }
    }
    for (against, to) in [("old.jsonl", "files.tsv"), ("idx-copies", "index.tsv")] {
        rig.ok(&format!(
            "passages new.jsonl --against {against} -o {to} -q"
        ));
    }
    assert_eq!(rig.text("files.tsv"), rig.text("index.tsv"));
    rig.ok("dedup new.jsonl --against idx-copies -o out.jsonl --run run -q");
}

#[test]
fn an_index_in_a_folder_of_texts_is_none_of_them() {
    let rig = three();
    rig.ok("index texts/one old.jsonl -q");
    rig.ok("index texts/two old.jsonl -q");
    rig.write("texts/x.txt", format!("{HARBOUR}\n"));
    let found = rig.ok("find texts");
    assert!(found.out().contains("2 an index"), "{}", found.out());
    // A document with such a name is one.
    rig.write("texts/index.toml", "title = 'x'\n")
        .write("texts/below/index.toml", "title = 'x'\n");
    let found = rig.ok("find texts");
    assert!(
        found.out().contains("texts/below/index.toml"),
        "{}",
        found.out()
    );
}

#[test]
fn runs_against_an_index_are_explained_until_it_changes() {
    let rig = three();
    rig.ok("index idx old.jsonl -q");
    rig.write("asked/x.txt", format!("{HARBOUR}\n"));
    let found = rig.ok("find asked --index idx");
    assert!(
        found.out().contains("100.0 %") && found.out().contains("idx  c"),
        "{}",
        found.out()
    );
    rig.ok("dedup asked --against idx -o out --run run --evidence all -q");
    let explained = rig.ok("explain run x.txt");
    assert!(
        explained.out().contains("against/idx, record 1"),
        "{}",
        explained.out()
    );
    rig.ok("dedup --from run --threshold 0.9 -o again -q");
    assert_eq!(rig.run_in("", "index idx new.jsonl -q").code, 0);
    for line in [
        "explain run x.txt",
        "dedup --from run --threshold 0.9 -o third",
    ] {
        let ended = rig.run(line);
        assert!(
            ended.code == 2 && ended.stderr.contains("idx: "),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn what_would_pass_unnoticed_is_said() {
    let rig = three();
    rig.write(
        "undated.jsonl",
        row("d", "03/04/2019", "a text of a day that could be two"),
    );
    let ended = rig.run_in("", "index idx old.jsonl undated.jsonl --fields day");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let ended = rig.run_in("", "index idx --expire day=4w");
    assert!(
        ended.stderr.contains("1 text in which 'day' is not a date"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("3 removed"), "{}", ended.stderr);
    assert_eq!(rig.fed("index idx --remove-list - -q", "d\n").code, 0);
    // Frequencies are those that the index was made with.
    rig.ok("stats old.jsonl --recipe revisions -o counts.tsv -q");
    rig.ok("stats new.jsonl --recipe revisions -o others.tsv -q");
    rig.ok("index weighed old.jsonl --recipe revisions --statistics counts.tsv -q");
    rig.refuses(
        "index weighed new.jsonl --recipe revisions --statistics others.tsv",
        &["--statistics"],
    );
    let own = rig.text("weighed/statistics.tsv");
    rig.write("weighed/statistics.tsv", own.replacen("\t2", "\t3", 1));
    rig.refuses(
        "query weighed new.jsonl",
        &["statistics.tsv", "frequencies"],
    );
    // What is left when making an index was interrupted is no obstacle.
    fs::create_dir_all(rig.path("half/segments")).unwrap();
    rig.write("half/lock", "").write("half/index.toml.new", "");
    assert_eq!(rig.run_in("", "index half old.jsonl -q").code, 0);
}

#[test]
fn the_recipe_of_an_index_is_that_of_runs_against_it() {
    let rig = three();
    rig.ok("index idx old.jsonl --recipe messages --threshold 0.4 -q");
    rig.ok("pairs new.jsonl --against idx -o unnamed.tsv -q");
    rig.ok("pairs new.jsonl --against idx --recipe messages --threshold 0.4 -o named.tsv -q");
    rig.ok("pairs new.jsonl --against idx --recipe copies -o usual.tsv -q");
    assert_eq!(rig.text("unnamed.tsv"), rig.text("named.tsv"));
    assert_ne!(rig.text("unnamed.tsv"), rig.text("usual.tsv"));
    rig.ok("index other old.jsonl --recipe ssr -q");
    rig.refuses(
        "pairs new.jsonl --against idx --against other -o x.tsv",
        &["--against", "--recipe"],
    );
}
