//! What each method promises, against oracles that share no code with it, and known answers from
//! the papers.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too")]

mod common;

use common::{Memory, expanded, oracle_score, run, settings};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tegula::constraint::Constraints;
use tegula::evidence::Findings;
use tegula::hash::{self, Fingerprint, Width};
use tegula::recipe::{Measure, Recipe};
use tegula::shingle::Shingler;
use tegula::sketch::bands::Bands;
use tegula::sketch::minwise::{self, MinWise};
use tegula::sketch::modulo::Modulo;
use tegula::sketch::simhash;
use tegula::sketch::super_shingle::SuperShingles;
use tegula::text::classes::{Class, Classes, Weights};
use tegula::text::normalise::Normalisation;

fn find(texts: &[String], recipe: &Recipe) -> Findings {
    run(
        &Memory::new(texts, 7),
        recipe,
        &Constraints::default(),
        settings()[0],
    )
}

fn with(name: &str, fields: &[(&str, &str)]) -> Recipe {
    fields
        .iter()
        .fold(Recipe::named(name).unwrap(), |recipe, (key, value)| {
            recipe.with(key, value).unwrap()
        })
}

/// Texts of which many share much: words drawn from `words`, edits, and everything twice in another
/// order.
fn texts(words: Vec<&'static str>) -> impl Strategy<Value = Vec<String>> {
    let text = prop::collection::vec(prop::sample::select(words), 1..14);
    let change = (
        0..4_u8,
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
    );
    (
        prop::collection::vec(text, 1..10),
        prop::collection::vec(change, 0..30),
    )
        .prop_map(|(mut texts, changes)| {
            for (kind, which, place) in changes {
                let mut copy = texts[which.index(texts.len())].clone();
                let at = place.index(copy.len());
                match kind {
                    0 => copy[at] = "window",
                    1 => copy.insert(at, "never"),
                    2 => copy.rotate_left(at),
                    _ => copy.truncate(at.max(1)),
                }
                texts.push(copy);
            }
            texts.iter().map(|words| words.join(" ")).collect()
        })
}

const WORDS: [&str; 16] = [
    "the",
    "and",
    "rose",
    "is",
    "garden",
    "he",
    "two",
    "very",
    "ärger",
    "of",
    "blue",
    "house",
    "seventeen",
    "mine",
    "quickly",
    "x",
];

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

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
            let cosine = match words(&texts[a]) == words(&texts[b]) {
                true => 1.0,
                // Texts that share nothing but what all have are nobody's pair.
                false if !shares => 0.0,
                false => {
                    product(&bags[a], &bags[b])
                        / (product(&bags[a], &bags[a]) * product(&bags[b], &bags[b])).sqrt()
                }
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
        for (present, most) in [("5", texts.len() / 20), ("50", texts.len() / 2), ("100", texts.len())] {
            let recipe = with("cosine", &[("threshold", &threshold), ("weights.present", present)]);
            agrees(&find(&texts, &recipe), &cosines(&texts, most.max(20)), f64::from(percent) / 100.0, OF_COSINES)?;
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

    #[test]
    fn texts_that_share_a_key_are_candidates_and_the_measure_decides(texts in texts(WORDS.to_vec()), n in 1..4_usize) {
        let ngram = n.to_string();
        let recipes = [
            ("keys", "{ type = 'words', size = 2 }"),
            ("keys", "{ type = 'min-wise', minima = 20, bands = 5, rows = 4 }"),
            ("keys", "{ type = 'super-shingle', minima = 24, size = 4 }"),
            ("keys", "{ type = 'modulo', modulus = 4 }"),
            ("keys", "{ type = 'super-modulo', modulus = 2, size = 3 }"),
        ];
        for ((at, keys), least) in recipes.into_iter().enumerate().flat_map(|keys| [(keys, 1), (keys, 3)]) {
            let least_keys = least.to_string();
            let recipe = with("ssr", &[("ngram", &ngram), ("threshold", "0.3"), keys, ("least_keys", &least_keys)]);
            let keys: Vec<BTreeSet<Vec<u64>>> = texts.iter().map(|text| keys_of(at, text, n)).collect();
            let mut truth = BTreeMap::new();
            for a in 0..texts.len() {
                for b in a + 1..texts.len() {
                    let (part, whole) = oracle_score(Measure::Resemblance, &texts[a], &texts[b], n);
                    let is_candidate = (&keys[a] & &keys[b]).len() >= least || words(&texts[a]) == words(&texts[b]);
                    if is_candidate && part * 10 >= 3 * whole {
                        truth.insert((a as u32, b as u32), part as f64 / whole as f64);
                    }
                }
            }
            let found = find(&texts, &recipe);
            let found: BTreeMap<_, _> = expanded(&found).into_iter().map(|(pair, (part, whole))| (pair, part as f64 / whole as f64)).collect();
            prop_assert_eq!(found, truth, "{}", recipe.to_toml().unwrap());
        }
    }

    #[test]
    fn simhashes_within_the_distance_are_all_found(texts in texts(WORDS.to_vec()), distance in 0..=12_u32, n in 1..3_usize) {
        let recipe = with("simhash", &[("ngram", &n.to_string()), ("threshold", &format!("{}/64", 64 - distance))]);
        let found = expanded(&find(&texts, &recipe));
        let bits: Vec<u64> = texts.iter().map(|text| simhash::of_equal_weights(&ids(text, n))).collect();
        for a in 0..texts.len() {
            for b in a + 1..texts.len() {
                let differ = simhash::hamming(bits[a], bits[b]);
                let equal = words(&texts[a]) == words(&texts[b]);
                let expected = if equal { Some((1, 1)) } else { (differ <= distance).then_some((64 - u64::from(differ), 64)) };
                prop_assert_eq!(found.get(&(a as u32, b as u32)).copied(), expected);
            }
        }
    }

    #[test]
    fn estimates_are_the_share_of_slots_that_agree(texts in texts(WORDS.to_vec()), n in 1..3_usize) {
        let keys = "{ type = 'min-wise', minima = 20, bands = 20, rows = 1 }";
        let fields = [("measure", "agreement"), ("ngram", &n.to_string()), ("threshold", "0.1"), ("keys", keys)];
        let found = find(&texts, &with("sketch", &fields));
        prop_assert!(found.pairs().unwrap().scoring().is_estimate());
        let found = expanded(&found);
        let sketch = |text: &str| {
            let mut out = Vec::new();
            MinWise::new(20, 0).minima(&ids(text, n), &mut out);
            out
        };
        for a in 0..texts.len() {
            for b in a + 1..texts.len() {
                let agree = u64::from(minwise::agreement(&sketch(&texts[a]), &sketch(&texts[b])));
                let equal = words(&texts[a]) == words(&texts[b]);
                let expected = if equal { Some((1, 1)) } else { (agree * 10 >= 20).then_some((agree, 20)) };
                prop_assert_eq!(found.get(&(a as u32, b as u32)).copied(), expected);
            }
        }
    }

    #[test]
    fn containment_is_estimated_from_slots_and_sizes(texts in texts(WORDS.to_vec()), n in 1..3_usize) {
        let keys = "{ type = 'min-wise', minima = 20, bands = 20, rows = 1 }";
        let fields = [("measure", "resemblance-containment"), ("ngram", &n.to_string()), ("threshold", "0.3"), ("keys", keys)];
        let found = find(&texts, &with("sketch", &fields).estimated().unwrap());
        prop_assert!(found.pairs().unwrap().scoring().is_estimate());
        let found = expanded(&found);
        let sketch = |text: &str| {
            let mut out = Vec::new();
            MinWise::new(20, 0).minima(&ids(text, n), &mut out);
            out
        };
        for a in 0..texts.len() {
            for b in a + 1..texts.len() {
                let agree = f64::from(minwise::agreement(&sketch(&texts[a]), &sketch(&texts[b])));
                let sizes = [a, b].map(|text| ids(&texts[text], n).into_iter().collect::<BTreeSet<_>>().len() as f64);
                let least = sizes[0].min(sizes[1]);
                let shared = (agree / (20.0 + agree) * (sizes[0] + sizes[1])).round().min(least);
                let score = found.get(&(a as u32, b as u32)).map(|(part, whole)| *part as f64 / *whole as f64);
                if words(&texts[a]) == words(&texts[b]) {
                    prop_assert_eq!(score, Some(1.0));
                } else if agree > 0.0 && shared / least >= 0.3 {
                    prop_assert!((score.unwrap() - shared / least).abs() < 1e-9);
                } else {
                    prop_assert_eq!(score, None);
                }
            }
        }
    }

    #[test]
    fn selected_shingles_are_compared_as_sets(texts in texts(WORDS.to_vec()), n in 1..3_usize) {
        for (select, field) in [(0, "{ type = 'every', nth = 3 }"), (1, "{ type = 'modulo', modulus = 3 }"), (2, "{ type = 'winnow', window = 4 }")] {
            let found = find(&texts, &with("ssr", &[("ngram", &n.to_string()), ("threshold", "0.4"), ("select", field)]));
            prop_assert!(found.pairs().unwrap().scoring().is_estimate());
            let found = expanded(&found);
            let sets: Vec<BTreeSet<u64>> = texts.iter().map(|text| selected(select, &ids(text, n))).collect();
            for a in 0..texts.len() {
                for b in a + 1..texts.len() {
                    let (part, whole) = ((&sets[a] & &sets[b]).len() as u64, (&sets[a] | &sets[b]).len() as u64);
                    let equal = words(&texts[a]) == words(&texts[b]);
                    let expected = if equal { Some((1, 1)) } else { (part * 10 >= 4 * whole).then_some((part, whole)) };
                    prop_assert_eq!(found.get(&(a as u32, b as u32)).copied(), expected, "{}", field);
                }
            }
        }
    }
}

fn ids(text: &str, n: usize) -> Vec<u64> {
    let tokens: Vec<Fingerprint> = words(text)
        .iter()
        .map(|word| hash::token(word.as_bytes()))
        .collect();
    let mut ids = Vec::new();
    Shingler::new(n, Width::FULL).ids(&tokens, &mut ids);
    ids
}

/// Keys of a text, each as numbers that no other key has.
fn keys_of(kind: usize, text: &str, n: usize) -> BTreeSet<Vec<u64>> {
    let (ids, mut minima, mut keys) = (ids(text, n), Vec::new(), Vec::new());
    match kind {
        0 => {
            let words = words(text);
            let fingerprint = |word: &&str| hash::token(word.as_bytes()).id;
            return words
                .windows(2.min(words.len()))
                .map(|run| run.iter().map(fingerprint).collect())
                .collect();
        }
        1 => {
            MinWise::new(20, 0).minima(&ids, &mut minima);
            Bands::new(5, 4).unwrap().keys(&minima, &mut keys);
        }
        2 => {
            let supers = SuperShingles::new(24, 4).unwrap();
            supers.min_wise(0).minima(&ids, &mut minima);
            supers.keys(&ids, &minima, &mut keys);
        }
        4 => {
            let mut sample: Vec<u64> = ids.iter().copied().filter(|id| id % 2 == 0).collect();
            if sample.is_empty() {
                sample.extend(ids.iter().min());
            }
            sample.sort_unstable();
            sample.dedup();
            let size = 3.min(sample.len()).max(1);
            return sample.windows(size).map(<[u64]>::to_vec).collect();
        }
        _ => {
            let mut sample = Vec::new();
            Modulo::new(4).unwrap().sample(&ids, &mut sample);
            return sample.into_iter().map(|id| vec![id]).collect();
        }
    }
    keys.into_iter()
        .map(|key| vec![key.id, key.check])
        .collect()
}

/// The shingles that a selection leaves, as each is defined.
fn selected(select: usize, ids: &[u64]) -> BTreeSet<u64> {
    match select {
        0 => ids.iter().step_by(3).copied().collect(),
        1 => {
            let kept: BTreeSet<u64> = ids.iter().copied().filter(|id| id % 3 == 0).collect();
            if kept.is_empty() {
                ids.iter().min().copied().into_iter().collect()
            } else {
                kept
            }
        }
        _ => ids
            .windows(4.min(ids.len()))
            .filter_map(|window| window.iter().min().copied())
            .collect(),
    }
}

/// `count` pairs of texts that share nothing with other pairs: `shared` words in both, `own` in
/// each alone.
fn planted(count: usize, shared: usize, own: usize, salt: &str) -> Vec<String> {
    let word = |pair: usize, i: usize| format!("{salt}p{pair}w{i}");
    let of = |pair: usize, side: usize| {
        let alone = shared + side * own..shared + (side + 1) * own;
        (0..shared)
            .chain(alone)
            .map(|i| word(pair, i))
            .collect::<Vec<String>>()
            .join(" ")
    };
    (0..count)
        .flat_map(|pair| [of(pair, 0), of(pair, 1)])
        .collect()
}

#[test]
fn min_wise_recall_is_what_the_curve_says() {
    const PAIRS: usize = 1000;
    for (bands, rows) in [(14, 8), (4, 3), (6, 14)] {
        let keys = format!(
            "{{ type = 'min-wise', minima = {}, bands = {bands}, rows = {rows} }}",
            bands * rows
        );
        let recipe = with(
            "sketch",
            &[("ngram", "1"), ("threshold", "0.3"), ("keys", &keys)],
        );
        // 60 of 100 and 40 of 50 words are shared.
        for (shared, own, resemblance) in [(60, 20, 0.6), (40, 5, 0.8)] {
            let found = find(&planted(PAIRS, shared, own, "a"), &recipe);
            let p = Bands::new(bands, rows).unwrap().collision(resemblance);
            let (expected, deviation) = (PAIRS as f64 * p, (PAIRS as f64 * p * (1.0 - p)).sqrt());
            let hits = found.pairs().unwrap().pairs.len() as f64;
            assert!(
                (hits - expected).abs() < 4.0 * deviation + 1.0,
                "{bands} × {rows} at {resemblance}: {hits}, expected {expected}"
            );
        }
    }
}

#[test]
fn a_rose_is_a_rose() {
    // Broder 1997: {a rose is a rose is a rose} has three 4-shingles: (a rose is a), (rose is a
    // rose), (is a rose is).
    let texts = [
        "a rose is a rose is a rose",
        "a rose is a rose is",
        "is a rose is a",
    ]
    .map(str::to_owned);
    let found = find(
        &texts,
        &with("ssr", &[("ngram", "4"), ("threshold", "0.1")]),
    );
    // The last has two of them.
    assert_eq!(found.pairs().unwrap().set_sizes(), [3, 3, 2]);
    assert_eq!(
        expanded(&found),
        BTreeMap::from([((0, 1), (3, 3)), ((0, 2), (2, 3)), ((1, 2), (2, 3))])
    );
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

#[test]
fn i_match_compares_the_sha1_of_the_middling_words() {
    // Of eight texts two share their middling words in another order, with other rare and common
    // words around; "all" is in every text.
    let mut texts: Vec<String> = [
        "all Baum Haus zug ärger first",
        "all ärger zug second Haus Baum",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.extend((0..6).map(|i| format!("all filler{i} other{i} words{i} entirely{i}")));
    let recipe = with("i-match", &[("keys.lexicons", "0"), ("threshold", "1")]);
    let found = find(&texts, &recipe);
    assert_eq!(expanded(&found), BTreeMap::from([((0, 1), (1, 1))]));
    // With one of the four words less in one of them, the digests differ and there are too few
    // words for another.
    texts[1] = "all ärger zug second Haus".into();
    assert!(expanded(&find(&texts, &recipe)).is_empty());
}

#[test]
fn texts_with_too_few_terms_for_i_match_equal_their_like_only() {
    let mut texts: Vec<String> = ["ab", "cd", "Ab!", "ef gh", "gh ef", ""]
        .map(str::to_owned)
        .to_vec();
    texts.extend((0..20).map(|i| format!("some longer text number{i} filler{i}")));
    let found = expanded(&find(&texts, &with("i-match", &[])));
    assert_eq!(found, BTreeMap::from([((0, 2), (1, 1))]));
}
