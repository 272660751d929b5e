//! A filter for n-grams that may occur twice: all others are dropped before anything is stored about
//! them.
//!
//! An n-gram that occurs once cannot have been seen before. Most n-grams of a collection are of this
//! kind, so the first pass over the text records in two bit fields which were seen once and which
//! again; the second pass keeps only those in the second field. Errors are one-sided: a repeated
//! n-gram is never missed, but a single one may be kept.

use crate::context::make_room;
use crate::error::Result;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of regions, each filled from a buffer of pending ids under its lock.
const REGIONS: usize = 256;

/// Ids whose words are prefetched together.
const TOUCHED: usize = 64;

/// Ids pending for a region.
const PENDING: usize = 512;

/// Records ids from any thread.
pub(crate) struct RepeatCounter {
    /// Pairs of words: 64 bits seen once, 64 bits seen again.
    words: Vec<AtomicU64>,
    locks: Vec<Mutex<()>>,
    /// Pairs of words in a region.
    per_region: usize,
}

/// Whether an id may have been recorded twice.
pub(crate) struct Repeats {
    words: Vec<u64>,
}

/// A thread's ids before they are added to the counter.
pub(crate) struct Pending<'a> {
    counter: &'a RepeatCounter,
    buffers: Vec<Vec<u64>>,
}

#[inline]
fn region(id: u64) -> usize {
    (id >> 56) as usize
}

/// The index of the word of an id among `words` words; ids of one region have adjacent words.
#[inline]
fn word(id: u64, words: usize) -> usize {
    ((u128::from(id) * words as u128) >> 64) as usize
}

/// The bits of an id in its word: two of 64, chosen by its lowest bits, as the uppermost chose the
/// word.
#[inline]
fn bits(id: u64) -> u64 {
    1 << (id & 63) | 1 << ((id >> 6) & 63)
}

impl RepeatCounter {
    /// Bytes per id that keep the false-positive rate below a tenth.
    pub(crate) const BYTES_PER_ID: u64 = 2;

    /// A counter of about `bytes` bytes.
    ///
    /// # Errors
    /// If the system has too little memory.
    pub(crate) fn new(bytes: u64) -> Result<Self> {
        let per_region = (bytes as usize / 16 / REGIONS).max(1);
        let mut words = Vec::new();
        make_room(&mut words, 2 * per_region * REGIONS, "finding what repeats")?;
        words.resize_with(2 * per_region * REGIONS, || AtomicU64::new(0));
        Ok(Self {
            words,
            locks: (0..REGIONS).map(|_| Mutex::new(())).collect(),
            per_region,
        })
    }

    /// A buffer for one thread.
    pub(crate) fn pending(&self) -> Pending<'_> {
        Pending {
            counter: self,
            buffers: (0..REGIONS).map(|_| Vec::with_capacity(PENDING)).collect(),
        }
    }

    /// Ends counting; all [`Pending`] buffers are already flushed, as they borrow the counter.
    pub(crate) fn finish(self) -> Repeats {
        let mut words = Vec::with_capacity(self.per_region * REGIONS);
        words.extend(
            self.words
                .chunks_exact(2)
                .map(|pair| pair[1].load(Ordering::Relaxed)),
        );
        Repeats { words }
    }

    /// Records the ids of one region. Under its lock plain loads and stores suffice: a locked
    /// instruction for each id would cost far more.
    fn note(&self, region: usize, ids: &mut Vec<u64>) {
        let _held = self.locks[region]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let words = self.per_region * REGIONS;
        for some in ids.chunks(TOUCHED) {
            // Bare loads overlap far better than loads with dependent work: this prefetches the
            // words for the second loop.
            let touched = some.iter().fold(0, |all, id| {
                all ^ self.words[2 * word(*id, words)].load(Ordering::Relaxed)
            });
            std::hint::black_box(touched);
            for id in some {
                let at = 2 * word(*id, words);
                let bits = bits(*id);
                let once = self.words[at].load(Ordering::Relaxed);
                let again = self.words[at + 1].load(Ordering::Relaxed);
                // Branchless, as a branch would be mispredicted half the time and stall the
                // pipeline.
                let repeated = u64::from(once & bits == bits).wrapping_neg();
                self.words[at].store(once | bits, Ordering::Relaxed);
                self.words[at + 1].store(again | (bits & repeated), Ordering::Relaxed);
            }
        }
        ids.clear();
    }
}

impl Pending<'_> {
    /// Records one occurrence of each id.
    pub(crate) fn note(&mut self, ids: &[u64]) {
        for id in ids {
            let region = region(*id);
            let buffer = &mut self.buffers[region];
            buffer.push(*id);
            if buffer.len() == PENDING {
                self.counter.note(region, buffer);
            }
        }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        for (region, buffer) in self.buffers.iter_mut().enumerate() {
            self.counter.note(region, buffer);
        }
    }
}

impl Repeats {
    /// False only if the id was recorded at most once.
    #[inline]
    pub(crate) fn may_repeat(&self, id: u64) -> bool {
        let bits = bits(id);
        self.words[word(id, self.words.len())] & bits == bits
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        (self.words.len() * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn repeated_ids_are_never_missed_and_few_single_ones_are_kept() {
        let counter = RepeatCounter::new(RepeatCounter::BYTES_PER_ID * 100_000).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let counter = &counter;
                scope.spawn(move || {
                    let mut pending = counter.pending();
                    let ids: Vec<u64> = (0..90_000).filter(|i| i % 3 == thread).map(mix).collect();
                    pending.note(&ids);
                    pending.note(
                        &(0..1_000)
                            .filter(|i| (i + 1) % 3 == thread)
                            .map(mix)
                            .collect::<Vec<_>>(),
                    );
                });
            }
        });
        let repeats = counter.finish();
        assert!((0..1_000).all(|i| repeats.may_repeat(mix(i))));
        let kept = (1_000..90_000)
            .filter(|i| repeats.may_repeat(mix(*i)))
            .count();
        assert!(kept < 89_000 / 8, "{kept}");
    }
}
