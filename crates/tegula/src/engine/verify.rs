//! Verification: candidates, scored by the recipe's measure over their features.

use super::elsewhere::Matched;
use crate::block::{Block, BlockStore, Features, Head};
use crate::context::{Amount, Context};
use crate::error::Result;
use crate::evidence::{AT_ONCE, Candidates, PairSink, Pairs};
use crate::measure::{Marks, Verify};
use crate::pair::Pair;
use crate::partition::Partitions;
use crate::scratch::SpillFile;
use crate::union_find::UnionFind;
use rayon::prelude::*;

/// Pairs per step of a thread.
const STEP: usize = 256;

/// Collects the results of `score` for each pair, on all threads; `start` creates each thread's
/// state.
///
/// # Errors
/// Errors of `score` or scratch.
pub(crate) fn by_score<S>(
    candidates: &Pairs,
    sink: &PairSink,
    start: impl Fn() -> S + Sync,
    score: impl Fn(Pair, &mut S) -> Result<Option<Pair>> + Sync,
) -> Result<()> {
    sink.note_verified(candidates.len());
    let mut some = Vec::with_capacity(AT_ONCE);
    let take = |some: &mut Vec<Pair>| -> Result<()> {
        let found: Vec<Vec<Pair>> = some
            .par_chunks(STEP)
            .map_init(&start, |state, chunk| {
                let mut found = Vec::new();
                for pair in chunk {
                    found.extend(score(*pair, state)?);
                }
                Ok(found)
            })
            .collect::<Result<_>>()?;
        some.clear();
        found
            .into_iter()
            .try_for_each(|mut pairs| sink.take(&mut pairs))
    };
    candidates.for_each(|pair| {
        some.push(pair);
        if some.len() == AT_ONCE {
            take(&mut some)
        } else {
            Ok(())
        }
    })?;
    take(&mut some)
}

/// A pair with its groups' overlap, if both have features in the block and the overlap is
/// sufficient.
fn scored(
    bound: &dyn Verify,
    (block, places): (&Block, &[u32]),
    pair: Pair,
    marks: &mut Marks,
) -> Option<Pair> {
    let (a, b) = (places[pair.a as usize], places[pair.b as usize]);
    if a == u32::MAX || b == u32::MAX {
        return None;
    }
    let (in_a, in_b) = bound.shared(block.text(a as usize), block.text(b as usize), marks)?;
    Some(Pair { in_a, in_b, ..pair })
}

/// Scores candidates over the features of their groups.
///
/// # Errors
/// Errors of scratch and the memory ceiling.
pub(crate) fn verify(
    context: &Context,
    candidates: &Pairs,
    features: &Features,
    bound: &dyn Verify,
    sink: &PairSink,
) -> Result<()> {
    let groups = features.set_sizes.len();
    context.progress.begin("verifying", None, Amount::Items);
    match &features.blocks {
        BlockStore::Memory(block) => {
            let _held = context
                .budget
                .reserve(4 * groups as u64, "the places of texts")?;
            let places = block.places(groups);
            by_score(candidates, sink, Marks::default, |pair, marks| {
                Ok(scored(bound, (block, &places), pair, marks))
            })?;
        }
        BlockStore::Scratch { file, heads } => {
            over_scratch(context, candidates, groups, (file, heads), bound, sink)?;
        }
    }
    context.progress.end();
    Ok(())
}

/// Holds as many blocks as memory allows, and streams the others past them.
fn over_scratch(
    context: &Context,
    candidates: &Pairs,
    groups: usize,
    (file, heads): (&SpillFile, &[Head]),
    bound: &dyn Verify,
    sink: &PairSink,
) -> Result<()> {
    let _held = context
        .budget
        .reserve(8 * groups as u64, "the places of texts")?;
    let mut place = vec![(u32::MAX, 0_u32); groups];
    for (number, head) in (0..).zip(heads) {
        let block = BlockStore::read(file, *head)?;
        for (at, group) in (0..).zip(&block.groups) {
            place[*group as usize] = (number, at);
        }
    }
    let room = context.budget.free() / 3;
    let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (number, head) in heads.iter().enumerate() {
        match ranges.last_mut() {
            Some(range) if bytes + head.extent.length <= room => range.end = number + 1,
            _ => {
                ranges.push(number..number + 1);
                bytes = 0;
            }
        }
        bytes += head.extent.length;
    }
    let range_of = |block: u32| ranges.partition_point(|range| range.end <= block as usize);
    // Each pair belongs to the range of the earlier of its two blocks; the later block is streamed
    // past it.
    let rows = Partitions::<Pair>::new(context, ranges.len(), 1 << 12);
    let mut writer = rows.writer();
    candidates.for_each(|pair| {
        let (a, b) = (place[pair.a as usize].0, place[pair.b as usize].0);
        if a == u32::MAX || b == u32::MAX {
            Ok(())
        } else {
            writer.push(range_of(a.min(b)), pair)
        }
    })?;
    drop(writer);
    rows.seal()?;
    for (number, range) in ranges.iter().enumerate() {
        context.check()?;
        let later = |pair: &Pair| place[pair.a as usize].0.max(place[pair.b as usize].0);
        let mut pairs = rows.take(number)?;
        pairs.sort_unstable_by_key(|pair| (later(pair), *pair));
        let _held = context.budget.reserve(
            heads[range.clone()]
                .iter()
                .map(|head| head.extent.length)
                .sum(),
            "blocks of texts",
        )?;
        let held: Vec<Block> = heads[range.clone()]
            .iter()
            .map(|head| BlockStore::read(file, *head))
            .collect::<Result<_>>()?;
        for run in pairs.chunk_by(|a, b| later(a) == later(b)) {
            let last = later(&run[0]) as usize;
            let other = if range.contains(&last) {
                None
            } else {
                Some(BlockStore::read(file, heads[last])?)
            };
            let at = |group: u32| {
                let (block, local) = place[group as usize];
                let block = match &other {
                    Some(other) if block as usize == last => other,
                    _ => &held[block as usize - range.start],
                };
                block.text(local as usize)
            };
            by_score(
                &Pairs::from_vec(run.to_vec()),
                sink,
                Marks::default,
                |pair, marks| {
                    Ok(bound
                        .shared(at(pair.a), at(pair.b), marks)
                        .map(|(in_a, in_b)| Pair { in_a, in_b, ..pair }))
                },
            )?;
        }
    }
    Ok(())
}

/// Scores candidates one by one, and skips those that are already in one cluster (SimFinder, remark
/// 2): pairs sorted by (a, b), so that skips do not depend on threads.
///
/// If the features do not fit in memory, blocks cannot be read pair by pair. Then all pairs are
/// scored, and those that should have been skipped are dropped afterwards: same result, no time
/// saved.
///
/// # Errors
/// Errors of scratch and the memory ceiling.
pub(crate) fn transitively(
    context: &Context,
    candidates: &Pairs,
    features: &Features,
    bound: &dyn Verify,
    sink: &PairSink,
) -> Result<Candidates> {
    let groups = features.set_sizes.len();
    let _held = context
        .budget
        .reserve(4 * groups as u64, "the clusters of texts")?;
    let mut clusters = Merging {
        clusters: UnionFind::new(groups),
        counts: Candidates::default(),
    };
    match &features.blocks {
        BlockStore::Memory(block) => {
            let _held = context
                .budget
                .reserve(4 * groups as u64, "the places of texts")?;
            let places = block.places(groups);
            let mut marks = Marks::default();
            candidates.pass(sink, |pair| {
                if clusters.skips(pair) {
                    return None;
                }
                let pair = scored(bound, (block, &places), pair, &mut marks)?;
                clusters.merge(pair);
                Some(pair)
            })?;
            sink.note_verified(clusters.counts.compared);
        }
        BlockStore::Scratch { .. } => {
            // A candidate has no score, so it sorts just before its own pair, if that was found.
            let both = PairSink::new(context);
            verify(context, candidates, features, bound, &both)?;
            candidates.pass(&both, Some)?;
            let mut skipped = None;
            both.finish()?.pass(sink, |pair| {
                if pair.in_b == 0 {
                    skipped = clusters.skips(pair).then_some((pair.a, pair.b));
                    return None;
                }
                if skipped == Some((pair.a, pair.b)) {
                    return None;
                }
                clusters.merge(pair);
                Some(pair)
            })?;
        }
    }
    Ok(clusters.counts)
}

/// The pairs without those of texts that earlier ones have put into one cluster, hidden ones among
/// these: what [`transitively`] lists, when all candidates were compared.
///
/// # Errors
/// Errors of scratch and the memory ceiling.
pub(super) fn first_joined(context: &Context, groups: usize, matched: &Matched) -> Result<Pairs> {
    let _held = context
        .budget
        .reserve(4 * groups as u64, "the clusters of texts")?;
    let mut clusters = UnionFind::new(groups);
    let (mut pairs, mut hidden) = (matched.pairs.cursor()?, matched.joining.cursor()?);
    let mut next_hidden = hidden.next()?;
    let (sink, mut some) = (PairSink::new(context), Vec::new());
    while let Some(pair) = pairs.next()? {
        while let Some(earlier) =
            next_hidden.filter(|hidden| (hidden.a, hidden.b) < (pair.a, pair.b))
        {
            clusters.union(earlier.a, earlier.b);
            next_hidden = hidden.next()?;
        }
        if clusters.find(pair.a) != clusters.find(pair.b) {
            clusters.union(pair.a, pair.b);
            some.push(pair);
        }
        if some.len() >= AT_ONCE {
            sink.take(&mut some)?;
        }
    }
    sink.take(&mut some)?;
    sink.finish()
}

/// Clusters that grow while pairs are compared.
struct Merging {
    clusters: UnionFind,
    counts: Candidates,
}

impl Merging {
    /// Counts a candidate, and returns whether its groups are already in one cluster.
    fn skips(&mut self, pair: Pair) -> bool {
        let skips = self.clusters.find(pair.a) == self.clusters.find(pair.b);
        self.counts.generated += 1;
        *if skips {
            &mut self.counts.skipped
        } else {
            &mut self.counts.compared
        } += 1;
        skips
    }

    fn merge(&mut self, pair: Pair) {
        self.clusters.union(pair.a, pair.b);
    }
}
