//! Joins one posting list at a time: the texts with a feature are in one place, where any two of
//! them are examined. A pair is a candidate only at its rarest common feature, so no set of seen
//! pairs is needed.

use super::index::Side;
use crate::block::{Block, Text};
use crate::measure::{Bound, Marks, Partners, Prefix};
use crate::pair::{Allow, Pair};
use std::collections::BTreeMap;
use std::ops::Range;

/// A text that contains a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Its position in an order by size.
    pub text: u64,
    /// Its size under the bound.
    pub size: u32,
    /// The sum over its features, starting with this one.
    pub suffix: u32,
}

/// The postings of a text: its features that are indexed or probed, each with its rank.
pub fn of_text<'a>(
    bound: &'a dyn Prefix,
    side: &'a Side,
    at: usize,
) -> impl Iterator<Item = (u32, Posting)> + 'a {
    let (text, size) = (u64::from(side.base) + at as u64, side.sizes[at]);
    let counts =
        move |suffix: u32| bound.indexes(suffix, size) || bound.probes(suffix, size, i32::MAX / 2);
    side.features(at)
        .take_while(move |(_, suffix)| counts(*suffix))
        .map(move |(rank, suffix)| (rank, Posting { text, size, suffix }))
}

/// The pairs among the postings of a feature that may reach the threshold, if it is their rarest
/// common feature, and that `wanted` does not leave out. The postings are in order of size, as are
/// the two of each pair, which may come twice.
pub fn candidates(
    bound: &dyn Prefix,
    postings: &[Posting],
    wanted: impl Fn(&Posting, &Posting) -> bool,
    mut f: impl FnMut(Posting, Posting),
) {
    let key = |Posting { size, suffix, .. }: &Posting| {
        let is_indexed = bound.indexes(*suffix, *size);
        is_indexed.then(|| bound.key(*suffix, *size))
    };
    let keys: Vec<Option<i32>> = postings.iter().map(key).collect();
    for (at, probe) in postings.iter().enumerate() {
        let Posting { size, suffix, .. } = *probe;
        if !bound.probes(suffix, size, i32::MAX / 2) {
            continue;
        }
        let (least, before, after) = match bound.partners(size) {
            Partners::Earlier(least) => (least, true, false),
            Partners::Later => (0, false, true),
            Partners::Others(least) => (least, true, true),
        };
        let (least_key, largest) = (bound.least_key(suffix, size), bound.largest(suffix, size));
        let from = postings.partition_point(|other| other.size < least);
        let to = postings.partition_point(|other| other.size <= largest);
        let range = |is_in: bool, range: Range<usize>| if is_in { range } else { 0..0 };
        let others = range(before, from..at.min(to)).chain(range(after, from.max(at + 1)..to));
        for other in others {
            let (Some(key), of) = (keys[other], &postings[other]) else {
                continue;
            };
            let may = key >= least_key
                && bound.probes(suffix, size, key)
                && bound.may((suffix, size), (key, of.size));
            let (a, b) = if other < at { (of, probe) } else { (probe, of) };
            if may && wanted(a, b) {
                f(*a, *b);
            }
        }
    }
}

/// All pairs of a block, found posting by posting.
pub fn postings(bound: &dyn Bound, block: &Block, allow: Allow) -> Vec<Pair> {
    let side = Side::new(bound, block, 0);
    let mut by_rank: BTreeMap<u32, Vec<Posting>> = BTreeMap::new();
    for at in 0..block.len() {
        of_text(bound, &side, at)
            .for_each(|(rank, posting)| by_rank.entry(rank).or_default().push(posting));
    }
    let (mut found, mut marks) = (Vec::new(), Marks::default());
    for (rank, postings) in &by_rank {
        let all = |_: &Posting, _: &Posting| true;
        candidates(bound, postings, all, |a, b| {
            let (a, b) = (side.text(a.text as usize), side.text(b.text as usize));
            let (a, b) = if a.group() < b.group() {
                (a, b)
            } else {
                (b, a)
            };
            let is_allowed = allow.pair(a.group(), b.group());
            if is_allowed
                && rarest(a, b) == Some(*rank)
                && let Some((in_a, in_b)) = bound.shared(a, b, &mut marks)
            {
                found.push(Pair {
                    a: a.group(),
                    b: b.group(),
                    in_a,
                    in_b,
                });
            }
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The rarest feature that two texts share.
fn rarest(a: Text, b: Text) -> Option<u32> {
    let (mut a, mut b) = (a.ranks().iter().peekable(), b.ranks().iter().peekable());
    loop {
        match a.peek()?.cmp(b.peek()?) {
            std::cmp::Ordering::Less => a.next(),
            std::cmp::Ordering::Greater => b.next(),
            std::cmp::Ordering::Equal => return a.next().copied(),
        };
    }
}
