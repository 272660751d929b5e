//! The resemblance join (ssr): prefix, length and position filters over ranked shingle sets.
//!
//! |A ∩ B| / |A ∪ B| ≥ t needs |A ∩ B| ≥ ⌈t·|A|⌉, so a partner shares one of the |A| − ⌈t·|A|⌉ + 1 rarest shingles of A; and where
//! |A| ≤ |B| it needs ⌈2t/(1+t)·|A|⌉, so the smaller one is indexed by a shorter prefix still (AllPairs and PPJoin; `docs/joins.md`).
//! Shingles that no other group has are the rarest of all: they use up prefix positions and are never stored.

use super::overlap::{common, matches};
use super::{Allow, Entry, Index, Listing, OrderedJoin, Probe, Verify, Worker, ordered};
use crate::engine::block::Block;
use crate::threshold::{Score, Threshold};
use std::ops::Range;

/// The join for [`crate::recipe::Measure::Resemblance`].
#[derive(Debug, Clone, Copy)]
pub struct Resemblance {
    threshold: Threshold,
}

/// Upper bounds from this value on are validated (Kupietz §2.7), where the threshold is not lower.
const VALIDATION_FLOOR: (u64, u64) = (7, 10);

impl Resemblance {
    /// All pairs at or above `threshold`.
    pub fn new(threshold: Threshold) -> Self {
        Self { threshold }
    }

    /// Common shingles that sets of these sizes need: o / (a + b − o) ≥ p/q.
    fn least(self, a: u64, b: u64) -> u64 {
        let (p, q) = (self.threshold.numerator(), self.threshold.denominator());
        (u128::from(p) * u128::from(a + b)).div_ceil(u128::from(p + q)) as u64
    }

    /// Features of a group of `size` shingles among its `size − least + 1` rarest.
    fn prefix(block: &Block, i: usize, least: u64) -> usize {
        let size = u64::from(block.set_sizes[i]);
        let features = block.features(i).len() as u64;
        ((size - least + 1).saturating_sub(size - features)) as usize
    }
}

impl OrderedJoin for Resemblance {
    fn reaches(&self, index: (u32, u32), probe: (u32, u32)) -> bool {
        index.0 <= probe.1 && u64::from(index.1) >= self.threshold.least(u64::from(probe.0))
    }

    fn list(&self, block: &Block, range: Range<usize>) -> Listing {
        let mut listing = Listing::default();
        for i in range {
            let size = u64::from(block.set_sizes[i]);
            // A partner is at least as large.
            let prefix = Self::prefix(block, i, self.least(size, size));
            for (place, rank) in block.ranks_of(i)[..prefix].iter().enumerate() {
                listing.push(*rank, Entry { key: place as i32, local: i as u32 });
            }
        }
        listing
    }

    fn probe(&self, index: &Index, probe: Probe, range: Range<usize>, allow: Allow, worker: &mut Worker) {
        let collided = !index.block.truths.is_empty();
        for i in range {
            let slot = probe.base + i as u32;
            let size = u64::from(probe.block.set_sizes[i]);
            let smallest = self.threshold.least(size);
            let ranks = probe.block.ranks_of(i);
            let prefix = Self::prefix(probe.block, i, smallest);
            for (place, rank) in ranks[..prefix].iter().enumerate() {
                let list = index.postings.get(*rank);
                // Lists are in size order: skip those that are too small, stop at the probe itself.
                let from = list.partition_point(|e| u64::from(index.block.set_sizes[e.local as usize]) < smallest);
                for entry in &list[from..] {
                    if index.base + entry.local >= slot {
                        break;
                    }
                    let j = entry.local as usize;
                    if worker.met[j] == slot {
                        continue;
                    }
                    worker.met[j] = slot;
                    let other = u64::from(index.block.set_sizes[j]);
                    let least = self.least(size, other);
                    let (a, b) = (probe.block.groups[i], index.block.groups[j]);
                    let ok = |a, b| allow.is_none_or(|allow| allow(a, b));
                    if collided {
                        let (of_a, of_b, truly) = matches((probe.block, i), (index.block, j));
                        if u64::from(of_a.min(of_b)) < least || !ok(a, b) {
                            continue;
                        }
                        let ratio = |shared: u64| Score { part: shared, whole: size + other - shared };
                        let (bound, truth) = (ratio(u64::from(of_a.min(of_b))), ratio(u64::from(truly)));
                        if bound >= (Score { part: VALIDATION_FLOOR.0, whole: VALIDATION_FLOOR.1 }) {
                            worker.validation.note(bound, truth);
                        }
                        if u64::from(truly) >= least {
                            worker.pairs.push(ordered(a, b, truly));
                        }
                        continue;
                    }
                    // This is the rarest common shingle inside both prefixes, so nothing before it is shared.
                    let (rest_a, rest_b) = (&ranks[place + 1..], &index.block.ranks_of(j)[entry.key as usize + 1..]);
                    let needed = (least as usize).saturating_sub(1);
                    if let Some(more) = common(rest_a, rest_b, needed)
                        && ok(a, b)
                    {
                        worker.pairs.push(ordered(a, b, more as u32 + 1));
                    }
                }
            }
        }
    }
}

impl Verify for Resemblance {
    fn verify(&self, a: (&Block, usize), b: (&Block, usize), worker: &mut Worker) {
        let least = self.least(u64::from(a.0.set_sizes[a.1]), u64::from(b.0.set_sizes[b.1]));
        if let Some(shared) = common(a.0.ranks_of(a.1), b.0.ranks_of(b.1), least as usize) {
            worker.pairs.push(ordered(a.0.groups[a.1], b.0.groups[b.1], shared as u32));
        }
    }
}
