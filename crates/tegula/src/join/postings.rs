//! Joins one posting list at a time: the texts with a feature are in one place, where any two of
//! them are examined. A pair is a candidate only at its rarest common feature, so no set of seen
//! pairs is needed.

use super::index::Side;
use crate::block::{Block, Text};
use crate::measure::{Bound, Marks, Partners};
use crate::pair::{Allow, Pair};
use std::collections::BTreeMap;

/// A text that contains a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Its position in the order of all texts.
    pub text: u64,
    /// Its size under the bound.
    pub size: u32,
    /// The sum over its features, starting with this one.
    pub suffix: u32,
}

/// The postings of a text: its features that are indexed or probed, each with its rank.
pub fn of_text<'a>(
    bound: &'a dyn Bound,
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
/// common feature, and that `wanted` does not leave out; the texts may be in any order.
pub fn candidates(
    bound: &dyn Bound,
    postings: &[Posting],
    wanted: impl Fn(&Posting, &Posting) -> bool,
    mut f: impl FnMut(Posting, Posting),
) {
    let sides: Vec<Sides> = postings
        .iter()
        .map(|posting| Sides::of(bound, *posting))
        .collect();
    for (at, (a, of_a)) in postings.iter().zip(&sides).enumerate() {
        for (b, of_b) in postings.iter().zip(&sides).skip(at + 1) {
            if wanted(a, b)
                && (may(bound, (a, of_a), (b, of_b)) || may(bound, (b, of_b), (a, of_a)))
            {
                f(*a, *b);
            }
        }
    }
}

/// What a bound says of a posting alone.
struct Sides {
    /// As an entry of an index: its key, if it is indexed.
    key: Option<i32>,
    partners: Partners,
    /// Of the entries that it may find when it probes.
    least_key: i32,
    largest: u32,
}

impl Sides {
    fn of(bound: &dyn Bound, Posting { size, suffix, .. }: Posting) -> Self {
        Self {
            key: bound.indexes(suffix, size).then(|| bound.key(suffix, size)),
            partners: bound.partners(size),
            least_key: bound.least_key(suffix, size),
            largest: bound.largest(suffix, size),
        }
    }
}

/// Whether `probe` may find `other`.
fn may(
    bound: &dyn Bound,
    (probe, own): (&Posting, &Sides),
    (other, of): (&Posting, &Sides),
) -> bool {
    let is_partner = match own.partners {
        Partners::Earlier(least) => other.text < probe.text && other.size >= least,
        Partners::Later => other.text > probe.text,
        Partners::Others(least) => other.size >= least,
    };
    let Some(key) = of.key else { return false };
    is_partner
        && key >= own.least_key
        && other.size <= own.largest
        && bound.probes(probe.suffix, probe.size, key)
        && bound.may((probe.suffix, probe.size), (key, other.size))
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
