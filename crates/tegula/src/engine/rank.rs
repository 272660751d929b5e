//! Ranks: the global order of the shared shingles, and blocks of ranked features.
//!
//! Partition by partition, occurrences are sorted by fingerprint and check; what only one group has drops out. The rest is ranked by the
//! number of groups that have it, the rarest first, ties by fingerprint, and handed to the groups' blocks. Neither the number of
//! partitions nor that of blocks changes a rank.

use super::extract::{Extracted, Occurrence};
use crate::block::{Block, BlockStore, Features, Head};
use crate::context::{Amount, Context};
use crate::error::{Error, ErrorKind, Result};
use crate::measure::{Compares, Measure};
use crate::partition::Partitions;
use crate::shelf::Shelf;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// What to build.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// What stands beside each feature.
    pub(crate) numbers: Numbers,
    /// Shingles with one fingerprint share a rank even if their checks differ (Rabin fingerprints).
    pub(crate) collide: bool,
    /// Shingles that more groups than this have are dropped; 0 for none.
    pub(crate) common: u32,
    /// Groups in a block at most; for tests.
    pub(crate) block_groups: usize,
}

/// What stands beside each feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Nothing: sets are compared.
    None,
    /// Its position; texts are in order of their tokens.
    Positions,
    /// Its weight.
    Weights,
}

impl Numbers {
    /// Those that a measure needs.
    pub(crate) fn of(measure: Measure) -> Self {
        match measure.compares() {
            Compares::Sequences => Self::Positions,
            Compares::Terms => Self::Weights,
            _ => Self::None,
        }
    }

    fn any(self) -> bool {
        self != Self::None
    }

    fn are_positions(self) -> bool {
        self == Self::Positions
    }
}

impl Shape {
    /// Numbers kept for an occurrence: the group, then what stands beside it.
    fn width(self) -> usize {
        1 + usize::from(self.numbers.any())
    }
}

/// Sizes of all groups.
#[derive(Clone, Copy)]
struct Sizes<'a> {
    sets: &'a [u32],
    lengths: &'a [u32],
    totals: &'a [u64],
}

/// How many shingles of a partition have each number of groups.
type Histogram = BTreeMap<u32, u32>;

/// Ranks what the second pass extracted. `lengths` are the groups' tokens, at least 1.
///
/// # Errors
/// What the memory ceiling or scratch gives.
pub(crate) fn rank(context: &Context, extracted: Extracted, lengths: &[u32], shape: Shape) -> Result<Features> {
    let Extracted { occurrences, set_sizes, totals } = extracted;
    let count = occurrences.count();
    let shelf = Shelf::new(context, count);
    let features: Vec<AtomicU32> = (0..set_sizes.len()).map(|_| AtomicU32::new(0)).collect();
    let largest = (0..count).map(|p| occurrences.rows(p)).max().unwrap_or(0) * size_of::<Occurrence>() as u64;
    // Sorting holds a partition and what is kept of it; fewer threads sort at once where memory is short.
    let at_once = (context.budget.free() / 4 / (largest * 2).max(1)).clamp(1, context.threads as u64) as usize;
    context.progress.begin("ranking", Some(count as u64), Amount::Items);
    let mut histograms = Vec::with_capacity(count);
    for from in (0..count).step_by(at_once * 8) {
        context.check()?;
        let wave = from..(from + at_once * 8).min(count);
        let done: Vec<Result<Histogram>> = wave
            .into_par_iter()
            .with_min_len(8_usize.div_ceil(context.threads.div_ceil(at_once)))
            .map(|partition| {
                let rows = occurrences.take(partition)?;
                let (array, histogram) = shared_shingles(rows, shape, &set_sizes, &features);
                shelf.put(partition, array)?;
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
    let set_sizes: Vec<u32> = set_sizes.into_iter().map(AtomicU32::into_inner).collect();
    let features: Vec<u32> = features.into_iter().map(AtomicU32::into_inner).collect();
    let (first_ranks, ranks) = first_ranks(&histograms)?;
    let plan = Plan::new(context, &features, if shape.numbers.are_positions() { lengths } else { &set_sizes }, shape);
    let sizes = Sizes { sets: &set_sizes, lengths, totals: &totals };
    let blocks = match shape.width() {
        1 => build::<2>(context, &shelf, &first_ranks, &plan, sizes, shape)?,
        _ => build::<3>(context, &shelf, &first_ranks, &plan, sizes, shape)?,
    };
    Ok(Features { blocks, set_sizes, ranks, by_tokens: shape.numbers.are_positions(), may_collide: shape.collide, _held: None })
}

/// The shingles of a partition that two groups or more share, in order of fingerprint: their number, the groups and occurrences of each,
/// then all occurrences. Counts each group's distinct shingles and features on the way.
fn shared_shingles(
    mut rows: Vec<Occurrence>,
    shape: Shape,
    set_sizes: &[AtomicU32],
    features: &[AtomicU32],
) -> (Vec<u32>, Histogram) {
    // By id alone, which the sort does without branches; the few rows that share one are then put in full order.
    rows.sort_unstable_by_key(|row| row.id);
    for run in rows.chunk_by_mut(|a, b| a.id == b.id) {
        if run.len() > 1 {
            run.sort_unstable();
        }
    }
    let (mut dfs, mut counts, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let mut histogram = Histogram::new();
    let positions = shape.numbers.any();
    let same = |a: &Occurrence, b: &Occurrence| a.id == b.id && (shape.collide || a.check == b.check);
    let mut groups = Vec::new();
    for run in rows.chunk_by(same) {
        // Distinct shingles by group: sorted by check, then group.
        let mut last = None;
        for row in run {
            if last != Some((row.check, row.group)) {
                set_sizes[row.group as usize].fetch_add(1, Ordering::Relaxed);
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
            1 + run.windows(2).filter(|pair| pair[0].group != pair[1].group).count()
        } as u32;
        if df < 2 || (shape.common > 0 && df > shape.common) {
            continue;
        }
        let mut occurrences = 0_u32;
        let mut last = None;
        for row in run {
            if !positions && last == Some((row.check, row.group)) {
                continue;
            }
            last = Some((row.check, row.group));
            kept.push(row.group);
            if positions {
                kept.push(row.position);
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

/// For each partition the first rank of its shingles with each number of groups; and the number of ranks.
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
        Error::new(ErrorKind::Data, format!("expected fewer than 4,294,967,296 shared shingles, found {total}"))
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

/// Which group goes to which place of which block.
struct Plan {
    /// Groups with features, in size order.
    order: Vec<u32>,
    /// Block of each group.
    block: Vec<u32>,
    /// Place of each group in its block.
    local: Vec<u32>,
    /// First place in `order` of each block, and behind the last the number of groups.
    starts: Vec<usize>,
    /// Features in all.
    features: u64,
    /// Whether everything stays in memory as one block.
    in_memory: bool,
}

impl Plan {
    fn new(context: &Context, features: &[u32], sizes: &[u32], shape: Shape) -> Self {
        let mut order: Vec<u32> = (0..features.len() as u32).filter(|g| features[*g as usize] > 0).collect();
        order.sort_unstable_by_key(|g| (sizes[*g as usize], *g));
        let total: u64 = features.iter().map(|f| u64::from(*f)).sum();
        let bytes = total * 4 * shape.width() as u64;
        // The features, as much again for postings and for what making them takes.
        let in_memory = total < u64::from(u32::MAX) && bytes * 3 < context.budget.free() && shape.block_groups == usize::MAX;
        let most = if in_memory {
            (total / 256).max(1 << 16)
        } else {
            (context.budget.free() / 64 / (4 * shape.width() as u64)).max(1 << 14)
        };
        let (mut block, mut local) = (vec![0; features.len()], vec![0; features.len()]);
        let mut starts = vec![0];
        let mut held = 0;
        for (at, group) in order.iter().enumerate() {
            let more = u64::from(features[*group as usize]);
            let first = *starts.last().unwrap_or(&0);
            if at > first && (held + more > most || at - first >= shape.block_groups) {
                starts.push(at);
                held = 0;
            }
            held += more;
            block[*group as usize] = starts.len() as u32 - 1;
            local[*group as usize] = (at - starts.last().unwrap_or(&0)) as u32;
        }
        starts.push(order.len());
        Self { order, block, local, starts, features: total, in_memory }
    }

    fn blocks(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Hands every feature its rank and its block, then builds the blocks. A row is local group, rank, then what stands beside it.
fn build<const W: usize>(
    context: &Context,
    shelf: &Shelf,
    first_ranks: &[Histogram],
    plan: &Plan,
    sizes: Sizes,
    shape: Shape,
) -> Result<BlockStore>
where
    [u32; W]: bytemuck::Pod,
{
    let share = (context.budget.free() / 8).clamp(1 << 20, 32 << 20);
    let buffer = (share / (plan.blocks() as u64 * 4 * W as u64 * context.threads as u64)).clamp(8, 2048);
    let buffers =
        context.budget.reserve(buffer * plan.blocks() as u64 * 4 * W as u64 * context.threads as u64, "the feature buffers")?;
    let rows = Partitions::<[u32; W]>::new(context, plan.blocks(), buffer as usize);
    context.progress.begin("sorting", Some((first_ranks.len() + plan.blocks()) as u64), Amount::Items);
    first_ranks.par_iter().enumerate().try_for_each_init(
        || rows.writer(),
        |writer, (partition, first)| -> Result<()> {
            let array = shelf.take(partition)?;
            let Some((count, rest)) = array.split_first() else { return Ok(()) };
            let (dfs, rest) = rest.split_at(*count as usize);
            let (counts, kept) = rest.split_at(*count as usize);
            let mut next = first.clone();
            let mut kept = kept.chunks_exact(W - 1);
            for (df, occurrences) in dfs.iter().zip(counts) {
                let next = next.entry(*df).or_default();
                let rank = *next;
                *next = next.wrapping_add(1);
                for occurrence in kept.by_ref().take(*occurrences as usize) {
                    let group = occurrence[0] as usize;
                    let mut row = [0; W];
                    row[0] = plan.local[group];
                    row[1] = rank;
                    row[2..].copy_from_slice(&occurrence[1..]);
                    writer.push(plan.block[group] as usize, row)?;
                }
            }
            context.progress.advance(1);
            context.check()
        },
    )?;
    rows.seal()?;
    drop(buffers);
    let mut store = if plan.in_memory {
        let mut all = Block { offsets: vec![0], ..Block::default() };
        all.ranks.reserve_exact(plan.features as usize);
        if shape.numbers.any() {
            let beside = if shape.numbers.are_positions() { &mut all.positions } else { &mut all.amounts };
            beside.reserve_exact(plan.features as usize);
        }
        BlockStore::Memory(all)
    } else {
        BlockStore::Scratch { file: context.scratch.file()?, heads: Vec::new() }
    };
    for from in (0..plan.blocks()).step_by(context.threads * 2) {
        context.check()?;
        let wave = from..(from + context.threads * 2).min(plan.blocks());
        let built: Vec<Result<Block>> = wave
            .into_par_iter()
            .map(|number| {
                let groups = &plan.order[plan.starts[number]..plan.starts[number + 1]];
                Ok(block_of(rows.take(number)?, groups, sizes, shape))
            })
            .collect();
        for block in built {
            let block = block?;
            match &mut store {
                BlockStore::Memory(all) => all.append(&block),
                BlockStore::Scratch { file, heads } => {
                    let of = |group: u32| {
                        if shape.numbers.are_positions() { sizes.lengths[group as usize] } else { sizes.sets[group as usize] }
                    };
                    if let (Some(first), Some(last)) = (block.groups.first(), block.groups.last()) {
                        let base = plan.starts[heads.len()] as u32;
                        heads.push(Head {
                            extent: file.append(&block.to_bytes())?,
                            base,
                            sizes: (of(*first), of(*last)),
                            groups: block.groups.len() as u32,
                            features: block.ranks.len() as u32,
                        });
                    }
                }
            }
            context.progress.advance(1);
        }
    }
    context.progress.end();
    Ok(store)
}

fn block_of<const W: usize>(rows: Vec<[u32; W]>, groups: &[u32], sizes: Sizes, shape: Shape) -> Block {
    let mut offsets = vec![0_u32; groups.len() + 1];
    for row in &rows {
        offsets[row[0] as usize + 1] += 1;
    }
    for at in 1..offsets.len() {
        offsets[at] += offsets[at - 1];
    }
    let mut sorted = vec![[0; W]; rows.len()];
    let mut next = offsets.clone();
    for row in &rows {
        let place = &mut next[row[0] as usize];
        sorted[*place as usize] = *row;
        *place += 1;
    }
    drop(rows);
    for pair in offsets.windows(2) {
        // Rank, then what stands beside it, as one number.
        sorted[pair[0] as usize..pair[1] as usize]
            .sort_unstable_by_key(|row| u64::from(row[1]) << 32 | u64::from(if W > 2 { row[2] } else { 0 }));
    }
    let column = |at: usize| sorted.iter().map(|row| row[at]).collect();
    let beside = || if shape.numbers.any() { column(2) } else { Vec::new() };
    Block {
        groups: groups.to_vec(),
        set_sizes: groups.iter().map(|g| sizes.sets[*g as usize]).collect(),
        lengths: groups.iter().map(|g| sizes.lengths[*g as usize]).collect(),
        ranks: column(1),
        positions: if shape.numbers.are_positions() { beside() } else { Vec::new() },
        amounts: match shape.numbers {
            Numbers::Weights => beside(),
            // Where several shingles are one feature, a text may have it twice.
            _ if shape.collide => vec![1; sorted.len()],
            _ => Vec::new(),
        },
        totals: if sizes.totals.is_empty() {
            Vec::new()
        } else {
            groups.iter().map(|g| sizes.totals[*g as usize]).flat_map(|total| [total as u32, (total >> 32) as u32]).collect()
        },
        offsets,
    }
}
