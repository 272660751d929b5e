//! Runs: block by block, adjacent positions shared by the same places become one feature of a text.

use super::RunParameters;
use super::classes::{Member, Tables, share};
use super::number::{NONE as NO_RANK, Runs};
use super::rows::{BLOCK_BITS, NONE, Placed};
use crate::block::{Builder, Features, Layout, Numbers, Plan};
use crate::context::{Amount, Context};
use crate::error::Result;
use crate::pair::Sizes;
use crate::partition::{PIECE, Partitions};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// A run in a text: the first position of its first class, which identifies it; its start in the
/// text; its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Feature {
    /// The position that identifies it.
    pub(super) run: u32,
    /// The first of its shingles in the text.
    pub(super) at: u32,
    /// The number of its shingles.
    pub(super) length: u32,
}

/// The maximum number of partitions of members, so that their buffers stay small.
const PARTITIONS: u64 = 2048;

/// Builds the features of texts; `owners` are the starts of texts and their groups, in order. The
/// caller must set the sizes of sets.
///
/// # Errors
/// Any error from the memory ceiling or scratch.
pub(super) fn texts(
    context: &Context,
    placed: Placed,
    owners: &[(u32, u32)],
    sizes: Sizes,
    wanted: RunParameters,
) -> Result<Features> {
    // Blocks that are read together, as a power of two.
    let together = placed
        .blocks
        .div_ceil(PARTITIONS)
        .next_power_of_two()
        .trailing_zeros();
    let members = members(context, &placed, together, wanted.signature_bits)?;
    let positions = placed.blocks << BLOCK_BITS;
    drop(placed);
    let mut parts = Parts::new(
        context,
        owners,
        &members,
        (together, sizes.lengths),
        wanted.n,
    )?;
    drop(members);
    let (heads, runs) = Runs::of(context, &mut parts, positions)?;
    let (ranks, count) = runs.ranks();
    drop(runs);
    // Equal texts of a group are represented by one of them.
    let groups = sizes.sets.len();
    let mut features = vec![0; groups];
    for (_, group, range) in parts.parts.iter().flat_map(Part::texts) {
        features[group as usize] = range.len() as u32;
    }
    let layout = Layout {
        numbers: Numbers::Runs,
        by_tokens: wanted.by_tokens,
        repeats: true,
        block_groups: wanted.block_groups,
    };
    let builder = Builder::<4>::new(context, Plan::new(context, &features, sizes, layout))?;
    drop(features);
    let taken: Vec<AtomicBool> = (0..groups).map(|_| AtomicBool::new(false)).collect();
    context
        .progress
        .begin("ordering", Some(parts.parts.len() as u64), Amount::Items);
    parts.parts.par_iter().enumerate().try_for_each_init(
        || builder.writer(),
        |writer, (number, part)| -> Result<()> {
            let features = parts.features.take(number)?;
            for (_, group, range) in part.texts() {
                if taken[group as usize].swap(true, Ordering::Relaxed) {
                    continue;
                }
                for feature in &features[range] {
                    let rank = ranks[heads.number(feature.run)];
                    if rank != NO_RANK {
                        builder.put(writer, [group, rank, feature.at, feature.length])?;
                    }
                }
            }
            context.progress.advance(1);
            context.check()
        },
    )?;
    context.progress.end();
    drop((parts, ranks, heads));
    let (blocks, held) = builder.finish(context, sizes, &[])?;
    Ok(Features {
        blocks,
        set_sizes: Vec::new(),
        ranks: count,
        by_tokens: wanted.by_tokens,
        may_collide: true,
        _held: held,
    })
}

/// The members of all classes, by block.
fn members(
    context: &Context,
    placed: &Placed,
    together: u32,
    signature_bits: u32,
) -> Result<Partitions<Member>> {
    let count = (placed.blocks >> together) as usize + 1;
    let buffer =
        (context.budget.free() / 16 / (12 * count as u64 * context.threads as u64)).clamp(16, 340);
    let members = Partitions::<Member>::new(context, count, buffer as usize);
    let largest = (0..placed.rows.count())
        .map(|partition| placed.rows.rows(partition))
        .max()
        .unwrap_or(0);
    let _held = context.budget.reserve(
        8 * largest * context.threads as u64,
        "the shingles that occur most",
    )?;
    context
        .progress
        .begin("sharing", Some(placed.rows.count() as u64), Amount::Items);
    (0..placed.rows.count()).into_par_iter().try_for_each_init(
        || (members.writer(), Tables::default()),
        |(writer, tables), partition| {
            let mut rows = placed.rows.take(partition)?;
            share(&mut rows, signature_bits, tables, |member| {
                writer.push((member[0] >> (BLOCK_BITS + together)) as usize, member)
            })?;
            context.progress.advance(1);
            context.check()
        },
    )?;
    members.seal()?;
    context.progress.end();
    Ok(members)
}

/// Some texts, in order of position.
pub(super) struct Part<'a> {
    /// The starts of the texts, and their groups.
    owners: &'a [(u32, u32)],
    /// By text, the end of its features.
    pub(super) ends: Vec<u32>,
}

impl Part<'_> {
    /// The texts, each with its first position, its group, and the range of its features.
    pub(super) fn texts(&self) -> impl Iterator<Item = (u32, u32, Range<usize>)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts
            .zip(&self.ends)
            .map(|(from, to)| from as usize..*to as usize);
        self.owners
            .iter()
            .zip(ranges)
            .map(|((start, group), range)| (*start, *group, range))
    }
}

/// Storage for the features of this many parts.
fn pieces(context: &Context, parts: usize) -> Partitions<Feature> {
    Partitions::new(context, parts, PIECE / size_of::<Feature>())
        .keep_at_most(context.budget.free() / 2)
}

/// All texts and their features.
pub(super) struct Parts<'a> {
    pub(super) parts: Vec<Part<'a>>,
    /// By part, in the order of its texts.
    pub(super) features: Partitions<Feature>,
}

impl<'a> Parts<'a> {
    /// Builds runs from classes. `lengths` are the tokens of groups, `n` those of a shingle;
    /// `together` blocks share a partition of members.
    fn new(
        context: &Context,
        owners: &'a [(u32, u32)],
        members: &Partitions<Member>,
        (together, lengths): (u32, &[u32]),
        n: usize,
    ) -> Result<Self> {
        let shingles = |group: u32| {
            (lengths[group as usize] as usize)
                .saturating_sub(n - 1)
                .max(1) as u32
        };
        // Runs of consecutive shares, each with whole texts.
        let share_of = |position: u32| (position >> (BLOCK_BITS + together)) as usize;
        let mut jobs: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for (at, (start, group)) in owners.iter().enumerate() {
            let (first, last) = (share_of(*start), share_of(start + shingles(*group) - 1));
            match jobs.last_mut() {
                Some((texts, shares)) if first < shares.end => {
                    texts.end = at + 1;
                    shares.end = shares.end.max(last + 1);
                }
                _ => jobs.push((at..at + 1, first..last + 1)),
            }
        }
        let all = pieces(context, jobs.len());
        context
            .progress
            .begin("runs", Some(jobs.len() as u64), Amount::Items);
        let parts = jobs
            .into_par_iter()
            .enumerate()
            .map_init(
                Default::default,
                |(dense, features): &mut (Vec<[u32; 2]>, Vec<Feature>),
                 (number, (texts, shares))| {
                    let base = (shares.start as u64) << (BLOCK_BITS + together);
                    dense.clear();
                    dense.resize(shares.len() << (BLOCK_BITS + together), [NONE, 0]);
                    for share in shares {
                        for [position, first, signature] in members.take(share)? {
                            dense[(u64::from(position) - base) as usize] = [first, signature];
                        }
                    }
                    features.clear();
                    let mut ends = Vec::with_capacity(texts.len());
                    let owners = &owners[texts];
                    for (start, group) in owners {
                        let from = (u64::from(*start) - base) as usize;
                        runs_of(&dense[from..from + shingles(*group) as usize], features);
                        ends.push(features.len() as u32);
                    }
                    all.put(number, features)?;
                    context.progress.advance(1);
                    context.check()?;
                    Ok(Part { owners, ends })
                },
            )
            .collect::<Result<_>>()?;
        context.progress.end();
        Ok(Self {
            parts,
            features: all,
        })
    }

    /// Makes each shingle a separate run.
    pub(super) fn split_all(&mut self, context: &Context) -> Result<()> {
        let split = pieces(context, self.parts.len());
        let whole = &self.features;
        self.parts
            .par_iter_mut()
            .enumerate()
            .try_for_each(|(number, part)| {
                let features = whole.take(number)?;
                let (mut all, mut from) = (Vec::new(), 0);
                for end in &mut part.ends {
                    for feature in &features[from..*end as usize] {
                        let one = |step| Feature {
                            run: feature.run + step,
                            at: feature.at + step,
                            length: 1,
                        };
                        all.extend((0..feature.length).map(one));
                    }
                    from = *end as usize;
                    *end = all.len() as u32;
                }
                split.put(number, &all)
            })?;
        self.features = split;
        Ok(())
    }
}

/// The runs of a text; `classes` has the class and its signature for each position.
fn runs_of(classes: &[[u32; 2]], features: &mut Vec<Feature>) {
    let mut at = 0;
    while at < classes.len() {
        let [first, signature] = classes[at];
        if first == NONE {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < classes.len()
            && classes[end] == [first.wrapping_add((end - at) as u32), signature]
        {
            end += 1;
        }
        features.push(Feature {
            run: first,
            at: at as u32,
            length: (end - at) as u32,
        });
        at = end;
    }
}
