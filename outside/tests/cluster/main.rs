//! A cluster on one machine: the steps of searches run as tasks that know only what others sent them,
//! Arrow batches that arrive in any order, and find what the engine finds.

mod case;
mod driver;
mod matches;
mod store;

use case::{CUTS, Case, day, dedup, id, mix, recipe, records, short_texts, texts};
use driver::{Cluster, Input};
use std::cell::RefCell;
use std::ops::Range;
use std::time::{Duration, Instant};
use store::Store;
use tegula::Dedup;
use tegula_run::steps::{self, Constraints, DateFormat, Method, Origin};

#[test]
fn chains_of_shingles() {
    let (mut pairs, mut splits) = (0, 0);
    let settings = || {
        CUTS.into_iter()
            .zip(["5", "3", "2", "5"])
            .zip([0, 1 << 40, 0, 0])
    };
    for (seed, count) in [(1, 3), (2, 60), (3, 150)] {
        let texts = texts(seed, count);
        for (at, name) in [
            "copies",
            "ssr",
            "sscr",
            "ssr-containment",
            "sscr-containment",
        ]
        .into_iter()
        .enumerate()
        {
            // The longer they take, the fewer settings for each.
            let step = match count {
                150 => CUTS.len(),
                60 => 2,
                _ => 1,
            };
            for ((cut, ngram), others) in settings().skip(at % step).step_by(step) {
                let recipe = recipe(name, &[("ngram", ngram), ("threshold", "0.5")]);
                let case = Case {
                    others,
                    ..Case::of(name, &recipe, cut)
                };
                let (found, is_split) = case.same(&dedup(&recipe), &texts, &records(&texts));
                pairs += found;
                splits += usize::from(is_split);
            }
        }
    }
    assert!(pairs > 1000 && splits > 2, "{pairs} pairs, {splits} splits");
}

#[test]
fn through_files() {
    let texts = short_texts(2, 40);
    for (name, cut) in [
        ("copies", CUTS[1]),
        ("sketch", CUTS[2]),
        ("revisions", CUTS[1]),
        ("ssr", (11, 3, 32, 64)),
    ] {
        let recipe = recipe(name, &[("threshold", "0.4")]);
        let case = Case {
            through_files: true,
            keep: &["first"],
            ..Case::of(name, &recipe, cut)
        };
        let (pairs, _) = case.same(&dedup(&recipe), &texts, &records(&texts));
        assert!(pairs > 0, "{}", case.what);
    }
}

#[test]
fn features_and_keys() {
    let mut pairs = 0;
    for (seed, count) in [(1, 3), (5, 70), (6, 130)] {
        let texts = short_texts(seed, count);
        for (at, (name, fields)) in RECIPES.iter().enumerate() {
            let recipe = recipe(name, fields);
            let case = Case::of(name, &recipe, CUTS[at % 3]);
            let (found, _) = case.same(&dedup(&recipe), &texts, &records(&texts));
            assert!(count < 10 || found > 0, "{}", case.what);
            pairs += found;
        }
    }
    assert!(pairs > 1000, "{pairs} pairs");
}

const RECIPES: &[(&str, &[(&str, &str)])] = &[
    ("cosine", &[("threshold", "0.4")]),
    ("cosine", &[("threshold", "0.5"), ("weights.present", "5")]),
    (
        "cosine",
        &[("measure", "weighted-resemblance"), ("threshold", "0.3")],
    ),
    ("messages", &[("unmasked", "ignore"), ("threshold", "0.4")]),
    ("messages", &[("threshold", "0.4")]),
    ("messages", &[("unmasked", "0.6"), ("threshold", "0.4")]),
    ("messages", &[("distinct", "all"), ("threshold", "0.4")]),
    ("ssr", &[("levenshtein", "0.6"), ("threshold", "0.4")]),
    (
        "sscr",
        &[("thresholds", "0.9 up to 40"), ("threshold", "0.3")],
    ),
    ("ssr", &[("common", "3"), ("threshold", "0.3")]),
    ("sscr", &[("common", "2"), ("threshold", "0.3")]),
    ("cosine", &[("common", "4"), ("threshold", "0.3")]),
    ("sketch", &[("common", "2"), ("threshold", "0.3")]),
    ("revisions", &[("threshold", "0.4")]),
    (
        "revisions",
        &[
            ("weights", "{ type = 'rarity', numbers = 4 }"),
            ("measure", "rarity-containment"),
        ],
    ),
    (
        "revisions",
        &[
            ("weights", "{ type = 'uncommon', most = 3 }"),
            ("measure", "rarity-dice"),
        ],
    ),
    (
        "revisions",
        &[
            ("missing_numbers", "0.3 for all of first 9, 0.2 for 1 in 20"),
            ("thresholds", "0.4 up to 20"),
            ("threshold", "0.2"),
        ],
    ),
    (
        "ssr",
        &[("fingerprint.modulus", "10007"), ("threshold", "0.4")],
    ),
    (
        "sscr",
        &[("fingerprint.modulus", "10007"), ("threshold", "0.4")],
    ),
    ("cops", &[("threshold", "0.5")]),
    // As in the two stages of `mixed`.
    (
        "copies",
        &[("lengths", "above 60 bytes"), ("threshold", "0.4")],
    ),
    (
        "ssr",
        &[
            ("ngram", "3"),
            ("lengths", "up to 60 bytes"),
            ("normalise.boundaries", "characters"),
            ("threshold", "0.4"),
        ],
    ),
    ("ssr", &[("ngram", "1"), ("threshold", "0.4")]),
    (
        "ssr",
        &[
            ("select", "{ type = 'winnow', window = 3 }"),
            ("threshold", "0.5"),
        ],
    ),
    (
        "ssr",
        &[
            ("select", "{ type = 'modulo', modulus = 3 }"),
            ("threshold", "0.5"),
        ],
    ),
    ("sscr", &[("ngram", "1"), ("threshold", "0.4")]),
    ("sketch", &[("threshold", "0.5")]),
    ("sketch", &[("measure", "agreement"), ("threshold", "0.5")]),
    (
        "sketch",
        &[
            (
                "keys",
                "{ type = 'min-wise', minima = 112, bands = 28, rows = 4 }",
            ),
            ("least_keys", "3"),
        ],
    ),
    ("sketch", &[("measure", "coverage"), ("threshold", "0.4")]),
    ("sketch-mod", &[("threshold", "0.4")]),
    ("sketch-mod", &[("least_keys", "2"), ("threshold", "0.4")]),
    ("super-shingle", &[("threshold", "0.4")]),
    ("simhash", &[("threshold", "0.9")]),
    ("i-match", &[]),
    ("simfinder", &[("transitive", "true"), ("threshold", "0.2")]),
    (
        "simfinder",
        &[
            ("transitive", "false"),
            ("unmasked", "ignore"),
            ("threshold", "0.3"),
        ],
    ),
];

/// Sets a constraint in a search, and what names it.
type Set = (
    &'static str,
    fn(Dedup<'static>) -> Dedup<'static>,
    fn(&mut Constraints),
);

const CONSTRAINTS: [Set; 6] = [
    (
        "within",
        |dedup| dedup.within("source").unwrap(),
        |set| set.within.push("source".parse().unwrap()),
    ),
    (
        "across",
        |dedup| dedup.across("source").unwrap(),
        |set| set.across = Some("source".parse().unwrap()),
    ),
    (
        "window",
        |dedup| dedup.window("date", 6).unwrap(),
        |set| set.window = Some(("date".parse().unwrap(), 6)),
    ),
    (
        "all",
        |dedup| {
            let dedup = dedup.within("date:month").unwrap();
            dedup.across("source").unwrap().window("date", 20).unwrap()
        },
        |set| {
            set.within.push("date:month".parse().unwrap());
            set.across = Some("source".parse().unwrap());
            set.window = Some(("date".parse().unwrap(), 20));
        },
    ),
    (
        "short",
        |dedup| dedup.min_tokens(12),
        |set| set.min_tokens = 12,
    ),
    ("references", |dedup| dedup, |_| ()),
];

#[test]
fn constraints_and_keep_orders() {
    let texts = short_texts(7, 60);
    let (references, mut pairs) = (texts.len() - 20, 0);
    for name in [
        "copies",
        "ssr-containment",
        "revisions",
        "sketch",
        "simfinder",
        "messages",
    ] {
        let transitive = (name == "simfinder").to_string();
        let recipe = recipe(name, &[("threshold", "0.4"), ("transitive", &transitive)]);
        for (at, (case, search, set)) in CONSTRAINTS.iter().enumerate() {
            let mut constraints = Constraints::default();
            set(&mut constraints);
            let is_reference = |at: usize| *case == "references" && at >= references;
            let origins = (0..texts.len()).map(|at| {
                let (source, date) = (
                    ["a", "b", "c"][mix(at as u64) as usize % 3],
                    format!("2020-01-{:02}", day(at)),
                );
                let value = |name: &str| Some(if name == "source" { source } else { &date[..] });
                constraints.origin(value, &DateFormat::default(), is_reference(at))
            });
            let (mut records, mut dedup) = (records(&texts), search(dedup(&recipe)));
            let case = Case {
                origins: origins.collect(),
                constraints: constraints.clone(),
                keep: &["longest", "first", "newest:date"],
                ..Case::of(&format!("{name}, {case}"), &recipe, CUTS[at % 3])
            };
            if is_reference(references) {
                dedup = dedup.against(records.split_off(references));
            }
            let (found, _) = case.same(&dedup, &texts, &records);
            assert!(found > 0, "{}", case.what);
            pairs += found;
        }
    }
    assert!(pairs > 500, "{pairs} pairs");
}

#[test]
fn paragraphs() {
    let documents: Vec<String> = short_texts(9, 120)
        .chunks(3)
        .map(|some| some.join("\n\n"))
        .collect();
    for (name, cut) in [("copies", CUTS[0]), ("messages", CUTS[2])] {
        let recipe = recipe(name, &[("unit", "paragraph"), ("threshold", "0.4")]);
        let statistics = steps::statistics(0, &[]);
        let constraints = Constraints::default();
        let method = Method::new(&recipe, &statistics, &constraints).unwrap();
        let mut units = Vec::new();
        for (number, text) in documents.iter().enumerate() {
            let own = method.units(text).into_iter();
            units.extend(own.map(|range| (number, range)));
        }
        let texts: Vec<String> = units
            .iter()
            .map(|(number, range)| documents[*number][range.clone()].to_owned())
            .collect();
        let case = Case::of(name, &recipe, cut);
        for keep in case.keep {
            let found = case.found(&texts, keep);
            let dedup = dedup(&recipe).keep(keep).unwrap();
            let outcome = dedup.run(&documents).unwrap();
            let place = |unit: (usize, Range<usize>)| units.iter().position(|other| *other == unit);
            let removed: Vec<u64> = outcome
                .removed()
                .map(|removed| id(place((removed.index, removed.range)).unwrap()))
                .collect();
            assert_eq!(found.removed, removed, "{}, {keep}", case.what);
            assert!(removed.len() > 20, "{} of {}", removed.len(), units.len());
        }
    }
}

/// What the steps send and take on a file of JSON Lines with ids and texts, against the engine:
/// `STEPS_OF=FILE STEPS_RECIPE=NAME cargo test --release --test cluster -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn what_steps_send_and_take() {
    let Ok(path) = std::env::var("STEPS_OF") else {
        return;
    };
    let name = std::env::var("STEPS_RECIPE").unwrap_or_else(|_| "copies".into());
    let lines = std::fs::read_to_string(path).unwrap();
    let texts: Vec<String> = lines
        .lines()
        .map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            record["text"].as_str().unwrap().to_owned()
        })
        .collect();
    let (recipe, constraints) = (recipe(&name, &[]), Constraints::default());
    let bytes: usize = texts.iter().map(String::len).sum();
    let inputs: Vec<Input> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| Input {
            id: id(at),
            origin: Origin::default(),
            place: None,
            text: text.clone(),
        })
        .collect();
    let cluster = Cluster {
        recipe: &recipe,
        constraints: &constraints,
        store: Store::in_rows(64),
        split: 4096,
        bits: 8,
        signature_bits: 32,
        others: 0,
        clock: RefCell::default(),
    };
    let before = Instant::now();
    let found = cluster.run(&inputs);
    let took = before.elapsed().as_secs_f64();
    let sent = cluster.store.bytes();
    for (stage, sent) in &sent {
        println!(
            "{stage:<14} {sent:>12} {:>8.3}",
            *sent as f64 / bytes as f64
        );
    }
    let all: u64 = sent.values().sum();
    println!(
        "{:<14} {all:>12} {:>8.3} bytes a byte of text",
        "all",
        all as f64 / bytes as f64
    );
    println!(
        "{} pairs; proposed {} times, {} different; {} rounds",
        found.pairs.len(),
        found.proposed[0],
        found.proposed[1],
        found.rounds
    );
    let before = Instant::now();
    let outcome = dedup(&recipe).threads(1).run(&texts).unwrap();
    let engine = before.elapsed().as_secs_f64();
    let removed: Vec<u64> = outcome.removed().map(|removed| id(removed.index)).collect();
    assert_eq!(found.removed, removed);
    let clock = cluster.clock.borrow();
    for (step, time) in clock.iter() {
        println!("{step:<14} {:>12.3} s", time.as_secs_f64());
    }
    let in_steps = clock.values().sum::<Duration>().as_secs_f64();
    println!(
        "{} removed; steps {in_steps:.2} s, with the driver {took:.2} s, engine {engine:.2} s",
        removed.len()
    );
}
