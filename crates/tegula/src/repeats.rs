//! Which shingles may occur twice: a filter that lets the rest drop out before anything is stored about them.
//!
//! A shingle that occurs in one unit only can never be shared. Most shingles of a collection are of that kind, so the first pass over the
//! text notes in two bit fields what was seen once and what was seen again; the second pass keeps only what the second field knows.
//! The fields err in one direction: a repeated shingle is never missed, a single one may be kept (and drops out where ranks are built).

use std::sync::Mutex;

/// 64 bits seen once and 64 bits seen again, side by side in one cache line.
type Word = [u64; 2];

/// The words of a region fit a core's cache, so a region is filled from a buffer of pending ids at once.
const REGIONS: usize = 256;

/// Notes ids from any thread.
pub struct RepeatCounter {
    regions: Vec<Mutex<Vec<Word>>>,
    words: usize,
}

/// Answers whether an id may have been noted twice.
pub struct Repeats {
    words: Vec<Word>,
    per_region: usize,
}

/// A thread's ids on their way into the counter.
pub struct Pending<'a> {
    counter: &'a RepeatCounter,
    buffers: Vec<Vec<u64>>,
}

const PENDING: usize = 256;

#[inline]
fn region(id: u64) -> usize {
    (id >> 56) as usize
}

/// The word inside the region and the bits inside the word: two of 64.
#[inline]
fn place(id: u64, words: usize) -> (usize, u64) {
    // The id's upper byte chose the region and its next bits choose the word; the lower twelve choose the bits.
    let word = ((u128::from(id << 8) * words as u128) >> 64) as usize;
    (word, 1 << (id & 63) | 1 << ((id >> 6) & 63))
}

impl RepeatCounter {
    /// Bytes per id that keep the share of single ids kept below a twentieth.
    pub const BYTES_PER_ID: u64 = 2;

    /// A counter of about `bytes` bytes.
    pub fn new(bytes: u64) -> Self {
        let words = (bytes as usize / size_of::<Word>() / REGIONS).max(1);
        Self { regions: (0..REGIONS).map(|_| Mutex::new(vec![[0; 2]; words])).collect(), words }
    }

    /// A buffer for one thread.
    pub fn pending(&self) -> Pending<'_> {
        Pending { counter: self, buffers: (0..REGIONS).map(|_| Vec::with_capacity(PENDING)).collect() }
    }

    /// Ends the counting; all [`Pending`] buffers are flushed by then, as they borrow the counter.
    pub fn finish(self) -> Repeats {
        let per_region = self.words;
        let mut words = Vec::new();
        for region in self.regions {
            let mut region = region.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            if words.is_empty() {
                words.reserve_exact(per_region * REGIONS);
            }
            words.append(&mut region);
        }
        Repeats { words, per_region }
    }
}

impl Pending<'_> {
    /// Notes one occurrence of each id.
    pub fn note(&mut self, ids: &[u64]) {
        for id in ids {
            let region = region(*id);
            let buffer = &mut self.buffers[region];
            buffer.push(*id);
            if buffer.len() == PENDING {
                flush(self.counter, region, buffer);
            }
        }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        for (region, buffer) in self.buffers.iter_mut().enumerate() {
            flush(self.counter, region, buffer);
        }
    }
}

fn flush(counter: &RepeatCounter, region: usize, buffer: &mut Vec<u64>) {
    let mut words = counter.regions[region].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for id in buffer.drain(..) {
        let (word, bits) = place(id, counter.words);
        let [once, again] = &mut words[word];
        if *once & bits == bits {
            *again |= bits;
        }
        *once |= bits;
    }
}

impl Repeats {
    /// False only if the id was noted at most once.
    #[inline]
    pub fn may_repeat(&self, id: u64) -> bool {
        let (word, bits) = place(id, self.per_region);
        self.words[region(id) * self.per_region + word][1] & bits == bits
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.words.len() * size_of::<Word>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn repeated_ids_are_never_missed_and_few_single_ones_are_kept() {
        let counter = RepeatCounter::new(RepeatCounter::BYTES_PER_ID * 100_000);
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let counter = &counter;
                scope.spawn(move || {
                    let mut pending = counter.pending();
                    let ids: Vec<u64> = (0..90_000).filter(|i| i % 3 == thread).map(mix).collect();
                    pending.note(&ids);
                    pending.note(&(0..1_000).filter(|i| (i + 1) % 3 == thread).map(mix).collect::<Vec<_>>());
                });
            }
        });
        let repeats = counter.finish();
        assert!((0..1_000).all(|i| repeats.may_repeat(mix(i))));
        let kept = (1_000..90_000).filter(|i| repeats.may_repeat(mix(*i))).count();
        assert!(kept < 89_000 / 8, "{kept}");
    }
}
