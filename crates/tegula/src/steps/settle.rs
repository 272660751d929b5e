//! The steps that decide.

use super::Match;
use crate::decide::settle::{Edge, Rounds, State};
use crate::error::Result;
use crate::union_find::UnionFind;

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
}

/// The ids of the texts to remove, given all matches of some texts: the earlier of two is kept.
///
/// # Errors
/// None in practice.
pub fn settle(matches: &[Match]) -> Result<Vec<u64>> {
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
    let (places, mut states): (Vec<u32>, Vec<State>) = (0..numbered.0.len() as u32)
        .map(|place| (place, State::Open))
        .unzip();
    Rounds::new(&places).settle(&mut states, &edges[..])?;
    let removed = numbered
        .0
        .iter()
        .zip(states)
        .filter(|(_, state)| *state == State::Removed);
    Ok(removed.map(|(id, _)| *id).collect())
}

/// The same for recipes that are [transitive](crate::recipe::Recipe::transitive): of each cluster
/// one text is kept, a reference or else the earliest.
pub fn settle_clusters(matches: &[Match], is_reference: impl Fn(u64) -> bool) -> Vec<u64> {
    let numbered = Numbered::of(matches);
    let mut clusters = UnionFind::new(numbered.0.len());
    for pair in matches {
        let (a, b) = numbered.pair(pair);
        clusters.union(a, b);
    }
    let place = |id: u64| (!is_reference(id), id);
    let mut survivors = vec![None; numbered.0.len()];
    for (number, id) in (0..).zip(&numbered.0) {
        let survivor = &mut survivors[clusters.find(number) as usize];
        if survivor.is_none_or(|kept| place(*id) < place(kept)) {
            *survivor = Some(*id);
        }
    }
    let is_removed = |(number, id): &(u32, u64)| {
        survivors[clusters.find(*number) as usize] != Some(*id) && !is_reference(*id)
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
