//! The postings of chains: by partition, the texts that contain each chain.

use super::classes::sort;
use super::found::Found;
use super::row::{Bits, Hashed};
use super::weights::Weights;
use crate::block::{Lists, Postings};
use crate::context::{Amount, Context};
use crate::error::{Error, ErrorKind, Result};
use crate::partition::{PIECE, Partitions, Writer};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// A chain in a text: the upper bits of the position that identifies the chain, the lowest being the
/// partition; the group; the first shingle in the text; the number of shingles and marks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Feature {
    chain: u32,
    group: u32,
    at: u32,
    length: u32,
}

/// Set in the length of a chain whose shingles contain a number.
const NUMBER: u32 = 1 << 31;
/// Set where a chain begins at the position that identifies it.
const HEAD: u32 = 1 << 30;
/// Set in a text that represents all equal ones.
const COUNTS: u32 = 1 << 29;

/// The partition of a chain, if this many bits select it.
fn partition_of(chain: u64, bits: u32) -> usize {
    (chain & !(u64::MAX << bits)) as usize
}

impl Feature {
    /// With its partition, which this many bits select.
    #[inline]
    pub(crate) fn of(found: Found, bits: u32) -> (usize, Self) {
        let marks = [
            (found.has_number, NUMBER),
            (found.is_head, HEAD),
            (found.counts, COUNTS),
        ];
        let set = marks.iter().filter(|(is_set, _)| *is_set);
        let feature = Self {
            chain: (found.chain >> bits) as u32,
            group: found.group,
            at: found.at,
            length: set.fold(found.length, |length, (_, mark)| length | mark),
        };
        (partition_of(found.chain, bits), feature)
    }

    /// The position that identifies the chain.
    fn position(self, partition: usize, bits: u32) -> u64 {
        u64::from(self.chain) << bits | partition as u64
    }

    /// The number of its shingles.
    fn shingles(self) -> u32 {
        self.length & !(NUMBER | HEAD | COUNTS)
    }

    /// How often they count.
    fn times(self, numbers: u32) -> u32 {
        if self.length & NUMBER == 0 {
            self.shingles()
        } else {
            self.shingles() * numbers
        }
    }

    fn is(self, mark: u32) -> bool {
        self.length & mark != 0
    }
}

/// In order of chain, then group.
impl Hashed for Feature {
    type Order = u64;

    #[inline]
    fn hash(self) -> u64 {
        u64::from(self.chain).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    fn order(self, _: Bits) -> u64 {
        u64::from(self.chain) << 32 | u64::from(self.group)
    }
}

/// Rows of a partition to aim at.
const PARTITION: u64 = 1 << 14;

/// Chains by partition.
pub(super) struct Chains<'a> {
    context: &'a Context,
    features: Partitions<Feature>,
    /// Bits of the partition.
    bits: u32,
    /// Chains whose classes turned out to have different positions.
    torn: Mutex<Vec<Range<u64>>>,
    /// Distinct shingles by group.
    sets: Vec<u32>,
    weights: Option<Weights<'a>>,
}

impl<'a> Chains<'a> {
    /// For chains in about this many positions of this many bits; `sets` are the distinct shingles of
    /// groups.
    pub(super) fn new(
        context: &'a Context,
        (positions, position_bits): (u64, u32),
        sets: Vec<u32>,
        weights: Option<Weights<'a>>,
    ) -> Self {
        // About an eighth of the positions begin a chain.
        let bits = (positions / 8 / PARTITION)
            .next_power_of_two()
            .trailing_zeros()
            .clamp(4, 12)
            .max(position_bits - 32);
        Self {
            context,
            features: room(context, bits),
            bits,
            torn: Mutex::default(),
            sets,
            weights,
        }
    }

    /// A writer for one thread. Drop all writers, then [`Chains::seal`].
    pub(super) fn writer(&self) -> Writer<'_, Feature> {
        self.features.writer()
    }

    /// Adds a chain of a text.
    ///
    /// # Errors
    /// If scratch is full.
    #[inline]
    pub(super) fn put(&self, writer: &mut Writer<Feature>, found: Found) -> Result<()> {
        let (partition, feature) = Feature::of(found, self.bits);
        writer.push(partition, feature)
    }

    /// Finishes writing.
    ///
    /// # Errors
    /// If the last rows of a writer could not be stored.
    pub(super) fn seal(&self) -> Result<()> {
        self.features.seal()
    }

    /// Replaces all chains that overlap the torn ones by their single shingles; whether there were any
    /// longer ones.
    fn split(&mut self, torn: &Torn) -> Result<bool> {
        let split = room(self.context, self.bits);
        let any = AtomicBool::new(false);
        let this = &*self;
        (0..this.features.count())
            .into_par_iter()
            .try_for_each_init(
                || split.writer(),
                |writer, partition| {
                    for feature in this.features.take(partition)? {
                        let put = |partition, feature| writer.push(partition, feature);
                        if torn.split(feature, partition, this.bits, put)? {
                            any.store(true, Ordering::Relaxed);
                        }
                    }
                    this.context.check()
                },
            )?;
        split.seal()?;
        self.features = split;
        Ok(any.into_inner())
    }
}

/// Storage for features.
fn room(context: &Context, bits: u32) -> Partitions<Feature> {
    let row = size_of::<Feature>() as u64;
    let buffer = (context.budget.free() / 4 / ((row << bits) * context.threads() as u64))
        .clamp(16, PIECE as u64 / row);
    Partitions::new(context, 1 << bits, buffer as usize).keep_at_most(context.budget.free() / 2)
}

/// Adds the chains of a partition that several texts share; those that are torn are returned.
pub(crate) fn list(features: &[Feature], of: (usize, u32), lists: &mut Lists) -> Vec<Range<u64>> {
    each_chain(features, of, |chain| lists.add(df(chain), postings(chain)))
}

/// Calls `f` with the occurrences of each chain; those that are torn are returned.
fn each_chain(
    features: &[Feature],
    (partition, bits): (usize, u32),
    mut f: impl FnMut(&[Feature]),
) -> Vec<Range<u64>> {
    let mut all_torn = Vec::new();
    for chain in by_chain(features).chunk_by(|a, b| a.chain == b.chain) {
        match torn(chain, partition, bits) {
            Some(range) => all_torn.push(range),
            None => f(chain),
        }
    }
    all_torn
}

/// The features of a partition in order of chain, then group.
fn by_chain(features: &[Feature]) -> Vec<Feature> {
    let mut sorted = Vec::new();
    sort(features, Bits::new(0, 32), &mut Vec::new(), &mut sorted);
    sorted
}

/// The positions of the longest occurrence of a chain, unless all have one length, and one of them is
/// where its first class begins. Then all its classes have the same positions: if one of them had an
/// additional position, a chain would end earlier or begin later there. Otherwise signatures have
/// collided.
fn torn(chain: &[Feature], partition: usize, bits: u32) -> Option<Range<u64>> {
    let shingles = chain[0].shingles();
    let agree = chain.iter().all(|feature| feature.shingles() == shingles);
    if agree && chain.iter().any(|feature| feature.is(HEAD)) {
        return None;
    }
    let longest = chain.iter().map(|feature| feature.shingles()).max();
    let start = chain[0].position(partition, bits);
    Some(start..start + u64::from(longest.unwrap_or(shingles)))
}

/// Positions of torn chains.
pub(crate) struct Torn(Vec<Range<u64>>);

impl Torn {
    pub(crate) fn new(mut torn: Vec<Range<u64>>) -> Self {
        torn.sort_unstable_by_key(|chain| chain.start);
        let mut ends = 0;
        for chain in &mut torn {
            // Ends ascend, so that the last chain that begins before a position tells whether any
            // reaches it.
            ends = chain.end.max(ends);
            chain.end = ends;
        }
        Self(torn)
    }

    fn overlaps(&self, chain: &Range<u64>) -> bool {
        let before = self.0.partition_point(|torn| torn.start < chain.end);
        before > 0 && self.0[before - 1].end > chain.start
    }

    /// Passes on a chain with its partition: in single shingles if it overlaps a torn one. Whether it
    /// was longer than one.
    pub(crate) fn split<E>(
        &self,
        feature: Feature,
        partition: usize,
        bits: u32,
        mut put: impl FnMut(usize, Feature) -> Result<(), E>,
    ) -> Result<bool, E> {
        let (chain, shingles) = (feature.position(partition, bits), feature.shingles());
        if shingles == 1 || !self.overlaps(&(chain..chain + u64::from(shingles))) {
            put(partition, feature)?;
            return Ok(false);
        }
        for step in 0..shingles {
            let single = chain + u64::from(step);
            let one = Feature {
                chain: (single >> bits) as u32,
                at: feature.at + step,
                length: feature.length - shingles + 1,
                ..feature
            };
            put(partition_of(single, bits), one)?;
        }
        Ok(true)
    }
}

/// The number of groups with a chain.
fn df(chain: &[Feature]) -> u32 {
    let mut last = None;
    let counting = chain.iter().filter(|feature| feature.is(COUNTS));
    counting
        .filter(|feature| last.replace(feature.group) != Some(feature.group))
        .count() as u32
}

/// The occurrences of a chain in texts that represent all equal ones: the group, the first shingle
/// and the number of shingles.
fn postings(chain: &[Feature]) -> impl Iterator<Item = [u32; 3]> {
    let counting = chain.iter().filter(|feature| feature.is(COUNTS));
    counting.map(|feature| [feature.group, feature.at, feature.shingles()])
}

impl Postings for Chains<'_> {
    fn count(&self) -> usize {
        self.features.count()
    }

    fn largest(&self) -> u64 {
        self.features.largest()
    }

    fn lists(&self, partition: usize, lists: &mut Lists) -> Result<()> {
        let (features, of) = (self.features.look(partition)?, (partition, self.bits));
        let torn = match &self.weights {
            None => list(&features, of, lists),
            Some(weights) => each_chain(&features, of, |chain| {
                let (df, counting) = (df(chain), chain.iter().filter(|feature| feature.is(COUNTS)));
                let weight = weights.rarity.weight(df);
                let rows = counting.map(|feature| {
                    let times = feature.times(weights.rarity.weights.numbers());
                    weights.add(feature.group, times, weight)
                });
                lists.add(df, rows);
            }),
        };
        let mut all_torn = self.torn.lock().unwrap_or_else(PoisonError::into_inner);
        all_torn.extend(torn);
        Ok(())
    }

    fn again(&mut self) -> Result<bool> {
        let torn = std::mem::take(self.torn.get_mut().unwrap_or_else(PoisonError::into_inner));
        if torn.is_empty() {
            self.features = Partitions::new(self.context, 1, 1);
            return Ok(false);
        }
        if let Some(weights) = &mut self.weights {
            weights.clear();
        }
        let count = self.count() as u64;
        self.context
            .progress
            .begin("splitting", Some(count), Amount::Items);
        let are_shorter = self.split(&Torn::new(torn))?;
        self.context.progress.end();
        if are_shorter {
            return Ok(true);
        }
        Err(Error::new(
            ErrorKind::Run,
            "expected single shingles to agree on their lengths",
        ))
    }

    fn sizes(&mut self) -> (Vec<u32>, Vec<u64>) {
        let sets = std::mem::take(&mut self.sets);
        match self.weights.take() {
            Some(weights) => weights.of_texts(&sets),
            None => (sets, Vec::new()),
        }
    }
}
