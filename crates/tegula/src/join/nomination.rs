//! Nomination: which groups share a key. Keys are ranked as shingles are, and looked up in the same postings; nothing is scored.

use super::{Allow, Entry, Index, Listing, OrderedJoin, Pair, Probe, Worker};
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
            let slot = probe.base + i as u32;
            for rank in probe.block.ranks_of(i) {
                for entry in index.postings.get(*rank) {
                    // Lists are in size order: of a pair, the later one probes.
                    if index.base + entry.local >= slot {
                        break;
                    }
                    let j = entry.local as usize;
                    if worker.met[j] == slot {
                        continue;
                    }
                    worker.met[j] = slot;
                    let (a, b) = (probe.block.groups[i], index.block.groups[j]);
                    if allow.is_none_or(|allow| allow(a, b)) {
                        worker.pairs.push(Pair { a: a.min(b), b: a.max(b), in_a: 0, in_b: 0 });
                    }
                }
            }
        }
    }
}
