//! Aligns two texts side by side.
//!
//! The heaviest chain of passages in the same order in both texts forms the shared rows; the rest
//! of each text gets separate rows, which state where else it occurs if it is covered.

use super::Side;
use super::passages::{self, Passage, Places};
use std::ops::Range;

/// A row of the two-column view. Every token of each text is in one row; between two shared rows,
/// those of the first text come before those of the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Tokens of both texts.
    Both {
        /// Tokens of the first text.
        a: Range<usize>,
        /// Tokens of the second text.
        b: Range<usize>,
        /// Whether these tokens are covered by common shingles; if not, they are equal, but
        /// no shingle makes them evidence.
        covered: bool,
    },
    /// Tokens only in the first text here.
    OnlyA {
        /// Its tokens.
        a: Range<usize>,
        /// Where the second text contains the same tokens, if they are covered: moved or repeated.
        elsewhere: Option<Range<usize>>,
    },
    /// Tokens only in the second text here.
    OnlyB {
        /// Its tokens.
        b: Range<usize>,
        /// Where the first text contains the same tokens, if they are covered: moved or repeated.
        elsewhere: Option<Range<usize>>,
    },
}

/// Builds the rows, and marks the passages that are in order.
pub(super) fn rows(a: &Side, b: &Side, passages: &mut [Passage]) -> Vec<Row> {
    let anchors = chain(passages, a.cover().max(1) - 1);
    let places = Places::new(a);
    let mut rows = Vec::new();
    let (mut in_a, mut in_b) = (0, 0);
    let end = Anchor {
        a: a.len()..a.len(),
        b: b.len()..b.len(),
    };
    for anchor in anchors.into_iter().chain([end]) {
        gap(
            (a, in_a..anchor.a.start),
            (b, in_b..anchor.b.start),
            (passages, &places),
            &mut rows,
        );
        (in_a, in_b) = (anchor.a.end, anchor.b.end);
        if !anchor.a.is_empty() {
            rows.push(Row::Both {
                a: anchor.a,
                b: anchor.b,
                covered: true,
            });
        }
    }
    rows
}

/// A passage of the chain, without the part that overlaps the previous one.
struct Anchor {
    a: Range<usize>,
    b: Range<usize>,
}

/// The heaviest chain of passages with increasing positions in both texts. Neighbours may share up
/// to `overlap` tokens of the second text: a shingle can end in the words that begin the next one.
/// They are assigned to the first.
fn chain(passages: &mut [Passage], overlap: usize) -> Vec<Anchor> {
    let ends = |passage: &Passage| passage.b.end - overlap.min(passage.b.len() - 1);
    let mut places: Vec<usize> = passages.iter().map(ends).collect();
    places.sort_unstable();
    places.dedup();
    let mut best = PrefixBest::new(places.len());
    let mut before = Vec::with_capacity(passages.len());
    for (at, passage) in passages.iter().enumerate() {
        let (weight, link) = best.up_to(places.partition_point(|place| *place <= passage.b.start));
        before.push(link);
        best.raise(
            places.partition_point(|place| *place < ends(passage)),
            (weight + passage.a.len(), Some(at)),
        );
    }
    let mut next = best.up_to(places.len()).1;
    let mut chosen = Vec::new();
    while let Some(at) = next {
        chosen.push(at);
        next = before[at];
    }
    let mut anchors: Vec<Anchor> = Vec::with_capacity(chosen.len());
    let mut chosen = chosen.into_iter().rev().peekable();
    for (at, passage) in passages.iter_mut().enumerate() {
        passage.in_order = chosen.next_if_eq(&at).is_some();
        let taken = anchors
            .last()
            .map_or(0, |last| last.b.end.saturating_sub(passage.b.start));
        if passage.in_order && taken < passage.b.len() {
            anchors.push(Anchor {
                a: passage.a.start + taken..passage.a.end,
                b: passage.b.start + taken..passage.b.end,
            });
        }
    }
    anchors
}

/// The heaviest chain that ends at or before a position, as a binary indexed tree.
struct PrefixBest(Vec<(usize, Option<usize>)>);

impl PrefixBest {
    fn new(places: usize) -> Self {
        Self(vec![(0, None); places + 1])
    }

    /// The best among the first `count` positions; of equal ones, the earliest added.
    fn up_to(&self, count: usize) -> (usize, Option<usize>) {
        let mut best = (0, None);
        let mut at = count;
        while at > 0 {
            if self.0[at].0 > best.0 || (self.0[at].0 == best.0 && self.0[at].1 < best.1) {
                best = self.0[at];
            }
            at &= at - 1;
        }
        best
    }

    fn raise(&mut self, place: usize, value: (usize, Option<usize>)) {
        let mut at = place + 1;
        while at < self.0.len() {
            if value.0 > self.0[at].0 {
                self.0[at] = value;
            }
            at += at & at.wrapping_neg();
        }
    }
}

/// The rows between two anchors.
fn gap(
    (a, in_a): (&Side, Range<usize>),
    (b, in_b): (&Side, Range<usize>),
    found: (&[Passage], &Places),
    rows: &mut Vec<Row>,
) {
    let (passages, places) = found;
    let (left, right) = (&a.words[in_a.clone()], &b.words[in_b.clone()]);
    let same = |(x, y): &(&u32, &u32)| x == y;
    let head = left.iter().zip(right).take_while(same).count();
    let tail = left[head..]
        .iter()
        .rev()
        .zip(right[head..].iter().rev())
        .take_while(same)
        .count();
    let equal = |a: Range<usize>, b: Range<usize>| {
        (!a.is_empty()).then_some(Row::Both {
            a,
            b,
            covered: false,
        })
    };
    rows.extend(equal(
        in_a.start..in_a.start + head,
        in_b.start..in_b.start + head,
    ));
    let (rest_a, rest_b) = (
        in_a.start + head..in_a.end - tail,
        in_b.start + head..in_b.end - tail,
    );
    let first = passages.partition_point(|passage| passage.a.end <= rest_a.start);
    split(rest_a, &passages[first..], |a, elsewhere| {
        rows.push(Row::OnlyA { a, elsewhere });
    });
    let back = passages::find_in(b, rest_b.clone(), a, places);
    split(rest_b, &back, |b, elsewhere| {
        rows.push(Row::OnlyB { b, elsewhere });
    });
    rows.extend(equal(in_a.end - tail..in_a.end, in_b.end - tail..in_b.end));
}

/// Splits a range where passages begin and end.
fn split(
    range: Range<usize>,
    passages: &[Passage],
    mut row: impl FnMut(Range<usize>, Option<Range<usize>>),
) {
    let mut at = range.start;
    for passage in passages {
        let (start, end) = (passage.a.start.max(at), passage.a.end.min(range.end));
        if passage.a.start >= range.end {
            break;
        }
        if start >= end {
            continue;
        }
        if at < start {
            row(at..start, None);
        }
        let shift = start - passage.a.start;
        row(
            start..end,
            Some(passage.b.start + shift..passage.b.start + shift + (end - start)),
        );
        at = end;
    }
    if at < range.end {
        row(at..range.end, None);
    }
}
