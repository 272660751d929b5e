//! Finds where the covered tokens of one text are in the other.

use super::Side;
use std::ops::Range;

/// A run of tokens in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Tokens of the first text. Passages never overlap here, and every covered token is in one; a
    /// passage that begins outside ignored text may continue through it.
    pub a: Range<usize>,
    /// The same tokens in the second text.
    pub b: Range<usize>,
    /// Whether it is in the same order as the passages around it; otherwise it was moved or
    /// repeated.
    pub in_order: bool,
}

/// The maximum number of occurrences examined for a position.
const CANDIDATES: usize = 16;

/// The positions of each shingle in a text.
pub(super) struct Places {
    starts: Vec<usize>,
    positions: Vec<usize>,
}

impl Places {
    pub(super) fn new(side: &Side) -> Self {
        let count = side
            .shingles
            .iter()
            .max()
            .map_or(0, |last| *last as usize + 1);
        let mut starts = vec![0; count + 1];
        let counted = || {
            side.shingles
                .iter()
                .enumerate()
                .filter(|(position, _)| side.counts(*position))
        };
        for (_, shingle) in counted() {
            starts[*shingle as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut positions = vec![0; side.shingles.len()];
        for (position, shingle) in counted() {
            positions[next[*shingle as usize]] = position;
            next[*shingle as usize] += 1;
        }
        Self { starts, positions }
    }

    /// The positions of a shingle, ascending.
    fn of(&self, shingle: u32) -> &[usize] {
        match self.starts.get(shingle as usize..shingle as usize + 2) {
            Some(&[from, to]) => &self.positions[from..to],
            _ => &[],
        }
    }
}

/// The passages, ordered by position in `a`; all are marked as in order for now.
pub(super) fn find(a: &Side, b: &Side) -> Vec<Passage> {
    find_in(a, 0..a.len(), b, &Places::new(b))
}

/// The passages inside `within` of `a`.
pub(super) fn find_in(a: &Side, within: Range<usize>, b: &Side, places: &Places) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    // The offset of the previous passage in `b`: the text is likely to continue there.
    let (mut free, mut ahead) = (within.start, 0_isize);
    let mut at = within.start.saturating_sub(a.cover() - 1);
    while at < a.shingles.len() && at < within.end {
        let here = at.saturating_add_signed(ahead);
        let Some((start, length)) =
            longest((a, at), b, near(places.of(a.shingles[at]), here), here)
        else {
            at += 1;
            continue;
        };
        // Tokens covered by the previous passage belong to it.
        let passage = at.max(free)..(at + length).min(within.end);
        if !passage.is_empty() {
            let start = start + (passage.start - at);
            free = passage.end;
            found.push(Passage {
                b: start..start + passage.len(),
                a: passage,
                in_order: true,
            });
        }
        ahead = start.cast_signed() - at.cast_signed();
        at += length + 1 - a.cover();
    }
    found
}

/// The positions closest to `here`.
fn near(places: &[usize], here: usize) -> &[usize] {
    let middle = places.partition_point(|place| *place < here);
    &places[middle.saturating_sub(CANDIDATES / 2)..(middle + CANDIDATES / 2).min(places.len())]
}

/// The longest run that begins at `at` in `a` and at one of the positions in `b`; ties go to the
/// nearest to `here`, then to the earlier. Returns its position in `b` and its length.
fn longest(
    (a, at): (&Side, usize),
    b: &Side,
    places: &[usize],
    here: usize,
) -> Option<(usize, usize)> {
    let length = |place: usize| {
        a.words[at..]
            .iter()
            .zip(&b.words[place..])
            .take_while(|(x, y)| x == y)
            .count()
    };
    let runs = places.iter().map(|place| (*place, length(*place)));
    runs.min_by_key(|(place, length)| (std::cmp::Reverse(*length), place.abs_diff(here)))
}
