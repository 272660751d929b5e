//! The whole chain of steps, with bytes between all of them, against the engine.

use super::*;
use crate::Dedup;
use crate::constraint::Constraints;
use crate::hash::mix;
use crate::recipe::{Card, FingerprintKind, Recipe};
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
}

fn text_of(texts: &[String], id: u64) -> &str {
    &texts[(id - BASE) as usize]
}

fn features(search: &Search, ids: &[u64], texts: &[String], batch: usize) -> Exchanged {
    let (mut all, mut next) = (Exchanged::default(), 0);
    for some in ids.chunks(batch) {
        let some = some.iter().map(|id| (*id, text_of(texts, *id)));
        let done = search.features(next, some).unwrap();
        all.batches.push((next..done.next, sent(&done.texts)));
        next = done.next;
        exchange(&mut all.rows, done.rows);
        exchange(&mut all.occurrences, done.occurrences);
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

/// The matches of a complete search.
fn joined(
    search: &Search,
    lists: &Lists,
    mut texts: Vec<Text>,
    batch: usize,
) -> (BTreeSet<(u64, u64)>, BTreeMap<u32, Vec<Ranked>>) {
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

/// What a chain of steps found.
struct Found {
    matches: Vec<Match>,
    removed: Vec<u64>,
    /// Whether runs were split.
    is_split: bool,
}

/// A recipe with constraints, and how the chain is cut.
struct Chain<'a> {
    recipe: &'a Recipe,
    constraints: &'a Constraints,
    /// By text.
    origins: &'a [Origin],
    bits: u32,
    batch: usize,
    signature_bits: u32,
}

impl<'a> Chain<'a> {
    fn of(recipe: &'a Recipe, constraints: &'a Constraints, origins: &'a [Origin]) -> Self {
        Self {
            recipe,
            constraints,
            origins,
            bits: 3,
            batch: 11,
            signature_bits: 32,
        }
    }

    fn origin(&self, id: u64) -> Origin {
        let origin = self.origins.get((id - BASE) as usize);
        origin.copied().unwrap_or_default()
    }

    fn run(&self, texts: &[String]) -> Found {
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
        let search = Search::new(&method, extent, self.bits).unwrap();
        let search = search.signature_bits(self.signature_bits);
        let all = features(&search, &ids, texts, self.batch);
        let mut found = self.matches(&method, &search, texts, all, &equals);
        found.matches = self.spread(&method, &search, &found.matches, &copies, texts);
        let matches = sent(&found.matches);
        found.removed = match self.recipe.transitive {
            true => settle_clusters(&matches, |id| self.origin(id).is_reference),
            false => settle(&matches).unwrap(),
        };
        found
    }

    /// The matches of texts of which none equals another, unless constraints distinguish these.
    fn matches(
        &self,
        method: &Method,
        search: &Search,
        texts: &[String],
        all: Exchanged,
        equals: &[(u64, u64)],
    ) -> Found {
        let mut every: Vec<Text> = all
            .batches
            .iter()
            .flat_map(|(_, some)| some.clone())
            .collect();
        let mut is_split = false;
        let (found, features) = match search.finds() {
            Finds::Runs => {
                let (lists, split) = lists_of_runs(search, &all);
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
            search.stands(*pair, a, b).unwrap()
        });
        Found {
            matches,
            removed: Vec::new(),
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

/// The chain against the engine: the number of pairs, and whether runs were split.
fn same<'t, T: Into<crate::Record<'t>> + Clone>(
    what: &str,
    chain: &Chain,
    dedup: &Dedup,
    texts: &[String],
    records: &[T],
) -> (usize, bool) {
    let found = chain.run(texts);
    let wanted = dedup
        .pairs(records.iter().cloned())
        .unwrap()
        .to_vec()
        .unwrap();
    // References are numbered after the texts.
    let second = |pair: &crate::Pair| match pair.with_reference {
        true => records.len() + pair.b,
        false => pair.b,
    };
    let mut wanted: Vec<(u64, u64)> = wanted
        .iter()
        .map(|pair| (id(pair.a), id(second(pair))))
        .collect();
    let mut pairs: Vec<(u64, u64)> = found.matches.iter().map(|pair| pair.ids()).collect();
    wanted.sort_unstable();
    pairs.sort_unstable();
    assert_eq!(pairs, wanted, "{what}");
    let outcome = dedup.run(records.iter().cloned()).unwrap();
    let gone: Vec<u64> = outcome.removed().map(|removed| id(removed.index)).collect();
    assert_eq!(found.removed, gone, "{what}");
    (pairs.len(), found.is_split)
}

#[test]
fn steps_with_bytes_between_them_equal_the_engine() {
    let (mut pairs, mut splits) = (0, 0);
    let none = Constraints::default();
    for (seed, count) in [(1, 3), (2, 60), (3, 150), (4, 80)] {
        let texts = texts(seed, count);
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
                let mut settings = recipe_of(recipe);
                (settings.ngram, settings.threshold) = (n, "0.5".parse().unwrap());
                let chain = Chain {
                    bits,
                    batch,
                    signature_bits,
                    ..Chain::of(&settings, &none, &[])
                };
                let dedup = Dedup::toml(&settings.to_toml().unwrap()).unwrap();
                let dedup = dedup.keep("first").unwrap();
                let what = format!("{recipe}, {n} tokens, collection {seed}");
                let (found, is_split) = same(&what, &chain, &dedup, &texts, &texts);
                pairs += found;
                splits += usize::from(is_split);
            }
        }
    }
    assert!(pairs > 1000 && splits > 4, "{pairs} pairs, {splits} splits");
}

#[test]
fn steps_under_constraints_equal_the_engine() {
    let (mut pairs, count) = (0, 90);
    let texts = short_texts(7, count);
    let place = |at: usize| {
        let draw = mix(at as u64);
        let source = ["a", "b", "c"][draw as usize % 3];
        (source, format!("2020-01-{:02}", 1 + draw / 3 % 28))
    };
    let references = texts.len() - 30;
    type Set = fn(Dedup<'static>) -> Dedup<'static>;
    let cases: [(&str, Set); 6] = [
        ("within", |dedup| dedup.within("source").unwrap()),
        ("across", |dedup| dedup.across("source").unwrap()),
        ("window", |dedup| dedup.window("date", 6).unwrap()),
        ("both", |dedup| {
            let dedup = dedup.within("date:month").unwrap();
            dedup.across("source").unwrap().window("date", 20).unwrap()
        }),
        ("short", |dedup| dedup.min_tokens(12)),
        ("references", |dedup| dedup),
    ];
    for recipe in [
        "copies",
        "ssr",
        "revisions",
        "sketch",
        "simfinder",
        "messages",
    ] {
        let settings = recipe_of(recipe);
        let settings = settings.with("threshold", "0.4").unwrap();
        let transitive = (recipe == "simfinder").to_string();
        let settings = settings.with("transitive", &transitive).unwrap();
        for (case, set) in &cases {
            let dedup = Dedup::toml(&settings.to_toml().unwrap()).unwrap();
            let dedup = set(dedup.keep("first").unwrap());
            let constraints = dedup.constraints.clone();
            let refer = *case == "references";
            let records = texts.iter().enumerate().map(|(at, text)| {
                let (source, date) = place(at);
                let record = crate::Record::new(text.clone());
                record.field("source", source).field("date", date)
            });
            let mut records: Vec<crate::Record> = records.collect();
            let dates = crate::date::DateFormat::default();
            let origins: Vec<Origin> = (0..texts.len())
                .map(|at| {
                    let (source, date) = place(at);
                    let value =
                        |name: &str| Some(if name == "source" { source } else { &date[..] });
                    constraints.origin(value, &dates, refer && at >= references)
                })
                .collect();
            let dedup = match refer {
                true => dedup.against(records.split_off(references)),
                false => dedup,
            };
            let chain = Chain::of(&settings, &constraints, &origins);
            let what = format!("{recipe}, {case}");
            let (found, _) = same(&what, &chain, &dedup, &texts, &records);
            assert!(found > 0, "{what}");
            pairs += found;
        }
    }
    assert!(pairs > 500, "{pairs} pairs");
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

/// Short texts, some with links, numbers and amounts in which their copies may differ.
fn short_texts(seed: u64, count: usize) -> Vec<String> {
    let mut texts = texts(seed, count);
    texts.retain(|text| text.len() < 2000);
    for (at, text) in (0..).zip(&mut texts) {
        match mix(seed ^ at << 8) % 5 {
            0 => *text += &format!(" call 030 {} now", 1_000_000 + mix(at) % 2),
            1 => *text += &format!(" see http://example.org/{}", mix(at) % 2),
            _ => {}
        }
    }
    let again: Vec<String> = texts.iter().step_by(9).cloned().collect();
    texts.extend(again);
    texts.extend(["", "", "…", "w1 w1 w1", "w1 w1"].map(String::from));
    texts
}

#[test]
fn steps_over_features_and_keys_equal_the_engine() {
    let (mut pairs, none) = (0, Constraints::default());
    for (seed, count) in [(1, 3), (5, 70), (6, 130)] {
        let texts = short_texts(seed, count);
        for (recipe, fields) in [
            ("cosine", &[("threshold", "0.4")][..]),
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
                "ssr",
                &[("fingerprint.modulus", "10007"), ("threshold", "0.4")],
            ),
            (
                "sscr",
                &[("fingerprint.modulus", "10007"), ("threshold", "0.4")],
            ),
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
            ("simfinder", &[("transitive", "true"), ("threshold", "0.2")]),
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
            let dedup = Dedup::toml(&settings.to_toml().unwrap()).unwrap();
            let dedup = dedup.keep("first").unwrap();
            let what = format!("{recipe} {fields:?}, collection {seed}");
            let chain = Chain::of(&settings, &none, &[]);
            let (found, _) = same(&what, &chain, &dedup, &texts, &texts);
            assert!(count < 10 || found > 0, "{what}");
            pairs += found;
        }
    }
    assert!(pairs > 1000, "{pairs} pairs");
}

#[test]
fn recipes_without_steps_are_refused() {
    for recipe in ["exact", "onion", "passages"] {
        let (recipe, none) = (recipe_of(recipe), Statistics::default());
        let method = Method::new(&recipe, &none, &Constraints::default()).map(drop);
        assert!(method.is_err(), "{}", recipe.recipe);
    }
}
