//! Alignment of short stretches: an equal token counts one for it, an edit one against it.

use super::Part;

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
    /// exceed edits and `fits` holds. It never goes on after its score is `drop` below its best;
    /// ties go to the shorter.
    pub(super) fn beginning(
        &mut self,
        a: &[u32],
        b: &[u32],
        drop: u32,
        fits: impl Fn(&Aligned) -> bool,
    ) -> Option<Aligned> {
        self.fill(a, b, drop.cast_signed());
        let mut ends = std::mem::take(&mut self.ends);
        ends.sort_unstable_by_key(|(score, i, j)| (*score, i + j, *i));
        let found = |(_, i, j): (i32, usize, usize)| self.trace(a, b, (i, j));
        // Shorter alignments of a lower score need fewer edits; a few attempts are enough.
        let best = ends.iter().take(8).copied().map(found).find(fits);
        self.ends = ends;
        best
    }

    /// Fills the matrix, as far as scores are at most `drop` below the best.
    fn fill(&mut self, a: &[u32], b: &[u32], drop: i32) {
        self.width = b.len() + 1;
        self.scores.clear();
        self.ends.clear();
        let mut best = 0;
        // Columns of the row before with a score.
        let mut alive = 0..1;
        for i in 0..=a.len() {
            let row = i * self.width;
            self.scores.resize(row + self.width, NONE);
            let (mut first, mut end) = (usize::MAX, 0);
            for j in alive.start..=b.len() {
                let at = row + j;
                let mut score = if i + j == 0 { 0 } else { NONE };
                if i > 0 && j > 0 {
                    let step = if a[i - 1] == b[j - 1] { 1 } else { -1 };
                    score = score.max(self.scores[at - self.width - 1] + step);
                }
                if i > 0 {
                    score = score.max(self.scores[at - self.width] - 1);
                }
                if j > 0 {
                    score = score.max(self.scores[at - 1] - 1);
                }
                if score >= best - drop && score > NONE / 2 {
                    best = best.max(score);
                    self.scores[at] = score;
                    if score > 0 && i > 0 && j > 0 && a[i - 1] == b[j - 1] {
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
    fn beginnings_go_over_edits_as_long_as_more_is_equal_behind_them() {
        let mut aligner = Aligner::default();
        let a = [1, 2, 9, 3, 4, 5, 7, 7, 7, 6];
        let b = [1, 2, 3, 4, 5, 8, 8, 8, 8, 6];
        let found = aligner.beginning(&a, &b, 4, |_| true).unwrap();
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
        assert_eq!(aligner.beginning(&[1, 2], &[3, 2], 4, |_| true), None);
        let whole = aligner.whole(&[1, 2, 3], &[2, 3, 4]);
        assert_eq!((whole.same, whole.edits), (2, 2));
        assert_eq!(aligner.whole(&[], &[]), Aligned::default());
        assert_eq!(aligner.whole(&[], &[1]).edits, 1);
    }
}
