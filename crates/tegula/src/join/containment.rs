//! The containment joins: the shorter text's prefix probes the longer text's full index.
//!
//! A prefix on both sides would lose pairs: the longer text may have any number of rarer shingles of its own. Over shingles, a text of
//! which the share t lies in another shares one of its |A| − ⌈t·|A|⌉ + 1 rarest shingles with it; over tokens, the rarest common shingle c
//! has S_A(c) ≥ t·n_A, as in the coverage join. Of two texts of one size either may be the contained one (`docs/joins.md`).

use super::overlap::{covered, matches, suffix_coverage};
use super::{Allow, Entry, Index, Listing, OrderedJoin, Pair, Probe, Verify, Worker};
use crate::engine::block::Block;
use crate::threshold::{Score, Threshold};
use std::ops::Range;

/// The join for the two containment measures.
#[derive(Debug, Clone, Copy)]
pub struct Containment {
    threshold: Threshold,
    /// Tokens in a shingle, where tokens are counted.
    n: Option<usize>,
}

const VALIDATION_FLOOR: Score = Score { part: 7, whole: 10 };

impl Containment {
    /// Share of distinct shingles.
    pub fn of_shingles(threshold: Threshold) -> Self {
        Self { threshold, n: None }
    }

    /// Share of covered tokens.
    pub fn of_tokens(threshold: Threshold, n: usize) -> Self {
        Self { threshold, n: Some(n) }
    }

    fn size(&self, block: &Block, i: usize) -> u64 {
        u64::from(if self.n.is_some() { block.lengths[i] } else { block.set_sizes[i] })
    }

    /// How many of the group's features can be the rarest shared one.
    fn prefix(&self, block: &Block, i: usize, worker: &mut Worker) -> usize {
        let size = self.size(block, i);
        let features = block.features(i).len();
        let Some(n) = self.n else {
            return ((size - self.threshold.least(size) + 1).saturating_sub(size - features as u64)) as usize;
        };
        let mut suffix = std::mem::take(&mut worker.suffix);
        suffix_coverage(block, i, n, &mut worker.marks_a, &mut suffix);
        let last = suffix.partition_point(|(_, covered)| self.threshold.admits(*covered as u64, size));
        let prefix = match suffix.get(last) {
            None => features,
            Some((rank, _)) => block.ranks_of(i).partition_point(|r| r < rank),
        };
        worker.suffix = suffix;
        prefix
    }
}

impl OrderedJoin for Containment {
    fn reaches(&self, index: (u32, u32), probe: (u32, u32)) -> bool {
        index.1 >= probe.0
    }

    fn list(&self, block: &Block, range: Range<usize>) -> Listing {
        let mut listing = Listing::default();
        for i in range {
            let mut last = None;
            for rank in block.ranks_of(i) {
                if last != Some(*rank) {
                    listing.push(*rank, Entry { key: 0, local: i as u32 });
                }
                last = Some(*rank);
            }
        }
        listing
    }

    fn probe(&self, index: &Index, probe: Probe, range: Range<usize>, allow: Allow, worker: &mut Worker) {
        for i in range {
            let slot = probe.base + i as u32;
            let size = self.size(probe.block, i);
            let prefix = self.prefix(probe.block, i, worker);
            for rank in &probe.block.ranks_of(i)[..prefix] {
                let list = index.postings.get(*rank);
                let from = list.partition_point(|e| self.size(index.block, e.local as usize) < size);
                for entry in &list[from..] {
                    let j = entry.local as usize;
                    if index.base + entry.local == slot || worker.met[j] == slot {
                        continue;
                    }
                    worker.met[j] = slot;
                    if allow.is_none_or(|allow| allow(probe.block.groups[i], index.block.groups[j])) {
                        self.verify_in((probe.block, i), (index.block, j), worker);
                    }
                }
            }
        }
    }
}

impl Verify for Containment {
    fn verify(&self, a: (&Block, usize), b: (&Block, usize), worker: &mut Worker) {
        // The smaller text is the contained one; of two of one size either may be, and the earlier one is asked for first.
        let key = |of: (&Block, usize)| (self.size(of.0, of.1), of.0.groups[of.1]);
        let (a, b) = if key(b) < key(a) { (b, a) } else { (a, b) };
        let found = worker.pairs.len();
        self.verify_in(a, b, worker);
        if worker.pairs.len() == found && self.size(a.0, a.1) == self.size(b.0, b.1) {
            self.verify_in(b, a, worker);
        }
    }
}

impl Containment {
    /// Whether `a` lies in `b`.
    fn verify_in(&self, a: (&Block, usize), b: (&Block, usize), worker: &mut Worker) {
        let size = self.size(a.0, a.1);
        let collided = !a.0.truths.is_empty();
        let (bound, (in_a, in_b)) = match self.n {
            None => {
                let (of_a, of_b, truly) = matches(a, b);
                (of_a.min(of_b), (truly, truly))
            }
            Some(n) => {
                let marks = (&mut worker.marks_a, &mut worker.marks_b);
                let bound = covered(a, b, n, false, marks);
                let truth = if collided { covered(a, b, n, true, (&mut worker.marks_a, &mut worker.marks_b)) } else { bound };
                (bound.0, truth)
            }
        };
        if collided {
            let share = |part: u32| Score { part: u64::from(part), whole: size };
            if share(bound) >= VALIDATION_FLOOR {
                worker.validation.note(share(bound), share(in_a));
            }
        }
        if self.threshold.admits(u64::from(in_a), size) {
            let (a, b) = (a.0.groups[a.1], b.0.groups[b.1]);
            worker.pairs.push(if a < b { Pair { a, b, in_a, in_b } } else { Pair { a: b, b: a, in_a: in_b, in_b: in_a } });
        }
    }
}
