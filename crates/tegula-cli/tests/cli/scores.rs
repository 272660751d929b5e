//! Scores and thresholds are the same wherever they show, under every recipe.

use crate::rig::Rig;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Recipes with a threshold at which these texts have many pairs, and a higher one. Keys do not
/// depend on the threshold, so that a run at another has the same candidates.
const RECIPES: [(&str, &str, &str); 18] = [
    ("copies --ngram 2", "0.3", "0.6"),
    ("sscr --ngram 2", "0.3", "0.6"),
    ("ssr --ngram 2", "0.2", "0.5"),
    ("sscr-containment --ngram 2", "0.4", "0.7"),
    ("ssr-containment --ngram 2", "0.4", "2/3"),
    ("revisions --ngram 2", "0.3", "0.6"),
    ("messages", "0.3", "0.6"),
    ("exact", "1", "1"),
    ("plain", "1", "1"),
    ("cosine", "0.3", "0.7"),
    (
        "sketch --ngram 2 --set keys={type='min-wise',minima=28,bands=14,rows=2}",
        "0.3",
        "0.5",
    ),
    (
        "sketch --ngram 2 --set keys={type='min-wise',minima=28,bands=14,rows=2} --estimate",
        "0.3",
        "0.5",
    ),
    ("sketch-mod --ngram 1 --set keys.modulus=2", "0.3", "0.5"),
    (
        "sketch-mod --ngram 1 --set keys.modulus=2 --estimate",
        "0.3",
        "0.5",
    ),
    (
        "super-shingle --ngram 1 --set keys={type='super-shingle',minima=12,size=2}",
        "0.3",
        "0.5",
    ),
    ("simhash --ngram 1", "0.75", "0.9"),
    ("i-match", "1/11", "0.5"),
    (
        "simfinder --set keys.features=6 --set keys.size=2",
        "0.25",
        "0.5",
    ),
];

/// Numbers by a linear congruence: the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// Texts many of which are edits of others, and some equal, far apart.
pub(crate) fn texts(seed: u64) -> Vec<String> {
    const WORDS: [&str; 14] = [
        "rose", "garden", "window", "never", "blue", "house", "letter", "winter", "station",
        "cloud", "paper", "river", "twelve", "bread",
    ];
    let mut dice = Dice(seed);
    let mut texts: Vec<Vec<&str>> = Vec::new();
    for _ in 0..6 {
        let length = 4 + dice.roll(14);
        texts.push((0..length).map(|_| WORDS[dice.roll(WORDS.len())]).collect());
    }
    for _ in 0..24 {
        let mut copy = texts[dice.roll(texts.len())].clone();
        match dice.roll(4) {
            0 => {}
            1 => copy.truncate(1 + dice.roll(copy.len())),
            2 => copy.push(WORDS[dice.roll(WORDS.len())]),
            _ => {
                let at = dice.roll(copy.len());
                copy[at] = WORDS[dice.roll(WORDS.len())];
            }
        }
        texts.push(copy);
    }
    texts.iter().map(|words| words.join(" ")).collect()
}

pub(crate) fn records<'a>(texts: impl Iterator<Item = (usize, &'a String)>) -> String {
    texts.fold(String::new(), |mut lines, (at, text)| {
        let _ = writeln!(
            lines,
            "{{\"id\":\"t{at}\",\"text\":\"{text}\",\"half\":\"{}\"}}",
            at % 2
        );
        lines
    })
}

pub(crate) type Scored = BTreeMap<(String, String), f64>;

/// The rows of a list of pairs, the ids of each in order.
pub(crate) fn scored(lines: &str) -> Scored {
    let pairs = lines.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let id = |name: &str| row[name].as_str().unwrap().to_owned();
        let (a, b) = (id("id_a"), id("id_b"));
        (
            if a < b { (a, b) } else { (b, a) },
            row["score"].as_f64().unwrap(),
        )
    });
    let mut all = Scored::new();
    for (pair, score) in pairs {
        assert!(
            all.insert(pair.clone(), score).is_none(),
            "{pair:?} came twice"
        );
    }
    all
}

#[test]
fn every_pair_of_units_scores_the_same_from_either_side() {
    for seed in [1, 2] {
        let (rig, texts) = (Rig::new(), texts(seed));
        rig.write("in.jsonl", records(texts.iter().enumerate()));
        rig.write("back.jsonl", records(texts.iter().enumerate().rev()));
        for (recipe, low, _) in RECIPES {
            let line = |input: &str, options: &str| {
                rig.ok(&format!("pairs {input} --recipe {recipe} --threshold {low} -o - --form jsonl -q {options}"))
                    .out()
                    .to_owned()
            };
            let all = scored(&line("in.jsonl", "--expand"));
            assert!(!all.is_empty(), "{recipe}");
            assert!(
                all.values().all(|score| (0.0..=1.0).contains(score)),
                "{recipe}: {all:?}"
            );
            assert_eq!(all, scored(&line("back.jsonl", "--expand")), "{recipe}");
            // One pair for two groups of equal units has the score of all their pairs; which of
            // them is listed says nothing.
            for ((a, b), score) in scored(&line("in.jsonl", "")) {
                let text = |id: &str| &texts[id[1..].parse::<usize>().unwrap()];
                let same = |x: &str, y: &str| text(x) == text(y);
                let expanded: Vec<f64> = all
                    .iter()
                    .filter(|((c, d), _)| {
                        (same(&a, c) && same(&b, d)) || (same(&a, d) && same(&b, c))
                    })
                    .map(|(_, score)| *score)
                    .collect();
                assert!(
                    !expanded.is_empty()
                        && expanded.iter().all(|other| (other - score).abs() < 1e-12),
                    "{recipe}: {a} {b}"
                );
            }
        }
    }
}

#[test]
fn a_run_cut_again_is_a_fresh_run() {
    for (seed, constraint) in [(3, ""), (6, "--against old.jsonl --across half")] {
        let texts = texts(seed);
        for (recipe, low, high) in RECIPES {
            let rig = Rig::new();
            rig.write(
                "new.jsonl",
                records(texts.iter().enumerate().filter(|(at, _)| at % 3 != 0)),
            );
            rig.write(
                "old.jsonl",
                records(texts.iter().enumerate().filter(|(at, _)| at % 3 == 0)),
            );
            let fresh = |threshold: &str, run: &str, output: &str| {
                let options =
                    format!("--threshold {threshold} {constraint} --run {run} --evidence all -q");
                rig.ok(&format!(
                    "mark new.jsonl --recipe {recipe} {options} -o {output}"
                ));
            };
            fresh(low, "low", "low.jsonl");
            fresh(high, "high", "high.jsonl");
            rig.ok(&format!(
                "mark --from low --threshold {high} -o from.jsonl -q"
            ));
            assert_eq!(
                rig.text("from.jsonl"),
                rig.text("high.jsonl"),
                "{recipe} {constraint}"
            );
            rig.ok(&format!("cluster low --threshold {high} -o cut.tsv -q"));
            rig.ok("cluster high -o own.tsv -q");
            assert_eq!(
                rig.text("cut.tsv"),
                rig.text("own.tsv"),
                "{recipe} {constraint}"
            );
            // The clusters are those that the run itself marked its texts with.
            let marked: BTreeMap<String, Option<String>> = rig
                .text("high.jsonl")
                .lines()
                .map(|line| {
                    let record: serde_json::Value = serde_json::from_str(line).unwrap();
                    (
                        record["id"].as_str().unwrap().to_owned(),
                        record["cluster_id"].as_str().map(str::to_owned),
                    )
                })
                .collect();
            let cut: BTreeMap<String, String> = rig
                .text("cut.tsv")
                .lines()
                .skip(1)
                .map(|line| {
                    let cells: Vec<&str> = line.split('\t').collect();
                    (cells[1].to_owned(), cells[0].to_owned())
                })
                .collect();
            for (id, cluster) in &marked {
                assert_eq!(cut.get(id), cluster.as_ref(), "{recipe} {constraint}: {id}");
            }
        }
    }
}

#[test]
fn a_sweep_removes_what_runs_at_its_thresholds_remove() {
    for (recipe, ngram, low, high) in [
        ("copies", 2, "0.3", "0.6"),
        ("sketch", 2, "0.3", "0.6"),
        ("cosine", 1, "0.3", "0.7"),
        ("simfinder", 1, "0.25", "0.5"),
        ("simfinder --set transitive=true", 1, "0.25", "0.5"),
        ("onion", 2, "0.3", "0.5"),
    ] {
        let rig = Rig::new();
        rig.write("in.jsonl", records(texts(9).iter().enumerate()));
        let line = format!(
            "sweep in.jsonl --recipe {recipe} --ngrams {ngram} --thresholds {high},{low} --json"
        );
        let sweep: serde_json::Value = serde_json::from_str(rig.ok(&line).out()).unwrap();
        for (cell, threshold) in [high, low].into_iter().enumerate() {
            let line = format!(
                "dedup in.jsonl --recipe {recipe} --ngram {ngram} --threshold {threshold} -o {threshold}.jsonl --json"
            );
            let run: serde_json::Value = serde_json::from_str(rig.ok(&line).out()).unwrap();
            assert_eq!(
                sweep["cells"][cell]["units"], run["balance"]["removed"]["units"],
                "{recipe} {threshold}"
            );
        }
    }
}

#[test]
fn a_transitive_run_is_not_cut_again() {
    let rig = Rig::new();
    rig.write("in.jsonl", records(texts(7).iter().enumerate()));
    rig.ok("pairs in.jsonl --recipe simfinder --set transitive=true --threshold 0.3 --run run -q");
    for line in [
        "dedup --from run --threshold 0.5 -o out.jsonl",
        "cluster run --threshold 0.5 -o c.tsv",
    ] {
        rig.refuses(line, &["a transitive recipe skips pairs"]);
    }
    rig.ok("cluster run --threshold 0.3 -o c.tsv -q");
}

#[test]
fn sweeps_and_near_misses_weigh_words_by_the_statistics_of_the_run() {
    let rig = Rig::new();
    rig.write("in.jsonl", records(texts(8).iter().enumerate()));
    // In the other collection one word is everywhere, and counts for little.
    let other: Vec<String> = (0..40)
        .map(|at| format!("rose garden window blue house x{at}"))
        .collect();
    rig.write("other.jsonl", records(other.iter().enumerate()));
    rig.ok("stats other.jsonl --recipe cosine -o words.stats -q");
    let removed = |options: &str, output: &str| {
        let ended = rig.ok(&format!(
            "dedup in.jsonl --recipe cosine --threshold 0.9 -o {output} --json {options}"
        ));
        let summary: serde_json::Value = serde_json::from_str(ended.out()).unwrap();
        summary["balance"]["removed"]["units"].as_u64().unwrap()
    };
    let swept = |options: &str| {
        let ended = rig.ok(&format!(
            "sweep in.jsonl --recipe cosine --ngrams 1 --thresholds 0.9 --json {options}"
        ));
        let sweep: serde_json::Value = serde_json::from_str(ended.out()).unwrap();
        sweep["cells"][0]["units"].as_u64().unwrap()
    };
    let statistics = "--statistics words.stats";
    let (with, without) = (
        removed(&format!("{statistics} --run run"), "with.jsonl"),
        removed("", "without.jsonl"),
    );
    assert_ne!(with, without);
    assert_eq!((swept(statistics), swept("")), (with, without));
    rig.ok("report run -o page.html");
    let below = rig.ok(&format!(
        "pairs in.jsonl --recipe cosine --threshold 0.8 {statistics} -o - --form jsonl -q"
    ));
    let nearest = scored(below.out())
        .into_values()
        .filter(|score| *score < 0.9)
        .fold(0.0, f64::max);
    let page = rig.text("page.html");
    let rejected = page.split("Just below the threshold").nth(1).unwrap();
    assert!(
        nearest > 0.0 && rejected.contains(&format!("score <span class=\"score\">{nearest:.4}")),
        "{nearest}"
    );
}

#[test]
fn a_curve_is_shown_where_scores_are_what_it_is_of() {
    let curve = |options: &str| {
        let rig = Rig::with("peps.jsonl");
        let ended = rig.ok(&format!(
            "pairs peps.jsonl --recipe sketch -o p.tsv --json {options}"
        ));
        let summary: serde_json::Value = serde_json::from_str(ended.out()).unwrap();
        summary["candidates"]["curve"].is_object()
    };
    assert!(curve(""));
    assert!(!curve("--set measure=coverage-containment"));
    assert!(!curve("--set measure=coverage"));
}

#[test]
fn a_table_of_pairs_has_the_clusters_of_its_run_whether_it_lists_every_pair_or_not() {
    for (seed, constraint) in [
        (7, ""),
        (8, "--across half"),
        (9, "--within half"),
        (10, "--against old.jsonl"),
        (11, "--against old.jsonl --across half"),
    ] {
        let (rig, texts) = (Rig::new(), texts(seed));
        rig.write(
            "in.jsonl",
            records(texts.iter().enumerate().filter(|(at, _)| at % 3 != 0)),
        );
        rig.write(
            "old.jsonl",
            records(texts.iter().enumerate().filter(|(at, _)| at % 3 == 0)),
        );
        for name in ["p.tsv", "p.jsonl.zst", "p.parquet"] {
            let line =
                format!("pairs in.jsonl --recipe ssr --ngram 2 --threshold 0.3 {constraint} -q");
            rig.ok(&format!("{line} --run run -o {name}"));
            rig.ok(&format!("{line} --expand -o all-{name}"));
            for threshold in ["0.3", "0.6", "1"] {
                let cut = |pairs: &str| {
                    rig.ok(&format!(
                        "cluster {pairs} -o cut.tsv --threshold {threshold} -q"
                    ));
                    rig.text("cut.tsv")
                };
                let of_run = cut("run");
                assert!(of_run.lines().count() > 2);
                assert_eq!(cut(name), of_run, "{name} {constraint}");
                assert_eq!(cut(&format!("all-{name}")), of_run, "{name} {constraint}");
            }
        }
    }
}

#[test]
fn rows_that_stand_for_several_pairs_are_not_taken_for_one() {
    let rig = Rig::new();
    let texts = texts(7);
    rig.write("in.jsonl", records(texts.iter().enumerate()));
    let gold = (0..texts.len()).fold("id\tgroup\n".to_owned(), |list, at| {
        format!("{list}t{at}\t{}\n", at % 4)
    });
    rig.write("gold.tsv", gold);
    for name in ["p.tsv", "p.jsonl", "p.parquet"] {
        rig.ok(&format!(
            "pairs in.jsonl --recipe ssr --ngram 2 --threshold 0.3 --run run -o {name} -q"
        ));
        rig.refuses(
            &format!("evaluate gold.tsv {name}"),
            &["expected a row for every pair", "--expand"],
        );
        rig.ok(&format!(
            "pairs in.jsonl --recipe ssr --ngram 2 --threshold 0.3 --expand -o {name} -q"
        ));
        let figures = |result: &str| {
            let found: serde_json::Value = serde_json::from_slice(
                &rig.ok(&format!("evaluate gold.tsv {result} --form json"))
                    .stdout,
            )
            .unwrap();
            (found["pairs"].clone(), found["documents"].clone())
        };
        assert_eq!(figures(name), figures("run"));
    }
    // A table that was taken out of its run has lost its groups.
    rig.write("alone.parquet", rig.read("run/pairs.parquet"));
    for line in [
        "cluster alone.parquet -o cut.tsv",
        "evaluate gold.tsv alone.parquet",
    ] {
        rig.refuses(line, &["folder of the run"]);
    }
}

#[test]
fn counts_at_other_thresholds_say_when_a_run_there_would_find_others() {
    let rig = Rig::new();
    let texts = texts(1);
    rig.write("in.jsonl", records(texts.iter().enumerate()));
    for (recipe, said) in [("simfinder", true), ("sketch", true), ("ssr", false)] {
        let ended = rig.ok(&format!(
            "pairs in.jsonl --recipe {recipe} --threshold 0.3 --by half --run run -v"
        ));
        assert_eq!(
            ended
                .stderr
                .contains("a run at another threshold generates other candidates"),
            said,
            "{recipe}: {}",
            ended.stderr
        );
        rig.ok("report run -o report.html -q");
        assert_eq!(
            rig.text("report.html")
                .contains("a run at another threshold generates other candidates"),
            said,
            "{recipe}"
        );
        std::fs::remove_dir_all(rig.path("run")).unwrap();
    }
}

#[test]
fn frequent_shingles_can_be_left_out_of_the_comparison() {
    let rig = Rig::new();
    let texts = [
        "head foot one two three",
        "head foot one two four",
        "head foot five six seven",
        "foot head",
    ];
    let lines = texts.map(|text| format!("{{\"id\":\"{text}\",\"text\":\"{text}\"}}\n"));
    rig.write("in.jsonl", lines.concat());
    let pairs = |most: u32| {
        let weights = format!("--set weights={{type='uncommon',most={most}}}");
        let line = format!(
            "pairs in.jsonl -o - --recipe ssr --ngram 1 --set measure=rarity-dice {weights} --threshold 1% --form jsonl -q"
        );
        scored(rig.ok(&line).out())
    };
    // Two of three words of the first text are in the second; all else that texts share is frequent.
    let found = pairs(2);
    assert_eq!(found.len(), 1, "{found:?}");
    let first_two = (texts[1].to_owned(), texts[0].to_owned());
    assert!((found[&first_two] - 4.0 / 6.0).abs() < 1e-6, "{found:?}");
    assert_eq!(found, pairs(3));
    // Nothing is in more texts than there are.
    let found = pairs(4);
    assert_eq!(found.len(), 6, "{found:?}");
    assert!((found[&first_two] - 8.0 / 10.0).abs() < 1e-6, "{found:?}");
}

#[test]
fn a_longer_text_that_is_removed_is_not_said_to_be_contained() {
    let rig = Rig::new();
    let long = "one two three four five six seven eight nine ten";
    let short = &long[..long.find(" nine").unwrap()];
    rig.write(
        "in.jsonl",
        format!("{{\"id\":\"s\",\"text\":\"{short}\"}}\n{{\"id\":\"l\",\"text\":\"{long}\"}}\n"),
    );
    for (keep, removed, said) in [
        (
            "shortest",
            "l",
            "s, which is kept, is contained in it with a score of 1.0000",
        ),
        (
            "longest",
            "s",
            "l, which is kept, contains it with a score of 1.0000",
        ),
    ] {
        rig.ok(&format!(
            "dedup in.jsonl -o {keep}.jsonl --keep {keep} --threshold 0.3 --run {keep} -q"
        ));
        let explained = rig.ok(&format!("explain {keep} {removed}"));
        assert!(explained.out().contains(said), "{}", explained.out());
    }
}
