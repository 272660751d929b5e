//! The steps that decide.

use super::{Match, Place};
use crate::decide::settle::{Edge, Rounds, State};
use crate::error::Result;
use crate::union_find::UnionFind;
use std::collections::HashMap;

/// The texts of matches, numbered by id.
struct Numbered(Vec<u64>);

impl Numbered {
    fn of(matches: &[Match]) -> Self {
        let mut ids: Vec<u64> = matches
            .iter()
            .flat_map(|pair| <[u64; 2]>::from(pair.ids()))
            .collect();
        ids.sort_unstable();
        ids.dedup();
        Self(ids)
    }

    fn pair(&self, pair: &Match) -> (u32, u32) {
        let number = |id: u64| self.0.partition_point(|other| *other < id) as u32;
        let (a, b) = pair.ids();
        (number(a), number(b))
    }

    /// By text, its place in keep order; texts without one precede all others.
    fn places(&self, places: &[Place]) -> Vec<u32> {
        let places: HashMap<u64, u64> = places.iter().map(|place| place.parts()).collect();
        let mut order: Vec<u32> = (0..self.0.len() as u32).collect();
        order.sort_by_key(|number| places.get(&self.0[*number as usize]).copied());
        let mut by_text = vec![0; order.len()];
        for (place, number) in (0..).zip(order) {
            by_text[number as usize] = place;
        }
        by_text
    }
}

/// The ids of the texts to remove, given all matches of some texts and the places of these in keep
/// order; without places the earlier of two is kept.
///
/// # Errors
/// None in practice.
pub fn settle(matches: &[Match], places: &[Place]) -> Result<Vec<u64>> {
    let numbered = Numbered::of(matches);
    let edges: Vec<(u32, u32, Edge)> = matches
        .iter()
        .map(|pair| {
            let (a, b) = numbered.pair(pair);
            let (a_is_removable, b_is_removable) = pair.removable();
            (
                a,
                b,
                Edge {
                    a_is_removable,
                    b_is_removable,
                },
            )
        })
        .collect();
    let mut states = vec![State::Open; numbered.0.len()];
    Rounds::new(&numbered.places(places)).settle(&mut states, &edges[..])?;
    let removed = numbered
        .0
        .iter()
        .zip(states)
        .filter(|(_, state)| *state == State::Removed);
    Ok(removed.map(|(id, _)| *id).collect())
}

/// The same for recipes that are [transitive](crate::recipe::Recipe::transitive): of each cluster
/// one text is kept, a reference or else the first in keep order.
pub fn settle_clusters(
    matches: &[Match],
    places: &[Place],
    is_reference: impl Fn(u64) -> bool,
) -> Vec<u64> {
    let numbered = Numbered::of(matches);
    let places = numbered.places(places);
    let mut clusters = UnionFind::new(numbered.0.len());
    for pair in matches {
        let (a, b) = numbered.pair(pair);
        clusters.union(a, b);
    }
    let place = |number: u32| {
        let id = numbered.0[number as usize];
        (!is_reference(id), places[number as usize])
    };
    let mut survivors: Vec<Option<u32>> = vec![None; numbered.0.len()];
    for number in 0..numbered.0.len() as u32 {
        let survivor = &mut survivors[clusters.find(number) as usize];
        if survivor.is_none_or(|kept| place(number) < place(kept)) {
            *survivor = Some(number);
        }
    }
    let is_removed = |(number, id): &(u32, u64)| {
        survivors[clusters.find(*number) as usize] != Some(*number) && !is_reference(*id)
    };
    let all = (0..).zip(numbered.0.iter().copied());
    all.filter(is_removed).map(|(_, id)| id).collect()
}

/// The matches without those of texts that earlier ones have put into one cluster, for recipes that
/// are [transitive](crate::recipe::Recipe::transitive) (SimFinder, remark 2). All matches of a
/// search must be there: "earlier" is by the ids of both texts.
pub fn skip_clustered(matches: &[Match]) -> Vec<Match> {
    let numbered = Numbered::of(matches);
    let mut sorted = matches.to_vec();
    sorted.sort_unstable_by_key(|pair| pair.ids());
    let mut clusters = UnionFind::new(numbered.0.len());
    sorted.retain(|pair| {
        let (a, b) = numbered.pair(pair);
        let joins = clusters.find(a) != clusters.find(b);
        clusters.union(a, b);
        joins
    });
    sorted
}
