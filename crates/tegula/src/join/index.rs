//! Indexes: the texts of a block by feature, restricted to what the bound of a measure needs.

use crate::block::{Block, Text};
use crate::measure::{Bitmap128, Bound, Marks, Outlines, bitmap};
use crate::pair::Chosen;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A block, and the values a bound computes for it.
#[derive(Debug)]
pub struct Side<'a> {
    /// The texts, in order of size.
    pub(super) block: &'a Block,
    /// The position of the first in the order of all texts.
    pub(super) base: u32,
    /// The sizes by text.
    pub(super) sizes: &'a [u32],
    /// By feature, the sum over the rest of its text, starting with it.
    suffixes: Vec<u32>,
    /// Features of this rank and above generate no candidates.
    frequent: u32,
    /// By text, if the bound uses them.
    outlines: Outlines,
    /// By text, if the bound uses them.
    bitmaps: Vec<Bitmap128>,
}

/// Texts per step of a thread.
const STEP: usize = 128;

impl<'a> Side<'a> {
    /// `base` is the position of the block's first text in the order of all.
    pub fn new(bound: &dyn Bound, block: &'a Block, base: u32) -> Self {
        let outlined = if bound.is_outlined() { block.len() } else { 0 };
        let outlines = Outlines::new(
            outlined,
            |at| bound.outline_words(block.text(at)),
            |at, outline| bound.outline(block.text(at), outline),
        );
        let mapped = if bound.has_bitmaps() { block.len() } else { 0 };
        let bitmaps = (0..mapped)
            .into_par_iter()
            .map(|at| bitmap(block.text(at).ranks()))
            .collect();
        Self {
            base,
            outlines,
            bitmaps,
            ..Self::sums(bound, block)
        }
    }

    /// Only the sums, of a block whose texts may be in any order: what finds candidates, but rejects
    /// none.
    pub(crate) fn sums(bound: &dyn Bound, block: &'a Block) -> Self {
        let mut suffixes = vec![0; block.ranks.len()];
        let mut jobs: Vec<(Range<usize>, &mut [u32])> = Vec::new();
        let mut rest = &mut suffixes[..];
        for from in (0..block.len()).step_by(STEP) {
            let some = from..(from + STEP).min(block.len());
            let (own, later) =
                rest.split_at_mut((block.offsets[some.end] - block.offsets[some.start]) as usize);
            jobs.push((some, own));
            rest = later;
        }
        jobs.into_par_iter()
            .for_each_init(Marks::default, |marks, (some, mut out)| {
                for at in some {
                    let (own, later) = out.split_at_mut(block.features(at).len());
                    bound.suffixes(block.text(at), marks, own);
                    out = later;
                }
            });
        Self {
            block,
            base: 0,
            sizes: bound.sizes(block),
            suffixes,
            frequent: u32::MAX,
            outlines: Outlines::default(),
            bitmaps: Vec::new(),
        }
    }

    /// The same, where features of this rank and above, which too many texts have, generate no
    /// candidates; they count in scores.
    #[must_use]
    pub fn below(self, frequent: u32) -> Self {
        Self { frequent, ..self }
    }

    /// A text's bitmap, if there are any.
    pub(super) fn bitmap(&self, at: usize) -> Option<Bitmap128> {
        self.bitmaps.get(at).copied()
    }

    /// The outlines of texts, if there are any.
    pub(super) fn outlines(&self) -> &Outlines {
        &self.outlines
    }

    /// A text, with the sums over its features.
    pub(super) fn text(&self, at: usize) -> Text<'_> {
        Text {
            rest: self.rest(at),
            ..self.block.text(at)
        }
    }

    fn rest(&self, at: usize) -> &[u32] {
        &self.suffixes[self.block.features(at)]
    }

    /// The distinct features of a text that generate candidates, each with the sum over the rest of
    /// the text, starting with it.
    pub(super) fn features(&self, at: usize) -> impl Iterator<Item = (u32, u32)> {
        let mut last = None;
        let ranks = self.block.ranks[self.block.features(at)].iter().copied();
        ranks
            .zip(self.rest(at).iter().copied())
            .take_while(|(rank, _)| *rank < self.frequent)
            .filter(move |(rank, _)| last.replace(*rank) != Some(*rank))
    }

    /// The indexed features of a text, and their keys.
    fn indexed(&self, bound: &dyn Bound, at: usize) -> impl Iterator<Item = (u32, i32)> {
        let size = self.sizes[at];
        let indexed = self
            .features(at)
            .take_while(move |(_, suffix)| bound.indexes(*suffix, size));
        indexed.map(move |(rank, suffix)| (rank, bound.key(suffix, size)))
    }
}

/// A posting: a text that contains a feature, and its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u64);

impl Entry {
    const fn new(key: i32, text: u32) -> Self {
        Self((key as u32 as u64) << 32 | text as u64)
    }

    /// The value by which the bound sorts or filters.
    #[inline]
    pub(super) fn key(self) -> i32 {
        (self.0 >> 32) as i32
    }

    /// The text's index in the block.
    #[inline]
    pub(super) fn text(self) -> u32 {
        self.0 as u32
    }
}

/// A block with the entries of its features.
#[derive(Debug)]
pub struct Index<'a> {
    /// The texts.
    pub(super) side: &'a Side<'a>,
    /// A bit for each rank that has entries.
    present: Vec<u64>,
    /// The number of ranks with entries before each word of `present`.
    before: Vec<u32>,
    /// The start of the entries of each rank that has any; with one more at the end.
    starts: Vec<u32>,
    entries: Vec<Entry>,
    /// By entry, the bitmap of its text, if the bound uses them.
    bitmaps: Vec<Bitmap128>,
    /// The number of texts that are smaller than each size, up to [`SIZES`].
    smaller: Vec<u32>,
    /// For each text the largest key among its entries and those of later texts.
    top: Vec<i32>,
    /// The text of the first of every [`STRIDE`] entries, or nothing if they are sorted by key. A
    /// search in these touches less memory than one in the entries.
    heads: Vec<u32>,
}

/// Entries between two heads.
const STRIDE: usize = 16;

/// Sizes for which the number of smaller texts is kept, at most.
const SIZES: usize = if cfg!(test) { 9 } else { 1 << 12 };

impl<'a> Index<'a> {
    /// Upper bounds on the bytes per feature, per rank and per text while an index is built.
    pub(super) fn bytes(bound: &dyn Bound) -> (u64, u64, u64) {
        let (bitmap, outline) = (size_of::<Bitmap128>() as u64, Outlines::BYTES);
        let if_any = |any: bool, bytes: u64| if any { bytes } else { 0 };
        let (mapped, outlined) = (
            if_any(bound.has_bitmaps(), bitmap),
            if_any(bound.is_outlined(), outline),
        );
        // The outline of a large set has up to a byte for each feature; heads take a quarter of one.
        let wide = if_any(bound.is_outlined(), 1) + if_any(!bound.sorts_by_key(), 1);
        (12 + mapped + wide, 13, 8 + mapped + outlined)
    }

    /// Indexes the texts of a block, or the [`chosen`](Chosen) ones.
    pub fn new(bound: &dyn Bound, side: &'a Side<'a>, chosen: Chosen, ranks: u32) -> Self {
        let words = ranks as usize / 64 + 1;
        let ways = ways(side.block);
        let is_chosen =
            |text: &usize| chosen.is_none_or(|chosen| chosen[side.block.groups[*text] as usize]);
        // Where most ranks have entries, room for all of them costs less than a search.
        let present = if side.block.ranks.len() >= ranks as usize / 2 {
            vec![u64::MAX; words]
        } else {
            let mark = |texts: Range<usize>| {
                let mut present = vec![0; words];
                let entries = texts
                    .filter(is_chosen)
                    .flat_map(|text| side.indexed(bound, text));
                entries.for_each(|(rank, _)| present[rank as usize / 64] |= 1 << (rank % 64));
                present
            };
            let marked: Vec<Vec<u64>> = ways.par_iter().cloned().map(mark).collect();
            let any = |word| marked.iter().fold(0, |any, present| any | present[word]);
            (0..words).map(any).collect()
        };
        let (mut before, mut count) = (Vec::with_capacity(words), 0);
        for word in &present {
            before.push(count);
            count += word.count_ones();
        }
        let place = |rank: u32| place(&present, &before, rank);
        // The number of entries of each rank in each range of texts; then their starts.
        let mut counts: Vec<Vec<u32>> = ways
            .par_iter()
            .cloned()
            .map(|texts| {
                let mut counts = vec![0; count as usize];
                let entries = texts
                    .filter(is_chosen)
                    .flat_map(|text| side.indexed(bound, text));
                entries.for_each(|(rank, _)| counts[place(rank)] += 1);
                counts
            })
            .collect();
        let (mut starts, mut end) = (Vec::with_capacity(count as usize + 1), 0);
        for at in 0..count as usize {
            starts.push(end);
            for counts in &mut counts {
                (counts[at], end) = (end, end + counts[at]);
            }
        }
        starts.push(end);
        let entries: Vec<AtomicU64> = (0..end).map(|_| AtomicU64::new(0)).collect();
        let mut top = vec![i32::MIN / 2; side.block.len() + 1];
        let mut tops: Vec<&mut [i32]> = Vec::new();
        let mut rest = &mut top[..];
        for texts in &ways {
            let (own, later) = rest.split_at_mut(texts.len());
            tops.push(own);
            rest = later;
        }
        ways.into_par_iter()
            .zip(counts)
            .zip(tops)
            .for_each(|((texts, mut next), tops)| {
                for (text, top) in texts.zip(tops).filter(|(text, _)| is_chosen(text)) {
                    for (rank, key) in side.indexed(bound, text) {
                        let next = &mut next[place(rank)];
                        entries[*next as usize]
                            .store(Entry::new(key, text as u32).0, Ordering::Relaxed);
                        *next += 1;
                        *top = key.max(*top);
                    }
                }
            });
        for text in (0..side.block.len()).rev() {
            top[text] = top[text].max(top[text + 1]);
        }
        // In place, as both have one layout.
        let entries: Vec<Entry> = (entries.into_iter())
            .map(|entry| Entry(entry.into_inner()))
            .collect();
        let mut index = Self {
            side,
            present,
            before,
            starts,
            entries,
            bitmaps: Vec::new(),
            smaller: smaller(side.sizes),
            top,
            heads: Vec::new(),
        };
        if bound.sorts_by_key() {
            index.sort();
        } else {
            let heads = index.entries.iter().step_by(STRIDE);
            index.heads = heads.map(|entry| entry.text()).collect();
        }
        if !side.bitmaps.is_empty() {
            let of = |entry: &Entry| side.bitmaps[entry.text() as usize];
            index.bitmaps = index.entries.par_iter().map(of).collect();
        }
        index
    }

    /// Sorts the entries of each rank by key, descending.
    fn sort(&mut self) {
        const RANKS: usize = 1 << 14;
        let mut lists: Vec<(&[u32], &mut [Entry])> = Vec::new();
        let mut rest = &mut self.entries[..];
        let last = self.starts.len() - 1;
        for from in (0..last).step_by(RANKS) {
            let bounds = &self.starts[from..=(from + RANKS).min(last)];
            let (own, later) = rest.split_at_mut((bounds[bounds.len() - 1] - bounds[0]) as usize);
            lists.push((bounds, own));
            rest = later;
        }
        lists.into_par_iter().for_each(|(bounds, entries)| {
            for bound in bounds.windows(2) {
                let list =
                    &mut entries[(bound[0] - bounds[0]) as usize..(bound[1] - bounds[0]) as usize];
                if list.len() > 1 {
                    list.sort_unstable_by_key(|entry| {
                        (std::cmp::Reverse(entry.key()), entry.text())
                    });
                }
            }
        });
    }

    /// The entries of a rank and their bitmaps, if there are any: all that have at least this key
    /// and one of these texts, and others.
    #[inline]
    pub(super) fn scan(
        &self,
        rank: u32,
        texts: &Range<u32>,
        least: i32,
    ) -> (&[Entry], &[Bitmap128]) {
        if self.present[rank as usize / 64] >> (rank % 64) & 1 == 0 {
            return (&[], &[]);
        }
        let place = place(&self.present, &self.before, rank);
        let (from, to) = (self.starts[place] as usize, self.starts[place + 1] as usize);
        let some = if self.heads.is_empty() {
            let reaches = |entry: &Entry| entry.key() >= least;
            from..from + self.entries[from..to].partition_point(reaches)
        } else {
            let first = from / STRIDE + 1;
            let heads = self
                .heads
                .get(first..to.div_ceil(STRIDE))
                .unwrap_or_default();
            let before = heads.partition_point(|text| *text < texts.start);
            let within = heads[before..].partition_point(|text| *text < texts.end);
            let at = |head: usize| (first + head) * STRIDE;
            let start = before.checked_sub(1).map_or(from, at);
            start..at(before + within).min(to)
        };
        let bitmaps = self.bitmaps.get(some.clone()).unwrap_or_default();
        (&self.entries[some], bitmaps)
    }

    /// The number of texts that are smaller than this.
    #[inline]
    pub(super) fn smaller(&self, size: u32) -> u32 {
        match self.smaller.get(size as usize) {
            Some(count) => *count,
            None => self.side.sizes.partition_point(|text| *text < size) as u32,
        }
    }

    /// The largest key of the texts after this position in the order of all.
    pub(super) fn top_behind(&self, slot: u32) -> i32 {
        self.top[((slot + 1).saturating_sub(self.side.base) as usize).min(self.side.block.len())]
    }
}

/// The number of texts that are smaller than each of the first sizes.
fn smaller(sizes: &[u32]) -> Vec<u32> {
    let (mut smaller, mut at) = (Vec::new(), 0);
    while smaller.len() < SIZES && at < sizes.len() {
        at += sizes[at..]
            .iter()
            .take_while(|size| (**size as usize) < smaller.len())
            .count();
        smaller.push(at as u32);
    }
    smaller
}

/// The index of a rank among those with entries.
#[inline]
fn place(present: &[u64], before: &[u32], rank: u32) -> usize {
    let word = rank as usize / 64;
    (before[word] + (present[word] & ((1 << (rank % 64)) - 1)).count_ones()) as usize
}

/// A block's texts in consecutive ranges with about equally many features: one for each thread, but
/// only a few, as each needs a count of all ranks.
fn ways(block: &Block) -> Vec<Range<usize>> {
    let most = rayon::current_num_threads().clamp(1, 4);
    let ends = (1..=most).map(|way| {
        let end = block.ranks.len() as u64 * way as u64 / most as u64;
        if way == most {
            block.len()
        } else {
            block
                .offsets
                .partition_point(|offset| u64::from(*offset) < end)
                .min(block.len())
        }
    });
    ends.scan(0, |from, end| {
        let way = *from..end.max(*from);
        *from = way.end;
        Some(way)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Keys, Outlined, Prefix, Verify};

    /// The texts of all entries of a rank among the first four texts.
    fn texts(index: &Index, rank: u32) -> Vec<u32> {
        let (entries, _) = index.scan(rank, &(0..4), 0);
        entries.iter().map(|entry| entry.text()).collect()
    }

    #[test]
    fn entries_are_those_of_the_texts_that_have_the_feature() {
        let mut block = Block {
            offsets: vec![0],
            ..Block::default()
        };
        for (group, ranks) in [[7, 64].as_slice(), &[7, 200], &[64], &[7, 9, 199]]
            .into_iter()
            .enumerate()
        {
            block.groups.push(group as u32);
            block.set_sizes.push(3);
            block.lengths.push(9);
            block.ranks.extend(ranks);
            block.offsets.push(block.ranks.len() as u32);
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let side = Side::new(&Keys(1), &block, 10);
            let index = pool.install(|| Index::new(&Keys(1), &side, None, 201));
            assert_eq!(
                [7, 64, 200, 8, 0].map(|rank| texts(&index, rank)),
                [vec![0, 1, 3], vec![0, 2], vec![1], vec![], vec![]]
            );
            assert_eq!(
                [0, 12, 13].map(|slot| index.top_behind(slot)),
                [1, 1, i32::MIN / 2]
            );
        }
        let side = Side::new(&Keys(1), &block, 0);
        let some = Index::new(&Keys(1), &side, Some(&[true, false, true, false]), 201);
        assert_eq!(
            [7, 64, 200].map(|rank| texts(&some, rank)),
            [vec![0], vec![0, 2], vec![]]
        );
        let empty = Block {
            offsets: vec![0],
            ..Block::default()
        };
        let side = Side::new(&Keys(1), &empty, 0);
        assert!(texts(&Index::new(&Keys(1), &side, None, 0), 0).is_empty());
    }

    /// Texts of one feature, whose keys are their lengths.
    struct Keyed {
        sorted: bool,
    }

    impl Prefix for Keyed {
        fn suffixes(&self, text: Text, _: &mut Marks, out: &mut [u32]) {
            out.fill(text.tokens());
        }

        fn indexes(&self, _: u32, _: u32) -> bool {
            true
        }

        fn probes(&self, _: u32, _: u32, _: i32) -> bool {
            true
        }

        fn partners(&self, _: u32) -> crate::measure::Partners {
            crate::measure::Partners::Later
        }

        fn sorts_by_key(&self) -> bool {
            self.sorted
        }
    }

    impl Outlined for Keyed {}

    impl Verify for Keyed {
        fn shared(&self, _: Text, _: Text, _: &mut Marks) -> Option<(u32, u32)> {
            None
        }

        fn admits(&self, _: (u32, u32), _: (u32, u32)) -> bool {
            true
        }
    }

    #[test]
    fn a_scan_has_all_entries_of_these_texts_or_with_this_key() {
        for (sorted, count) in [1, 4, 100]
            .iter()
            .flat_map(|count| [(false, *count), (true, *count)])
        {
            let keys: Vec<u32> = (0..count).map(|text| text * 7919 % 101).collect();
            let block = Block {
                groups: (0..count).collect(),
                set_sizes: vec![1; keys.len()],
                lengths: keys.clone(),
                offsets: (0..=count).collect(),
                ranks: vec![0; keys.len()],
                ..Block::default()
            };
            let keyed = Keyed { sorted };
            let side = Side::new(&keyed, &block, 0);
            let index = Index::new(&keyed, &side, None, 1);
            for (from, to, least) in [
                (0, count, 0),
                (count / 3, count / 2, 50),
                (count, count, 101),
            ] {
                let (entries, _) = index.scan(0, &(from..to), least);
                let mut found: Vec<u32> = entries.iter().map(|entry| entry.text()).collect();
                found.sort_unstable();
                if sorted {
                    let is_wanted = |text: &u32| keys[*text as usize] as i32 >= least;
                    assert_eq!(found, (0..count).filter(is_wanted).collect::<Vec<_>>());
                } else {
                    assert!((from..to).all(|text| found.binary_search(&text).is_ok()));
                    assert!(found.len() <= (to - from) as usize + 2 * STRIDE);
                }
            }
        }
    }
}
