//! Postings: for each shingle, the kept texts that have it.
//!
//! A shingle is identified by 128 bits. Most shingles of a stream are in one kept text, whose number
//! is then stored in the table itself; only the others have a list. The table is split into shards,
//! so that it grows in small steps. *Useful for* texts that arrive one by one. *Not useful for* a
//! collection, which is joined in blocks with half the memory.

use crate::hash::{Fingerprint, Hashed};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A shingle in 16 bytes without padding.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shingle([u32; 4]);

impl From<Fingerprint> for Shingle {
    fn from(Fingerprint { id, check }: Fingerprint) -> Self {
        Self([
            id as u32,
            (id >> 32) as u32,
            check as u32,
            (check >> 32) as u32,
        ])
    }
}

impl Hash for Shingle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The check half, as the id half chooses the shard.
        state.write_u64(u64::from(self.0[2]) | u64::from(self.0[3]) << 32);
    }
}

/// By shingle, the number of the one text that has it, or [`LIST`] and the number of a list.
type Shard = HashMap<Shingle, u32, BuildHasherDefault<Hashed>>;

/// Marks the number of a list.
const LIST: u32 = 1 << 31;
/// Bits of an id that choose a shard.
const SHARD_BITS: u32 = 6;
/// An estimate of the bytes of an empty list, in a list of lists that doubles.
const LIST_BYTES: u64 = 2 * size_of::<Vec<u32>>() as u64;
/// The same for each text in it, as lists double too.
const POSTING_BYTES: u64 = 2 * size_of::<u32>() as u64;

/// For each shingle, the numbers of the texts that have it, ascending.
pub(super) struct Postings {
    shards: Vec<Shard>,
    lists: Vec<Vec<u32>>,
    /// Lists not in use.
    free: Vec<u32>,
    /// Texts in lists.
    listed: u64,
}

impl Postings {
    /// Numbers of texts are below this.
    pub(super) const MOST: usize = LIST as usize;

    pub(super) fn new() -> Self {
        Self {
            shards: (0..1 << SHARD_BITS).map(|_| Shard::default()).collect(),
            lists: Vec::new(),
            free: Vec::new(),
            listed: 0,
        }
    }

    /// The texts that have a shingle.
    pub(super) fn of(&self, shingle: Fingerprint) -> &[u32] {
        match self.shards[shard_of(shingle)].get(&shingle.into()) {
            None => &[],
            Some(held) if *held & LIST != 0 => &self.lists[(held ^ LIST) as usize],
            Some(text) => std::slice::from_ref(text),
        }
    }

    /// Bytes that adding a text with these distinct shingles takes.
    pub(super) fn cost(&self, shingles: impl Iterator<Item = Fingerprint>) -> u64 {
        let (mut fresh, mut bytes) = ([0; 1 << SHARD_BITS], 0);
        for shingle in shingles {
            match self.of(shingle).len() {
                0 => fresh[shard_of(shingle)] += 1,
                1 => bytes += LIST_BYTES + 2 * POSTING_BYTES,
                _ => bytes += POSTING_BYTES,
            }
        }
        let grown = self.shards.iter().zip(fresh).map(|(shard, fresh)| {
            let wanted = shard.len() + fresh;
            if wanted > shard.capacity() {
                table_bytes(wanted) - table_bytes(shard.capacity())
            } else {
                0
            }
        });
        bytes + grown.sum::<u64>()
    }

    /// Adds a text, whose number is above all others, to a shingle that it has.
    pub(super) fn add(&mut self, shingle: Fingerprint, text: u32) {
        let held = self.shards[shard_of(shingle)]
            .entry(shingle.into())
            .or_insert(text);
        if *held & LIST != 0 {
            self.lists[(*held ^ LIST) as usize].push(text);
            self.listed += 1;
        } else if *held != text {
            let list = vec![*held, text];
            self.listed += 2;
            let number = self.free.pop().unwrap_or_else(|| {
                self.lists.push(Vec::new());
                self.lists.len() as u32 - 1
            });
            self.lists[number as usize] = list;
            *held = LIST | number;
        }
    }

    /// Forgets the first `count` texts and renumbers the others from 0.
    pub(super) fn forget(&mut self, count: u32) {
        let Self {
            shards,
            lists,
            free,
            listed,
        } = self;
        for shard in shards {
            shard.retain(|_, held| {
                if *held & LIST == 0 {
                    let stays = *held >= count;
                    *held = held.wrapping_sub(count);
                    return stays;
                }
                let number = *held ^ LIST;
                let list = &mut lists[number as usize];
                let dropped = list.partition_point(|text| *text < count);
                *listed -= dropped as u64;
                list.drain(..dropped);
                for text in list.iter_mut() {
                    *text -= count;
                }
                if let [] | [_] = **list {
                    let last = list.pop();
                    *listed -= u64::from(last.is_some());
                    *list = Vec::new();
                    free.push(number);
                    *held = last.unwrap_or_default();
                    return last.is_some();
                }
                true
            });
            // Rebuilt, as removals leave gaps that would make it grow.
            *shard = std::mem::take(shard).into_iter().collect();
        }
    }

    /// An estimate of the bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let tables: u64 = (self
            .shards
            .iter()
            .map(|shard| table_bytes(shard.capacity())))
        .sum();
        tables + LIST_BYTES * self.lists.len() as u64 + POSTING_BYTES * self.listed
    }
}

fn shard_of(shingle: Fingerprint) -> usize {
    (shingle.id >> (64 - SHARD_BITS)) as usize
}

/// Bytes of a table with room for this many shingles: a power of two of slots, an eighth of them
/// empty, and one more byte for each.
fn table_bytes(shingles: usize) -> u64 {
    if shingles == 0 {
        return 0;
    }
    let slots = (shingles * 8).div_ceil(7).next_power_of_two().max(4);
    (slots * (size_of::<(Shingle, u32)>() + 1) + 16) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{mix, token};

    #[test]
    fn texts_are_forgotten_and_renumbered() {
        // Of shingle s, the texts are those with a bit of a random number.
        let shingle = |number: u64| token(&number.to_le_bytes());
        let has = |number: u64, text: u32| mix(number << 32 | u64::from(text)) % 4 < number % 4;
        let mut postings = Postings::new();
        let mut first = 0;
        for text in 0..40 {
            let shingles = || (0..300).filter(|number| has(*number, text)).map(shingle);
            let cost = postings.cost(shingles());
            let before = postings.bytes();
            shingles().for_each(|shingle| postings.add(shingle, text - first));
            assert!(postings.bytes() <= before + cost);
            if text % 7 == 6 {
                let dropped = text - 3 - first;
                postings.forget(dropped);
                first += dropped;
            }
            for number in 0..300 {
                let truth: Vec<u32> = (first..=text)
                    .filter(|text| has(number, *text))
                    .map(|text| text - first)
                    .collect();
                assert_eq!(postings.of(shingle(number)), truth, "{number} {text}");
            }
        }
        postings.forget(40 - first);
        assert!((0..300).all(|number| postings.of(shingle(number)).is_empty()));
        assert_eq!(postings.listed, 0);
        assert_eq!(postings.free.len(), postings.lists.len());
    }

    #[test]
    fn a_shingle_takes_twenty_bytes() {
        assert_eq!(size_of::<(Shingle, u32)>(), 20);
        let mut shard = Shard::default();
        for number in 0..2000_u64 {
            shard.insert(token(&number.to_le_bytes()).into(), 0);
            assert_eq!(table_bytes(shard.len()), table_bytes(shard.capacity()));
        }
    }
}
