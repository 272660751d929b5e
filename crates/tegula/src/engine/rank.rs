//! Ranks: the global order of shared shingles, and blocks of ranked features.
//!
//! Partition by partition, occurrences are sorted by fingerprint and check; shingles of a single
//! group are dropped. The rest are ranked by the number of groups that have them, the rarest first,
//! with ties broken by fingerprint, and written to the groups' blocks. Ranks do not depend on the
//! number of partitions or blocks.

use super::extract::{Extracted, Occurrence};
use crate::block::{BlockStore, Builder, Features, Layout, Numbers, Plan};
use crate::context::{Amount, Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::measure::{Compares, Measure};
use crate::pair::Sizes;
use crate::partition::{PIECE, Partitions};
use crate::rarity::{self, Rarity};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What is done with features in more than a number of groups; 0 for no limit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Frequent {
    /// They are dropped.
    Dropped(u32),
    /// They generate no candidates, but count in scores.
    Counted(u32),
}

/// What to build.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// The numbers stored with each feature.
    pub(crate) numbers: Numbers,
    /// Whether shingles with one fingerprint share a rank even if their checks differ (Rabin
    /// fingerprints).
    pub(crate) collide: bool,
    /// What is done with features that many groups have.
    pub(crate) frequent: Frequent,
    /// Maximum groups in a block; for tests.
    pub(crate) block_groups: usize,
    /// Set if shingles are weighted by rarity.
    pub(crate) rarity: Option<Rarity>,
}

/// The numbers that a measure needs with each feature.
pub(crate) fn numbers(measure: Measure) -> Numbers {
    match measure.compares() {
        Compares::Sequences => Numbers::Positions,
        Compares::Terms | Compares::Rarity => Numbers::Weights,
        _ => Numbers::None,
    }
}

impl Shape {
    fn layout(self) -> Layout {
        let by_tokens = self.numbers == Numbers::Positions;
        Layout {
            numbers: self.numbers,
            by_tokens,
            repeats: self.collide,
            block_groups: self.block_groups,
        }
    }
}

/// The number of shingles in a partition by number of groups.
type Histogram = BTreeMap<u32, u32>;

/// Ranks the result of the second pass. `lengths` are the groups' tokens, at least 1.
///
/// # Errors
/// Errors of the memory ceiling or scratch.
pub(crate) fn rank(
    context: &Context,
    extracted: Extracted,
    lengths: &[u32],
    shape: Shape,
) -> Result<Features> {
    let Extracted {
        occurrences,
        set_sizes,
        totals,
        counted,
    } = extracted;
    let count = occurrences.count();
    let shelf = Partitions::<u32>::new(context, count, PIECE / size_of::<u32>())
        .keep_at_most(context.budget.free() / 2);
    let features: Vec<AtomicU32> = (0..set_sizes.len()).map(|_| AtomicU32::new(0)).collect();
    let lighter: Vec<AtomicU64> = (0..shape.rarity.map_or(0, |_| set_sizes.len()))
        .map(|_| AtomicU64::new(0))
        .collect();
    let largest =
        (0..count).map(|p| occurrences.rows(p)).max().unwrap_or(0) * size_of::<Occurrence>() as u64;
    // Sorting holds a partition and its result; if memory is short, fewer threads sort at once.
    let at_once = (context.budget.free() / 4 / (largest * 2).max(1))
        .clamp(1, context.threads as u64) as usize;
    context
        .progress
        .begin("ranking", Some(count as u64), Amount::Items);
    let mut histograms = Vec::with_capacity(count);
    for from in (0..count).step_by(at_once * 8) {
        context.check()?;
        let wave = from..(from + at_once * 8).min(count);
        let done: Vec<Result<Histogram>> = wave
            .into_par_iter()
            .with_min_len(8_usize.div_ceil(context.threads.div_ceil(at_once)))
            .map(|partition| {
                let rows = occurrences.take(partition)?;
                let sums = (&set_sizes[..], &features[..], &lighter[..]);
                let (array, histogram) = shared_shingles(rows, shape, sums);
                shelf.put(partition, &array)?;
                context.progress.advance(1);
                Ok(histogram)
            })
            .collect();
        for histogram in done {
            histograms.push(histogram?);
        }
    }
    drop(occurrences);
    context.progress.end();
    let mut set_sizes: Vec<u32> = set_sizes.into_iter().map(AtomicU32::into_inner).collect();
    if !counted.is_empty() {
        set_sizes = counted;
    }
    let mut totals = totals;
    if let Some(rarity) = shape.rarity {
        let single = u64::from(rarity.weight(1));
        totals = set_sizes
            .iter()
            .zip(lighter)
            .map(|(set, less)| u64::from(*set) * single - less.into_inner())
            .collect();
        set_sizes = totals.iter().map(|weight| rarity::below(*weight)).collect();
    }
    let features: Vec<u32> = features.into_iter().map(AtomicU32::into_inner).collect();
    let (first_ranks, ranks) = first_ranks(&histograms)?;
    let frequent = first_frequent(&histograms, shape.frequent);
    let sizes = Sizes {
        sets: &set_sizes,
        lengths,
    };
    let plan = Plan::new(context, &features, sizes, shape.layout());
    let (blocks, held) = match shape.numbers {
        Numbers::None => build::<2>(context, &shelf, &first_ranks, plan, (sizes, &totals))?,
        _ => build::<3>(context, &shelf, &first_ranks, plan, (sizes, &totals))?,
    };
    let by_tokens = shape.layout().by_tokens;
    Ok(Features {
        blocks,
        set_sizes,
        ranks,
        frequent,
        by_tokens,
        may_collide: shape.collide,
        _held: held,
    })
}

/// The shingles of a partition shared by at least two groups, in order of fingerprint: their
/// number, the groups and occurrences of each, then all occurrences. Also counts each group's
/// distinct shingles and features, and how much less its shingles weigh than rare ones.
fn shared_shingles(
    mut rows: Vec<Occurrence>,
    shape: Shape,
    (set_sizes, features, lighter): (&[AtomicU32], &[AtomicU32], &[AtomicU64]),
) -> (Vec<u32>, Histogram) {
    // By id alone, which sorts without branches; the few rows that share an id are then sorted
    // fully.
    rows.sort_unstable_by_key(|row| row.id);
    for run in rows.chunk_by_mut(|a, b| a.id == b.id) {
        if run.len() > 1 {
            run.sort_unstable();
        }
    }
    let (mut dfs, mut counts, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let mut histogram = Histogram::new();
    let weighed = shape.numbers != Numbers::None;
    let positions = weighed && shape.rarity.is_none();
    let same =
        |a: &Occurrence, b: &Occurrence| a.id == b.id && (shape.collide || a.check == b.check);
    let mut groups = Vec::new();
    for run in rows.chunk_by(same) {
        // Distinct shingles by group: sorted by check, then group.
        let mut last = None;
        for row in run {
            if last != Some((row.check, row.group)) {
                let times = if shape.rarity.is_some() {
                    row.position
                } else {
                    1
                };
                set_sizes[row.group as usize].fetch_add(times, Ordering::Relaxed);
                last = Some((row.check, row.group));
            }
        }
        if run.len() < 2 {
            continue;
        }
        let df = if shape.collide {
            groups.clear();
            groups.extend(run.iter().map(|row| row.group));
            groups.sort_unstable();
            groups.dedup();
            groups.len()
        } else {
            1 + run
                .windows(2)
                .filter(|pair| pair[0].group != pair[1].group)
                .count()
        } as u32;
        if df < 2 || (matches!(shape.frequent, Frequent::Dropped(most) if most > 0 && df > most)) {
            continue;
        }
        let weight = shape.rarity.map_or(0, |rarity| rarity.weight(df));
        let less = shape.rarity.map_or(0, |rarity| rarity.weight(1) - weight);
        let mut occurrences = 0_u32;
        let mut last = None;
        for row in run {
            if !positions && last == Some((row.check, row.group)) {
                continue;
            }
            last = Some((row.check, row.group));
            kept.push(row.group);
            if weighed {
                kept.push(if positions {
                    row.position
                } else {
                    weight * row.position
                });
            }
            if less > 0 {
                let less = u64::from(less) * u64::from(row.position);
                lighter[row.group as usize].fetch_add(less, Ordering::Relaxed);
            }
            features[row.group as usize].fetch_add(1, Ordering::Relaxed);
            occurrences += 1;
        }
        dfs.push(df);
        counts.push(occurrences);
        *histogram.entry(df).or_default() += 1;
    }
    let mut array = Vec::with_capacity(1 + 2 * dfs.len() + kept.len());
    array.push(dfs.len() as u32);
    array.append(&mut dfs);
    array.append(&mut counts);
    array.append(&mut kept);
    (array, histogram)
}

/// The first rank of features that are too frequent to generate candidates.
fn first_frequent(histograms: &[Histogram], frequent: Frequent) -> u32 {
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

/// For each partition, the first rank of its shingles by number of groups; and the total number of
/// ranks.
fn first_ranks(histograms: &[Histogram]) -> Result<(Vec<Histogram>, u32)> {
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
            format!("expected fewer than 4,294,967,296 shared shingles, found {total}"),
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

/// Assigns each feature its rank, and builds the blocks.
fn build<const W: usize>(
    context: &Context,
    shelf: &Partitions<u32>,
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
            let array = shelf.take(partition)?;
            let Some((count, rest)) = array.split_first() else {
                return Ok(());
            };
            let (dfs, rest) = rest.split_at(*count as usize);
            let (counts, kept) = rest.split_at(*count as usize);
            let mut next = first.clone();
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
                    builder.put(writer, row)?;
                }
            }
            context.progress.advance(1);
            context.check()
        },
    )?;
    context.progress.end();
    builder.finish(context, sizes, totals)
}
