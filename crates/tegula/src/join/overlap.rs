//! What two groups share: merges of sorted ranks, and covered tokens.

use crate::engine::block::Block;
use std::cmp::Ordering;

/// Common elements of two strictly ascending lists, or `None` as soon as there cannot be `least` of them.
#[inline]
pub(super) fn common(a: &[u32], b: &[u32], least: usize) -> Option<usize> {
    let (mut i, mut j, mut found) = (0, 0, 0);
    // Elements that may still be skipped on each side.
    let (mut spare_a, mut spare_b) = (a.len() as isize - least as isize, b.len() as isize - least as isize);
    if spare_a < 0 || spare_b < 0 {
        return None;
    }
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            Ordering::Equal => {
                found += 1;
                i += 1;
                j += 1;
            }
            Ordering::Less => {
                i += 1;
                spare_a -= 1;
                if spare_a < 0 {
                    return None;
                }
            }
            Ordering::Greater => {
                j += 1;
                spare_b -= 1;
                if spare_b < 0 {
                    return None;
                }
            }
        }
    }
    (found >= least).then_some(found)
}

/// Calls `f` with the feature ranges of each rank that both groups have.
#[inline]
fn for_each_common(
    (a, i): (&Block, usize),
    (b, j): (&Block, usize),
    mut f: impl FnMut(std::ops::Range<usize>, std::ops::Range<usize>),
) {
    let (in_a, in_b) = (a.features(i), b.features(j));
    let (mut i, mut j) = (in_a.start, in_b.start);
    while i < in_a.end && j < in_b.end {
        let (x, y) = (a.ranks[i], b.ranks[j]);
        match x.cmp(&y) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                let (from_i, from_j) = (i, j);
                while i < in_a.end && a.ranks[i] == x {
                    i += 1;
                }
                while j < in_b.end && b.ranks[j] == x {
                    j += 1;
                }
                f(from_i..i, from_j..j);
            }
        }
    }
}

/// Distinct shingles of each group that match by rank, and truly common ones. Where ranks are true the three are equal.
pub(super) fn matches(a: (&Block, usize), b: (&Block, usize)) -> (u32, u32, u32) {
    let (mut of_a, mut of_b, mut truly) = (0, 0, 0);
    for_each_common(a, b, |in_a, in_b| {
        of_a += in_a.len() as u32;
        of_b += in_b.len() as u32;
        if a.0.truths.is_empty() {
            truly += 1;
        } else {
            truly += a.0.truths[in_a].iter().filter(|truth| b.0.truths[in_b.clone()].contains(truth)).count() as u32;
        }
    });
    (of_a, of_b, truly)
}

/// Tokens of each group covered by common shingles. With `truly`, only by those that are common beyond their rank.
pub(super) fn covered(
    a: (&Block, usize),
    b: (&Block, usize),
    n: usize,
    truly: bool,
    (marks_a, marks_b): (&mut Bitmap, &mut Bitmap),
) -> (u32, u32) {
    let (length_a, length_b) = (a.0.lengths[a.1] as usize, b.0.lengths[b.1] as usize);
    marks_a.clear(length_a);
    marks_b.clear(length_b);
    let (cover_a, cover_b) = (n.min(length_a), n.min(length_b));
    let (mut in_a, mut in_b) = (0, 0);
    for_each_common(a, b, |of_a, of_b| {
        let shared = |truth: u32, block: &Block, range: &std::ops::Range<usize>| block.truths[range.clone()].contains(&truth);
        for feature in of_a.clone() {
            if !truly || shared(a.0.truths[feature], b.0, &of_b) {
                in_a += marks_a.mark(a.0.positions[feature] as usize, cover_a);
            }
        }
        for feature in of_b {
            if !truly || shared(b.0.truths[feature], a.0, &of_a) {
                in_b += marks_b.mark(b.0.positions[feature] as usize, cover_b);
            }
        }
    });
    (in_a, in_b)
}

/// For each distinct rank of a group, rarest first, how many of its tokens are covered by its shingles of that rank or a later one.
///
/// Kupietz's coverage restricted to a suffix of the global order: the bound of the coverage joins.
pub(super) fn suffix_coverage(block: &Block, i: usize, n: usize, marks: &mut Bitmap, out: &mut Vec<(u32, i64)>) {
    out.clear();
    let length = block.lengths[i] as usize;
    marks.clear(length);
    let cover = n.min(length);
    let mut covered = 0_i64;
    for feature in block.features(i).rev() {
        let rank = block.ranks[feature];
        covered += i64::from(marks.mark(block.positions[feature] as usize, cover));
        match out.last_mut() {
            Some(last) if last.0 == rank => last.1 = covered,
            _ => out.push((rank, covered)),
        }
    }
    out.reverse();
}

/// Marks on the tokens of one text.
#[derive(Debug, Default)]
pub struct Bitmap(Vec<u64>);

impl Bitmap {
    /// Forgets all marks and makes room for `length` tokens.
    pub fn clear(&mut self, length: usize) {
        self.0.clear();
        self.0.resize(length / 64 + 2, 0);
    }

    /// Marks `count` tokens from `start` on; returns how many were not marked before.
    #[inline]
    pub fn mark(&mut self, start: usize, count: usize) -> u32 {
        let (word, bit) = (start / 64, start % 64);
        let mask = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
        let low = mask << bit;
        let mut fresh = (low & !self.0[word]).count_ones();
        self.0[word] |= low;
        if bit + count > 64 {
            let high = mask >> (64 - bit);
            fresh += (high & !self.0[word + 1]).count_ones();
            self.0[word + 1] |= high;
        }
        fresh
    }
}

impl Bitmap {
    /// [`Bitmap::mark`] for any number of tokens.
    #[inline]
    pub(crate) fn mark_all(&mut self, mut start: usize, mut count: usize) -> u32 {
        let mut fresh = 0;
        while count > 64 {
            fresh += self.mark(start, 64);
            (start, count) = (start + 64, count - 64);
        }
        fresh + self.mark(start, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_elements_are_counted_or_given_up() {
        assert_eq!(common(&[1, 3, 5, 7], &[3, 4, 7], 2), Some(2));
        assert_eq!(common(&[1, 3, 5, 7], &[3, 4, 7], 3), None);
        assert_eq!(common(&[], &[], 0), Some(0));
        assert_eq!(common(&[1], &[2], 0), Some(0));
    }

    #[test]
    fn marks_cross_words() {
        let mut marks = Bitmap::default();
        marks.clear(200);
        assert_eq!(marks.mark(60, 10), 10);
        assert_eq!(marks.mark(62, 10), 2);
        assert_eq!(marks.mark(0, 64), 60);
        assert_eq!(marks.mark(64, 64), 64 - 8);
        assert_eq!(marks.mark(199, 1), 1);
        marks.clear(500);
        assert_eq!(marks.mark_all(3, 300), 300);
        assert_eq!(marks.mark_all(0, 500), 200);
    }
}
