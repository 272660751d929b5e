//! The steps of a search one after the other, with bytes between them, as machines would run them.

use crate::constraint::Constraints;
use crate::recipe::{FingerprintKind, Recipe};
use crate::steps::*;
use std::collections::BTreeSet;

/// Through bytes and back.
pub(super) fn sent<T: Column>(rows: &[T]) -> Vec<T> {
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

pub(super) fn id(at: usize) -> u64 {
    BASE + at as u64
}

/// The texts of a collection in batches, and their rows, as machines exchange them.
#[derive(Default)]
struct Exchanged {
    /// With the first block of positions of each batch.
    batches: Vec<(u64, Vec<Text>)>,
    rows: BTreeMap<u32, Rows>,
    occurrences: BTreeMap<u32, Vec<Occurrence>>,
}

fn text_of(texts: &[String], id: u64) -> &str {
    &texts[(id - BASE) as usize]
}

fn features(search: &Search, ids: &[u64], texts: &[String], batch: usize) -> Exchanged {
    let (mut all, mut next) = (Exchanged::default(), 0);
    for some in ids.chunks(batch) {
        let some = some.iter().map(|id| (*id, text_of(texts, *id)));
        let done = search.features(next, some).unwrap();
        let tokens = done.texts.iter().map(|text| text.tokens);
        assert_eq!(done.next, next + search.blocks(tokens));
        all.batches.push((next, sent(&done.texts)));
        next = done.next;
        for (partition, rows) in done.rows {
            let rows = Rows::from_bytes(&rows.to_bytes()).unwrap();
            all.rows
                .entry(partition)
                .or_default()
                .extend(&rows)
                .unwrap();
        }
        exchange(&mut all.occurrences, done.occurrences);
    }
    all
}

type Lists = BTreeMap<u32, (Vec<u32>, Histogram)>;

/// The chains of all partitions, and whether any were split.
fn lists_of_runs(search: &Search, all: &Exchanged) -> (Lists, bool) {
    let firsts: Vec<u64> = all.batches.iter().map(|(first, _)| *first).collect();
    let mut shared = BTreeMap::new();
    for rows in all.rows.values() {
        exchange(&mut shared, search.share(rows, &firsts));
    }
    let mut chains = BTreeMap::new();
    for (batch, (first, texts)) in (0..).zip(&all.batches) {
        let own = shared.get(&batch).map_or(&[][..], Vec::as_slice);
        exchange(&mut chains, search.chains(*first, texts, own).unwrap());
    }
    let mut lists = BTreeMap::new();
    let mut rounds = 0;
    loop {
        let mut torn = Vec::new();
        lists.clear();
        for (partition, chains) in &chains {
            match search.lists(*partition, chains) {
                Listed::Chains(list, histogram) => {
                    drop(lists.insert(*partition, (list, histogram)));
                }
                Listed::Torn(some) => torn.extend(some),
            }
        }
        if torn.is_empty() {
            return (lists, rounds > 0);
        }
        rounds += 1;
        assert!(rounds < 2, "split chains are torn");
        let mut split = BTreeMap::new();
        for (partition, chains) in &chains {
            exchange(&mut split, search.split(*partition, chains, &torn));
        }
        chains = split;
    }
}

/// Ranked features by the start of their text.
type Features = BTreeMap<u32, Vec<Ranked>>;

/// The candidates of a complete search, by id, and all features.
fn joined(
    search: &Search,
    lists: &Lists,
    mut texts: Vec<Text>,
    batch: usize,
) -> (BTreeSet<(u64, u64)>, Features) {
    let histograms: Vec<_> = lists
        .values()
        .map(|(_, histogram)| histogram.clone())
        .collect();
    let mut features: Vec<Ranked> = Vec::new();
    for ((list, _), first) in lists.values().zip(ranks(&histograms).unwrap()) {
        features.extend(sent(&search.ranked(list, &first).unwrap()));
    }
    let mut of_text = BTreeMap::<u32, Vec<Ranked>>::new();
    for feature in &features {
        of_text.entry(feature.start()).or_default().push(*feature);
    }
    texts.retain(|text| of_text.contains_key(&text.start));
    search.order(&mut texts);
    let common = search.first_common(&histograms);
    let mut postings: BTreeMap<u32, Vec<Posting>> = BTreeMap::new();
    for (number, some) in texts.chunks(batch).enumerate() {
        let block = search.block(some, &features);
        let block = Block::from_bytes(&block.to_bytes()).unwrap();
        for posting in sent(&search.postings((number * batch) as u64, common, &block)) {
            postings.entry(posting.rank).or_default().push(posting);
        }
    }
    let pairs = postings.values().flat_map(|rows| search.candidates(rows));
    let by_id = pairs.map(|(a, b)| in_order(texts[a as usize].id(), texts[b as usize].id()));
    (by_id.collect(), of_text)
}

fn in_order(a: u64, b: u64) -> (u64, u64) {
    (a.min(b), a.max(b))
}

/// What a sequence of steps found.
pub(super) struct Found {
    pub(super) matches: Vec<Match>,
    /// Where the first text of two is kept, and where the longest is.
    pub(super) removed: [Vec<u64>; 2],
    /// Whether chains were split.
    pub(super) is_split: bool,
}

/// A recipe with constraints, and how the sequence is cut.
pub(super) struct Sequence<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) constraints: &'a Constraints,
    /// By text.
    pub(super) origins: &'a [Origin],
    pub(super) bits: u32,
    pub(super) batch: usize,
    pub(super) signature_bits: u32,
    /// Tokens of texts that are said to be there besides.
    pub(super) others: u64,
}

impl<'a> Sequence<'a> {
    pub(super) fn of(
        recipe: &'a Recipe,
        constraints: &'a Constraints,
        origins: &'a [Origin],
    ) -> Self {
        Self {
            recipe,
            constraints,
            origins,
            bits: 3,
            batch: 11,
            signature_bits: 32,
            others: 0,
        }
    }

    fn origin(&self, id: u64) -> Origin {
        let origin = self.origins.get((id - BASE) as usize);
        origin.copied().unwrap_or_default()
    }

    pub(super) fn run(&self, texts: &[String]) -> Found {
        // Terms are counted in two parts.
        let (some, others) = texts.split_at(texts.len() / 3);
        let counted = [some, others].map(|texts| {
            let texts = texts.iter().map(|text| &text[..]);
            sent(&counts(self.recipe, texts).unwrap())
        });
        let known = statistics(texts.len() as u64, &counted.concat());
        let method = Method::new(self.recipe, &known, self.constraints).unwrap();
        let mut wholes = BTreeMap::new();
        for (number, some) in texts.chunks(self.batch).enumerate() {
            let ids = (number * self.batch..).map(id);
            let some = ids
                .zip(some)
                .map(|(id, text)| (id, self.origin(id), &text[..]));
            exchange(&mut wholes, method.wholes(self.bits, some));
        }
        let (mut firsts, mut copies, mut equals) = (Vec::new(), Vec::new(), Vec::new());
        let mut extent = Extent::default();
        for rows in wholes.values() {
            let (own, others) = method.firsts(rows);
            extent = extent.and(Extent::of(&own));
            equals.extend(method.equals(&own));
            firsts.extend(sent(&own));
            copies.extend(sent(&others));
        }
        firsts.sort_unstable_by_key(|text| text.id());
        let ids: Vec<u64> = firsts.iter().map(|text| text.id()).collect();
        extent.tokens += self.others;
        let search = Search::new(&method, extent, self.bits).unwrap();
        let search = search.signature_bits(self.signature_bits);
        let all = features(&search, &ids, texts, self.batch);
        let mut found = self.matches(&method, &search, texts, &all, &equals);
        found.matches = self.spread(&method, &search, &found.matches, &copies, texts);
        let matches = sent(&found.matches);
        let longest: Vec<Place> = wholes.values().flatten().map(Place::longest).collect();
        found.removed = [vec![], longest].map(|places| {
            let places = sent(&places);
            if self.recipe.transitive {
                settle_clusters(&matches, &places, |id| self.origin(id).is_reference)
            } else {
                settle(&matches, &places).unwrap()
            }
        });
        found
    }

    /// The matches of texts of which none equals another, unless constraints distinguish these.
    fn matches(
        &self,
        method: &Method,
        search: &Search,
        texts: &[String],
        all: &Exchanged,
        equals: &[(u64, u64)],
    ) -> Found {
        let mut every: Vec<Text> = all
            .batches
            .iter()
            .flat_map(|(_, some)| some.clone())
            .collect();
        let mut is_split = false;
        let (found, features) = match search.finds() {
            Finds::Chains => {
                let (lists, split) = lists_of_runs(search, all);
                is_split = split;
                joined(search, &lists, every.clone(), self.batch)
            }
            Finds::Features => {
                let (mut lists, mut lighter) = (Lists::new(), Vec::new());
                for (partition, rows) in &all.occurrences {
                    let (list, histogram, less) = search.listed(rows);
                    lists.insert(*partition, (list, histogram));
                    lighter.extend(sent(&less));
                }
                search.weigh(&mut every, &lighter);
                joined(search, &lists, every.clone(), self.batch)
            }
            Finds::Keys => {
                let met = all.occurrences.values().flat_map(|rows| search.meet(rows));
                let pairs = search.candidates_by_keys(met.collect()).into_iter();
                let pairs = pairs.map(|(a, b)| in_order(a, b)).collect();
                (pairs, BTreeMap::new())
            }
        };
        let of = |id: u64| every[every.partition_point(|text| text.id() < id)];
        let mut matches = Vec::new();
        for (a, b) in found {
            if !method.allows(self.origin(a), self.origin(b)) {
                continue;
            }
            let [a, b] = [a, b].map(of);
            let [text_a, text_b] = [a, b].map(|text| text_of(texts, text.id()));
            let in_texts = || search.verify((a, text_a), (b, text_b));
            let in_features = || {
                let [of_a, of_b] = [a, b].map(|text| &features[&text.start][..]);
                search.compare((a, of_a), (b, of_b))
            };
            let verified = match (search.finds(), self.recipe) {
                (Finds::Features, recipe) if recipe.measure.needs_rarity() => in_features(),
                (Finds::Features, recipe) if recipe.fingerprint == FingerprintKind::Tokens => {
                    let both = [in_features(), in_texts()];
                    assert_eq!(both[0], both[1]);
                    both[0]
                }
                _ => in_texts(),
            };
            matches.extend(verified);
        }
        let mut matches = sent(&matches);
        if self.recipe.transitive {
            matches = skip_clustered(&matches);
        }
        matches.retain(|pair| !equals.contains(&pair.ids()));
        matches.extend(
            equals
                .iter()
                .filter_map(|(a, b)| search.equal(of(*a), (*a, *b))),
        );
        matches.retain(|pair| {
            let (a, b) = pair.ids();
            let [a, b] = [a, b].map(|id| (of(id), text_of(texts, id)));
            search.passes_rescoring(*pair, a, b).unwrap()
        });
        Found {
            matches,
            removed: Default::default(),
            is_split,
        }
    }

    /// Adds the matches of copies.
    fn spread(
        &self,
        method: &Method,
        search: &Search,
        matches: &[Match],
        copies: &[Equal],
        texts: &[String],
    ) -> Vec<Match> {
        let mut equal: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for copy in copies {
            let ids = equal
                .entry(copy.first())
                .or_insert_with(|| vec![copy.first()]);
            ids.push(copy.copy());
        }
        let all = |id: u64| equal.get(&id).cloned().unwrap_or_else(|| vec![id]);
        let mut spread = Vec::new();
        for pair in matches {
            for a in all(pair.ids().0) {
                let others = all(pair.ids().1).into_iter();
                spread.extend(others.map(|b| search.between(*pair, (a, b))));
            }
        }
        for (first, ids) in &equal {
            if !method.allows(self.origin(*first), self.origin(*first)) {
                continue;
            }
            let done = search
                .features(0, [(*first, text_of(texts, *first))])
                .unwrap();
            for (at, a) in ids.iter().enumerate() {
                let pairs = ids[at + 1..].iter();
                spread.extend(pairs.filter_map(|b| search.equal(done.texts[0], (*a, *b))));
            }
        }
        let references = |pair: &Match| {
            let (a, b) = pair.ids();
            let [a, b] = [a, b].map(|id| self.origin(id).is_reference);
            pair.with_references(a, b)
        };
        spread.iter().map(references).collect()
    }
}
