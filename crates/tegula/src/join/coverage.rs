//! The coverage join (sscr): ranked shingle sequences under the suffix-coverage bound.
//!
//! Let S_X(c) be the tokens of X covered by its shingles of rank c or later. If c is the rarest shingle that X and Y share, all they share
//! has rank c or later, so cov_X ≤ S_X(c) and cov_Y ≤ S_Y(c), and a pair at threshold t needs S_X(c) + S_Y(c) ≥ t·(n_X + n_Y). The bound
//! separates: each posting keeps s_Y = S_Y(c) − t·n_Y, lists are sorted by it, and a scan ends where s_Y < t·n_X − S_X(c). As S falls with
//! rank, a pair refused at c would be refused at every later shingle. Of a pair, the longer one is indexed, and as it needs coverage of at
//! least (2t − 1)·n itself, only as far as S allows that. `docs/joins.md` has the proof.

use super::overlap::{Bitmap, covered, suffix_coverage};
use super::{Allow, Entry, Index, Listing, OrderedJoin, Pair, Probe, Verify, Worker};
use crate::engine::block::Block;
use crate::threshold::{Score, Threshold};
use std::ops::Range;

/// The join for [`crate::recipe::Measure::Coverage`].
#[derive(Debug, Clone, Copy)]
pub struct Coverage {
    threshold: Threshold,
    n: usize,
    p: i64,
    q: i64,
    shift: u32,
}

/// Upper bounds from this value on are validated (Kupietz §2.7), where the threshold is not lower.
const VALIDATION_FLOOR: Score = Score { part: 7, whole: 10 };

impl Coverage {
    /// All pairs at or above `threshold`, shingles of `n` tokens, in a collection whose longest text has `longest` tokens.
    pub fn new(threshold: Threshold, n: usize, longest: u32) -> Self {
        let (p, q) = (threshold.numerator() as i64, threshold.denominator() as i64);
        let bits = 64 - (q as u64 * u64::from(longest)).leading_zeros();
        Self { threshold, n, p, q, shift: bits.saturating_sub(30) }
    }

    /// q·S − p·n in 32 bits, rounded up where it must be scaled: a rounded key can only add candidates, never refuse one.
    fn key(&self, covered: i64, length: u32) -> i32 {
        let value = self.q * covered - self.p * i64::from(length);
        ((value + ((1 << self.shift) - 1)) >> self.shift) as i32
    }
}

impl OrderedJoin for Coverage {
    fn sorts_by_key(&self) -> bool {
        true
    }

    fn reaches(&self, index: (u32, u32), probe: (u32, u32)) -> bool {
        index.1 >= probe.0
    }

    fn list(&self, block: &Block, range: Range<usize>) -> Listing {
        let (mut listing, mut marks, mut suffix) = (Listing::default(), Bitmap::default(), Vec::new());
        for i in range {
            suffix_coverage(block, i, self.n, &mut marks, &mut suffix);
            let length = block.lengths[i];
            let least = (2 * self.p - self.q) * i64::from(length);
            for (rank, covered) in suffix.iter().take_while(|(_, covered)| self.q * covered >= least) {
                listing.push(*rank, Entry { key: self.key(*covered, length), local: i as u32 });
            }
        }
        listing
    }

    fn probe(&self, index: &Index, probe: Probe, range: Range<usize>, allow: Allow, worker: &mut Worker) {
        let mut suffix = std::mem::take(&mut worker.suffix);
        for i in range {
            let slot = probe.base + i as u32;
            let length = probe.block.lengths[i];
            suffix_coverage(probe.block, i, self.n, &mut worker.marks_a, &mut suffix);
            for (rank, covered_by_rest) in &suffix {
                let key = self.key(*covered_by_rest, length);
                if key + index.postings.top() < 0 {
                    break;
                }
                for entry in index.postings.get(*rank) {
                    if entry.key + key < 0 {
                        break;
                    }
                    let j = entry.local as usize;
                    if index.base + entry.local <= slot || worker.met[j] == slot {
                        continue;
                    }
                    worker.met[j] = slot;
                    let (a, b) = (probe.block.groups[i], index.block.groups[j]);
                    if !allow.is_none_or(|allow| allow(a, b)) {
                        continue;
                    }
                    self.verify((probe.block, i), (index.block, j), worker);
                }
            }
        }
        worker.suffix = suffix;
    }
}

impl Verify for Coverage {
    fn verify(&self, a: (&Block, usize), b: (&Block, usize), worker: &mut Worker) {
        let whole = u64::from(a.0.lengths[a.1]) + u64::from(b.0.lengths[b.1]);
        let collided = !a.0.truths.is_empty();
        let (mut in_a, mut in_b) = covered(a, b, self.n, false, (&mut worker.marks_a, &mut worker.marks_b));
        let score = |in_a: u32, in_b: u32| Score { part: u64::from(in_a) + u64::from(in_b), whole };
        let bound = score(in_a, in_b);
        if !self.threshold.admits(bound.part, whole) {
            return;
        }
        if collided {
            (in_a, in_b) = covered(a, b, self.n, true, (&mut worker.marks_a, &mut worker.marks_b));
            let truth = score(in_a, in_b);
            if bound >= VALIDATION_FLOOR {
                worker.validation.note(bound, truth);
            }
            if !self.threshold.admits(truth.part, whole) {
                return;
            }
        }
        let (a, b) = (a.0.groups[a.1], b.0.groups[b.1]);
        worker.pairs.push(if a < b { Pair { a, b, in_a, in_b } } else { Pair { a: b, b: a, in_a: in_b, in_b: in_a } });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_never_refuse_what_the_sums_admit() {
        for threshold in ["0.8", "0.5", "1", "0.333333", "1/3", "0.9999999"] {
            for (x, n_x, y, n_y) in
                [(8, 10, 8, 10), (1, 2, 1, 1), (4_000_000, 4_000_000, 1, 9), (3_999_999_999, 4_000_000_000, 5, 5)]
            {
                let join = Coverage::new(threshold.parse().unwrap(), 5, n_x.max(n_y) as u32);
                if join.threshold.admits(x + y, n_x + n_y) {
                    let sum = join.key(x as i64, n_x as u32) + join.key(y as i64, n_y as u32);
                    assert!(sum >= 0, "{threshold} {x}/{n_x} {y}/{n_y}");
                }
            }
        }
    }
}
