//! Shingles, and the keys and signatures that are made of them.

use super::{WORDS, find, texts, with, words};
use crate::common::{expanded, oracle_score};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tegula::hash::{self, Fingerprint, Width};
use tegula::recipe::Measure;
use tegula::shingle::Shingler;
use tegula::sketch::bands::Bands;
use tegula::sketch::minwise::{self, MinWise};
use tegula::sketch::modulo::Modulo;
use tegula::sketch::simhash;
use tegula::sketch::super_shingle::SuperShingles;

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

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
        for a in 0..texts.len() {
            for b in a + 1..texts.len() {
                let agree = u64::from(minwise::agreement(&sketch(&texts[a], n), &sketch(&texts[b], n)));
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
        for a in 0..texts.len() {
            for b in a + 1..texts.len() {
                let agree = f64::from(minwise::agreement(&sketch(&texts[a], n), &sketch(&texts[b], n)));
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

/// Twenty minima of a text.
fn sketch(text: &str, n: usize) -> Vec<u32> {
    let mut out = Vec::new();
    MinWise::new(20, 0).minima(&ids(text, n), &mut out);
    out
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
