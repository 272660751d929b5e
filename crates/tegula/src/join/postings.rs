//! Posting lists by rank, flat: a bit for each rank that occurs, and from it the place of its list.

use rayon::prelude::*;

/// One occurrence of a rank in an indexed group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// What the join sorts or filters by.
    pub key: i32,
    /// The group's place in the index block.
    pub local: u32,
}

/// Ranks and their entries, side by side, in the order of the groups.
#[derive(Debug, Default)]
pub struct Listing {
    /// The ranks.
    pub ranks: Vec<u32>,
    /// One for each rank.
    pub entries: Vec<Entry>,
}

impl Listing {
    /// Appends an entry.
    #[inline]
    pub fn push(&mut self, rank: u32, entry: Entry) {
        self.ranks.push(rank);
        self.entries.push(entry);
    }
}

/// Entries by rank.
#[derive(Debug)]
pub struct Postings {
    /// A bit for each rank.
    present: Vec<u64>,
    /// How many ranks are present before each word of `present`.
    before: Vec<u32>,
    starts: Vec<u32>,
    entries: Vec<Entry>,
    top: i32,
}

impl Postings {
    /// Lists the entries of all `parts`, each under the rank beside it, ranks below `ranks`. Entries of a rank keep their order, or are
    /// sorted by key, the largest first, then by group.
    pub fn new(ranks: u32, parts: &[Listing], sort_by_key: bool) -> Self {
        let words = ranks as usize / 64 + 1;
        let mut present = vec![0_u64; words];
        for rank in parts.iter().flat_map(|part| &part.ranks) {
            present[*rank as usize / 64] |= 1 << (rank % 64);
        }
        let mut before = Vec::with_capacity(words);
        let mut count = 0_u32;
        for word in &present {
            before.push(count);
            count += word.count_ones();
        }
        let place = |rank: u32| {
            let word = rank as usize / 64;
            (before[word] + (present[word] & ((1 << (rank % 64)) - 1)).count_ones()) as usize
        };
        let mut starts = vec![0_u32; count as usize + 1];
        for rank in parts.iter().flat_map(|part| &part.ranks) {
            starts[place(*rank) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut sorted = vec![Entry { key: 0, local: 0 }; starts.last().map_or(0, |end| *end as usize)];
        // Filling moves each list's start to its end; one shift to the right restores the starts.
        let mut top = i32::MIN / 2;
        for (rank, entry) in parts.iter().flat_map(|part| part.ranks.iter().zip(&part.entries)) {
            let start = &mut starts[place(*rank)];
            sorted[*start as usize] = *entry;
            *start += 1;
            top = top.max(entry.key);
        }
        starts.pop();
        starts.insert(0, 0);
        if sort_by_key {
            let mut lists = Vec::with_capacity(count as usize);
            let mut rest = sorted.as_mut_slice();
            for pair in starts.windows(2) {
                let (list, tail) = rest.split_at_mut((pair[1] - pair[0]) as usize);
                if list.len() > 1 {
                    lists.push(list);
                }
                rest = tail;
            }
            lists
                .into_par_iter()
                .with_min_len(4096)
                .for_each(|list| list.sort_unstable_by_key(|e| (std::cmp::Reverse(e.key), e.local)));
        }
        Self { present, before, starts, entries: sorted, top }
    }

    /// The entries of a rank.
    #[inline]
    pub fn get(&self, rank: u32) -> &[Entry] {
        let word = rank as usize / 64;
        let bit = 1_u64 << (rank % 64);
        if self.present[word] & bit == 0 {
            return &[];
        }
        let place = (self.before[word] + (self.present[word] & (bit - 1)).count_ones()) as usize;
        &self.entries[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// The largest key of all.
    pub fn top(&self) -> i32 {
        self.top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_their_entries() {
        let keys = [7, 64, 7, 200, 64, 7];
        let entries: Vec<Entry> = [3, 1, 9, 2, 4, 3].iter().zip(0..).map(|(key, local)| Entry { key: *key, local }).collect();
        let part =
            |range: std::ops::Range<usize>| Listing { ranks: keys[range.clone()].to_vec(), entries: entries[range].to_vec() };
        let parts = [part(0..2), part(2..6)];
        let plain = Postings::new(256, &parts, false);
        assert_eq!(plain.get(7), [entries[0], entries[2], entries[5]]);
        assert_eq!(plain.get(200), [entries[3]]);
        assert!(plain.get(8).is_empty() && plain.get(0).is_empty() && plain.get(255).is_empty());
        let sorted = Postings::new(256, &parts, true);
        assert_eq!(sorted.get(7), [entries[2], entries[0], entries[5]]);
        assert_eq!(sorted.get(64), [entries[4], entries[1]]);
        assert_eq!(sorted.top(), 9);
        assert!(Postings::new(0, &[], true).get(0).is_empty());
    }
}
