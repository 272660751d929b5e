//! What runs do, in figures that do not depend on the machine: a change that makes them do more is
//! seen here.
//!
//! `bench/figures.tsv` has the figures; with `TEGULA_FIGURES=write` the test writes it anew.

use crate::corpus;
use crate::rig::{RECIPES, Rig, testdata};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Of a run, as `--json` has them.
const FIGURES: [&str; 10] = [
    "read_bytes",
    "tokens",
    "rows",
    "moved_bytes",
    "features",
    "distinct_features",
    "met",
    "compared",
    "verified",
    "spilled_bytes",
];

/// The last one depends on the ceiling.
const SPILLED: usize = FIGURES.len() - 1;

type Figures = [u64; FIGURES.len()];

fn table() -> PathBuf {
    testdata().join("../bench/figures.tsv")
}

fn figures(rig: &Rig, input: &str, recipe: &str, means: &str) -> Figures {
    let line =
        format!("dedup {input} -o out.jsonl --overwrite --recipe {recipe} --json -q {means}");
    let run: Value = serde_json::from_slice(&rig.ok(&line).stdout).unwrap();
    FIGURES.map(|name| {
        let figure = run["work"][name].as_u64();
        figure.unwrap_or_else(|| panic!("{name}: {run}"))
    })
}

/// The figures of all runs, each named by its input and recipe.
fn measured() -> Vec<(String, Figures)> {
    // The others do what these do, at another threshold or one after the other.
    let is_another = |recipe: &&str| ["revisions", "cops", "benko"].contains(recipe);
    let recipes: Vec<&str> = RECIPES
        .into_iter()
        .filter(|recipe| !is_another(recipe))
        .collect();
    // All are long, so that the second stage of `mixed` cuts no text into tokens.
    let of_made: Vec<&str> = recipes.iter().copied().chain(["mixed"]).collect();
    let (peps, made, many) = (Rig::with("peps.jsonl"), Rig::new(), Rig::new());
    made.write("made.jsonl", corpus::jsonl(&corpus::texts(2_000, 120)));
    // So many that their rows have no room under the ceiling.
    many.write("many.jsonl", corpus::jsonl(&corpus::texts(16_000, 170)));
    let of = [
        (peps, "peps.jsonl", &recipes[..]),
        (made, "made.jsonl", &of_made),
        (many, "many.jsonl", &["copies"]),
    ];
    std::thread::scope(|scope| {
        let all =
            of.map(|(rig, input, recipes)| scope.spawn(move || measured_of(&rig, input, recipes)));
        all.into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    })
}

/// The figures of the runs over one input.
fn measured_of(rig: &Rig, input: &str, recipes: &[&str]) -> Vec<(String, Figures)> {
    let mut all = Vec::new();
    for recipe in recipes {
        let found = figures(rig, input, recipe, "--threads 1 --memory 64M");
        all.push((format!("{input}\t{recipe}"), found));
        // Too few texts to be placed and divided in another way.
        if input == "peps.jsonl" {
            continue;
        }
        let others = figures(rig, input, recipe, "--threads 3 --memory 1G");
        for at in (0..FIGURES.len()).filter(|at| *at != SPILLED) {
            // Threads decide where texts are placed, and so which of several equally rare
            // features comes first; the ceiling how finely rows are divided.
            assert!(
                found[at].abs_diff(others[at]) * 100 <= found[at],
                "{input} {recipe}, {}: {} on one thread under 64M, {} on three under 1G",
                FIGURES[at],
                found[at],
                others[at],
            );
        }
    }
    all
}

fn written(all: &[(String, Figures)]) -> String {
    let mut table = format!("input\trecipe\t{}\n", FIGURES.join("\t"));
    for (run, figures) in all {
        let cells = figures.map(|figure| figure.to_string()).join("\t");
        let _ = writeln!(table, "{run}\t{cells}");
    }
    table
}

/// The figures of a table by run and name.
fn read(table: &str) -> BTreeMap<(String, String), u64> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split('\t').skip(2).collect();
    let mut all = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        for (name, cell) in names.iter().zip(&cells[2..]) {
            let key = (cells[..2].join("\t"), (*name).to_owned());
            all.insert(key, cell.parse().unwrap());
        }
    }
    all
}

/// The figures that are a twentieth above those of the table, or a tenth below, or are not in it.
fn different(table: &str, all: &[(String, Figures)]) -> Vec<String> {
    let expected = read(table);
    let mut wrong = Vec::new();
    for (run, figures) in all {
        for (name, found) in FIGURES.iter().zip(figures) {
            let said = format!("{}, {name}", run.replace('\t', ", "));
            match expected.get(&(run.clone(), (*name).to_owned())) {
                None => wrong.push(format!("{said}: {found}, which is not in the table")),
                Some(expected) if *found * 20 > expected * 21 => {
                    wrong.push(format!("{said}: grew from {expected} to {found}"));
                }
                Some(expected) if *found * 10 < expected * 9 => {
                    wrong.push(format!("{said}: fell from {expected} to {found}"));
                }
                Some(_) => {}
            }
        }
    }
    wrong
}

#[test]
fn runs_do_no_more_than_they_did() {
    let all = measured();
    if std::env::var("TEGULA_FIGURES").is_ok_and(|what| what == "write") {
        std::fs::write(table(), written(&all)).unwrap();
    }
    let wrong = different(&std::fs::read_to_string(table()).unwrap(), &all);
    assert!(
        wrong.is_empty(),
        "{}\n\nIf that is as it should be, this writes bench/figures.tsv anew:\n\
         TEGULA_FIGURES=write cargo test -p tegula-cli --test cli --locked runs_do_no_more_than_they_did",
        wrong.join("\n")
    );
}

#[test]
fn growth_by_more_than_a_twentieth_is_seen() {
    let run = |compared| {
        let mut figures = [1000; FIGURES.len()];
        figures[7] = compared;
        vec![("a.jsonl\tssr".to_owned(), figures)]
    };
    let table = written(&run(1000));
    for compared in [1000, 1050, 900] {
        assert_eq!(different(&table, &run(compared)), [""; 0]);
    }
    assert_eq!(
        different(&table, &run(1051)),
        ["a.jsonl, ssr, compared: grew from 1000 to 1051"]
    );
    assert_eq!(
        different(&table, &run(899)),
        ["a.jsonl, ssr, compared: fell from 1000 to 899"]
    );
    // What was nothing must stay nothing.
    assert_eq!(different(&written(&run(0)), &run(1)).len(), 1);
    assert_eq!(
        different(&table.replace("ssr", "sscr"), &run(1000)).len(),
        FIGURES.len()
    );
}
