//! Runs: block by block, adjacent positions shared by the same places become one feature of a text.

use super::RunParameters;
use super::classes::{Member, Row, Tables, share};
use super::number::{Heads, NONE as NO_RANK, Runs};
use super::rows::{BLOCK_BITS, NONE, Placed, Stored};
use crate::block::{Builder, Features, Layout, Numbers, Plan};
use crate::context::{Amount, Context, Reservation};
use crate::error::Result;
use crate::pair::Sizes;
use crate::partition::{PIECE, Partitions};
use crate::rarity::{self, Rarity};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A run in a text: the first position of its first class, which identifies it; its start in the
/// text; its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Feature {
    /// The position that identifies it.
    pub(super) run: u32,
    /// The first of its shingles in the text.
    pub(super) at: u32,
    /// The number of its shingles, and [`NUMBER`] if they have numbers that matter.
    pub(super) length: u32,
}

/// Set in the length of a run whose shingles have a number in them.
const NUMBER: u32 = 1 << 31;

impl Feature {
    /// The number of its shingles.
    fn shingles(self) -> u32 {
        self.length & !NUMBER
    }

    /// How often they count.
    fn times(self, numbers: u32) -> u32 {
        if self.length & NUMBER == 0 {
            self.length
        } else {
            self.shingles() * numbers
        }
    }
}

/// The maximum number of partitions of members, so that their buffers stay small.
const PARTITIONS: u64 = 2048;

/// Builds the features of texts; `owners` are the starts of texts and their groups, in order; `sets`
/// are the distinct shingles of groups, `lengths` their tokens.
///
/// # Errors
/// Any error from the memory ceiling or scratch.
pub(super) fn texts(
    context: &Context,
    placed: Placed,
    owners: &[(u32, u32)],
    (sets, lengths): (Vec<u32>, &[u32]),
    wanted: RunParameters,
) -> Result<Features> {
    // Blocks that are read together, as a power of two.
    let together = placed
        .blocks
        .div_ceil(PARTITIONS)
        .next_power_of_two()
        .trailing_zeros();
    let bits = (together, wanted.signature_bits);
    let members = match &placed.rows {
        Stored::Narrow(rows) => members(context, rows, placed.blocks, bits)?,
        Stored::Wide(rows) => members(context, rows, placed.blocks, bits)?,
    };
    let positions = placed.blocks << BLOCK_BITS;
    drop(placed);
    // Equal texts of a group are represented by one of them.
    let groups = sets.len();
    let mut seen = vec![false; groups];
    let counts: Vec<bool> = owners
        .iter()
        .map(|(_, group)| !std::mem::replace(&mut seen[*group as usize], true))
        .collect();
    drop(seen);
    let longest = wanted.rarity.map_or(usize::MAX, |_| rarity::LONGEST);
    let mut parts = Parts::new(
        context,
        (owners, &counts),
        &members,
        (together, lengths),
        (wanted.n, longest),
    )?;
    drop(members);
    let (heads, runs) = Runs::of(context, &mut parts, positions)?;
    let (ranks, count) = runs.ranks();
    let weighed = wanted
        .rarity
        .map(|rarity| Weighed::new(context, rarity, &parts, (&heads, runs), &sets))
        .transpose()?;
    let (set_sizes, totals) = match &weighed {
        Some(weighed) => (
            weighed
                .totals
                .iter()
                .map(|weight| rarity::below(*weight))
                .collect(),
            &weighed.totals[..],
        ),
        None => (sets, &[][..]),
    };
    let sizes = Sizes {
        sets: &set_sizes,
        lengths,
    };
    let mut features = vec![0; groups];
    for (_, group, range) in parts.parts.iter().flat_map(Part::texts) {
        features[group as usize] = range.len() as u32;
    }
    let layout = Layout {
        numbers: if weighed.is_some() {
            Numbers::Weights
        } else {
            Numbers::Runs
        },
        by_tokens: wanted.by_tokens,
        repeats: weighed.is_none(),
        block_groups: wanted.block_groups,
    };
    let plan = Plan::new(context, &features, sizes, layout);
    drop(features);
    let ordered = |feature: &Feature| {
        let number = heads.number(feature.run);
        (ranks[number] != NO_RANK).then_some((ranks[number], number))
    };
    let (blocks, held) = if let Some(weighed) = &weighed {
        let builder = Builder::<3>::new(context, plan)?;
        parts.put_all(context, &builder, |group, feature| {
            let (rank, number) = ordered(feature)?;
            let times = feature.times(weighed.rarity.numbers);
            Some([group, rank, times * weighed.weight(number)])
        })?;
        drop(parts);
        builder.finish(context, sizes, totals)?
    } else {
        let builder = Builder::<4>::new(context, plan)?;
        parts.put_all(context, &builder, |group, feature| {
            let (rank, _) = ordered(feature)?;
            Some([group, rank, feature.at, feature.length])
        })?;
        drop(parts);
        builder.finish(context, sizes, totals)?
    };
    drop((ranks, heads));
    Ok(Features {
        frequent: u32::MAX,
        blocks,
        ranks: count,
        by_tokens: wanted.by_tokens,
        may_collide: weighed.is_none(),
        set_sizes,
        _held: held,
    })
}

/// What runs weigh, and texts.
struct Weighed {
    rarity: Rarity,
    /// The weight of a shingle, by the number of texts with it.
    weights: Vec<u32>,
    runs: Runs,
    /// The weight of each group.
    totals: Vec<u64>,
    _held: Reservation,
}

impl Weighed {
    /// Weighs texts with these distinct shingles; those with numbers count several times.
    fn new(
        context: &Context,
        rarity: Rarity,
        parts: &Parts,
        (heads, runs): (&Heads, Runs),
        sets: &[u32],
    ) -> Result<Self> {
        let held = context
            .budget
            .reserve(8 * sets.len() as u64, "the weights of texts")?;
        let weights = rarity.weights(runs.most());
        let single = u64::from(rarity.weight(1));
        let totals: Vec<AtomicU64> = sets
            .iter()
            .map(|set| AtomicU64::new(u64::from(*set) * single))
            .collect();
        parts
            .parts
            .par_iter()
            .enumerate()
            .try_for_each(|(number, part)| -> Result<()> {
                let features = parts.features.look(number)?;
                for ((_, group, range), counts) in part.texts().zip(part.counts) {
                    // What a shared shingle weighs less than one that no other text has.
                    let less = features[range].iter().map(|feature| {
                        let weight = weights[runs.count(heads.number(feature.run)) as usize];
                        let times = feature.times(rarity.numbers);
                        u64::from(times) * (single - u64::from(weight))
                    });
                    if *counts {
                        totals[group as usize].fetch_sub(less.sum(), Ordering::Relaxed);
                    }
                }
                context.check()
            })?;
        Ok(Self {
            rarity,
            weights,
            runs,
            totals: totals.into_iter().map(AtomicU64::into_inner).collect(),
            _held: held,
        })
    }

    /// The weight of a shingle of a run.
    fn weight(&self, number: usize) -> u32 {
        self.weights[self.runs.count(number) as usize]
    }
}

impl Parts<'_> {
    /// Puts the features of texts into blocks, as `row` makes them; none if it makes no row.
    fn put_all<const W: usize>(
        &self,
        context: &Context,
        builder: &Builder<W>,
        row: impl Fn(u32, &Feature) -> Option<[u32; W]> + Sync,
    ) -> Result<()>
    where
        [u32; W]: bytemuck::Pod,
    {
        context
            .progress
            .begin("ordering", Some(self.parts.len() as u64), Amount::Items);
        self.parts.par_iter().enumerate().try_for_each_init(
            || builder.writer(),
            |writer, (number, part)| -> Result<()> {
                let features = self.features.take(number)?;
                let texts = part.texts().zip(part.counts);
                for ((_, group, range), _) in texts.filter(|(_, counts)| **counts) {
                    for row in features[range]
                        .iter()
                        .filter_map(|feature| row(group, feature))
                    {
                        builder.put(writer, row)?;
                    }
                }
                context.progress.advance(1);
                context.check()
            },
        )?;
        context.progress.end();
        Ok(())
    }
}

/// The members of all classes, by block.
fn members<R: Row + Sync>(
    context: &Context,
    rows: &Partitions<R>,
    blocks: u64,
    (together, signature_bits): (u32, u32),
) -> Result<Partitions<Member>> {
    let count = (blocks >> together) as usize + 1;
    let buffer =
        (context.budget.free() / 16 / (12 * count as u64 * context.threads as u64)).clamp(16, 340);
    let members = Partitions::<Member>::new(context, count, buffer as usize);
    let largest = (0..rows.count())
        .map(|partition| rows.rows(partition))
        .max()
        .unwrap_or(0);
    let _held = context.budget.reserve(
        size_of::<R>() as u64 * largest * context.threads as u64,
        "the shingles that occur most",
    )?;
    context
        .progress
        .begin("sharing", Some(rows.count() as u64), Amount::Items);
    (0..rows.count()).into_par_iter().try_for_each_init(
        || (members.writer(), Tables::default()),
        |(writer, tables), partition| {
            let mut some = rows.take(partition)?;
            share(&mut some, signature_bits, tables, |member| {
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
    /// By text, whether it represents the equal ones of its group.
    pub(super) counts: &'a [bool],
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
    /// Builds runs from classes, of at most `longest` shingles. `lengths` are the tokens of groups,
    /// `n` those of a shingle; `together` blocks share a partition of members.
    fn new(
        context: &Context,
        (owners, counts): (&'a [(u32, u32)], &'a [bool]),
        members: &Partitions<Member>,
        (together, lengths): (u32, &[u32]),
        (n, longest): (usize, usize),
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
                    let (owners, counts) = (&owners[texts.clone()], &counts[texts]);
                    for (start, group) in owners {
                        let from = (u64::from(*start) - base) as usize;
                        let classes = &dense[from..from + shingles(*group) as usize];
                        runs_of(classes, longest, features);
                        ends.push(features.len() as u32);
                    }
                    all.put(number, features)?;
                    context.progress.advance(1);
                    context.check()?;
                    Ok(Part {
                        owners,
                        counts,
                        ends,
                    })
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
                            length: 1 | feature.length & NUMBER,
                        };
                        all.extend((0..feature.shingles()).map(one));
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

/// The runs of a text, of at most `longest` shingles; `classes` has the class and its signature for
/// each position.
fn runs_of(classes: &[[u32; 2]], longest: usize, features: &mut Vec<Feature>) {
    let mut at = 0;
    while at < classes.len() {
        let [first, signature] = classes[at];
        if first == NONE {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < classes.len()
            && end - at < longest
            && classes[end] == [first.wrapping_add((end - at) as u32), signature]
        {
            end += 1;
        }
        features.push(Feature {
            run: first,
            at: at as u32,
            length: (end - at) as u32 | if signature & 1 == 1 { NUMBER } else { 0 },
        });
        at = end;
    }
}
