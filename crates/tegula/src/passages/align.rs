//! Alignment of short stretches: an equal token scores +1, an edit −1.

use super::Part;
use super::reach::{is_likely, reach};

/// A matrix of scores, reused.
#[derive(Default)]
pub(super) struct Aligner {
    scores: Vec<i32>,
    width: usize,
    /// Cells above 0 with equal tokens: the score below 0, row and column.
    ends: Vec<(i32, usize, usize)>,
}

/// An alignment of two stretches.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Aligned {
    /// Tokens of the first and of the second that are aligned.
    pub(super) ends: (u32, u32),
    /// Equal tokens.
    pub(super) same: u32,
    /// Tokens changed, inserted or deleted.
    pub(super) edits: u32,
    /// The equal stretches, in order, counted from the beginning of each side.
    pub(super) parts: Vec<Part>,
}

/// A cell that no alignment reaches.
const NONE: i32 = i32::MIN / 2;

impl Aligner {
    /// The best alignment of all of `a` with all of `b`.
    pub(super) fn whole(&mut self, a: &[u32], b: &[u32]) -> Aligned {
        self.fill(a, b, i32::MAX / 4);
        self.trace(a, b, (a.len(), b.len()))
    }

    /// The best alignment of a beginning of `a` with a beginning of `b`, such that equal tokens
    /// exceed edits and `fits` holds, of the numbers of both; fewer edits never fit less. It ends once
    /// its score is `drop` below its best; ties go to the shorter.
    pub(super) fn beginning(
        &mut self,
        a: &[u32],
        b: &[u32],
        drop: u32,
        fits: impl Fn(u32, u32) -> bool,
    ) -> Option<Aligned> {
        if !is_likely(a, b) {
            return None;
        }
        let reach = reach(a, b, &fits);
        if reach == 0 {
            return None;
        }
        let (a, b) = (&a[..reach.min(a.len())], &b[..reach.min(b.len())]);
        self.fill(a, b, drop.cast_signed());
        let mut ends = std::mem::take(&mut self.ends);
        ends.sort_unstable_by_key(|(score, i, j)| (*score, i + j, *i));
        let found = |(_, i, j): (i32, usize, usize)| self.trace(a, b, (i, j));
        // Shorter alignments of a lower score need fewer edits; a few attempts are enough.
        let mut some = ends.iter().take(8).copied().map(found);
        let best = some.find(|found| fits(found.same, found.edits));
        self.ends = ends;
        best
    }

    /// Fills the matrix, as far as scores are at most `drop` below the best.
    fn fill(&mut self, a: &[u32], b: &[u32], drop: i32) {
        let width = b.len() + 1;
        self.width = width;
        self.scores.clear();
        self.ends.clear();
        // Nothing but deletions leads along the first row.
        let reached = b.len().min(drop as usize) + 1;
        self.scores.extend((0..reached as i32).map(|j| -j));
        self.scores.resize(width, NONE);
        let mut best = 0;
        // Columns of the row before with a score.
        let mut alive = 0..reached;
        for (i, token) in (1..).zip(a) {
            let row = i * width;
            self.scores.resize(row + width, NONE);
            let (before, here) = self.scores.split_at_mut(row);
            let above = &before[row - width..];
            let (mut first, mut end) = (usize::MAX, 0);
            let mut left = NONE;
            let mut diagonal = match alive.start {
                0 => NONE,
                start => above[start - 1],
            };
            for j in alive.start..width {
                let is_equal = j > 0 && b[j - 1] == *token;
                let step = if is_equal { 1 } else { -1 };
                let score = (diagonal + step).max(above[j] - 1).max(left - 1);
                diagonal = above[j];
                left = NONE;
                if score >= best - drop && score > NONE / 2 {
                    best = best.max(score);
                    here[j] = score;
                    left = score;
                    if is_equal && score > 0 {
                        self.ends.push((-score, i, j));
                    }
                    (first, end) = (first.min(j), j + 1);
                } else if j >= alive.end {
                    // Nothing further to the right is reached from here.
                    break;
                }
            }
            if first == usize::MAX {
                return;
            }
            alive = first..end;
        }
    }

    fn trace(&self, a: &[u32], b: &[u32], ends: (usize, usize)) -> Aligned {
        let mut found = Aligned {
            ends: (ends.0 as u32, ends.1 as u32),
            ..Aligned::default()
        };
        let (mut i, mut j) = ends;
        while i + j > 0 {
            let at = i * self.width + j;
            let score = self.scores[at];
            let equal = i > 0 && j > 0 && a[i - 1] == b[j - 1];
            let from = |back: usize, step: i32| self.scores[at - back] + step == score;
            if equal && from(self.width + 1, 1) {
                (i, j) = (i - 1, j - 1);
                found.same += 1;
                match found.parts.last_mut() {
                    Some(part) if (part.a, part.b) == (i as u32 + 1, j as u32 + 1) => {
                        (part.a, part.b, part.length) = (i as u32, j as u32, part.length + 1);
                    }
                    _ => found.parts.push(Part {
                        a: i as u32,
                        b: j as u32,
                        length: 1,
                    }),
                }
                continue;
            }
            found.edits += 1;
            if i > 0 && j > 0 && !equal && from(self.width + 1, -1) {
                (i, j) = (i - 1, j - 1);
            } else if i > 0 && from(self.width, -1) {
                i -= 1;
            } else {
                j -= 1;
            }
        }
        found.parts.reverse();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_alignment_that_gains_is_out_of_reach() {
        let mut aligner = Aligner::default();
        let mut random = 7_u64;
        let mut none = 0;
        for case in 0..20_000_u64 {
            let mut token = |kinds: u64| {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (random >> 33) % kinds
            };
            let lengths = (token(26) as usize, token(26) as usize);
            let mut side =
                |length| -> Vec<u32> { (0..length).map(|_| token(2 + case % 9) as u32).collect() };
            let (a, b) = (side(lengths.0), side(lengths.1));
            aligner.fill(&a, &b, i32::MAX / 4);
            let farthest = aligner.ends.iter().map(|(_, i, j)| *i.max(j)).max();
            let reached = reach(&a, &b, |_, _| true);
            assert!(farthest.unwrap_or(0) <= reached, "{a:?} {b:?}");
            assert!(farthest.is_none() || is_likely(&a, &b), "{a:?} {b:?}");
            none += u32::from(reached == 0);
            let fits = |same: u32, edits: u32| same >= 3 * edits;
            let mut ends = aligner.ends.iter().map(|(_, i, j)| (*i, *j));
            let some_fit = ends.any(|ends| {
                let found = aligner.trace(&a, &b, ends);
                fits(found.same, found.edits)
            });
            assert!(!some_fit || reach(&a, &b, fits) > 0, "{a:?} {b:?}");
        }
        assert!(none > 5_000, "{none}");
    }

    #[test]
    fn beginnings_go_over_edits_as_long_as_more_is_equal_behind_them() {
        let mut aligner = Aligner::default();
        let a = [1, 2, 9, 3, 4, 5, 7, 7, 7, 6];
        let b = [1, 2, 3, 4, 5, 8, 8, 8, 8, 6];
        let found = aligner.beginning(&a, &b, 4, |_, _| true).unwrap();
        assert_eq!(
            (found.ends, found.same, found.edits),
            ((6, 5), 5, 1),
            "{found:?}"
        );
        assert_eq!(
            found.parts,
            [
                Part {
                    a: 0,
                    b: 0,
                    length: 2
                },
                Part {
                    a: 3,
                    b: 2,
                    length: 3
                }
            ]
        );
        assert_eq!(aligner.beginning(&[1, 2], &[3, 2], 4, |_, _| true), None);
        let whole = aligner.whole(&[1, 2, 3], &[2, 3, 4]);
        assert_eq!((whole.same, whole.edits), (2, 2));
        assert_eq!(aligner.whole(&[], &[]), Aligned::default());
        assert_eq!(aligner.whole(&[], &[1]).edits, 1);
    }
}
