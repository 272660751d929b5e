//! The steps over clusters, for recipes that are [transitive](crate::recipe::Recipe::transitive).

use super::settle::Numbered;
use super::{Link, Match};
use crate::union_find::UnionFind;
use std::collections::BTreeSet;

/// The ids of the texts to remove, in order, given all matches of some clusters: of each cluster one
/// text is kept, a reference or else the first in keep order.
pub fn settle_clusters(matches: &[Match]) -> Vec<u64> {
    let numbered = Numbered::of(matches);
    let mut clusters = UnionFind::new(numbered.ids.len());
    let mut are_references = vec![false; numbered.ids.len()];
    for pair in matches {
        let (a, b) = numbered.pair(pair);
        clusters.union(a, b);
        let [a_is_reference, b_is_reference] = pair.are_references();
        are_references[a as usize] |= a_is_reference;
        are_references[b as usize] |= b_is_reference;
    }
    let place = |number: u32| {
        let is_reference = are_references[number as usize];
        (!is_reference, numbered.places[number as usize])
    };
    let mut survivors: Vec<Option<u32>> = vec![None; numbered.ids.len()];
    for number in 0..numbered.ids.len() as u32 {
        let survivor = &mut survivors[clusters.find(number) as usize];
        if survivor.is_none_or(|kept| place(number) < place(kept)) {
            *survivor = Some(number);
        }
    }
    let is_removed = |(number, _): &(u32, u64)| {
        survivors[clusters.find(*number) as usize] != Some(*number)
            && !are_references[*number as usize]
    };
    let all = (0..).zip(numbered.ids.iter().copied());
    all.filter(is_removed).map(|(_, id)| id).collect()
}

/// The matches of some clusters without those of texts that earlier ones have put into one cluster
/// (SimFinder, remark 2); "earlier" is by the ids of both texts.
pub fn skip_clustered(matches: &[Match]) -> Vec<Match> {
    let numbered = Numbered::of(matches);
    let mut sorted = matches.to_vec();
    sorted.sort_unstable_by_key(|pair| pair.ids());
    let mut clusters = UnionFind::new(numbered.ids.len());
    sorted.retain(|pair| {
        let (a, b) = numbered.pair(pair);
        let joins = clusters.find(a) != clusters.find(b);
        clusters.union(a, b);
        joins
    });
    sorted
}

/// The links that matches are, each at its larger text, by id.
pub fn links(matches: &[Match]) -> Vec<Link> {
    let of = |pair: &Match| {
        let (a, b) = pair.ids();
        Link::new(a.max(b), a.min(b))
    };
    matches.iter().map(of).collect()
}

/// The same links at both of their texts.
pub fn at_both(links: &[Link]) -> Vec<Link> {
    let turned = |link: &Link| [*link, Link::new(link.other(), link.text())];
    links.iter().flat_map(turned).collect()
}

/// Links the larger neighbours of texts to the smallest neighbour, or to the text if it is smaller,
/// given all links of some texts, [at both](at_both); the result is at the larger.
///
/// Together with [`small_star`], repeated until the links remain the same, it links each text of a
/// cluster to the smallest, in rounds that grow with the logarithm of the number of texts (Kiveris et
/// al. 2014, Connected components in MapReduce and beyond, section 3).
pub fn large_star(links: &[Link]) -> Vec<Link> {
    star(links, |text, least, others| {
        let larger = others.iter().filter(|other| **other > text);
        larger.map(|other| Link::new(*other, least)).collect()
    })
}

/// Links texts and their neighbours to the smallest neighbour, given all links of some texts at which
/// these are the larger; the result is at the larger.
pub fn small_star(links: &[Link]) -> Vec<Link> {
    star(links, |text, least, others| {
        let all = others.iter().chain([&text]);
        let all = all.filter(|other| **other != least);
        all.map(|other| Link::new(*other, least)).collect()
    })
}

fn star(links: &[Link], of: impl Fn(u64, u64, &[u64]) -> Vec<Link>) -> Vec<Link> {
    let mut sorted = links.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut found = BTreeSet::new();
    for links in sorted.chunk_by(|a, b| a.text() == b.text()) {
        let text = links[0].text();
        let others: Vec<u64> = links.iter().map(|link| link.other()).collect();
        let least = others.iter().fold(text, |least, other| least.min(*other));
        found.extend(of(text, least, &others));
    }
    found.into_iter().collect()
}
