//! Blocks: the features that texts share with others, as flat columns. The unit of storage,
//! spilling and joining.

mod build;
mod occurrences;
mod rank;

pub(crate) use build::{Layout, Numbers, block};
pub(crate) use occurrences::{Occurrence, Occurrences, Room, list, partition_of};
pub(crate) use rank::{
    Frequent, Lists, Postings, Shape, first_frequent, first_ranks, parts_of_list, rank, ranked,
};

use crate::columns;
use crate::context::{Reservation, make_room};
use crate::error::{Error, Result};
use crate::scratch::{Extent, SpillFile};

/// The kind of a block's columns.
const KIND: columns::Kind = *b"TGBLOCK3";

/// Features of consecutive groups in size order.
///
/// `offsets[i]..offsets[i + 1]` are the features of the i-th group: shingles, chains of them, terms
/// or keys that at least two groups share, sorted by rank, then position. Rank 0 is the rarest of
/// the collection.
#[derive(Debug, Default, Clone)]
pub struct Block {
    /// The groups.
    pub groups: Vec<u32>,
    /// Distinct shingles of each group, including those of no other group.
    pub set_sizes: Vec<u32>,
    /// Tokens of each group's text, at least 1.
    pub lengths: Vec<u32>,
    /// The start of each group's features, followed by the end of the last.
    pub offsets: Vec<u32>,
    /// The features' ranks.
    pub ranks: Vec<u32>,
    /// The features' positions in tokens; empty if not needed.
    pub positions: Vec<u32>,
    /// The features' weights, or the number of shingles if they are chains; empty if each counts 1.
    pub amounts: Vec<u32>,
    /// The total weight of each group, lower half first; empty without weights.
    pub totals: Vec<u32>,
}

/// A text of a block.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The block.
    pub block: &'a Block,
    /// Its index in the block.
    pub at: usize,
    /// For each feature, the sum over it and all later ones ([`crate::measure::Prefix::suffixes`]);
    /// empty if unknown.
    pub rest: &'a [u32],
}

impl<'a> Text<'a> {
    /// The group.
    #[inline]
    pub fn group(self) -> u32 {
        self.block.groups[self.at]
    }

    /// Distinct shingles.
    #[inline]
    pub fn set(self) -> u32 {
        self.block.set_sizes[self.at]
    }

    /// Tokens, at least 1.
    #[inline]
    pub fn tokens(self) -> u32 {
        self.block.lengths[self.at]
    }

    /// The ranks of its features.
    #[inline]
    pub fn ranks(self) -> &'a [u32] {
        &self.block.ranks[self.block.features(self.at)]
    }

    /// Their positions; empty if there are none.
    #[inline]
    pub fn positions(self) -> &'a [u32] {
        self.block
            .positions
            .get(self.block.features(self.at))
            .unwrap_or_default()
    }

    /// Their weights or lengths; empty if each counts 1.
    #[inline]
    pub fn amounts(self) -> &'a [u32] {
        self.block
            .amounts
            .get(self.block.features(self.at))
            .unwrap_or_default()
    }
}

impl Block {
    /// The number of groups.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The feature indices of the i-th group.
    #[inline]
    pub fn features(&self, i: usize) -> std::ops::Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    /// The i-th group's text.
    #[inline]
    pub fn text(&self, i: usize) -> Text<'_> {
        Text {
            block: self,
            at: i,
            rest: &[],
        }
    }

    /// For each of `groups` groups its index in the block, [`u32::MAX`] for groups not in it.
    pub fn places(&self, groups: usize) -> Vec<u32> {
        let mut places = vec![u32::MAX; groups];
        for (place, group) in (0..).zip(&self.groups) {
            places[*group as usize] = place;
        }
        places
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        4 * self.arrays().iter().map(|a| a.len() as u64).sum::<u64>()
    }

    /// The total weight of the i-th group; 0 without weights.
    #[inline]
    pub fn total(&self, i: usize) -> u64 {
        match self.totals.get(2 * i..2 * i + 2) {
            Some(halves) => u64::from(halves[0]) | u64::from(halves[1]) << 32,
            None => 0,
        }
    }

    fn arrays(&self) -> [&Vec<u32>; 8] {
        [
            &self.groups,
            &self.set_sizes,
            &self.lengths,
            &self.offsets,
            &self.ranks,
            &self.positions,
            &self.amounts,
            &self.totals,
        ]
    }

    /// An empty block with exactly this capacity; `like` determines which arrays are used.
    pub fn with_room(groups: usize, features: usize, like: &Self) -> Self {
        let room =
            |array: &Vec<u32>| Vec::with_capacity(if array.is_empty() { 0 } else { features });
        Self {
            groups: Vec::with_capacity(groups),
            set_sizes: Vec::with_capacity(groups),
            lengths: Vec::with_capacity(groups),
            offsets: Vec::with_capacity(groups + 1),
            ranks: Vec::with_capacity(features),
            positions: room(&like.positions),
            amounts: room(&like.amounts),
            totals: Vec::with_capacity(if like.totals.is_empty() {
                0
            } else {
                2 * groups
            }),
        }
    }

    /// Appends another block's groups to this one's.
    pub fn append(&mut self, other: &Self) {
        let base = self.ranks.len() as u32;
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.groups.extend_from_slice(&other.groups);
        self.set_sizes.extend_from_slice(&other.set_sizes);
        self.lengths.extend_from_slice(&other.lengths);
        self.offsets
            .extend(other.offsets.iter().skip(1).map(|offset| base + offset));
        self.ranks.extend_from_slice(&other.ranks);
        self.positions.extend_from_slice(&other.positions);
        self.amounts.extend_from_slice(&other.amounts);
        self.totals.extend_from_slice(&other.totals);
    }

    /// The groups in `range` as a separate block.
    #[must_use]
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        let first = self.offsets[range.start];
        let features = first as usize..self.offsets[range.end] as usize;
        let some = |array: &Vec<u32>| {
            if array.is_empty() {
                Vec::new()
            } else {
                array[features.clone()].to_vec()
            }
        };
        Self {
            groups: self.groups[range.clone()].to_vec(),
            set_sizes: self.set_sizes[range.clone()].to_vec(),
            lengths: self.lengths[range.clone()].to_vec(),
            offsets: self.offsets[range.start..=range.end]
                .iter()
                .map(|offset| offset - first)
                .collect(),
            ranks: self.ranks[features.clone()].to_vec(),
            positions: some(&self.positions),
            amounts: some(&self.amounts),
            totals: self
                .totals
                .get(2 * range.start..2 * range.end)
                .unwrap_or_default()
                .to_vec(),
        }
    }

    /// The block as bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        columns::to_bytes(KIND, self.arrays().map(|array| &array[..]))
    }

    /// A block from [`Block::to_bytes`].
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let [
            groups,
            set_sizes,
            lengths,
            offsets,
            ranks,
            positions,
            amounts,
            totals,
        ] = columns::from_bytes(KIND, bytes).map_err(|_| {
            Error::data("a block of features is damaged")
                .hint("start the run again without ⟨resume⟩")
        })?;
        Ok(Self {
            groups,
            set_sizes,
            lengths,
            offsets,
            ranks,
            positions,
            amounts,
            totals,
        })
    }
}

/// Ranked features of all groups that share any with another.
#[derive(Debug)]
pub struct Features {
    /// The texts, in order of size.
    pub blocks: BlockStore,
    /// Distinct shingles by group.
    pub set_sizes: Vec<u32>,
    /// Ranks are below it.
    pub ranks: u32,
    /// Ranks from it on belong to features that too many texts have: they generate no candidates,
    /// but count in scores. [`u32::MAX`] if there is no limit.
    pub frequent: u32,
    /// Whether texts are ordered by their tokens rather than their distinct shingles.
    pub by_tokens: bool,
    /// Whether features with the same rank may stand for different shingles, so that overlap must
    /// be counted in the tokens.
    pub may_collide: bool,
    /// The memory they take.
    pub(crate) _held: Option<Reservation>,
}

/// All blocks of a run, in size order: in memory as one, or on scratch.
#[derive(Debug)]
pub enum BlockStore {
    /// One block holds everything.
    Memory(Block),
    /// Many blocks, read back one by one.
    Scratch {
        /// The scratch file.
        file: SpillFile,
        /// One for each block.
        heads: Vec<Head>,
    },
}

/// Metadata of a block on scratch, available without reading it.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    /// Its location.
    pub extent: Extent,
    /// The index of its first group in the size order of all groups.
    pub base: u32,
    /// The sizes of its smallest and its largest group.
    pub sizes: (u32, u32),
    /// The number of its groups.
    pub groups: u32,
    /// The number of its features.
    pub features: u32,
}

impl BlockStore {
    /// Reads a block from scratch.
    ///
    /// # Errors
    /// If scratch fails or is damaged.
    pub fn read(file: &SpillFile, head: Head) -> Result<Block> {
        let mut bytes = Vec::new();
        make_room(
            &mut bytes,
            head.extent.length as usize,
            "a block of features",
        )?;
        bytes.resize(head.extent.length as usize, 0);
        file.read(head.extent, &mut bytes)?;
        Block::from_bytes(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Block {
        Block {
            groups: vec![4, 9],
            set_sizes: vec![3, 5],
            lengths: vec![7, 9],
            offsets: vec![0, 2, 3],
            ranks: vec![1, 8, 1],
            positions: vec![0, 2, 5],
            amounts: Vec::new(),
            totals: vec![1, 0, 2, 1],
        }
    }

    #[test]
    fn bytes_round_trip_and_damage_is_noticed() {
        let bytes = block().to_bytes();
        // The same bytes on machines of either byte order.
        assert_eq!(
            xxhash_rust::xxh3::xxh3_64(&bytes),
            9_732_963_396_672_245_023
        );
        let back = Block::from_bytes(&bytes).unwrap();
        assert_eq!(
            (back.groups, back.offsets, back.positions),
            (block().groups, block().offsets, block().positions)
        );
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(Block::from_bytes(&damaged).is_err());
            assert!(Block::from_bytes(&bytes[..at]).is_err());
        }
    }

    #[test]
    fn appended_blocks_keep_their_features() {
        let mut all = Block::default();
        all.append(&block());
        all.append(&block());
        assert_eq!(all.offsets, [0, 2, 3, 5, 6]);
        assert_eq!(all.text(2).ranks(), [1, 8]);
        assert_eq!(all.text(3).ranks(), [1]);
        let part = all.part(1..3);
        assert_eq!(
            (part.groups, part.offsets, part.ranks),
            (vec![9, 4], vec![0, 1, 3], vec![1, 1, 8])
        );
    }
}
