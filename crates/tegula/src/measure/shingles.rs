//! The shingles that two texts share and the tokens that these cover, counted by features or in the
//! tokens themselves.

use super::marks::Marks;
use crate::block::Text;
use std::cmp::Ordering;

/// What to count of shared shingles.
#[derive(Debug, Clone, Copy)]
pub struct Shingles {
    /// Tokens in a shingle.
    pub(super) n: u32,
    /// Whether to count the tokens that they cover rather than the distinct shingles.
    pub(super) covers: bool,
}

impl Shingles {
    /// Counts distinct shingles.
    pub(super) fn distinct(n: usize) -> Self {
        Self {
            n: n as u32,
            covers: false,
        }
    }

    /// Counts covered tokens.
    pub(super) fn covering(n: usize) -> Self {
        Self {
            n: n as u32,
            covers: true,
        }
    }

    /// The tokens that this many consecutive shingles cover in a text of this many tokens.
    fn cover(self, shingles: u32, tokens: u32) -> usize {
        (shingles + self.n.min(tokens) - 1) as usize
    }

    /// S of each feature of a text.
    pub(super) fn suffixes(self, text: Text, marks: &mut Marks, out: &mut [u32]) {
        let (ranks, positions, amounts) = (text.ranks(), text.positions(), text.amounts());
        let mut sum = 0;
        if self.covers {
            let tokens = text.tokens();
            marks.a.clear(tokens as usize);
            for at in (0..ranks.len()).rev() {
                let cover = self.cover(amount(amounts, at), tokens);
                sum += marks.a.mark_all(positions[at] as usize, cover);
                out[at] = sum;
            }
        } else {
            for at in (0..ranks.len()).rev() {
                sum += amount(amounts, at);
                out[at] = sum;
            }
        }
        for at in 1..ranks.len() {
            if ranks[at] == ranks[at - 1] {
                out[at] = out[at - 1];
            }
        }
    }

    /// The number of shingles that two texts share by their features, unless it is certain to be
    /// below `needed`.
    pub(super) fn common(a: Text, b: Text, needed: u64) -> Option<u32> {
        let (ranks_a, ranks_b, amounts_a, amounts_b) =
            (a.ranks(), b.ranks(), a.amounts(), b.amounts());
        if amounts_a.is_empty() && amounts_b.is_empty() {
            return common(ranks_a, ranks_b, needed as usize).map(|shared| shared as u32);
        }
        let (mut i, mut j, mut shared) = (0, 0, 0_u32);
        while i < ranks_a.len() && j < ranks_b.len() {
            let (x, y) = (ranks_a[i], ranks_b[j]);
            // The rest of the text whose feature is not in the other.
            let left = match x.cmp(&y) {
                Ordering::Less => {
                    i += 1;
                    a.rest.get(i)
                }
                Ordering::Greater => {
                    j += 1;
                    b.rest.get(j)
                }
                Ordering::Equal => {
                    // A feature occurs twice in a text only if two of its shingles share a hash.
                    while i < ranks_a.len()
                        && j < ranks_b.len()
                        && ranks_a[i] == x
                        && ranks_b[j] == x
                    {
                        shared += amount(amounts_a, i).max(amount(amounts_b, j));
                        (i, j) = (i + 1, j + 1);
                    }
                    continue;
                }
            };
            if left.is_some_and(|left| u64::from(shared + left) < needed) {
                return None;
            }
        }
        (u64::from(shared) >= needed).then_some(shared)
    }

    /// Tokens of each text covered by shared features, if `enough` admits that many.
    pub(super) fn covered(
        self,
        a: Text,
        b: Text,
        marks: &mut Marks,
        enough: impl Fn(u32, u32) -> bool,
    ) -> Option<(u32, u32)> {
        let (tokens_a, tokens_b) = (a.tokens(), b.tokens());
        let (ranks_a, ranks_b, amounts_a, amounts_b) =
            (a.ranks(), b.ranks(), a.amounts(), b.amounts());
        let (positions_a, positions_b) = (a.positions(), b.positions());
        marks.a.clear(tokens_a as usize);
        marks.b.clear(tokens_b as usize);
        let (mut i, mut j, mut in_a, mut in_b) = (0, 0, 0_u32, 0_u32);
        while i < ranks_a.len() && j < ranks_b.len() {
            let (x, y) = (ranks_a[i], ranks_b[j]);
            if x == y {
                while i < ranks_a.len() && ranks_a[i] == x {
                    in_a += marks.a.mark_all(
                        positions_a[i] as usize,
                        self.cover(amount(amounts_a, i), tokens_a),
                    );
                    i += 1;
                }
                while j < ranks_b.len() && ranks_b[j] == x {
                    in_b += marks.b.mark_all(
                        positions_b[j] as usize,
                        self.cover(amount(amounts_b, j), tokens_b),
                    );
                    j += 1;
                }
                continue;
            }
            if x < y {
                i += 1;
            } else {
                j += 1;
            }
            if let (Some(more_a), Some(more_b)) = (a.rest.get(i), b.rest.get(j))
                && !enough(in_a + more_a, in_b + more_b)
            {
                return None;
            }
        }
        enough(in_a, in_b).then_some((in_a, in_b))
    }

    /// Whether the tokens under all shared features of two texts are equal, so that the features
    /// give the true overlap. If not, all shingles must be [counted](Self::counted).
    pub(crate) fn are_true(self, a: Text, b: Text, (of_a, of_b): (&[u64], &[u64])) -> bool {
        let (ranks_a, ranks_b) = (a.ranks(), b.ranks());
        let window = |text: Text, tokens: usize, at: usize| {
            let from = text.positions()[at] as usize;
            from..from + self.cover(amount(text.amounts(), at), tokens as u32)
        };
        let (mut i, mut j) = (0, 0);
        while i < ranks_a.len() && j < ranks_b.len() {
            let (x, y) = (ranks_a[i], ranks_b[j]);
            if x < y {
                i += 1;
                continue;
            }
            if y < x {
                j += 1;
                continue;
            }
            let example = &of_a[window(a, of_a.len(), i)];
            let (mut times_a, mut times_b) = (0, 0);
            while i < ranks_a.len() && ranks_a[i] == x {
                if of_a[window(a, of_a.len(), i)] != *example {
                    return false;
                }
                (i, times_a) = (i + 1, times_a + 1);
            }
            while j < ranks_b.len() && ranks_b[j] == x {
                if of_b[window(b, of_b.len(), j)] != *example {
                    return false;
                }
                (j, times_b) = (j + 1, times_b + 1);
            }
            if !self.covers && times_a + times_b > 2 {
                return false;
            }
        }
        true
    }

    /// The overlap of two texts, from their tokens alone. Each has a number, and the longer is only read
    /// again if the one read last has another: so the cost of comparing a long text with many short ones
    /// is theirs.
    pub(crate) fn counted(
        self,
        (a, of_a): (u32, &[u64]),
        (b, of_b): (u32, &[u64]),
        marks: &mut Marks,
    ) -> (u32, u32) {
        if of_a.len() < of_b.len() {
            let (in_b, in_a) = self.counted((b, of_b), (a, of_a), marks);
            return (in_a, in_b);
        }
        let size = |tokens: &[u64]| self.n.min(tokens.len() as u32).max(1) as usize;
        let n = size(of_a);
        if size(of_b) != n {
            return (0, 0);
        }
        let Marks {
            a: marks_a,
            b: marks_b,
            windows,
            read,
        } = marks;
        if read.replace(a) != Some(a) {
            windows.read(of_a, n);
        }
        if !self.covers {
            let shared = windows.share(of_a, (of_b, n), |_| ());
            return (shared, shared);
        }
        marks_a.clear(of_a.len());
        marks_b.clear(of_b.len());
        let mut in_b = 0;
        windows.share(of_a, (of_b, n), |at| in_b += marks_b.mark_all(at, n));
        let in_a = windows.shared().map(|at| marks_a.mark_all(at, n)).sum();
        (in_a, in_b)
    }
}

/// The count of a feature.
#[inline]
fn amount(amounts: &[u32], at: usize) -> u32 {
    amounts.get(at).copied().unwrap_or(1)
}

/// The number of common elements of two strictly ascending lists, or `None` once it cannot reach
/// `least`.
#[inline]
pub(super) fn common(a: &[u32], b: &[u32], least: usize) -> Option<usize> {
    let (mut i, mut j, mut found) = (0, 0, 0);
    // The number of elements that may still be skipped on each side.
    let (mut spare_a, mut spare_b) = (
        a.len() as isize - least as isize,
        b.len() as isize - least as isize,
    );
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
    fn tokens_say_what_is_shared() {
        let (a, b) = ([1, 2, 3, 4, 5, 1, 2, 3], [9, 1, 2, 3, 9, 9]);
        let counted =
            |of: Shingles, a: &[u64], b: &[u64]| of.counted((0, a), (1, b), &mut Marks::default());
        assert_eq!(counted(Shingles::distinct(3), &a, &b), (1, 1));
        assert_eq!(counted(Shingles::covering(3), &a, &b), (6, 3));
        assert_eq!(counted(Shingles::covering(3), &b, &a), (3, 6));
        // Shorter than a shingle: all of it is one.
        assert_eq!(counted(Shingles::distinct(5), &a[..2], &a[..2]), (1, 1));
        assert_eq!(counted(Shingles::distinct(5), &a[..2], &a), (0, 0));
        // One text after the other.
        let (mut marks, of) = (Marks::default(), Shingles::covering(3));
        for other in [&b[..], &a[..4], &b[2..], &a[..2], &b] {
            let pair = ((0, &a[..]), (1, other));
            let found = of.counted(pair.0, pair.1, &mut marks);
            assert_eq!(found, counted(of, &a, other), "{other:?}");
        }
    }
}
