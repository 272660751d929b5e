//! The whole chain of steps, with bytes between all of them, against the engine.

use super::*;
use crate::Dedup;
use crate::hash::mix;
use crate::recipe::Card;
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

/// The matches of a search, the texts that are removed, and whether runs were split.
fn chain(search: &Search, texts: &[String], batch: usize) -> (Vec<Match>, Vec<u64>, bool) {
    let of_id = |id: u64| &texts[(id - BASE) as usize][..];
    let (mut rows, mut batches, mut next) = (BTreeMap::new(), Vec::new(), 0);
    for (number, some) in texts.chunks(batch).enumerate() {
        let some = some.iter().enumerate();
        let some = some.map(|(at, text)| (id(number * batch + at), &text[..]));
        let done = search.features(next, some).unwrap();
        batches.push((next..done.next_block, sent(&done.texts)));
        next = done.next_block;
        exchange(&mut rows, done.rows);
    }
    let mut members = BTreeMap::new();
    for rows in rows.values() {
        exchange(&mut members, search.share(rows));
    }
    let mut runs = BTreeMap::new();
    for (blocks, texts) in &batches {
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
            break;
        }
        rounds += 1;
        assert!(rounds < 2, "split runs are torn");
        let mut split = BTreeMap::new();
        for (partition, runs) in &runs {
            exchange(&mut split, search.split(*partition, runs, &torn));
        }
        runs = split;
    }
    let histograms: Vec<_> = lists
        .values()
        .map(|(_, histogram)| histogram.clone())
        .collect();
    let mut features: Vec<Ranked> = Vec::new();
    for ((list, _), first) in lists.values().zip(ranks(&histograms).unwrap()) {
        features.extend(sent(&search.ranked(list, &first).unwrap()));
    }
    let shared: BTreeSet<u32> = features.iter().map(|feature| feature.start()).collect();
    let mut ordered: Vec<Text> = batches.into_iter().flat_map(|(_, texts)| texts).collect();
    ordered.retain(|text| shared.contains(&text.start));
    search.order(&mut ordered);
    let mut postings: BTreeMap<u32, Vec<Posting>> = BTreeMap::new();
    for (number, some) in ordered.chunks(batch).enumerate() {
        let block = search.block(some, &features);
        let block = Block::from_bytes(&block.to_bytes()).unwrap();
        for posting in sent(&search.postings((number * batch) as u64, &block)) {
            postings.entry(posting.rank).or_default().push(posting);
        }
    }
    let mut candidates = BTreeSet::new();
    for postings in postings.values() {
        let pairs = search.candidates(postings).into_iter();
        candidates.extend(pairs.map(|(a, b)| (a.min(b), a.max(b))));
    }
    let matches: Vec<Match> = candidates
        .into_iter()
        .filter_map(|(a, b)| {
            let [a, b] = [a, b].map(|at| ordered[at as usize]);
            search.verify((a, of_id(a.id())), (b, of_id(b.id())))
        })
        .collect();
    let removed = settle(&sent(&matches)).unwrap();
    (matches, removed, rounds > 0)
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
                let search = Search::new(&settings, longest.unwrap() as u32, bits).unwrap();
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
fn recipes_that_do_not_compare_all_shingles_are_refused() {
    for recipe in ["exact", "sketch", "cosine", "onion", "messages"] {
        assert!(Search::new(&recipe_of(recipe), 100, 4).is_err(), "{recipe}");
    }
}
