//! The steps that decide which texts to remove: all at once, or in rounds over parts of the matches.

use super::{Equal, Match, Tie, Told};
use crate::decide::settle::{Edge, Rounds, State};
use crate::error::Result;
use std::collections::{HashMap, HashSet};

/// The texts of matches, numbered by id.
pub(super) struct Numbered {
    pub(super) ids: Vec<u64>,
    /// By text, where it comes in keep order.
    pub(super) places: Vec<u32>,
}

impl Numbered {
    pub(super) fn of(matches: &[Match]) -> Self {
        let both = |pair: &Match| {
            let ((a, b), [lead_a, lead_b]) = (pair.ids(), pair.leads());
            [(a, lead_a), (b, lead_b)]
        };
        let mut texts: Vec<(u64, (u64, u64))> = matches.iter().flat_map(both).collect();
        texts.sort_unstable();
        texts.dedup_by_key(|(id, _)| *id);
        let mut order: Vec<u32> = (0..texts.len() as u32).collect();
        order.sort_by_key(|number| texts[*number as usize].1);
        let mut places = vec![0; order.len()];
        for (place, number) in (0..).zip(order) {
            places[number as usize] = place;
        }
        Self {
            ids: texts.into_iter().map(|(id, _)| id).collect(),
            places,
        }
    }

    pub(super) fn pair(&self, pair: &Match) -> (u32, u32) {
        let number = |id: u64| self.ids.partition_point(|other| *other < id) as u32;
        let (a, b) = pair.ids();
        (number(a), number(b))
    }
}

/// The ids of the texts to remove, in order, given all matches of some texts: what [`settle_round`]
/// finds after as many rounds as it takes.
///
/// # Errors
/// None in practice.
pub fn settle(matches: &[Match]) -> Result<Vec<u64>> {
    let numbered = Numbered::of(matches);
    let edge = |pair: &Match| {
        let ((a, b), (a_is_removable, b_is_removable)) = (numbered.pair(pair), pair.removable());
        let edge = Edge {
            a_is_removable,
            b_is_removable,
        };
        (a, b, edge)
    };
    let edges: Vec<(u32, u32, Edge)> = matches.iter().map(edge).collect();
    let mut states = vec![State::Open; numbered.ids.len()];
    Rounds::new(&numbered.places).settle(&mut states, &edges[..])?;
    let texts = numbered.ids.iter().zip(states);
    let removed = texts.filter(|(_, state)| *state == State::Removed);
    Ok(removed.map(|(id, _)| *id).collect())
}

/// Matches as each of their texts sees them.
pub fn ties(matches: &[Match]) -> Vec<Tie> {
    let of = |pair: &Match| {
        let ((a, b), (a_goes, b_goes)) = (pair.ids(), pair.removable());
        let [lead_a, lead_b] = pair.leads();
        [
            Tie::new((a, b), lead_a, (a_goes, b_goes, lead_b < lead_a)),
            Tie::new((b, a), lead_b, (b_goes, a_goes, lead_a < lead_b)),
        ]
    };
    matches.iter().flat_map(of).collect()
}

/// What a round has decided.
#[derive(Debug, Default)]
pub struct Round {
    /// The ids of texts to remove.
    pub removed: Vec<u64>,
    /// What other texts must be told before the next round.
    pub told: Vec<Told>,
    /// The ties of texts that are still open.
    pub ties: Vec<Tie>,
    /// Of the open texts that none removes without being removed by it, the first in keep order: its
    /// place and leader there, and its id.
    pub first: Option<(u64, u64, u64)>,
}

/// A round of decisions over all [`ties`] of some texts, given what these were told: a text is removed
/// because of one that is kept, and kept if it waits for no other.
///
/// Rounds go on with the ties that each leaves. If there is nothing to tell in any part, texts wait for
/// each other in a circle: then the [first](Round::first) of all parts is to be kept, which is `keep`
/// in the next round.
pub fn settle_round(ties: &[Tie], told: &[Told], keep: Option<u64>) -> Round {
    let mut news: HashMap<u64, Vec<Told>> = HashMap::new();
    for told in told {
        news.entry(told.text()).or_default().push(*told);
    }
    let mut sorted = ties.to_vec();
    sorted.sort_unstable_by_key(|tie| tie.text());
    let mut round = Round::default();
    for ties in sorted.chunk_by(|a, b| a.text() == b.text()) {
        let text = ties[0].text();
        let known: HashMap<u64, bool> = news
            .get(&text)
            .into_iter()
            .flatten()
            .map(|told| (told.about(), told.is_kept()))
            .collect();
        let goes = |tie: &Tie| tie.is_removable() && known.get(&tie.other()) == Some(&true);
        let open = || ties.iter().filter(|tie| !known.contains_key(&tie.other()));
        let is_removed = ties.iter().any(goes);
        let stays = keep == Some(text) || !open().any(|tie| tie.waits());
        if is_removed || stays {
            round.removed.extend(is_removed.then_some(text));
            round
                .told
                .extend(open().map(|tie| Told::new(tie.other(), text, !is_removed)));
            continue;
        }
        round.ties.extend(open());
        if !open().any(|tie| tie.is_inside()) {
            let (place, leader) = ties[0].lead();
            let own = (place, leader, text);
            round.first = Some(round.first.map_or(own, |first| first.min(own)));
        }
    }
    round
}

/// The ids of the texts to remove with those that equal them, in order: of texts that are equal and
/// compared with each other, all but the first in keep order. Texts that are `joined` into clusters
/// with others are compared with each other through these.
pub fn with_copies(removed: &[u64], copies: &[Equal], joined: &[u64]) -> Vec<u64> {
    let (removed, joined): (HashSet<u64>, HashSet<u64>) = (
        removed.iter().copied().collect(),
        joined.iter().copied().collect(),
    );
    let mut all = removed.clone();
    for equal in copies {
        let both = [equal.first(), equal.copy()];
        if removed.contains(&equal.first()) {
            all.extend(both);
        } else if let Some(leader) = equal.leader(joined.contains(&equal.first())) {
            all.extend(both.into_iter().filter(|id| *id != leader));
        }
    }
    let mut all: Vec<u64> = all.into_iter().collect();
    all.sort_unstable();
    all
}
