//! The step that decides.

use super::Match;
use crate::decide::settle::{Edge, Rounds, State};
use crate::error::Result;

/// The ids of the texts to remove, given all matches of some texts: the earlier of two is kept.
///
/// # Errors
/// None in practice.
pub fn settle(matches: &[Match]) -> Result<Vec<u64>> {
    let mut ids: Vec<u64> = matches
        .iter()
        .flat_map(|pair| <[u64; 2]>::from(pair.ids()))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let number = |id: u64| ids.partition_point(|other| *other < id) as u32;
    let edges: Vec<(u32, u32, Edge)> = matches
        .iter()
        .map(|pair| {
            let (a, b) = pair.ids();
            let (a_may_go, b_may_go) = pair.may_go();
            let edge = Edge { a_may_go, b_may_go };
            (number(a), number(b), edge)
        })
        .collect();
    let (places, mut states): (Vec<u32>, Vec<State>) = (0..ids.len() as u32)
        .map(|place| (place, State::Open))
        .unzip();
    Rounds::new(&places).settle(&mut states, &edges[..])?;
    let gone = ids
        .iter()
        .zip(states)
        .filter(|(_, state)| *state == State::Gone);
    Ok(gone.map(|(id, _)| *id).collect())
}
