//! A search on a cluster and the same by the engine, over texts that are made.

use crate::driver::{Cluster, Found, Input};
use crate::store::Store;
use std::cell::RefCell;
use tegula::{Dedup, Record};
use tegula_run::steps::{Constraints, Origin, Recipe};

pub(crate) fn mix(seed: u64) -> u64 {
    let mixed = (seed ^ (seed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Texts with copies, parts and repeats, some longer than a block of positions.
pub(crate) fn texts(seed: u64, count: usize) -> Vec<String> {
    let word = |seed: u64| format!("w{}", mix(seed) % 5000);
    let mut all: Vec<Vec<String>> = Vec::new();
    for at in 0..count as u64 {
        let draw = |step: u64| mix(seed << 40 ^ (at << 20) ^ step);
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

/// Short texts, some with links, numbers and amounts in which their copies may differ.
pub(crate) fn short_texts(seed: u64, count: usize) -> Vec<String> {
    let mut texts = texts(seed, count);
    texts.retain(|text| text.len() < 2000);
    for (at, text) in (0..).zip(&mut texts) {
        match mix(seed ^ at << 8) % 5 {
            0 => text
                .push_str([" call 030 1000000 now", " call 030 1000001 now"][mix(at) as usize % 2]),
            1 => text.push_str(
                [" see http://example.org/0", " see http://example.org/1"][mix(at) as usize % 2],
            ),
            _ => {}
        }
    }
    let again: Vec<String> = texts.iter().step_by(9).cloned().collect();
    texts.extend(again);
    texts.extend(["", "", "…", "w1 w1 w1", "w1 w1"].map(String::from));
    texts
}

pub(crate) fn recipe(name: &str, fields: &[(&str, &str)]) -> Recipe {
    let start = tegula_run::recipe(name).unwrap().stages[0].recipe.clone();
    let set = |recipe: Recipe, (key, value): &(&str, &str)| recipe.with(key, value).unwrap();
    fields.iter().fold(start, set)
}

/// How a collection is cut: texts in a split, bits of the partitions of features, of signatures, and
/// partitions that data are sent to.
pub(crate) type Cut = (usize, u32, u32, u64);

pub(crate) const CUTS: [Cut; 4] = [
    (7, 4, 32, 1),
    (1000, 12, 32, 3),
    (20, 12, 3, 8),
    (11, 3, 32, 8192),
];

/// Ids need not be small.
pub(crate) fn id(at: usize) -> u64 {
    (1 << 40) + at as u64
}

/// The search on a cluster against the engine's under each keep order.
pub(crate) struct Case<'a> {
    pub(crate) what: String,
    pub(crate) recipe: &'a Recipe,
    pub(crate) constraints: Constraints,
    pub(crate) origins: Vec<Origin>,
    pub(crate) cut: Cut,
    pub(crate) others: u64,
    pub(crate) keep: &'a [&'a str],
    pub(crate) through_files: bool,
}

impl<'a> Case<'a> {
    pub(crate) fn of(what: &str, recipe: &'a Recipe, cut: Cut) -> Self {
        Self {
            what: format!("{what} {recipe:?}, {cut:?}"),
            recipe,
            constraints: Constraints::default(),
            origins: Vec::new(),
            cut,
            others: 0,
            keep: &["longest", "first"],
            through_files: false,
        }
    }

    pub(crate) fn found(&self, texts: &[String], keep: &str) -> Found {
        let (split, bits, signature_bits, partitions) = self.cut;
        let folder = tempfile::tempdir().unwrap();
        let store = if self.through_files {
            Store::in_files(folder.path().to_owned(), partitions)
        } else {
            Store::in_batches(partitions)
        };
        let cluster = Cluster {
            recipe: self.recipe,
            constraints: &self.constraints,
            store,
            split,
            bits,
            signature_bits,
            others: self.others,
            clock: RefCell::default(),
        };
        let inputs: Vec<Input> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| Input {
                id: id(at),
                origin: self.origins.get(at).copied().unwrap_or_default(),
                place: match keep {
                    "longest" => None,
                    "first" => Some(0),
                    // The day is in the text's number.
                    _ => Some(u64::MAX - day(at)),
                },
                text: text.clone(),
            })
            .collect();
        cluster.run(&inputs)
    }

    /// The number of pairs, and whether chains were split.
    pub(crate) fn same<'t>(
        &self,
        dedup: &Dedup<'t>,
        texts: &[String],
        records: &[Record<'t>],
    ) -> (usize, bool) {
        let wanted = dedup
            .pairs(records.iter().cloned())
            .unwrap()
            .to_vec()
            .unwrap();
        // References are numbered after the texts.
        let second = |pair: &tegula::Pair| {
            pair.b
                + if pair.with_reference {
                    records.len()
                } else {
                    0
                }
        };
        let mut wanted: Vec<(u64, u64)> = wanted
            .iter()
            .map(|pair| (id(pair.a), id(second(pair))))
            .collect();
        wanted.sort_unstable();
        let mut is_split = false;
        for keep in self.keep {
            let found = self.found(texts, keep);
            is_split |= found.is_split;
            assert_eq!(found.pairs, wanted, "{}", self.what);
            let dedup = dedup.clone().keep(keep).unwrap();
            let outcome = dedup.run(records.iter().cloned()).unwrap();
            let removed: Vec<u64> = outcome.removed().map(|removed| id(removed.index)).collect();
            assert_eq!(found.removed, removed, "{}, {keep}", self.what);
        }
        (wanted.len(), is_split)
    }
}

pub(crate) fn dedup(recipe: &Recipe) -> Dedup<'static> {
    Dedup::toml(&recipe.to_toml().unwrap()).unwrap()
}

pub(crate) fn day(at: usize) -> u64 {
    1 + mix(at as u64) / 3 % 28
}

pub(crate) fn records(texts: &[String]) -> Vec<Record<'static>> {
    let record = |(at, text): (usize, &String)| {
        let source = ["a", "b", "c"][mix(at as u64) as usize % 3];
        let date = format!("2020-01-{:02}", day(at));
        Record::new(text.clone())
            .field("source", source)
            .field("date", date)
    };
    texts.iter().enumerate().map(record).collect()
}
