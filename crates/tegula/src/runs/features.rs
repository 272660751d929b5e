//! Runs: block by block, neighbouring positions that the same places share become one feature of a text.

use super::Wanted;
use super::classes::{Member, Tables, share};
use super::rows::{BLOCK_BITS, NONE, Placed};
use crate::context::{Amount, Context, Reservation};
use crate::error::Result;
use crate::partition::Partitions;
use rayon::prelude::*;
use std::ops::Range;

/// A run in a text: the first position of its first class, and from the ranking on its rank; where it begins in the text; its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Feature {
    /// Its name.
    pub(crate) run: u32,
    /// The first of its shingles in the text.
    pub(crate) at: u32,
    /// Its shingles.
    pub(crate) length: u32,
}

/// Texts that share a run with another one, the smallest first, and their runs, the rarest first.
#[derive(Debug)]
pub(crate) struct Texts {
    /// By text: its group.
    pub(crate) groups: Vec<u32>,
    /// By text: its distinct shingles.
    pub(crate) sets: Vec<u32>,
    /// By text: its tokens, at least 1.
    pub(crate) lengths: Vec<u32>,
    /// By text: where its features begin; one more than there are texts.
    pub(crate) starts: Vec<usize>,
    /// The features of all texts, in each by rank and place.
    pub(crate) features: Vec<Feature>,
    /// Ranks are below it.
    pub(crate) ranks: u32,
    _held: Reservation,
}

impl Texts {
    /// Texts of these groups; `sizes` are the distinct shingles and the tokens of all groups.
    pub(crate) fn new(
        groups: Vec<u32>,
        (sets, lengths): (&[u32], &[u32]),
        (starts, features): (Vec<usize>, Vec<Feature>),
        ranks: u32,
        held: Reservation,
    ) -> Self {
        let of = |sizes: &[u32]| groups.iter().map(|group| sizes[*group as usize]).collect();
        Self { sets: of(sets), lengths: of(lengths), groups, starts, features, ranks, _held: held }
    }

    /// The number of texts.
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The features of a text.
    pub(crate) fn of(&self, text: usize) -> &[Feature] {
        &self.features[self.range(text)]
    }

    /// Where the features of a text are.
    pub(crate) fn range(&self, text: usize) -> Range<usize> {
        self.starts[text]..self.starts[text + 1]
    }

    /// Tokens of the longest text.
    pub(crate) fn longest(&self) -> u32 {
        self.lengths.iter().copied().max().unwrap_or(1)
    }
}

/// Partitions of members at most, so that their buffers stay small.
const PARTITIONS: u64 = 2048;

/// Makes the features of texts. `owners` are where texts begin and whose they are, in order; `sizes` the distinct shingles and the tokens of
/// the groups.
///
/// # Errors
/// What the memory ceiling or scratch gives.
pub(super) fn texts(
    context: &Context,
    placed: Placed,
    owners: &[(u32, u32)],
    sizes: (&[u32], &[u32]),
    wanted: Wanted,
) -> Result<Texts> {
    let n = wanted.n;
    let positions = |group: u32| {
        let tokens = sizes.1[group as usize] as usize;
        tokens.saturating_sub(n - 1).max(1) as u32
    };
    // Blocks that are read together, as a power of two.
    let together = placed.blocks.div_ceil(PARTITIONS).next_power_of_two().trailing_zeros();
    let members = members(context, &placed, together, wanted.signature_bits)?;
    drop(placed);
    // Runs of consecutive shares, each with whole texts.
    let share_of = |position: u32| (position >> (BLOCK_BITS + together)) as usize;
    let mut jobs: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (at, (start, group)) in owners.iter().enumerate() {
        let (first, last) = (share_of(*start), share_of(start + positions(*group) - 1));
        match jobs.last_mut() {
            Some((texts, shares)) if first < shares.end => {
                texts.end = at + 1;
                shares.end = shares.end.max(last + 1);
            }
            _ => jobs.push((at..at + 1, first..last + 1)),
        }
    }
    context.progress.begin("runs", Some(jobs.len() as u64), Amount::Items);
    let made: Vec<(Vec<Feature>, Vec<u32>)> = jobs
        .into_par_iter()
        .map_init(Vec::new, |dense, (texts, shares)| {
            let base = (shares.start as u64) << (BLOCK_BITS + together);
            dense.clear();
            dense.resize(shares.len() << (BLOCK_BITS + together), [NONE, 0]);
            for share in shares {
                for [position, first, signature] in members.take(share)? {
                    dense[(u64::from(position) - base) as usize] = [first, signature];
                }
            }
            let mut features = Vec::new();
            let mut ends = Vec::with_capacity(texts.len());
            for (start, group) in &owners[texts] {
                let from = (u64::from(*start) - base) as usize;
                runs_of(&dense[from..from + positions(*group) as usize], &mut features);
                ends.push(features.len() as u32);
            }
            features.shrink_to_fit();
            context.progress.advance(1);
            context.check()?;
            Ok((features, ends))
        })
        .collect::<Result<_>>()?;
    drop(members);
    context.progress.end();
    rank(context, made, owners, sizes, wanted)
}

/// The members of all classes, by the blocks that they lie in.
fn members(context: &Context, placed: &Placed, together: u32, signature_bits: u32) -> Result<Partitions<Member>> {
    let count = (placed.blocks >> together) as usize + 1;
    let buffer = (context.budget.free() / 16 / (12 * count as u64 * context.threads as u64)).clamp(16, 340);
    let members = Partitions::<Member>::new(context, count, buffer as usize);
    context.progress.begin("sharing", Some(placed.rows.count() as u64), Amount::Items);
    (0..placed.rows.count()).into_par_iter().try_for_each_init(
        || (members.writer(), Tables::default()),
        |(writer, tables), partition| {
            let rows = placed.rows.take(partition)?;
            share(&rows, signature_bits, tables, |member| writer.push((member[0] >> (BLOCK_BITS + together)) as usize, member))?;
            context.progress.advance(1);
            context.check()
        },
    )?;
    members.seal()?;
    context.progress.end();
    Ok(members)
}

/// The runs of a text, of which `classes` has for each position the class and its signature.
fn runs_of(classes: &[[u32; 2]], features: &mut Vec<Feature>) {
    let mut at = 0;
    while at < classes.len() {
        let [first, signature] = classes[at];
        if first == NONE {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < classes.len() && classes[end] == [first.wrapping_add((end - at) as u32), signature] {
            end += 1;
        }
        features.push(Feature { run: first, at: at as u32, length: (end - at) as u32 });
        at = end;
    }
}

/// Where runs begin, one bit for each position.
struct Heads {
    bits: Vec<u64>,
    /// Heads before each word.
    before: Vec<u32>,
}

impl Heads {
    fn new(features: impl Iterator<Item = u32> + Clone) -> Self {
        let last = features.clone().max().unwrap_or(0);
        let mut bits = vec![0_u64; last as usize / 64 + 1];
        features.for_each(|run| bits[run as usize / 64] |= 1 << (run % 64));
        let mut sum = 0;
        let mut before: Vec<u32> = Vec::with_capacity(bits.len() + 1);
        for word in &bits {
            before.push(sum);
            sum += word.count_ones();
        }
        before.push(sum);
        Self { bits, before }
    }

    fn len(&self) -> usize {
        self.before.last().copied().unwrap_or(0) as usize
    }

    #[inline]
    fn number(&self, run: u32) -> usize {
        let word = run as usize / 64;
        (self.before[word] + (self.bits[word] & ((1 << (run % 64)) - 1)).count_ones()) as usize
    }
}

/// Ranks the runs by the number of texts that have them, and puts texts in order of size.
fn rank(
    context: &Context,
    mut made: Vec<(Vec<Feature>, Vec<u32>)>,
    owners: &[(u32, u32)],
    (sets, lengths): (&[u32], &[u32]),
    wanted: Wanted,
) -> Result<Texts> {
    let all: usize = made.iter().map(|(features, _)| features.len()).sum();
    let mut held = context.budget.reserve((all * 2 * size_of::<Feature>()) as u64, "the runs of the texts")?;
    let runs = |made: &[(Vec<Feature>, Vec<u32>)]| {
        Heads::new(made.iter().flat_map(|(features, _)| features.iter().map(|feature| feature.run)))
    };
    let mut heads = runs(&made);
    if !agree(&made, owners, &heads) {
        // A signature has lied: each shingle is a run of its own.
        made.par_iter_mut().for_each(|(features, ends)| split_all(features, ends));
        heads = runs(&made);
    }
    let counts = counts(&made, &heads);
    // The rarest first, ties by position; what one text has alone drops out.
    let most = counts.iter().copied().max().unwrap_or(0) as usize;
    let mut next = vec![0_u32; most + 2];
    counts.iter().filter(|count| **count > 1).for_each(|count| next[*count as usize + 1] += 1);
    for count in 1..next.len() {
        next[count] += next[count - 1];
    }
    let ranks = next[most + 1];
    let mut ranked = vec![NONE; heads.len()];
    for (rank, count) in ranked.iter_mut().zip(&counts).filter(|(_, count)| **count > 1) {
        let next = &mut next[*count as usize];
        *rank = *next;
        *next += 1;
    }
    made.par_iter_mut().for_each(|(features, ends)| {
        let (mut from, mut to) = (0, 0);
        for end in ends {
            let first = to;
            for at in from..*end as usize {
                let feature = features[at];
                let rank = ranked[heads.number(feature.run)];
                if rank != NONE {
                    features[to] = Feature { run: rank, ..feature };
                    to += 1;
                }
            }
            features[first..to].sort_unstable();
            from = *end as usize;
            *end = to as u32;
        }
        features.truncate(to);
    });
    let by = if wanted.measure.needs_positions() { lengths } else { sets };
    // Texts in order of size: where each has its features.
    let mut order: Vec<(u32, u32, usize, Range<u32>)> = Vec::new();
    let mut owners = owners.iter();
    let mut taken = vec![false; sets.len()];
    for (number, (_, ends)) in made.iter().enumerate() {
        let mut from = 0;
        for (end, (_, group)) in ends.iter().zip(owners.by_ref()) {
            if *end > from && !std::mem::replace(&mut taken[*group as usize], true) {
                order.push((by[*group as usize], *group, number, from..*end));
            }
            from = *end;
        }
    }
    order.par_sort_unstable_by_key(|(size, group, ..)| (*size, *group));
    let total = order.iter().map(|(.., range)| range.len()).sum();
    let (mut groups, mut starts, mut features) = (Vec::with_capacity(order.len()), vec![0], Vec::with_capacity(total));
    for (_, group, number, range) in order {
        features.extend_from_slice(&made[number].0[range.start as usize..range.end as usize]);
        starts.push(features.len());
        groups.push(group);
    }
    drop(made);
    held.shrink((all * size_of::<Feature>()) as u64);
    Ok(Texts::new(groups, (sets, lengths), (starts, features), ranks, held))
}

/// Whether each run has one length in all texts, and begins where its first class does: then all its classes have the same places. Had one
/// of them a place of its own, a run would end earlier or begin later there.
fn agree(made: &[(Vec<Feature>, Vec<u32>)], owners: &[(u32, u32)], heads: &Heads) -> bool {
    let mut lengths = vec![0_u32; heads.len()];
    let mut begun = 0;
    let mut owners = owners.iter();
    for (features, ends) in made {
        let mut from = 0;
        for (end, (start, _)) in ends.iter().zip(owners.by_ref()) {
            for feature in &features[from..*end as usize] {
                let length = &mut lengths[heads.number(feature.run)];
                if *length == 0 {
                    *length = feature.length;
                }
                if *length != feature.length {
                    return false;
                }
                begun += usize::from(start + feature.at == feature.run);
            }
            from = *end as usize;
        }
    }
    begun == heads.len()
}

/// How many texts have each run.
fn counts(made: &[(Vec<Feature>, Vec<u32>)], heads: &Heads) -> Vec<u32> {
    let mut counts = vec![0_u32; heads.len()];
    let mut seen = vec![NONE; heads.len()];
    let mut text = 0;
    for (features, ends) in made {
        let mut from = 0;
        for end in ends {
            for feature in &features[from..*end as usize] {
                let run = heads.number(feature.run);
                counts[run] += u32::from(seen[run] != text);
                seen[run] = text;
            }
            from = *end as usize;
            text += 1;
        }
    }
    counts
}

/// Makes each shingle a run of its own.
fn split_all(features: &mut Vec<Feature>, ends: &mut [u32]) {
    let mut all = Vec::with_capacity(features.iter().map(|feature| feature.length as usize).sum());
    let mut from = 0;
    for end in ends {
        for feature in &features[from..*end as usize] {
            all.extend((0..feature.length).map(|step| Feature { run: feature.run + step, at: feature.at + step, length: 1 }));
        }
        from = *end as usize;
        *end = all.len() as u32;
    }
    *features = all;
}
