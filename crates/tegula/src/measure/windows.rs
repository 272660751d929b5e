//! The shingles of a text, found by their tokens.

/// The distinct shingles of a text, in a table whose buffers are reused. Hashes only nominate: shingles
/// are equal if their tokens are.
#[derive(Debug, Default)]
pub(super) struct Windows {
    /// By hash, the last position of a shingle plus one; 0 is free.
    slots: Vec<u32>,
    /// By position, the one before it with the same shingle plus one, or 0.
    before: Vec<u32>,
    /// By last position, whether another text has the shingle.
    is_shared: Vec<bool>,
    /// The last positions of these.
    shared: Vec<u32>,
}

/// Hashes of the windows of n tokens, each from the one before.
struct Hashes<'t> {
    tokens: &'t [u64],
    n: usize,
    at: usize,
    hash: u64,
    /// The weight of the first token of a window.
    weight: u64,
}

impl<'t> Hashes<'t> {
    /// An odd number with its bits spread evenly.
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

    fn new(tokens: &'t [u64], n: usize) -> Self {
        let (mut hash, mut weight) = (0_u64, 1_u64);
        for token in tokens.iter().take(n.saturating_sub(1)) {
            hash = hash.wrapping_mul(Self::BASE).wrapping_add(*token);
            weight = weight.wrapping_mul(Self::BASE);
        }
        Self {
            tokens,
            n,
            at: 0,
            hash,
            weight,
        }
    }
}

impl Iterator for Hashes<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let last = self.tokens.get(self.at + self.n - 1)?;
        let hash = self.hash.wrapping_mul(Self::BASE).wrapping_add(*last);
        let first = self.tokens[self.at].wrapping_mul(self.weight);
        self.hash = hash.wrapping_sub(first);
        self.at += 1;
        Some(hash ^ hash >> 29)
    }
}

impl Windows {
    /// Reads the shingles of a text: its windows of n tokens, n above 0.
    pub(super) fn read(&mut self, tokens: &[u64], n: usize) {
        let count = (tokens.len() + 1).saturating_sub(n);
        self.slots.clear();
        self.slots.resize((2 * count + 1).next_power_of_two(), 0);
        self.before.clear();
        self.shared.clear();
        self.is_shared.clear();
        self.is_shared.resize(count, false);
        for (at, hash) in Hashes::new(tokens, n).enumerate() {
            let slot = self.slot(hash, &tokens[at..at + n], tokens);
            self.before.push(self.slots[slot]);
            self.slots[slot] = at as u32 + 1;
        }
    }

    /// The slot of a shingle among those of `tokens`, or a free one.
    #[inline]
    fn slot(&self, hash: u64, window: &[u64], tokens: &[u64]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (hash.wrapping_mul(Hashes::BASE) >> 32) as usize & mask;
        loop {
            match self.slots[slot].checked_sub(1) {
                Some(at) if tokens[at as usize..][..window.len()] != *window => {
                    slot = (slot + 1) & mask;
                }
                _ => return slot,
            }
        }
    }

    /// Looks up the shingles of another text, of as many tokens each, among those of `tokens`, which
    /// were read. Calls `found` with the positions of those that are there, and returns how many
    /// different ones are. The cost is that of the other text alone.
    pub(super) fn share(
        &mut self,
        tokens: &[u64],
        (other, n): (&[u64], usize),
        mut found: impl FnMut(usize),
    ) -> u32 {
        for last in self.shared.drain(..) {
            self.is_shared[last as usize] = false;
        }
        for (at, hash) in Hashes::new(other, n).enumerate() {
            let slot = self.slot(hash, &other[at..at + n], tokens);
            if let Some(last) = self.slots[slot].checked_sub(1) {
                if !std::mem::replace(&mut self.is_shared[last as usize], true) {
                    self.shared.push(last);
                }
                found(at);
            }
        }
        self.shared.len() as u32
    }

    /// The positions whose shingles another text has, after [`Windows::share`], in no order.
    pub(super) fn shared(&self) -> impl Iterator<Item = usize> {
        self.shared.iter().flat_map(|last| {
            let before = |at: &u32| self.before[*at as usize].checked_sub(1);
            std::iter::successors(Some(*last), before).map(|at| at as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use std::collections::HashSet;

    #[test]
    fn shingles_are_those_of_a_set() {
        let mut windows = Windows::default();
        for seed in 0..400 {
            let text = |seed: u64, most: u64| -> Vec<u64> {
                // Few different tokens, so that shingles repeat.
                let count = mix(seed) % most;
                (0..count).map(|at| mix(seed ^ at << 9) % 4).collect()
            };
            let (a, b) = (text(2 * seed, 60), text(2 * seed + 1, 90));
            for n in [1, 2, 3, 5] {
                let set = |tokens: &[u64]| -> HashSet<Vec<u64>> {
                    tokens.windows(n).map(<[u64]>::to_vec).collect()
                };
                let (set_a, set_b) = (set(&a), set(&b));
                windows.read(&a, n);
                // What others share with it is forgotten.
                windows.share(&a, (&a, n), |_| ());
                let mut found = Vec::new();
                let shared = windows.share(&a, (&b, n), |at| found.push(at));
                assert_eq!(shared as usize, set_a.intersection(&set_b).count());
                let is_in = |tokens: &[u64], other: &HashSet<Vec<u64>>| -> Vec<usize> {
                    let all = tokens.windows(n).enumerate();
                    all.filter(|(_, window)| other.contains(*window))
                        .map(|(at, _)| at)
                        .collect()
                };
                assert_eq!(found, is_in(&b, &set_a));
                let mut shared: Vec<usize> = windows.shared().collect();
                shared.sort_unstable();
                assert_eq!(shared, is_in(&a, &set_b));
            }
        }
    }
}
