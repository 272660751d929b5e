//! `--recipe auto`: the recipe that suits the inputs.

use crate::corpus;
use crate::rig::Rig;
use serde_json::Value;

fn rig() -> Rig {
    let rig = Rig::new();
    let short: Vec<String> = (0..60)
        .map(|at| format!("meet me at {} in town {}", at % 30, at / 30))
        .collect();
    rig.write("short.jsonl", corpus::jsonl(&short))
        .write("long.jsonl", corpus::jsonl(&corpus::texts(300, 120)))
        .write("few.jsonl", corpus::jsonl(&corpus::texts(20, 120)))
        .write("none.jsonl", "");
    rig
}

#[test]
fn short_and_long_texts_together_are_compared_in_two_ways() {
    let rig = rig();
    let short = (0..60).map(|at| format!("meet me at {} in town {}", at % 30, at / 30));
    let mut texts: Vec<String> = short.collect();
    texts.extend(corpus::texts(60, 120));
    let excerpt: String = texts[90].chars().take(90).collect();
    let near = |line: u32| format!("see you at the station of the old town, line {line}");
    texts.extend([excerpt.clone(), near(3), near(4)]);
    rig.write("mixed.jsonl", corpus::jsonl(&texts));
    let ended = rig.ok("dedup mixed.jsonl --recipe auto -o mixed.auto.jsonl --run run");
    // As one line: the terminal's width breaks it.
    let said = ended
        .stderr
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for says in [
        "recipe mixed: copies, and for texts of up to",
        "only pairs with a text above",
        "bytes, not compared",
    ] {
        assert!(said.contains(says), "{says}: {said}");
    }
    let kept = rig.text("mixed.auto.jsonl");
    assert!(!kept.contains(&format!("\"{excerpt}\"")), "{excerpt}");
    assert_eq!(kept.matches("see you").count(), 1);
    for line in [
        "dedup mixed.jsonl --recipe auto --threshold 0.9 -o high.jsonl",
        "pairs mixed.jsonl --recipe auto -o pairs.tsv",
    ] {
        let ended = rig.ok(line);
        assert!(!ended.stderr.contains("recipe mixed"), "{}", ended.stderr);
    }
}

#[test]
fn the_choice_is_said_and_kept_and_is_that_of_the_recipe_by_name() {
    let rig = rig();
    for (name, says, line) in [
        (
            "short",
            "recipe ssr over 3 characters at 0.7, for short texts",
            "--recipe ssr --set normalise.boundaries=characters --ngram 3 --threshold 0.7",
        ),
        (
            "long",
            "recipe revisions over 4 tokens at 0.2, for long texts",
            "--recipe revisions",
        ),
        (
            "few",
            "recipe copies over 5 tokens at 0.75, for long texts, but few",
            "",
        ),
    ] {
        let ended = rig.ok(&format!(
            "dedup {name}.jsonl --recipe auto -o {name}.auto.jsonl --run {name}.run"
        ));
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
        rig.ok(&format!(
            "dedup {name}.jsonl {line} -o {name}.named.jsonl -q"
        ));
        assert_eq!(
            rig.text(&format!("{name}.auto.jsonl")),
            rig.text(&format!("{name}.named.jsonl"))
        );
        let run: Value =
            serde_json::from_slice(&rig.read(&format!("{name}.run/run.json"))).unwrap();
        let plan = rig.ok(&format!("plan {name}.jsonl --recipe auto"));
        let chosen = says.split(' ').nth(1).unwrap();
        let kept = format!("\"recipe\":\"{chosen}\"");
        assert!(
            run["recipe"].to_string().contains(&kept),
            "{}",
            run["recipe"]
        );
        assert!(
            plan.out().starts_with(&format!("{chosen}: documents")),
            "{}",
            plan.out()
        );
    }
    // Other options change what is chosen, and silence is kept.
    let ended = rig.ok("pairs long.jsonl --recipe auto --threshold 0.9 -q -o high.tsv");
    assert_eq!(ended.stderr, "");
    rig.ok("pairs long.jsonl --recipe revisions --threshold 0.9 -q -o high.named.tsv");
    assert_eq!(rig.text("high.tsv"), rig.text("high.named.tsv"));
}

#[test]
fn parts_of_documents_are_compared_as_clauses() {
    let rig = rig();
    for unit in ["paragraph", "sentence"] {
        let ended = rig.ok(&format!(
            "pairs long.jsonl --recipe auto --unit {unit} -o auto.tsv"
        ));
        assert!(ended.stderr.contains("recipe clauses"), "{}", ended.stderr);
        rig.ok(&format!(
            "pairs long.jsonl --recipe clauses --unit {unit} -o named.tsv"
        ));
        assert_eq!(rig.text("auto.tsv"), rig.text("named.tsv"));
    }
}

#[test]
fn where_nothing_can_be_chosen_it_is_refused() {
    let rig = rig();
    for (line, says) in [
        ("dedup none.jsonl --recipe auto -o o.jsonl", "found none"),
        ("dedup - --recipe auto -o o.jsonl", "found standard input"),
        ("dedup gone.jsonl --recipe auto -o o.jsonl", "gone.jsonl"),
        (
            "dedup long.jsonl --recipe auto --unit passage -o o.jsonl",
            "found passages",
        ),
        (
            "tokens --recipe auto long.jsonl",
            "which only dedup, mark, pairs and plan accept",
        ),
        (
            "filter long.jsonl --recipe auto -o o.jsonl",
            "which only dedup",
        ),
    ] {
        let ended = rig.run(line);
        assert!(
            ended.code == 2 && ended.stderr.contains(says),
            "{line}: {}",
            ended.stderr
        );
    }
    assert!(!rig.path("o.jsonl").exists());
}

#[test]
fn the_choice_is_told_with_the_options_that_change_it() {
    let rig = rig();
    let ended = rig.ok("dedup short.jsonl -o out.jsonl --recipe auto --threshold 0.9 --ngram 4");
    assert!(
        ended
            .stderr
            .contains("recipe ssr over 4 characters at 0.9, for short texts"),
        "{}",
        ended.stderr
    );
    assert!(!ended.stderr.contains("0.7"), "{}", ended.stderr);
    assert!(ended.stderr.contains("at or above 0.9"), "{}", ended.stderr);
}

/// The same texts in another order, as several files or in another format are given the same recipe, and
/// few long texts among many short ones are seen.
#[test]
fn the_choice_depends_on_the_texts_alone() {
    let rig = rig();
    let short = |count: usize| -> Vec<String> {
        let message = |at| format!("meet me at {} in town {}", at % 30, at / 30);
        (0..count).map(message).collect()
    };
    for (name, texts, says) in [
        ("many", corpus::texts(210, 120), "recipe revisions over"),
        ("few", corpus::texts(40, 120), "recipe copies over"),
        (
            "among",
            [short(500), corpus::texts(20, 300)].concat(),
            "recipe mixed: copies",
        ),
        (
            "half",
            [short(250), corpus::texts(230, 120)].concat(),
            "recipe mixed: revisions",
        ),
        ("short", short(500), "recipe ssr over 3 characters"),
    ] {
        let mut turned = texts.clone();
        turned.reverse();
        let (first, second) = texts.split_at(texts.len() / 3);
        rig.write(&format!("{name}/a.jsonl"), corpus::jsonl(&texts))
            .write(&format!("{name}/b.jsonl"), corpus::jsonl(&turned))
            .write(&format!("{name}/c/2.jsonl"), corpus::jsonl(first))
            .write(&format!("{name}/c/1.jsonl"), corpus::jsonl(second));
        for (at, text) in texts.iter().enumerate() {
            rig.write(&format!("{name}/d/{at:04}.txt"), text);
        }
        let said: Vec<String> = ["a.jsonl", "b.jsonl", "c", "d"]
            .iter()
            .map(|form| {
                let ended = rig.ok(&format!("plan {name}/{form} --recipe auto"));
                let said = ended.stderr.lines().find(|line| line.contains("recipe "));
                said.unwrap_or_else(|| panic!("{}", ended.stderr))
                    .to_owned()
            })
            .collect();
        assert!(said[0].contains(says), "{name}: {said:?}");
        assert!(said.iter().all(|line| *line == said[0]), "{name}: {said:?}");
    }
}
