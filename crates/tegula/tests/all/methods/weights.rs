//! Weighted terms: cosines, and SimFinder's weighted resemblance.

use super::{WORDS, find, texts, with, words};
use crate::common::expanded;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tegula::evidence::Findings;
use tegula::recipe::Recipe;
use tegula::text::classes::{Class, Classes, Weights};
use tegula::text::normalise::Normalisation;

/// How often each word occurs in a text.
fn bag(text: &str) -> BTreeMap<&str, f64> {
    let mut bag = BTreeMap::new();
    for word in words(text) {
        *bag.entry(word).or_insert(0.0) += 1.0;
    }
    bag
}

/// Cosines of all pairs, with words that more than `most` texts have taken to be in every text
/// once.
fn cosines(texts: &[String], most: usize) -> BTreeMap<(u32, u32), f64> {
    let bags: Vec<_> = texts.iter().map(|text| bag(text)).collect();
    let count = |word: &str| bags.iter().filter(|bag| bag.contains_key(word)).count();
    let all: BTreeSet<&str> = bags.iter().flat_map(|bag| bag.keys().copied()).collect();
    let idf = |word: &str| (texts.len() as f64 / count(word) as f64).log2();
    let base: f64 = all
        .iter()
        .filter(|word| count(word) > most)
        .map(|word| idf(word).powi(2))
        .sum();
    let weight = |bag: &BTreeMap<&str, f64>, word: &str| {
        if count(word) > most {
            0.0
        } else {
            bag.get(word).copied().unwrap_or(0.0) * idf(word)
        }
    };
    let product = |a: &BTreeMap<&str, f64>, b: &BTreeMap<&str, f64>| {
        base + all
            .iter()
            .map(|word| weight(a, word) * weight(b, word))
            .sum::<f64>()
    };
    let mut cosines = BTreeMap::new();
    for a in 0..bags.len() {
        for b in a + 1..bags.len() {
            let shares = all
                .iter()
                .any(|word| weight(&bags[a], word) * weight(&bags[b], word) > 0.0);
            let cosine = if words(&texts[a]) == words(&texts[b]) {
                1.0
            } else if shares {
                product(&bags[a], &bags[b])
                    / (product(&bags[a], &bags[a]) * product(&bags[b], &bags[b])).sqrt()
            } else {
                // Texts that share nothing but what all have are nobody's pair.
                0.0
            };
            cosines.insert((a as u32, b as u32), cosine);
        }
    }
    cosines
}

/// SimFinder's weight of each word, by equation (1) with the frequent end low, or (2).
fn class_weights(
    texts: &[String],
    steps: &Normalisation,
    log: bool,
    length: bool,
) -> BTreeMap<String, f64> {
    let mut occurrences: BTreeMap<String, (f64, Class)> = BTreeMap::new();
    let classes = Classes::new(steps).unwrap();
    for text in texts {
        classes.for_each(text, |word, class| {
            occurrences.entry(word.to_owned()).or_insert((0.0, class)).0 += 1.0;
        });
    }
    let intervals = Weights::default();
    let scale = |n: f64| if log { n.ln() } else { n };
    let weigh = |word: &str, (count, class): (f64, Class)| {
        let of_class = || {
            occurrences
                .values()
                .filter(|(_, other)| *other == class)
                .map(|(count, _)| *count)
        };
        let (least, greatest) = (
            of_class().fold(f64::MAX, f64::min),
            of_class().fold(0.0, f64::max),
        );
        let way = if greatest > least {
            (scale(count) - scale(least)) / (scale(greatest) - scale(least))
        } else {
            0.0
        };
        let [low, high] = [
            intervals.interval(class).low,
            intervals.interval(class).high,
        ]
        .map(|n| f64::from(n) / 1000.0);
        (high - (high - low) * way)
            * if length {
                word.chars().count() as f64
            } else {
                1.0
            }
    };
    occurrences
        .iter()
        .map(|(word, of)| (word.clone(), weigh(word, *of)))
        .collect()
}

/// Equation (4).
fn weighted_resemblance(a: &str, b: &str, weights: &BTreeMap<String, f64>) -> f64 {
    let set = |text| words(text).into_iter().collect::<BTreeSet<&str>>();
    let sum = |words: BTreeSet<&str>| words.into_iter().map(|word| weights[word]).sum::<f64>();
    if words(a) == words(b) {
        return 1.0;
    }
    sum(&set(a) & &set(b)) / sum(&set(a) | &set(b))
}

/// What the fixed point of idf may take from a cosine: a word of 31 in 32 texts has an idf of 46
/// steps, which loses up to a fiftieth.
const OF_COSINES: f64 = 3e-2;
/// The same of weights by class, where the logarithm is a part of an interval only.
const OF_CLASSES: f64 = 1e-2;

/// Pairs and scores are those of the oracle, up to what fixed-point weights lose.
fn agrees(
    found: &Findings,
    truth: &BTreeMap<(u32, u32), f64>,
    threshold: f64,
    lost: f64,
) -> Result<(), TestCaseError> {
    let pairs = expanded(found);
    for (pair, (part, whole)) in &pairs {
        let score = *part as f64 / *whole as f64;
        prop_assert!(
            (score - truth[pair]).abs() < lost,
            "{pair:?}: {score}, expected {}",
            truth[pair]
        );
    }
    for (pair, score) in truth {
        prop_assert!(
            *score < threshold + lost || pairs.contains_key(pair),
            "{pair:?} with {score} is missing"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn cosines_are_those_of_plain_arithmetic_and_none_is_missing(texts in texts(WORDS.to_vec()), percent in 20..=95_u32) {
        let threshold = format!("{percent}%");
        let all = texts.len();
        for (present, floor, most) in [("5", "0", all / 20), ("5", "20", (all / 20).max(20)), ("50", "0", all / 2), ("100", "0", all)] {
            let recipe = with("cosine", &[("threshold", &threshold), ("weights.present", present), ("weights.floor", floor)]);
            agrees(&find(&texts, &recipe), &cosines(&texts, most), f64::from(percent) / 100.0, OF_COSINES)?;
        }
    }

    #[test]
    fn weighted_resemblance_is_equation_4_and_none_is_missing(texts in texts(WORDS.to_vec()), percent in 20..=95_u32) {
        let threshold = format!("{percent}%");
        for (scale, length) in [("log", true), ("log", false), ("linear", true)] {
            let fields = [("threshold", threshold.as_str()), ("weights.scale", scale), ("weights.length", if length { "true" } else { "false" })];
            let recipe = Recipe { keys: None, ..with("simfinder", &fields) };
            let weights = class_weights(&texts, &recipe.normalise, scale == "log", length);
            let mut truth = BTreeMap::new();
            for a in 0..texts.len() {
                for b in a + 1..texts.len() {
                    truth.insert((a as u32, b as u32), weighted_resemblance(&texts[a], &texts[b], &weights));
                }
            }
            agrees(&find(&texts, &recipe), &truth, f64::from(percent) / 100.0, OF_CLASSES)?;
        }
    }
}

#[test]
fn the_equations_of_simfinder_worked_by_hand() {
    // Nouns weigh 0.8 to 1, connectives 0.05 to 0.1. Of the nouns "rose" is the most frequent with
    // 4, "tulip" and "oak" the least with 1; "garden" has 2. Of the connectives "of" is the only
    // one.
    let texts = ["rose garden of tulip", "rose garden of oak", "rose", "rose"].map(str::to_owned);
    let steps = Normalisation::preset("default").unwrap();
    let close = |a: f64, b: f64| (a - b).abs() < 2e-3;
    // (1), frequent ends low, by logarithms: log 2 / log 4 is half of the way; by frequencies it is
    // a third.
    let log = class_weights(&texts, &steps, true, false);
    assert!(
        close(log["rose"], 0.8)
            && close(log["garden"], 0.9)
            && close(log["tulip"], 1.0)
            && close(log["of"], 0.1),
        "{log:?}"
    );
    let linear = class_weights(&texts, &steps, false, false);
    assert!(close(linear["garden"], 1.0 - 0.2 / 3.0));
    // (4): rose, garden and of over these with tulip and oak.
    let score = |fields: &[(&str, &str)]| {
        let recipe = Recipe {
            keys: None,
            ..with("simfinder", &[&[("threshold", "0.1")], fields].concat())
        };
        let (part, whole) = expanded(&find(&texts, &recipe))[&(0, 1)];
        part as f64 / whole as f64
    };
    assert!(close(score(&[("weights.length", "false")]), 1.8 / 3.8));
    assert!(close(
        score(&[("weights.length", "false"), ("weights.scale", "linear")]),
        (0.8 + 0.9333 + 0.1) / (2.8333 + 1.0)
    ));
    // As printed, with the frequent end high: rose 1, garden 0.9, tulip and oak 0.8, of 0.05 being
    // also the least frequent.
    assert!(close(
        score(&[("weights.length", "false"), ("weights.frequent", "high")]),
        (1.0 + 0.9 + 0.05) / (1.95 + 1.6)
    ));
    // (2): times the length: rose 3.2, garden 5.4, of 0.2, tulip 5, oak 3.
    assert!(close(score(&[]), 8.8 / 16.8));
}

#[test]
fn inequality_5_says_how_many_features_are_selected() {
    // Each word once and of one class, so that weight is length: 8 + 7 + 6 + 5 + 4 of 30. Above
    // 0.65 · 30 = 19.5 are the first three (21), and with N = 1 and λ = k + N the first four are
    // keys: texts that have only the fifth in common are not candidates.
    let first = "aaaaaaaa bbbbbbb cccccc ddddd eeee";
    let case = |other: &str, threshold: &str| {
        let fields = [
            ("threshold", threshold),
            ("keys.size", "1"),
            ("weights.length", "true"),
            ("weights.frequent", "low"),
        ];
        let mut recipe = with("simfinder", &fields);
        // All words weigh 1 by class, whatever their frequency.
        recipe = recipe
            .with("weights.intervals", "{ noun = [1000, 1000] }")
            .unwrap();
        find(&[first.to_owned(), other.to_owned()], &recipe)
            .notes
            .candidates
            .unwrap()
            .generated
    };
    assert_eq!(case("eeee q r", "0.65"), 0);
    assert_eq!(case("ddddd q r", "0.65"), 1);
    // At 0.69 it is 20.7 and still three; at 0.7 it is 21, which three do not exceed: k is four,
    // and all five are features.
    assert_eq!(case("eeee q r", "0.69"), 0);
    assert_eq!(case("eeee q r", "0.7"), 1);
}
