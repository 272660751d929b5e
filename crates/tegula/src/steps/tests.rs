//! The whole chain of steps, with bytes between all of them, against the engine.

use super::*;
use crate::Dedup;
use crate::hash::mix;
use crate::recipe::{Card, Recipe};
use crate::statistics::Statistics;
use std::collections::BTreeSet;

/// Through bytes and back.
fn sent<T: Column>(rows: &[T]) -> Vec<T> {
    from_bytes(&to_bytes(rows)).unwrap()
}

/// Adds columns to those with the same key, as machines exchange them.
fn exchange<K: Ord, T: Column>(all: &mut BTreeMap<K, Vec<T>>, more: BTreeMap<K, Vec<T>>) {
    for (key, rows) in more {
        all.entry(key).or_default().extend(sent(&rows));
    }
}

/// Ids need not be small.
const BASE: u64 = 1 << 40;

fn id(at: usize) -> u64 {
    BASE + at as u64
}

fn recipe_of(name: &str) -> Recipe {
    Card::named(name).unwrap().recipe()
}

/// The texts of a collection in batches, and their rows, as machines exchange them.
#[derive(Default)]
struct Exchanged {
    /// With the blocks of positions of each batch.
    batches: Vec<(Range<u64>, Vec<Text>)>,
    rows: BTreeMap<u32, Vec<Row>>,
    occurrences: BTreeMap<u32, Vec<Occurrence>>,
    equals: BTreeMap<u32, Vec<Occurrence>>,
}

fn features(search: &Search, texts: &[String], batch: usize) -> Exchanged {
    let (mut all, mut next) = (Exchanged::default(), 0);
    for (number, some) in texts.chunks(batch).enumerate() {
        let some = some.iter().enumerate();
        let some = some.map(|(at, text)| (id(number * batch + at), &text[..]));
        let done = search.features(next, some).unwrap();
        all.batches.push((next..done.next, sent(&done.texts)));
        next = done.next;
        exchange(&mut all.rows, done.rows);
        exchange(&mut all.occurrences, done.occurrences);
        exchange(&mut all.equals, done.equals);
    }
    all
}

type Lists = BTreeMap<u32, (Vec<u32>, Histogram)>;

/// The runs of all partitions, and whether any were split.
fn lists_of_runs(search: &Search, all: &Exchanged) -> (Lists, bool) {
    let mut members = BTreeMap::new();
    for rows in all.rows.values() {
        exchange(&mut members, search.share(rows));
    }
    let mut runs = BTreeMap::new();
    for (blocks, texts) in &all.batches {
        let own = members.range(blocks.clone());
        let own = own
            .map(|(block, members)| (*block, members.clone()))
            .collect();
        exchange(&mut runs, search.runs(texts, &own).unwrap());
    }
    let mut lists = BTreeMap::new();
    let mut rounds = 0;
    loop {
        let mut torn = Vec::new();
        lists.clear();
        for (partition, runs) in &runs {
            match search.lists(*partition, runs) {
                Listed::Runs(list, histogram) => drop(lists.insert(*partition, (list, histogram))),
                Listed::Torn(some) => torn.extend(some),
            }
        }
        if torn.is_empty() {
            return (lists, rounds > 0);
        }
        rounds += 1;
        assert!(rounds < 2, "split runs are torn");
        let mut split = BTreeMap::new();
        for (partition, runs) in &runs {
            exchange(&mut split, search.split(*partition, runs, &torn));
        }
        runs = split;
    }
}

/// The candidates of a complete search, by id.
fn joined(search: &Search, lists: &Lists, mut texts: Vec<Text>, batch: usize) -> Vec<(u64, u64)> {
    let histograms: Vec<_> = lists
        .values()
        .map(|(_, histogram)| histogram.clone())
        .collect();
    let mut features: Vec<Ranked> = Vec::new();
    for ((list, _), first) in lists.values().zip(ranks(&histograms).unwrap()) {
        features.extend(sent(&search.ranked(list, &first).unwrap()));
    }
    let shared: BTreeSet<u32> = features.iter().map(|feature| feature.start()).collect();
    texts.retain(|text| shared.contains(&text.start));
    search.order(&mut texts);
    let mut postings: BTreeMap<u32, Vec<Posting>> = BTreeMap::new();
    for (number, some) in texts.chunks(batch).enumerate() {
        let block = search.block(some, &features);
        let block = Block::from_bytes(&block.to_bytes()).unwrap();
        for posting in sent(&search.postings((number * batch) as u64, &block)) {
            postings.entry(posting.rank).or_default().push(posting);
        }
    }
    let pairs = postings.values().flat_map(|rows| search.candidates(rows));
    let by_id = pairs.map(|(a, b)| (texts[a as usize].id(), texts[b as usize].id()));
    by_id.collect()
}

/// The matches of a search, the texts that are removed, and whether runs were split.
fn chain(search: &Search, texts: &[String], batch: usize) -> (Vec<Match>, Vec<u64>, bool) {
    let all = features(search, texts, batch);
    let every: Vec<Text> = all
        .batches
        .iter()
        .flat_map(|(_, some)| some.clone())
        .collect();
    let meet = |rows: &Vec<Occurrence>| search.meet(rows);
    let equal: Vec<(u64, u64)> = all.equals.values().flat_map(meet).collect();
    let (found, is_split) = match search.finds() {
        Finds::Runs => {
            let (lists, is_split) = lists_of_runs(search, &all);
            (joined(search, &lists, every.clone(), batch), is_split)
        }
        Finds::Features => {
            let rows = all.occurrences.iter();
            let lists = rows.map(|(partition, rows)| (*partition, search.listed(rows)));
            (
                joined(search, &lists.collect(), every.clone(), batch),
                false,
            )
        }
        Finds::Keys => {
            let met = all.occurrences.values().flat_map(meet);
            (search.candidates_by_keys(met.collect()), false)
        }
    };
    let pairs = found.into_iter().chain(equal);
    let candidates: BTreeSet<(u64, u64)> = pairs.map(|(a, b)| (a.min(b), a.max(b))).collect();
    let of = |id: u64| {
        let at = (id - BASE) as usize;
        (every[at], &texts[at][..])
    };
    let matches: Vec<Match> = candidates
        .into_iter()
        .filter_map(|(a, b)| search.verify(of(a), of(b)))
        .collect();
    let removed = settle(&sent(&matches)).unwrap();
    (matches, removed, is_split)
}

/// Texts with copies, parts and repeats, some longer than a block of positions.
fn texts(seed: u64, count: usize) -> Vec<String> {
    let word = |seed: u64| format!("w{}", mix(seed) % 5000);
    let mut all: Vec<Vec<String>> = Vec::new();
    for at in 0..count as u64 {
        let draw = |step: u64| mix(seed ^ (at << 20) ^ step);
        let length = if draw(1) % 37 == 0 {
            70_000
        } else {
            draw(2) % 90
        };
        let mut words: Vec<String> = (0..length).map(|place| word(draw(3) ^ place)).collect();
        if at > 0 && draw(4) % 2 == 0 {
            let other = &all[(draw(5) % at) as usize];
            let from = (draw(6) as usize % (other.len() + 1)) / 3;
            words.truncate(draw(7) as usize % 20);
            words.extend_from_slice(&other[from..]);
        }
        if draw(8) % 5 == 0 {
            let again = words.clone();
            words.extend(again);
        }
        for edit in 0..draw(9) % 4 {
            if !words.is_empty() {
                let place = draw(10 + edit) as usize % words.len();
                words[place] = word(draw(20 + edit));
            }
        }
        all.push(words);
    }
    all.iter().map(|words| words.join(" ")).collect()
}

#[test]
fn steps_with_bytes_between_them_equal_the_engine() {
    let (mut found, mut splits) = (0, 0);
    for (seed, count) in [(1, 3), (2, 60), (3, 150), (4, 80)] {
        let texts = texts(seed, count);
        let longest = texts.iter().map(|text| text.split(' ').count()).max();
        for recipe in [
            "copies",
            "ssr",
            "sscr",
            "ssr-containment",
            "sscr-containment",
        ] {
            for (n, bits, batch, signature_bits) in
                [(5, 4, 7, 32), (3, 12, 1000, 32), (2, 12, 20, 3)]
            {
                let dedup = Dedup::recipe(recipe)
                    .unwrap()
                    .threshold("0.5")
                    .unwrap()
                    .ngram(n)
                    .unwrap()
                    .keep("first")
                    .unwrap();
                let mut settings = recipe_of(recipe);
                (settings.ngram, settings.threshold) = (n, "0.5".parse().unwrap());
                let none = Statistics::default();
                let method = Method::new(&settings, &none).unwrap();
                let search = Search::new(&method, longest.unwrap() as u32, bits).unwrap();
                let search = search.signature_bits(signature_bits);
                let (matches, removed, is_split) = chain(&search, &texts, batch);
                let what = format!("{recipe}, {n} tokens, collection {seed}");
                let wanted = dedup.pairs(&texts).unwrap();
                let mut wanted: Vec<(u64, u64)> = wanted
                    .to_vec()
                    .unwrap()
                    .iter()
                    .map(|pair| (id(pair.a), id(pair.b)))
                    .collect();
                let mut pairs: Vec<(u64, u64)> = matches.iter().map(|pair| pair.ids()).collect();
                wanted.sort_unstable();
                pairs.sort_unstable();
                assert_eq!(pairs, wanted, "{what}");
                found += pairs.len();
                splits += usize::from(is_split);
                let outcome = dedup.run(&texts).unwrap();
                let gone: Vec<u64> = outcome.removed().map(|removed| id(removed.index)).collect();
                assert_eq!(removed, gone, "{what}");
            }
        }
    }
    assert!(found > 1000 && splits > 4, "{found} pairs, {splits} splits");
}

#[test]
fn damaged_columns_and_others_are_refused() {
    let rows = [Row(7_u64.into()), Row((1_u64 << 40).into())];
    let bytes = to_bytes(&rows);
    assert_eq!(sent(&rows), rows);
    assert!(from_bytes::<Posting>(&bytes).is_err());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        assert!(from_bytes::<Row>(&damaged).is_err() && from_bytes::<Row>(&bytes[..at]).is_err());
    }
}

#[test]
fn steps_over_features_and_keys_equal_the_engine() {
    let mut found = 0;
    for (seed, count) in [(1, 3), (5, 70), (6, 130)] {
        let mut texts = texts(seed, count);
        texts.retain(|text| text.len() < 2000);
        texts.extend(["", "", "…", "w1 w1 w1", "w1 w1"].map(String::from));
        let longest = texts.iter().map(|text| text.split(' ').count()).max();
        for (recipe, fields) in [
            ("cosine", &[("threshold", "0.4")][..]),
            ("cosine", &[("threshold", "0.5"), ("weights.present", "5")]),
            (
                "cosine",
                &[("measure", "weighted-resemblance"), ("threshold", "0.3")],
            ),
            ("messages", &[("unmasked", "ignore"), ("threshold", "0.4")]),
            ("cops", &[("threshold", "0.5")]),
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
            (
                "simfinder",
                &[
                    ("transitive", "false"),
                    ("unmasked", "ignore"),
                    ("threshold", "0.3"),
                ],
            ),
        ] {
            let start = recipe_of(recipe);
            let set =
                |recipe: Recipe, (key, value): &(&str, &str)| recipe.with(key, value).unwrap();
            let settings = fields.iter().fold(start, set);
            let all = texts.iter().map(|text| &text[..]);
            // Counted in two parts.
            let (some, others) = (all.clone().take(7), all.skip(7));
            let mut counted = sent(&counts(&settings, some).unwrap());
            counted.extend(counts(&settings, others).unwrap());
            let known = statistics(texts.len() as u64, &counted);
            let method = Method::new(&settings, &known).unwrap();
            let search = Search::new(&method, longest.unwrap() as u32, 3).unwrap();
            let (matches, removed, _) = chain(&search, &texts, 11);
            let what = format!("{recipe} {fields:?}, collection {seed}");
            let dedup = Dedup::toml(&settings.to_toml().unwrap()).unwrap();
            let dedup = dedup.keep("first").unwrap();
            let wanted = dedup.pairs(&texts).unwrap().to_vec().unwrap();
            let mut wanted: Vec<(u64, u64)> =
                wanted.iter().map(|pair| (id(pair.a), id(pair.b))).collect();
            wanted.sort_unstable();
            let mut pairs: Vec<(u64, u64)> = matches.iter().map(|pair| pair.ids()).collect();
            pairs.sort_unstable();
            assert_eq!(pairs, wanted, "{what}");
            found += pairs.len();
            let outcome = dedup.run(&texts).unwrap();
            let gone: Vec<u64> = outcome.removed().map(|removed| id(removed.index)).collect();
            assert_eq!(removed, gone, "{what}");
        }
    }
    assert!(found > 1000, "{found} pairs");
}

#[test]
fn recipes_without_steps_are_refused() {
    for recipe in [
        "exact",
        "onion",
        "passages",
        "messages",
        "revisions",
        "simfinder",
    ] {
        let (recipe, none) = (recipe_of(recipe), Statistics::default());
        let method = Method::new(&recipe, &none).unwrap();
        assert!(Search::new(&method, 100, 4).is_err(), "{}", recipe.recipe);
    }
}
