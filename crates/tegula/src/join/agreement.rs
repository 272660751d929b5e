//! Agreement of signatures: slots with one value in both, over all slots. An estimate by definition.

use super::overlap::common;
use super::{Pair, Verify, Worker, ordered};
use crate::engine::block::Block;
use crate::threshold::Threshold;

/// Signatures of a fixed number of slots.
#[derive(Debug, Clone, Copy)]
pub struct Agreement {
    threshold: Threshold,
    slots: u32,
}

impl Agreement {
    /// Pairs of which so many of `slots` agree.
    pub fn new(threshold: Threshold, slots: u32) -> Self {
        Self { threshold, slots: slots.max(1) }
    }
}

impl Verify for Agreement {
    fn verify(&self, a: (&Block, usize), b: (&Block, usize), worker: &mut Worker) {
        let least = self.threshold.least(u64::from(self.slots)) as usize;
        if let Some(shared) = common(a.0.ranks_of(a.1), b.0.ranks_of(b.1), least) {
            worker.pairs.push(Pair { in_a: shared as u32, in_b: self.slots, ..ordered(a.0.groups[a.1], b.0.groups[b.1], 0) });
        }
    }
}

/// The pair of two simhashes, if they differ in no more bits than the threshold allows.
pub fn of_bits(threshold: Threshold, a: (u32, u64), b: (u32, u64)) -> Option<Pair> {
    let agree = 64 - (a.1 ^ b.1).count_ones();
    threshold.admits(u64::from(agree), 64).then(|| Pair { in_a: agree, in_b: 64, ..ordered(a.0, b.0, 0) })
}
