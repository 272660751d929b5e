//! Ranks: the global order of shared features, and blocks of ranked features.
//!
//! Partition by partition, the [postings](Postings) of each feature are collected. Features are ranked
//! by the number of groups that have them, the rarest first, with ties broken by partition and place
//! in it, and written to the groups' blocks. The result of a join does not depend on how ties are
//! broken, nor on the number of partitions or blocks.

use super::build::{Builder, Layout, Numbers, Plan};
use super::{BlockStore, Features};
use crate::context::{Amount, Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::pair::Sizes;
use crate::partition::{PIECE, Partitions};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// Features and the groups that have them, in partitions.
pub(crate) trait Postings: Sync {
    /// The number of partitions.
    fn count(&self) -> usize;

    /// Bytes of the largest partition.
    fn largest(&self) -> u64;

    /// Adds the features of a partition that at least two groups have.
    ///
    /// # Errors
    /// If scratch cannot be read.
    fn lists(&self, partition: usize, lists: &mut Lists) -> Result<()>;

    /// Called when all partitions have been listed; returns whether they must be listed again
    /// because their features have changed.
    ///
    /// # Errors
    /// Any error from the memory ceiling or scratch.
    fn again(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// The distinct features of each group, including those of no other, and their total weight, if
    /// they have weights.
    fn sizes(&mut self) -> (Vec<u32>, Vec<u64>);
}

/// What to build.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// The layout of blocks.
    pub(crate) layout: Layout,
    /// Whether features of one rank may represent different shingles.
    pub(crate) may_collide: bool,
    /// What is done with features in many groups.
    pub(crate) frequent: Frequent,
}

/// How features in more than this number of groups are treated; 0 for no limit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Frequent {
    /// They are dropped.
    Dropped(u32),
    /// They generate no candidates, but count in scores.
    Counted(u32),
}

/// The number of features in a partition by number of groups.
pub(crate) type Histogram = BTreeMap<u32, u32>;

/// The features of a partition, each with its occurrences.
#[derive(Default)]
pub(crate) struct Lists {
    /// By feature, the groups that have it, and its occurrences.
    dfs: Vec<u32>,
    counts: Vec<u32>,
    /// The group of each occurrence and its numbers.
    kept: Vec<u32>,
    histogram: Histogram,
    /// Features in more groups are dropped, unless it is 0.
    most: u32,
}

impl Lists {
    /// Adds a feature of `df` groups, if there are several: for each occurrence the group and the
    /// numbers that blocks store.
    pub(crate) fn add<const K: usize>(
        &mut self,
        df: u32,
        occurrences: impl Iterator<Item = [u32; K]>,
    ) {
        if df < 2 || (self.most > 0 && df > self.most) {
            return;
        }
        let before = self.kept.len();
        self.kept.extend(occurrences.flatten());
        self.dfs.push(df);
        self.counts.push(((self.kept.len() - before) / K) as u32);
        *self.histogram.entry(df).or_default() += 1;
    }

    /// As one array: the number of features, the groups and occurrences of each, then all
    /// occurrences.
    pub(crate) fn array(mut self) -> (Vec<u32>, Histogram) {
        let mut array = Vec::with_capacity(1 + 2 * self.dfs.len() + self.kept.len());
        array.push(self.dfs.len() as u32);
        array.append(&mut self.dfs);
        array.append(&mut self.counts);
        array.append(&mut self.kept);
        (array, self.histogram)
    }
}

/// Ranks features, and builds blocks of them. `lengths` are the groups' tokens, at least 1.
///
/// # Errors
/// Errors of the memory ceiling or scratch.
pub(crate) fn rank(
    context: &Context,
    mut postings: impl Postings,
    lengths: &[u32],
    shape: Shape,
) -> Result<Features> {
    let (arrays, histograms, features) = loop {
        let listed = listed(context, &postings, lengths.len(), shape)?;
        if !postings.again()? {
            break listed;
        }
    };
    let (set_sizes, totals) = postings.sizes();
    drop(postings);
    let (first_ranks, ranks) = first_ranks(&histograms)?;
    let frequent = first_frequent(&histograms, shape.frequent);
    let sizes = Sizes {
        sets: &set_sizes,
        lengths,
    };
    let plan = Plan::new(context, &features, sizes, shape.layout);
    let of = (sizes, &totals[..]);
    let (blocks, held) = match shape.layout.numbers {
        Numbers::None => build::<2>(context, &arrays, &first_ranks, plan, of)?,
        Numbers::Positions | Numbers::Weights => {
            build::<3>(context, &arrays, &first_ranks, plan, of)?
        }
        Numbers::Chains => build::<4>(context, &arrays, &first_ranks, plan, of)?,
    };
    Ok(Features {
        blocks,
        set_sizes,
        ranks,
        frequent,
        by_tokens: shape.layout.by_tokens,
        may_collide: shape.may_collide,
        _held: held,
    })
}

/// The features of all partitions, their histograms, and the number of features by group.
fn listed(
    context: &Context,
    postings: &impl Postings,
    groups: usize,
    shape: Shape,
) -> Result<(Partitions<u32>, Vec<Histogram>, Vec<u32>)> {
    let count = postings.count();
    let arrays = Partitions::<u32>::new(context, count, PIECE / size_of::<u32>())
        .keep_at_most(context.budget.free() / 2);
    let features: Vec<AtomicU32> = (0..groups).map(|_| AtomicU32::new(0)).collect();
    let most = match shape.frequent {
        Frequent::Dropped(most) => most,
        Frequent::Counted(_) => 0,
    };
    let width = 1 + shape.layout.numbers.count();
    // Sorting holds a partition and its result; if memory is short, fewer threads sort at once.
    let at_once = (context.budget.free() / 4 / (postings.largest() * 2).max(1))
        .clamp(1, context.threads() as u64) as usize;
    context
        .progress
        .begin("ranking", Some(count as u64), Amount::Items);
    let mut histograms = Vec::with_capacity(count);
    for from in (0..count).step_by(at_once * 8) {
        context.check()?;
        let wave = from..(from + at_once * 8).min(count);
        let done: Vec<Result<Histogram>> = wave
            .into_par_iter()
            .with_min_len(8_usize.div_ceil(context.threads().div_ceil(at_once)))
            .map(|partition| {
                let mut lists = Lists {
                    most,
                    ..Lists::default()
                };
                postings.lists(partition, &mut lists)?;
                for occurrence in lists.kept.chunks_exact(width) {
                    features[occurrence[0] as usize].fetch_add(1, Ordering::Relaxed);
                }
                let (array, histogram) = lists.array();
                arrays.put(partition, &array)?;
                context.progress.advance(1);
                Ok(histogram)
            })
            .collect();
        for histogram in done {
            histograms.push(histogram?);
        }
    }
    context.progress.end();
    let features = features.into_iter().map(AtomicU32::into_inner).collect();
    Ok((arrays, histograms, features))
}

/// The first rank of features that are too frequent to generate candidates.
pub(crate) fn first_frequent(histograms: &[Histogram], frequent: Frequent) -> u32 {
    let most = match frequent {
        Frequent::Counted(most) if most > 0 => most,
        _ => return u32::MAX,
    };
    let rarer = histograms
        .iter()
        .flatten()
        .filter(|(df, _)| **df <= most)
        .map(|(_, count)| *count);
    rarer.fold(0, u32::saturating_add)
}

/// For each partition, the first rank of its features by number of groups; and the total number of
/// ranks.
pub(crate) fn first_ranks(histograms: &[Histogram]) -> Result<(Vec<Histogram>, u32)> {
    let mut totals: BTreeMap<u32, u64> = BTreeMap::new();
    for histogram in histograms {
        for (df, count) in histogram {
            *totals.entry(*df).or_default() += u64::from(*count);
        }
    }
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    let mut total = 0_u64;
    for (df, count) in &totals {
        next.insert(*df, total as u32);
        total += count;
    }
    let ranks = u32::try_from(total).map_err(|_| {
        Error::new(
            ErrorKind::Data,
            format!("expected fewer than 4,294,967,296 shared features, found {total}"),
        )
        .hint("split the collection")
    })?;
    let mut firsts = Vec::with_capacity(histograms.len());
    for histogram in histograms {
        let mut first = Histogram::new();
        for (df, count) in histogram {
            let rank = next.entry(*df).or_default();
            first.insert(*df, *rank);
            *rank = rank.wrapping_add(*count);
        }
        firsts.push(first);
    }
    Ok((firsts, ranks))
}

/// Passes on each occurrence in a [list](Lists::array) as its group, the rank of its feature, and its
/// numbers; `next` are the first ranks of the partition.
pub(crate) fn ranked<const W: usize>(
    list: &[u32],
    mut next: Histogram,
    mut f: impl FnMut([u32; W]) -> Result<()>,
) -> Result<()> {
    let Some((count, rest)) = list.split_first() else {
        return Ok(());
    };
    let (dfs, rest) = rest.split_at(*count as usize);
    let (counts, kept) = rest.split_at(*count as usize);
    let mut kept = kept.chunks_exact(W - 1);
    for (df, occurrences) in dfs.iter().zip(counts) {
        let next = next.entry(*df).or_default();
        let rank = *next;
        *next = next.wrapping_add(1);
        for occurrence in kept.by_ref().take(*occurrences as usize) {
            let mut row = [0; W];
            row[0] = occurrence[0];
            row[1] = rank;
            row[2..].copy_from_slice(&occurrence[1..]);
            f(row)?;
        }
    }
    Ok(())
}

/// A [list](Lists::array) in parts of about so many numbers, each with its histogram; an occurrence is
/// a group and the rest of `width` numbers.
pub(crate) fn parts_of_list(list: &[u32], width: usize, most: usize) -> Vec<(Vec<u32>, Histogram)> {
    let mut parts = Vec::new();
    let Some((count, rest)) = list.split_first() else {
        return parts;
    };
    let (dfs, rest) = rest.split_at(*count as usize);
    let (counts, mut kept) = rest.split_at(*count as usize);
    let mut lists = Lists::default();
    for (df, count) in dfs.iter().zip(counts) {
        let own;
        (own, kept) = kept.split_at(*count as usize * width);
        lists.dfs.push(*df);
        lists.counts.push(*count);
        lists.kept.extend_from_slice(own);
        *lists.histogram.entry(*df).or_default() += 1;
        if lists.kept.len() + 2 * lists.dfs.len() >= most {
            parts.push(std::mem::take(&mut lists).array());
        }
    }
    if !lists.dfs.is_empty() {
        parts.push(lists.array());
    }
    parts
}

/// Assigns each feature its rank, and builds the blocks.
fn build<const W: usize>(
    context: &Context,
    arrays: &Partitions<u32>,
    first_ranks: &[Histogram],
    plan: Plan,
    (sizes, totals): (Sizes, &[u64]),
) -> Result<(BlockStore, Option<Reservation>)>
where
    [u32; W]: bytemuck::Pod,
{
    let builder = Builder::<W>::new(context, plan)?;
    context
        .progress
        .begin("ordering", Some(first_ranks.len() as u64), Amount::Items);
    first_ranks.par_iter().enumerate().try_for_each_init(
        || builder.writer(),
        |writer, (partition, first)| -> Result<()> {
            let array = arrays.take(partition)?;
            ranked(&array, first.clone(), |row| builder.put(writer, row))?;
            context.progress.advance(1);
            context.check()
        },
    )?;
    context.progress.end();
    builder.finish(context, sizes, totals)
}
