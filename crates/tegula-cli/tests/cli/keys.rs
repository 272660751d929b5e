//! Recipes with keys: the candidates they generate and what they miss, and the page on all methods.

use crate::rig::{Rig, assert_shown};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[test]
fn the_page_on_methods_is_what_the_recipes_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods.md");
    let page = std::fs::read_to_string(path).unwrap();
    let shown = Rig::new().ok("recipes --markdown");
    assert!(
        page == shown.out(),
        "docs/methods.md is stale: run `tegula recipes --markdown > docs/methods.md`"
    );
    // Tables have as many cells in each line as in their heads.
    let mut cells = 0;
    for line in page.lines() {
        let found = line.matches(" |").count() + usize::from(line.starts_with("| |"));
        assert!(
            !line.starts_with('|') || cells == 0 || line.starts_with("| |") || found == cells,
            "{line}"
        );
        cells = if line.starts_with("| |") || !line.starts_with('|') {
            0
        } else {
            found
        };
    }
}

#[test]
fn recall_is_checked_on_a_sample() {
    let rig = Rig::with("peps.jsonl");
    // Two bands of fourteen miss much at 0.5.
    let keys = r#"keys={type="min-wise",minima=28,bands=2,rows=14}"#;
    let line = format!("peps.jsonl --recipe sketch --threshold 0.5 --set {keys} --check-recall 60");
    assert_shown!(
        "recall_pairs",
        rig.run(&format!("pairs {line} -o pairs.tsv --run run -v"))
    );
    let info: serde_json::Value = serde_json::from_str(&rig.text("run/run.json")).unwrap();
    let recall = &info["counts"]["recall"];
    let count = |name: &str| recall[name].as_u64().unwrap();
    assert!(count("found") < count("expected") && count("texts") <= 60);
    let share = recall["recall"].as_f64().unwrap();
    let interval = recall["interval"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge.as_f64().unwrap())
        .collect::<Vec<_>>();
    assert!(interval[0] < share && share < interval[1]);
    assert_eq!(info["counts"]["candidates"]["curve"]["rows"], 14);
    for threads in [1, 3] {
        let ended = rig.ok(&format!(
            "dedup {line} -o out{threads}.jsonl --json --threads {threads}"
        ));
        let summary: serde_json::Value = serde_json::from_str(ended.out()).unwrap();
        assert_eq!(&summary["recall"], recall);
    }
}

#[test]
fn a_sample_of_all_texts_gives_the_recall_of_the_run() {
    let rig = Rig::with("peps.jsonl");
    let pairs = |line: &str| rig.text(line).lines().count() as u64 - 1;
    rig.ok("pairs peps.jsonl --recipe ssr --threshold 0.5 -o all.tsv");
    let ended = rig.ok("pairs peps.jsonl --recipe super-shingle --threshold 0.5 -o some.tsv --check-recall 100000 --json");
    let recall = &serde_json::from_str::<serde_json::Value>(ended.out()).unwrap()["recall"];
    assert_eq!(
        (recall["expected"].as_u64(), recall["found"].as_u64()),
        (Some(pairs("all.tsv")), Some(pairs("some.tsv")))
    );
    // Where texts of one cluster are not compared, it counts that they are in one.
    let line = "pairs peps.jsonl --recipe sketch --threshold 0.5 -o some.tsv --check-recall 100000 --json --set transitive=true";
    let recall = &serde_json::from_str::<serde_json::Value>(rig.ok(line).out()).unwrap()["recall"];
    assert_eq!(recall["expected"].as_u64(), Some(pairs("all.tsv")));
    assert!(recall["found"].as_u64().unwrap() >= pairs("some.tsv"));
}

#[test]
fn recall_without_keys_is_refused() {
    let rig = Rig::with("peps.jsonl");
    for (name, line) in [
        (
            "recall_complete",
            "dedup peps.jsonl -o out.jsonl --check-recall 10",
        ),
        (
            "recall_signatures",
            "mark peps.jsonl -o out.jsonl --recipe simhash --check-recall 10",
        ),
    ] {
        let ended = rig.run(line);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, ended.shown());
        });
    }
    assert!(
        rig.run("dedup peps.jsonl -o out.jsonl --recipe benko --check-recall 10")
            .stderr
            .contains("one stage")
    );
    assert!(
        rig.run("dedup peps.jsonl -o out.jsonl --recipe sketch --check-recall 0")
            .stderr
            .contains("--check-recall")
    );
    assert_eq!(rig.files(), ["peps.jsonl"]);
}

#[test]
fn equal_texts_score_one_without_a_shared_key() {
    let rig = Rig::new();
    rig.write(
        "same.jsonl",
        "{\"id\":\"a\",\"text\":\"one two three\"}\n{\"id\":\"b\",\"text\":\"One, two, three!\"}\n",
    );
    for recipe in [
        "sketch",
        "sketch-mod",
        "super-shingle",
        "simhash",
        "i-match",
        "simfinder",
        "cosine",
    ] {
        let shown = rig
            .ok(&format!(
                "pairs same.jsonl --recipe {recipe} --expand -o - --form jsonl -q"
            ))
            .out()
            .to_owned();
        let pair: serde_json::Value = serde_json::from_str(shown.trim()).unwrap();
        assert_eq!(pair["score"], 1.0, "{recipe}: {shown}");
    }
}

#[test]
fn a_table_of_keys_finds_what_a_run_finds() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("stats peps.jsonl --recipe i-match -o terms.tsv -q");
    let recipe = "--recipe i-match --statistics terms.tsv -q";
    rig.ok(&format!(
        "pairs peps.jsonl {recipe} --threshold 1/11 -o pairs.tsv"
    ));
    let table = rig.ok(&format!("tokens peps.jsonl {recipe} --keys"));
    let mut units: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for row in table.out().lines().skip(1) {
        let mut cells = row.split('\t');
        let (unit, slot, key) = (
            cells.next().unwrap(),
            cells.next().unwrap(),
            cells.next().unwrap(),
        );
        assert!(key.len() == 40 && key.bytes().all(|byte| byte.is_ascii_hexdigit()));
        units.entry((slot, key)).or_default().push(unit);
    }
    let ordered = |a: &str, b: &str| (a.min(b).to_owned(), a.max(b).to_owned());
    let joined: BTreeSet<_> = units
        .values()
        .flat_map(|units| {
            let pairs = |at: usize| units[at + 1..].iter().map(move |b| ordered(units[at], b));
            (0..units.len()).flat_map(pairs).collect::<Vec<_>>()
        })
        .collect();
    let text = rig.text("pairs.tsv");
    let found: BTreeSet<_> = text
        .lines()
        .skip(1)
        .map(|row| row.split('\t').collect::<Vec<_>>())
        .map(|row| ordered(row[2], row[3]))
        .collect();
    assert!(!found.is_empty() && found == joined);

    for (options, reason) in [
        ("--recipe i-match", "tegula stats"),
        ("", "the recipe copies has no keys"),
    ] {
        let refused = rig.run(&format!("tokens peps.jsonl {options} --keys -q"));
        assert!(
            refused.code == 2 && refused.stderr.contains(reason),
            "{}",
            refused.stderr
        );
    }
    let simhash = rig.ok("tokens peps.jsonl --recipe simhash --keys -q");
    assert!(
        simhash
            .out()
            .lines()
            .skip(1)
            .all(|row| row.ends_with(|c: char| c.is_ascii_hexdigit()))
    );
}

#[test]
fn cops_counts_sentences_however_lines_are_broken() {
    let rig = Rig::new();
    rig.write(
        "in.jsonl",
        r#"{"id":"a","text":"The council met on Monday. It approved the budget of\nthe city. Nobody spoke against it."}
{"id":"b","text":"It approved the budget of the city! The council met, on Monday. Then it rained."}
{"id":"c","text":"Then it snowed. Nothing else happened at all. The mayor went home."}
"#,
    );
    let pairs = rig.ok("pairs in.jsonl --recipe cops -q -o -");
    let rows: Vec<Vec<&str>> = pairs
        .out()
        .lines()
        .skip(1)
        .map(|row| row.split('\t').collect())
        .collect();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0][2..5], ["a", "b", "0.666666"]);
}

#[test]
fn containment_estimated_on_short_texts_is_warned_of() {
    let rig = Rig::with("peps.jsonl");
    let warned = |options: &str| {
        let ended = rig.ok(&format!("dedup peps.jsonl -o out.jsonl {options}"));
        let said: Vec<&str> = ended.stderr.split_whitespace().collect();
        said.join(" ")
            .contains("units have fewer than 300 shingles")
    };
    let modulo = "--set select.type=modulo --set select.modulus=25";
    assert!(warned(&format!("--recipe ssr-containment {modulo}")));
    assert!(warned(
        "--recipe sketch-mod --set measure=resemblance-containment --estimate"
    ));
    assert!(!warned(&format!("--recipe ssr {modulo}")));
    assert!(!warned("--recipe ssr-containment"));
}
