//! Runs: block by block, neighbouring positions that the same places share become one feature of a text.

use super::Wanted;
use super::classes::{Member, Tables, share};
use super::rows::{BLOCK_BITS, NONE, Placed};
use crate::block::{Block, BlockStore, Features};
use crate::context::{Amount, Context};
use crate::error::Result;
use crate::partition::Partitions;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A run in a text: the first position of its first class, and from the ranking on its rank; where it begins in the text; its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Feature {
    /// Its name.
    run: u32,
    /// The first of its shingles in the text.
    at: u32,
    /// Its shingles.
    length: u32,
}

/// Partitions of members at most, so that their buffers stay small.
const PARTITIONS: u64 = 2048;

/// Makes the features of texts; the sizes of sets are the caller's. `owners` are where texts begin and whose they are, in order; `sizes` the distinct shingles and the tokens of
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
) -> Result<Features> {
    let n = wanted.n;
    let positions = |group: u32| {
        let tokens = sizes.1[group as usize] as usize;
        tokens.saturating_sub(n - 1).max(1) as u32
    };
    // Blocks that are read together, as a power of two.
    let together = placed.blocks.div_ceil(PARTITIONS).next_power_of_two().trailing_zeros();
    let members = members(context, &placed, together, wanted.signature_bits)?;
    let end = placed.blocks << BLOCK_BITS;
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
    let parts: Vec<Part> = jobs
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
            let owners = &owners[texts];
            for (start, group) in owners {
                let from = (u64::from(*start) - base) as usize;
                runs_of(&dense[from..from + positions(*group) as usize], &mut features);
                ends.push(features.len() as u32);
            }
            features.shrink_to_fit();
            context.progress.advance(1);
            context.check()?;
            Ok(Part { owners, features, ends })
        })
        .collect::<Result<_>>()?;
    drop(members);
    context.progress.end();
    rank(context, parts, end, sizes, wanted)
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

/// Some texts and their features, in order of place.
struct Part<'a> {
    /// Where the texts begin, and their groups.
    owners: &'a [(u32, u32)],
    features: Vec<Feature>,
    /// By text: where its features end.
    ends: Vec<u32>,
}

impl Part<'_> {
    /// The texts, each with its first position, its group, and where its features are.
    fn texts(&self) -> impl Iterator<Item = (u32, u32, Range<usize>)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends).map(|(from, to)| from as usize..*to as usize);
        self.owners.iter().zip(ranges).map(|((start, group), range)| (*start, *group, range))
    }

    /// The features, each with its position.
    fn placed(&self) -> impl Iterator<Item = (u32, &Feature)> {
        self.texts().flat_map(|(start, _, range)| self.features[range].iter().map(move |feature| (start + feature.at, feature)))
    }

    /// Makes each shingle a run of its own; `name` is the name of what a feature says is its run.
    fn split_all(&mut self, name: impl Fn(u32) -> u32) {
        let mut all = Vec::with_capacity(self.features.iter().map(|feature| feature.length as usize).sum());
        let mut from = 0;
        for end in &mut self.ends {
            for feature in &self.features[from..*end as usize] {
                let name = name(feature.run);
                all.extend((0..feature.length).map(|step| Feature { run: name + step, at: feature.at + step, length: 1 }));
            }
            from = *end as usize;
            *end = all.len() as u32;
        }
        self.features = all;
    }

    /// Puts numbers in the place of names, and notes in `runs` what each text says of them; says whether all agree.
    fn number(&mut self, heads: &Heads, runs: &[Run]) -> bool {
        let (mut agree, mut from) = (true, 0);
        for (end, (text, _)) in self.ends.iter().zip(self.owners) {
            for feature in &mut self.features[from..*end as usize] {
                feature.run = heads.number(feature.run) as u32;
                agree &= runs[feature.run as usize].note(*text, feature.length);
            }
            from = *end as usize;
        }
        agree
    }

    /// Puts ranks in the place of numbers; features without one drop out.
    fn rank(&mut self, ranks: &[u32]) {
        let (mut from, mut to) = (0, 0);
        for end in &mut self.ends {
            let first = to;
            for at in from..*end as usize {
                let feature = self.features[at];
                let run = ranks[feature.run as usize];
                if run != NONE {
                    self.features[to] = Feature { run, ..feature };
                    to += 1;
                }
            }
            self.features[first..to].sort_unstable();
            from = *end as usize;
            *end = to as u32;
        }
        self.features.truncate(to);
    }
}

/// What is known of a run. What threads note comes out the same in any order.
struct Run {
    /// Its length, 0 before any text has said it.
    length: AtomicU32,
    /// How often it occurs.
    count: AtomicU32,
    /// The text that has it, [`NONE`] before any, and [`SHARED`] if there are several.
    text: AtomicU32,
}

/// Several texts; none begins at this position, which is the last of all.
const SHARED: u32 = NONE - 1;

impl Run {
    fn new() -> Self {
        Self { length: AtomicU32::new(0), count: AtomicU32::new(0), text: AtomicU32::new(NONE) }
    }

    /// How often it occurs, if several texts have it; else 0.
    fn shared(&self) -> u32 {
        if self.text.load(Ordering::Relaxed) == SHARED { self.count.load(Ordering::Relaxed) } else { 0 }
    }

    /// Notes an occurrence; says whether its length is that of all before.
    fn note(&self, text: u32, length: u32) -> bool {
        self.count.fetch_add(1, Ordering::Relaxed);
        if let Err(other) = self.text.compare_exchange(NONE, text, Ordering::Relaxed, Ordering::Relaxed)
            && other != text
        {
            self.text.store(SHARED, Ordering::Relaxed);
        }
        match self.length.compare_exchange(0, length, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(before) => before == length,
        }
    }
}

/// The positions at which runs begin that are named by them: one bit for each position, and the runs' numbers by these.
struct Heads {
    bits: Vec<u64>,
    /// Heads before each word.
    before: Vec<u32>,
}

impl Heads {
    fn new(parts: &[Part], positions: u64) -> Self {
        let bits: Vec<AtomicU64> = (0..positions.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        parts.par_iter().flat_map_iter(Part::placed).filter(|(position, feature)| *position == feature.run).for_each(
            |(run, _)| {
                bits[run as usize / 64].fetch_or(1 << (run % 64), Ordering::Relaxed);
            },
        );
        let bits: Vec<u64> = bits.into_iter().map(AtomicU64::into_inner).collect();
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

    /// The names of all runs, by number.
    fn names(&self) -> Vec<u32> {
        let places = |(word, bits): (usize, &u64)| {
            let bits = *bits;
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u32 * 64 + bit)
        };
        self.bits.iter().enumerate().flat_map(places).collect()
    }

    fn has(&self, run: u32) -> bool {
        self.bits.get(run as usize / 64).is_some_and(|word| word >> (run % 64) & 1 == 1)
    }

    #[inline]
    fn number(&self, run: u32) -> usize {
        let word = run as usize / 64;
        (self.before[word] + (self.bits[word] & ((1 << (run % 64)) - 1)).count_ones()) as usize
    }
}

/// Where a text's features are: its size, its group, the part and the place there.
type Place = (u32, u32, usize, Range<usize>);

/// Ranks the runs by how often they occur, and puts texts in order of size.
fn rank(
    context: &Context,
    mut parts: Vec<Part>,
    positions: u64,
    (sets, lengths): (&[u32], &[u32]),
    wanted: Wanted,
) -> Result<Features> {
    let all: usize = parts.iter().map(|part| part.features.len()).sum();
    let mut held = context.budget.reserve((all * 2 * size_of::<Feature>()) as u64, "the runs of the texts")?;
    let runs = runs(&mut parts, positions);
    let (ranked, ranks) = ranked(&runs);
    drop(runs);
    parts.par_iter_mut().for_each(|part| part.rank(&ranked));
    drop(ranked);
    let by = if wanted.by_tokens { lengths } else { sets };
    let mut order: Vec<Place> = Vec::new();
    let mut taken = vec![false; sets.len()];
    for (number, part) in parts.iter().enumerate() {
        for (_, group, range) in part.texts() {
            if !range.is_empty() && !std::mem::replace(&mut taken[group as usize], true) {
                order.push((by[group as usize], group, number, range));
            }
        }
    }
    order.par_sort_unstable_by_key(|(size, group, ..)| (*size, *group));
    let block = block(&parts, &order, (sets, lengths));
    drop((order, parts));
    held.shrink(block.bytes());
    let blocks = BlockStore::Memory(block);
    Ok(Features { blocks, set_sizes: Vec::new(), ranks, by_tokens: wanted.by_tokens, may_collide: true, _held: Some(held) })
}

/// The texts in this order, as a block.
fn block(parts: &[Part], order: &[Place], (sets, lengths): (&[u32], &[u32])) -> Block {
    let of = |sizes: &[u32]| order.iter().map(|(_, group, ..)| sizes[*group as usize]).collect();
    let mut offsets = vec![0_u32];
    let mut end = 0;
    for (.., range) in order {
        end += range.len() as u32;
        offsets.push(end);
    }
    let column = |of: fn(&Feature) -> u32| {
        let mut column = vec![0_u32; end as usize];
        let mut places: Vec<&mut [u32]> = Vec::with_capacity(order.len());
        let mut rest = &mut column[..];
        for (.., range) in order {
            let (own, later) = rest.split_at_mut(range.len());
            places.push(own);
            rest = later;
        }
        places.into_par_iter().zip(order).for_each(|(place, (_, _, part, range))| {
            place.iter_mut().zip(&parts[*part].features[range.clone()]).for_each(|(to, from)| *to = of(from));
        });
        column
    };
    Block {
        groups: order.iter().map(|(_, group, ..)| *group).collect(),
        set_sizes: of(sets),
        lengths: of(lengths),
        ranks: column(|feature| feature.run),
        positions: column(|feature| feature.at),
        amounts: column(|feature| feature.length),
        totals: Vec::new(),
        offsets,
    }
}

/// Numbers the runs. If each has one length in all texts, and begins where its first class does, all its classes have the same places: had
/// one of them a place of its own, a run would end earlier or begin later there. Else a signature has lied, and each shingle is made a run
/// of its own.
fn runs(parts: &mut [Part], positions: u64) -> Vec<Run> {
    let heads = Heads::new(parts, positions);
    if parts.par_iter().all(|part| part.features.iter().all(|feature| heads.has(feature.run))) {
        let (runs, agree) = numbered(parts, &heads);
        if agree {
            return runs;
        }
        let names = heads.names();
        parts.par_iter_mut().for_each(|part| part.split_all(|number| names[number as usize]));
    } else {
        parts.par_iter_mut().for_each(|part| part.split_all(|name| name));
    }
    numbered(parts, &Heads::new(parts, positions)).0
}

/// Puts numbers in the place of names; says whether all texts agree on the runs.
fn numbered(parts: &mut [Part], heads: &Heads) -> (Vec<Run>, bool) {
    let runs: Vec<Run> = (0..heads.len()).map(|_| Run::new()).collect();
    let agree = parts.par_iter_mut().map(|part| part.number(heads, &runs)).reduce(|| true, |one, other| one & other);
    (runs, agree)
}

/// The rank of each run: the rarest first, ties by position, none for what one text has alone. And the number of ranks.
fn ranked(runs: &[Run]) -> (Vec<u32>, u32) {
    let counts: Vec<u32> = runs.iter().map(Run::shared).collect();
    let most = counts.iter().copied().max().unwrap_or(0) as usize;
    let mut next = vec![0_u32; most + 2];
    for count in counts.iter().filter(|count| **count > 0) {
        next[*count as usize + 1] += 1;
    }
    for count in 1..next.len() {
        next[count] += next[count - 1];
    }
    let ranks = next[most + 1];
    let rank = |count: &u32| {
        if *count == 0 {
            return NONE;
        }
        let next = &mut next[*count as usize];
        *next += 1;
        *next - 1
    };
    (counts.iter().map(rank).collect(), ranks)
}
