//! Nomination: which groups share a key. Keys are ranked as shingles are, and looked up in the same postings; nothing is scored.

use super::{Allow, Entry, Index, Listing, OrderedJoin, Probe, Worker, for_each_met, ordered};
use crate::engine::block::Block;
use std::ops::Range;

/// All pairs that share at least one key, each once: in the block of the first key of the probe that the other has.
#[derive(Debug, Clone, Copy)]
pub struct Nomination;

impl OrderedJoin for Nomination {
    fn reaches(&self, _: (u32, u32), _: (u32, u32)) -> bool {
        true
    }

    fn list(&self, block: &Block, range: Range<usize>) -> Listing {
        let mut listing = Listing::default();
        for i in range {
            block.ranks_of(i).iter().for_each(|rank| listing.push(*rank, Entry { key: 0, local: i as u32 }));
        }
        listing
    }

    fn probe(&self, index: &Index, probe: Probe, range: Range<usize>, allow: Allow, worker: &mut Worker) {
        for i in range {
            for_each_met(index, (probe, i), probe.block.ranks_of(i), allow, worker, |j, worker| {
                worker.pairs.push(ordered(probe.block.groups[i], index.block.groups[j], 0));
            });
        }
    }
}
