//! Right of the evidence no code names a measure or a recipe: decisions, clusters, summaries,
//! tables and pages do not know what made it.

use std::fs;
use std::path::{Path, PathBuf};

/// What works on evidence.
const RIGHT: [&str; 12] = [
    "tegula/src/decide",
    "tegula/src/cluster.rs",
    "tegula/src/levels.rs",
    "tegula/src/summary",
    "tegula/src/stage_input.rs",
    "tegula-run/src/commands/dedup",
    "tegula-run/src/commands/pairs",
    "tegula-run/src/edits.rs",
    "tegula-run/src/outcome.rs",
    "tegula-run/src/evidence",
    "tegula-report/src/report",
    "tegula-report/src/tables",
];

fn files(path: PathBuf, all: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        return all.push(path);
    }
    for entry in fs::read_dir(path).unwrap() {
        files(entry.unwrap().path(), all);
    }
}

/// The names of measures and recipes in a line of code.
fn named(line: &str, recipes: &[&str]) -> Vec<String> {
    let measures = line
        .match_indices("Measure::")
        .map(|(at, prefix)| &line[at + prefix.len()..]);
    let measures = measures
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(str::to_owned);
    let recipes = recipes
        .iter()
        .map(|name| format!("\"{name}\""))
        .filter(|name| line.contains(name));
    measures.chain(recipes).collect()
}

#[test]
fn what_works_on_evidence_names_no_measure_and_no_recipe() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let recipes: Vec<&str> = tegula::recipe::cards()
        .map(|card| card.name.as_str())
        .collect();
    let mut all = Vec::new();
    for place in RIGHT {
        files(crates.join(place), &mut all);
    }
    let is_test = |path: &PathBuf| {
        path.file_stem()
            .is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
    };
    all.retain(|path| path.extension().is_some_and(|ending| ending == "rs") && !is_test(path));
    assert!(all.len() > 30 && recipes.len() > 10, "{all:?}");
    for path in all {
        let source = fs::read_to_string(&path).unwrap();
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in (1..)
            .zip(code.lines())
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            assert_eq!(
                named(line, &recipes),
                [""; 0],
                "{}:{number}: {line}",
                path.display()
            );
        }
    }
}

#[test]
fn names_are_found_where_there_are_some() {
    assert_eq!(
        named(
            "if measure == Measure::Cosine && recipe == \"ssr\" {",
            &["ssr", "sscr"]
        ),
        ["Cosine && recipe == \"ssr\" {", "\"ssr\""]
    );
    assert!(named("use tegula::measure::Measure;", &["ssr"]).is_empty());
}
