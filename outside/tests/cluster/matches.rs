//! Candidates compared, and what becomes of their matches: clusters, the texts to remove, all pairs.

use crate::driver::{Cluster, Home, Texts, hash, route};
use std::collections::BTreeMap;
use tegula_run::steps::{
    self, Candidate, Equal, Finds, Link, Match, Method, Ranked, Rescoring, Search, Text, Tie, Told,
    Whole,
};

impl Cluster<'_> {
    /// Sends the smaller text of each candidate to the larger, once to each split, and compares them
    /// there; returns how many different pairs there were.
    pub(crate) fn verify<'t>(
        &self,
        search: &Search,
        starts: &[u64],
        homes: &[Home],
        text_of: &dyn Fn(&Whole) -> &'t str,
    ) -> usize {
        let (store, mut different) = (&self.store, 0);
        let batch_of = |start: u32| search.batch_of(start, starts) as u64;
        let by_features = search.finds() == Finds::Features && self.recipe.weights.is_some();
        for (batch, mut pairs) in store.take_all::<Vec<Candidate>>("candidates") {
            let home = &homes[batch as usize];
            pairs.sort_unstable_by_key(|pair| (batch_of(pair.larger), pair.smaller, pair.larger));
            pairs.dedup();
            different += pairs.len();
            for some in pairs.chunk_by(|a, b| batch_of(a.larger) == batch_of(b.larger)) {
                let to = batch_of(some[0].larger);
                store.put("pairs", to, some.to_vec());
                if to == batch {
                    continue;
                }
                let mut smaller: Vec<u32> = some.iter().map(|pair| pair.smaller).collect();
                smaller.dedup();
                let texts: Vec<Text> = smaller.iter().map(|start| *home.at(*start)).collect();
                let bodies = texts
                    .iter()
                    .map(|text| (text.start, text_of(&text.whole).to_owned()));
                store.put("bodies", to, Texts(bodies.collect()));
                if by_features {
                    let of = smaller
                        .iter()
                        .flat_map(|start| ranked_of(&home.ranked, *start));
                    store.put("sent features", to, of.copied().collect::<Vec<Ranked>>());
                }
                store.put("sent texts", to, texts);
            }
        }
        for partition in store.partitions() {
            let mut bodies = store.take::<Texts>("bodies", partition);
            let mut texts = store.take::<Vec<Text>>("sent texts", partition);
            let mut features = store.take::<Vec<Ranked>>("sent features", partition);
            for (batch, pairs) in store.take::<Vec<Candidate>>("pairs", partition) {
                let home = &homes[batch as usize];
                let bodies: BTreeMap<u32, String> = bodies
                    .remove(&batch)
                    .unwrap_or_default()
                    .0
                    .into_iter()
                    .collect();
                let texts: BTreeMap<u32, Text> = texts
                    .remove(&batch)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|text| (text.start, text))
                    .collect();
                let mut features = features.remove(&batch).unwrap_or_default();
                features.sort_by_key(|row| row.start());
                let text = |start: u32| match texts.get(&start) {
                    Some(text) => (*text, &bodies[&start][..]),
                    None => (*home.at(start), text_of(&home.at(start).whole)),
                };
                let of = |start: u32| {
                    let is_sent = texts.contains_key(&start);
                    ranked_of(if is_sent { &features } else { &home.ranked }, start)
                };
                let matches = self.timed("verify", || {
                    if !by_features {
                        return search.verify(&pairs, text, |_| &[]).0;
                    }
                    search.compare(&pairs, |start| (text(start).0, of(start)))
                });
                let by_id: BTreeMap<u64, u32> = pairs
                    .iter()
                    .flat_map(|pair| [pair.larger, pair.smaller])
                    .map(|start| (text(start).0.id(), start))
                    .collect();
                let passes = |pair: &Match| {
                    let (a, b) = pair.ids();
                    let [a, b] = [a, b].map(|id| text(by_id[&id]));
                    passes(search, *pair, a, b)
                };
                let passing: Vec<Match> = matches.iter().filter_map(passes).collect();
                if self.recipe.transitive {
                    store.put("matches", batch, matches);
                }
                store.put("passing", batch, passing);
            }
        }
        different
    }

    /// Matches by the smallest id of their cluster, in rounds.
    pub(crate) fn by_cluster(&self, matches: &[Match], name: &str) -> BTreeMap<u64, Vec<Match>> {
        let store = &self.store;
        let mut links = steps::links(matches);
        for round in 0.. {
            let [large, small] = ["large", "small"].map(|star| format!("{name} {star} {round}"));
            route(store, &large, steps::at_both(&links), |link| {
                hash((link.text(), 0)) % 16
            });
            for links in store.take_all::<Vec<Link>>(&large).into_values() {
                route(store, &small, steps::large_star(&links), |link| {
                    hash((link.text(), 0)) % 16
                });
            }
            let stars = store.take_all::<Vec<Link>>(&small).into_values();
            let mut found: Vec<Link> = stars.flat_map(|links| steps::small_star(&links)).collect();
            found.sort_unstable();
            found.dedup();
            if found == links {
                break;
            }
            links = found;
        }
        let roots: BTreeMap<u64, u64> = links
            .iter()
            .map(|link| (link.text(), link.other()))
            .collect();
        let mut clusters: BTreeMap<u64, Vec<Match>> = BTreeMap::new();
        for pair in matches {
            let (a, _) = pair.ids();
            clusters
                .entry(*roots.get(&a).unwrap_or(&a))
                .or_default()
                .push(*pair);
        }
        clusters
    }

    /// The texts to remove, and after how many rounds.
    pub(crate) fn settle(&self, matches: &[Match]) -> (Vec<u64>, usize) {
        let store = &self.store;
        let part = |id: u64| hash((id, 0)) % 16;
        let (mut removed, mut keep, mut round) = (Vec::new(), None, 0);
        route(store, "ties 0", steps::ties(matches), |tie| {
            part(tie.text())
        });
        loop {
            let [ties, told] = ["ties", "told"].map(|name| format!("{name} {round}"));
            let [next_ties, next_told] =
                ["ties", "told"].map(|name| format!("{name} {}", round + 1));
            let mut told: BTreeMap<u64, Vec<Told>> = store.take_all(&told);
            let (mut is_open, mut first, mut moved) = (false, None, false);
            for (key, ties) in store.take_all::<Vec<Tie>>(&ties) {
                let done = self.timed("settle_round", || {
                    steps::settle_round(&ties, &told.remove(&key).unwrap_or_default(), keep)
                });
                removed.extend(done.removed);
                moved |= !done.told.is_empty();
                first = [first, done.first].into_iter().flatten().min();
                is_open |= !done.ties.is_empty();
                route(store, &next_told, done.told, |told| part(told.text()));
                store.put(&next_ties, key, done.ties);
            }
            round += 1;
            if !is_open {
                removed.sort_unstable();
                return (removed, round);
            }
            keep = if moved {
                None
            } else {
                first.map(|(_, _, id)| id)
            };
        }
    }

    /// All pairs, with those of copies.
    pub(crate) fn listed(
        &self,
        method: &Method,
        search: &Search,
        matches: &[Match],
        copies: &[Equal],
        firsts: &[Text],
    ) -> Vec<(u64, u64)> {
        let mut equal: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for copy in copies {
            equal
                .entry(copy.first())
                .or_insert_with(|| vec![copy.first()])
                .push(copy.copy());
        }
        let all = |id: u64| equal.get(&id).cloned().unwrap_or_else(|| vec![id]);
        let mut pairs = Vec::new();
        for pair in matches {
            for a in all(pair.ids().0) {
                let others = all(pair.ids().1).into_iter();
                pairs.extend(others.map(|b| search.between(*pair, (a, b)).ids()));
            }
        }
        for text in firsts {
            let Some(ids) = equal.get(&text.id()) else {
                continue;
            };
            if !method.allows(text.whole.origin(), text.whole.origin()) {
                continue;
            }
            for (at, a) in ids.iter().enumerate() {
                let a = text.of_equal(text.whole.with_id(*a));
                let others = ids[at + 1..].iter().map(|b| text.whole.with_id(*b));
                pairs.extend(others.filter_map(|b| Some(search.equal(a, b)?.ids())));
            }
        }
        pairs.sort_unstable();
        pairs
    }
}

/// What is left of a match, if it counts.
pub(crate) fn passes(
    search: &Search,
    of: Match,
    a: (Text, &str),
    b: (Text, &str),
) -> Option<Match> {
    match search.rescored(of, a, b).unwrap() {
        Rescoring::Passes { of, .. } => Some(of),
        Rescoring::Hidden(_) => None,
    }
}

fn ranked_of(ranked: &[Ranked], start: u32) -> &[Ranked] {
    let from = ranked.partition_point(|row| row.start() < start);
    let to = ranked.partition_point(|row| row.start() <= start);
    &ranked[from..to]
}
