//! A driver: it routes what one step leaves to the next, and decides nothing.
//!
//! Tasks see a split of the texts, or one partition of what others sent. What many tasks need (first
//! numbers of splits, histograms, torn chains) is small, and goes through the driver.

use crate::matches::passes;
use crate::store::{Sent, Store};
use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt32Type;
use arrow_array::{RecordBatch, StringArray, UInt32Array};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tegula_run::steps;
use tegula_run::steps::{
    Batch, Candidate, Constraints, Count, Equal, Extent, Feature, Finds, Given, Histogram, Lighter,
    Listed, Match, Method, Occurrence, Origin, Posting, Ranked, Recipe, Rows, Search, Shared, Text,
    Twins, Whole,
};

/// A text of the collection.
#[derive(Clone)]
pub(crate) struct Input {
    pub(crate) id: u64,
    pub(crate) origin: Origin,
    pub(crate) place: Option<u64>,
    pub(crate) text: String,
}

/// A run.
pub(crate) struct Cluster<'a> {
    pub(crate) recipe: &'a Recipe,
    pub(crate) constraints: &'a Constraints,
    pub(crate) store: Store,
    /// Texts in a split.
    pub(crate) split: usize,
    /// Of the partitions of features, as a power of two.
    pub(crate) bits: u32,
    /// Bits of the signatures of chains.
    pub(crate) signature_bits: u32,
    /// Tokens that the search is told of besides those that it sees.
    pub(crate) others: u64,
    /// Time in each step.
    pub(crate) clock: RefCell<BTreeMap<&'static str, Duration>>,
}

/// What a run found.
pub(crate) struct Found {
    /// The ids of all pairs.
    pub(crate) pairs: Vec<(u64, u64)>,
    pub(crate) removed: Vec<u64>,
    /// Whether chains were split.
    pub(crate) is_split: bool,
    /// Pairs that were proposed, and different ones.
    pub(crate) proposed: [usize; 2],
    pub(crate) rounds: usize,
}

/// Texts that are sent, by start.
#[derive(Default)]
pub(crate) struct Texts(pub(crate) Vec<(u32, String)>);

impl Sent for Texts {
    fn to_arrow(&self) -> RecordBatch {
        let starts: UInt32Array = self.0.iter().map(|(start, _)| *start).collect();
        let texts = StringArray::from_iter_values(self.0.iter().map(|(_, text)| text));
        RecordBatch::try_from_iter([
            ("start", Arc::new(starts) as _),
            ("text", Arc::new(texts) as _),
        ])
        .unwrap()
    }

    fn from_arrow(batch: &RecordBatch) -> Self {
        let starts = batch.column(0).as_primitive::<UInt32Type>().values();
        let texts = batch.column(1).as_string::<i32>().iter().flatten();
        Self(
            starts
                .iter()
                .copied()
                .zip(texts.map(str::to_owned))
                .collect(),
        )
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|(_, text)| 8 + text.len() as u64).sum()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// What a split keeps.
#[derive(Default)]
pub(crate) struct Home {
    pub(crate) texts: Vec<Text>,
    pub(crate) ranked: Vec<Ranked>,
}

impl Home {
    pub(crate) fn at(&self, start: u32) -> &Text {
        &self.texts[self.texts.partition_point(|text| text.start < start)]
    }
}

pub(crate) fn hash(of: (u64, u64)) -> u64 {
    (of.0 ^ of.1.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Puts rows where their keys say.
pub(crate) fn route<T: steps::Column>(
    store: &Store,
    stage: &str,
    rows: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> u64,
) {
    let mut by_key: BTreeMap<u64, Vec<T>> = BTreeMap::new();
    for row in rows {
        by_key.entry(key(&row)).or_default().push(row);
    }
    for (key, rows) in by_key {
        store.put(stage, key, rows);
    }
}

impl Cluster<'_> {
    pub(crate) fn timed<R>(&self, step: &'static str, of: impl FnOnce() -> R) -> R {
        let before = Instant::now();
        let result = of();
        *self.clock.borrow_mut().entry(step).or_default() += before.elapsed();
        result
    }

    /// Runs all steps over texts in order of their ids.
    pub(crate) fn run(&self, texts: &[Input]) -> Found {
        let store = &self.store;
        let splits: Vec<&[Input]> = texts.chunks(self.split).collect();
        let split_of = |id: u64| texts.partition_point(|text| text.id < id) / self.split;
        if self.recipe.needs_statistics() {
            for (number, split) in splits.iter().enumerate() {
                let texts = split.iter().map(|input| &input.text[..]);
                store.put(
                    "counts",
                    number as u64,
                    steps::counts(self.recipe, texts).unwrap(),
                );
            }
        }
        let counts: Vec<Count> = store.rows("counts");
        let statistics = steps::statistics(texts.len() as u64, &counts);
        let method = Method::new(self.recipe, &statistics, self.constraints).unwrap();

        // Equal texts.
        for split in &splits {
            let given = split.iter().map(|input| Given {
                id: input.id,
                origin: input.origin,
                place: input.place,
                text: &input.text,
            });
            for (key, wholes) in self.timed("wholes", || method.wholes(self.bits, given)) {
                store.put("wholes", key.into(), wholes);
            }
        }
        let mut extent = Extent::default();
        for partition in store.partitions() {
            for wholes in store.take::<Vec<Whole>>("wholes", partition).values() {
                let (firsts, copies) = self.timed("firsts", || method.firsts(wholes));
                extent = extent.and(Extent::of(&firsts));
                route(store, "twins", method.equals(&firsts), |twins| {
                    split_of(twins.a.id()) as u64
                });
                route(store, "firsts", firsts, |first| split_of(first.id()) as u64);
                route(store, "copies", copies, |copy| {
                    split_of(copy.first()) as u64
                });
            }
        }
        extent.tokens += self.others;
        let search = Search::new(&method, extent, self.bits).unwrap();
        let search = search.signature_bits(self.signature_bits);
        let mut firsts: BTreeMap<u64, Vec<Whole>> = store.take_all("firsts");
        let mut next = 0;
        let starts: Vec<u64> = (0..splits.len() as u64)
            .map(|split| {
                let own = firsts.entry(split).or_default();
                own.sort_unstable_by_key(|first| first.id());
                let from = next;
                next += search.blocks(own.iter().map(|first| first.tokens));
                from
            })
            .collect();

        // Features, and which texts to compare.
        let text_of = |whole: &Whole| {
            let at = texts.partition_point(|text| text.id < whole.id());
            &texts[at].text[..]
        };
        let mut homes = Vec::new();
        for (split, first) in starts.iter().enumerate() {
            let own = firsts[&(split as u64)]
                .iter()
                .map(|whole| (*whole, text_of(whole)));
            let Batch {
                texts,
                rows,
                occurrences,
                ..
            } = self.timed("features", || search.features(*first, own).unwrap());
            for (key, rows) in rows {
                store.put("rows", key.into(), rows);
            }
            for (key, occurrences) in occurrences {
                store.put("occurrences", key.into(), occurrences);
            }
            homes.push(Home {
                texts,
                ranked: Vec::new(),
            });
        }
        let batch_of = |start: u32| search.batch_of(start, &starts) as u64;
        let mut is_split = false;
        let mut proposed = 0;
        if search.finds() == Finds::Keys {
            for partition in store.partitions() {
                for rows in store
                    .take::<Vec<Occurrence>>("occurrences", partition)
                    .values()
                {
                    route(
                        store,
                        "met",
                        self.timed("meet", || search.meet(rows)),
                        |pair| hash((pair.larger.into(), pair.smaller.into())) % 64,
                    );
                }
            }
            for met in store.take_all::<Vec<Candidate>>("met").into_values() {
                let pairs = self.timed("candidates_by_keys", || search.candidates_by_keys(met));
                proposed += pairs.len();
                route(store, "candidates", pairs, |pair| batch_of(pair.smaller));
            }
        } else {
            let lists = if search.finds() == Finds::Chains {
                let (lists, split) = self.chains(&search, &starts, &homes);
                is_split = split;
                lists
            } else {
                self.features(&search, &starts, &mut homes)
            };
            proposed = self.join(&search, &starts, &mut homes, &lists);
        }
        let different = self.verify(&search, &starts, &homes, &text_of);

        // What is decided.
        let twins: BTreeMap<u64, Vec<Twins>> = store.take_all("twins");
        let mut equal = Vec::new();
        for (split, twins) in twins {
            let home = &homes[split as usize];
            for twins in twins {
                let text = home
                    .texts
                    .iter()
                    .find(|text| text.id() == twins.a.id())
                    .unwrap();
                let of = search.equal(*text, twins.b);
                let texts = [twins.a, twins.b].map(|whole| (text.of_equal(whole), text_of(&whole)));
                equal.push((
                    twins,
                    of.and_then(|of| passes(&search, of, texts[0], texts[1])),
                ));
            }
        }
        let are_equal: BTreeSet<(u64, u64)> = equal
            .iter()
            .map(|(twins, _)| (twins.a.id(), twins.b.id()))
            .collect();
        let passing: Vec<Match> = store.rows("passing");
        let mut matches: Vec<Match> = if self.recipe.transitive {
            let pass: BTreeSet<(u64, u64)> = passing.iter().map(|pair| pair.ids()).collect();
            let all: Vec<Match> = store.rows("matches");
            let clusters = self.by_cluster(&all, "found").into_values();
            let listed = clusters.flat_map(|some| steps::skip_clustered(&some));
            listed.filter(|pair| pass.contains(&pair.ids())).collect()
        } else {
            passing
        };
        matches.retain(|pair| !are_equal.contains(&pair.ids()));
        matches.extend(equal.into_iter().filter_map(|(_, of)| of));
        let (mut removed, mut rounds, mut joined) = (Vec::new(), 0, Vec::new());
        if self.recipe.transitive {
            for some in self.by_cluster(&matches, "settled").into_values() {
                removed.extend(steps::settle_clusters(&some));
            }
            joined = matches
                .iter()
                .flat_map(|pair| <[u64; 2]>::from(pair.ids()))
                .collect();
            let mut at_once = steps::settle_clusters(&matches);
            at_once.sort_unstable();
            removed.sort_unstable();
            assert_eq!(removed, at_once);
        } else {
            (removed, rounds) = self.settle(&matches);
            assert_eq!(removed, steps::settle(&matches).unwrap());
        }
        let copies: Vec<Equal> = store.rows("copies");
        let removed = steps::with_copies(&removed, &copies, &joined);
        let firsts: Vec<Text> = homes.into_iter().flat_map(|home| home.texts).collect();
        let pairs = self.listed(&method, &search, &matches, &copies, &firsts);
        Found {
            pairs,
            removed,
            is_split,
            proposed: [proposed, different],
            rounds,
        }
    }

    /// The lists of chains by key, and whether any were split.
    fn chains(&self, search: &Search, starts: &[u64], homes: &[Home]) -> (Lists, bool) {
        let store = &self.store;
        for partition in store.partitions() {
            for rows in store.take::<Rows>("rows", partition).values() {
                for ((batch, stretch), shared) in self.timed("share", || search.share(rows, starts))
                {
                    store.put(
                        "shared",
                        u64::from(batch) << 32 | u64::from(stretch),
                        shared,
                    );
                }
            }
        }
        let mut shared = BTreeMap::<u64, BTreeMap<u32, Vec<Shared>>>::new();
        for (key, rows) in store.take_all("shared") {
            shared
                .entry(key >> 32)
                .or_default()
                .insert(key as u32, rows);
        }
        for (batch, (first, home)) in (0..).zip(starts.iter().zip(homes)) {
            let own = shared.remove(&batch).unwrap_or_default();
            for (key, chains) in self.timed("chains", || {
                search.chains(*first, &home.texts, &own).unwrap()
            }) {
                store.put("chains", key.into(), chains);
            }
        }
        let mut stage = "chains";
        loop {
            let (mut lists, mut torn, mut all) = (Lists::new(), Vec::new(), BTreeMap::new());
            for partition in store.partitions() {
                for (key, chains) in store.take::<Vec<Feature>>(stage, partition) {
                    match self.timed("lists", || search.lists(key as u32, &chains)) {
                        Listed::Chains(list, histogram) => {
                            drop(lists.insert(key, (list, histogram)))
                        }
                        Listed::Torn(some) => torn.extend(some),
                    }
                    all.insert(key, chains);
                }
            }
            if torn.is_empty() {
                return (lists, stage == "split");
            }
            assert_eq!(stage, "chains", "split chains are torn");
            stage = "split";
            for (key, chains) in all {
                for (key, chains) in search.split(key as u32, &chains, &torn) {
                    store.put(stage, key.into(), chains);
                }
            }
        }
    }

    /// The lists of features by key.
    fn features(&self, search: &Search, starts: &[u64], homes: &mut [Home]) -> Lists {
        let (store, mut lists) = (&self.store, Lists::new());
        for partition in store.partitions() {
            for (key, rows) in store.take::<Vec<Occurrence>>("occurrences", partition) {
                let (list, histogram, lighter) = self.timed("listed", || search.listed(&rows));
                lists.insert(key, (list, histogram));
                route(store, "lighter", lighter, |row| {
                    search.batch_of(row.start, starts) as u64
                });
            }
        }
        let mut lighter: BTreeMap<u64, Vec<Lighter>> = store.take_all("lighter");
        for (batch, home) in (0..).zip(homes) {
            search.weigh(&mut home.texts, &lighter.remove(&batch).unwrap_or_default());
        }
        lists
    }

    /// Puts candidates at the home of the smaller text; returns how often pairs were proposed.
    fn join(&self, search: &Search, starts: &[u64], homes: &mut [Home], lists: &Lists) -> usize {
        let store = &self.store;
        let batch_of = |start: u32| search.batch_of(start, starts) as u64;
        let histograms: Vec<Histogram> = lists
            .values()
            .map(|(_, histogram)| histogram.clone())
            .collect();
        let common = search.first_common(&histograms);
        for ((list, _), first) in lists.values().zip(steps::ranks(&histograms).unwrap()) {
            route(
                store,
                "ranked",
                self.timed("ranked", || search.ranked(list, &first).unwrap()),
                |row| batch_of(row.start()),
            );
        }
        for (batch, ranked) in store.take_all::<Vec<Ranked>>("ranked") {
            let home = &mut homes[batch as usize];
            let postings = self.timed("postings", || search.postings(common, &home.texts, &ranked));
            route(store, "postings", postings, |posting| {
                u64::from(posting.rank) >> 4
            });
            home.ranked = ranked;
            home.ranked.sort_by_key(|row| row.start());
        }
        let mut proposed = 0;
        for partition in store.partitions() {
            let postings = store
                .take::<Vec<Posting>>("postings", partition)
                .into_values();
            let postings: Vec<Posting> = postings.flatten().collect();
            let pairs = self.timed("candidates", || search.candidates(&postings));
            proposed += pairs.len();
            route(store, "candidates", pairs, |pair| batch_of(pair.smaller));
        }
        proposed
    }
}

/// By key, a list of features and its histogram.
type Lists = BTreeMap<u64, (Vec<u32>, Histogram)>;
