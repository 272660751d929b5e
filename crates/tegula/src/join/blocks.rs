//! Blocks against blocks: a block is indexed, and each block that may have partners there probes it.

use super::index::{Entry, Index, Side};
use crate::block::{Block, BlockStore, Features, Head};
use crate::context::{Amount, Context};
use crate::error::Result;
use crate::evidence::PairSink;
use crate::measure::{Bound, Marks, Partners};
use crate::pair::{Allow, Pair};
use rayon::prelude::*;

/// Texts that a thread takes at once.
const STEP: usize = 128;
/// Pairs that are handed over at once.
const FULL: usize = 1 << 15;

/// Chooses the blocks: one index at a time, as large as the ceiling allows, probed by every block that may have partners in it.
///
/// # Errors
/// What the memory ceiling, scratch or the sink gives.
pub fn blocks(context: &Context, features: &Features, bound: &dyn Bound, allow: Allow, sink: &PairSink) -> Result<()> {
    let ranks = features.ranks;
    let (file, heads) = match &features.blocks {
        BlockStore::Memory(block) => {
            context.progress.begin("joining", Some(block.len().div_ceil(STEP) as u64), Amount::Items);
            let (feature, rank, text) = Index::bytes(bound);
            let bytes = block.ranks.len() as u64 * feature + u64::from(ranks) * rank + block.len() as u64 * text;
            let _held = context.budget.reserve(bytes, "the index of features")?;
            let index = Index::new(bound, Side::new(bound, block, 0), ranks);
            join(bound, &index, &index.side, allow, sink, &|| {
                context.progress.advance(1);
                context.check()
            })?;
            context.progress.end();
            return Ok(());
        }
        BlockStore::Scratch { file, heads } => (file, heads),
    };
    context.progress.begin("joining", Some(heads.len() as u64), Amount::Items);
    let mut from = 0;
    let (feature, _, text) = Index::bytes(bound);
    while from < heads.len() {
        // The features themselves, and twice what an index takes, as ranks are left out that this block has not.
        let cost = |head: &Head| head.extent.length + 2 * (feature * u64::from(head.features) + text * u64::from(head.groups));
        let room = context.budget.free() / 2;
        let mut to = from + 1;
        let mut bytes = cost(&heads[from]);
        while to < heads.len() && bytes + cost(&heads[to]) <= room {
            bytes += cost(&heads[to]);
            to += 1;
        }
        let _held = context.budget.reserve(bytes, "an index block")?;
        let first = BlockStore::read(file, heads[from])?;
        let groups = heads[from..to].iter().map(|head| head.groups as usize).sum();
        let all = heads[from..to].iter().map(|head| head.features as usize).sum();
        let mut all = Block::with_room(groups, all, &first);
        all.append(&first);
        drop(first);
        for head in &heads[from + 1..to] {
            all.append(&BlockStore::read(file, *head)?);
        }
        let index = Index::new(bound, Side::new(bound, &all, heads[from].base), ranks);
        let sizes = (heads[from].sizes.0, heads[to - 1].sizes.1);
        for head in heads.iter().filter(|head| bound.partners(head.sizes.0).reaches(sizes, head.sizes)) {
            context.check()?;
            let block = BlockStore::read(file, *head)?;
            join(bound, &index, &Side::new(bound, &block, head.base), allow, sink, &|| context.check())?;
        }
        context.progress.advance((to - from) as u64);
        from = to;
    }
    context.progress.end();
    Ok(())
}

/// A thread's buffers.
#[derive(Default)]
struct Worker {
    pairs: Vec<Pair>,
    /// For each indexed text the last one that met it.
    met: Vec<u32>,
    marks: Marks,
}

/// What probes, and what it probes.
struct Join<'a> {
    bound: &'a dyn Bound,
    index: &'a Index<'a>,
    probe: &'a Side<'a>,
    allow: Allow<'a>,
}

/// Hands all pairs between an index and a block to `sink`, in unspecified order; `tick` is called now and then. Runs on the current thread
/// pool.
///
/// # Errors
/// What the sink or `tick` gives.
pub fn join(
    bound: &dyn Bound,
    index: &Index,
    probe: &Side,
    allow: Allow,
    sink: &PairSink,
    tick: &(dyn Fn() -> Result<()> + Sync),
) -> Result<()> {
    let join = Join { bound, index, probe, allow };
    let texts = probe.block.len();
    let workers: Vec<Worker> = (0..texts.div_ceil(STEP))
        .into_par_iter()
        .try_fold(Worker::default, |mut worker, step| {
            worker.met.resize(index.side.block.len(), u32::MAX);
            (step * STEP..((step + 1) * STEP).min(texts)).for_each(|text| join.probe(text, &mut worker));
            if worker.pairs.len() >= FULL {
                sink.take(&mut worker.pairs)?;
            }
            tick()?;
            Ok(worker)
        })
        .collect::<Result<_>>()?;
    workers.into_iter().try_for_each(|mut worker| sink.take(&mut worker.pairs))
}

impl Join<'_> {
    /// Finds the partners of a text.
    fn probe(&self, at: usize, worker: &mut Worker) {
        let Self { bound, index, probe, .. } = *self;
        let (size, slot) = (probe.sizes[at], probe.base + at as u32);
        let (base, sizes, is_sorted) = (index.side.base, index.side.sizes, bound.sorts_by_key());
        let (top, partners) = (index.top_behind(slot), bound.partners(size));
        for (rank, suffix) in probe.features(at) {
            if !bound.probes(suffix, size, top) {
                break;
            }
            let list = index.of(rank);
            if list.is_empty() {
                continue;
            }
            let key = bound.key(suffix, size);
            for entry in self.partners(partners, slot, list) {
                if is_sorted && entry.key + key < 0 {
                    break;
                }
                let (other, place) = (entry.text as usize, base + entry.text);
                if place == slot || (is_sorted && place < slot) || worker.met[other] == slot {
                    continue;
                }
                worker.met[other] = slot;
                if bound.may((suffix, size), (entry.key, sizes[other])) {
                    self.compare(at, other, worker);
                }
            }
        }
    }

    /// The entries of a feature that may be partners of the text at a place in the order of all.
    fn partners<'e>(&self, partners: Partners, slot: u32, list: &'e [Entry]) -> &'e [Entry] {
        let Side { base, sizes, .. } = self.index.side;
        let behind_smaller =
            |list: &'e [Entry], least: u32| &list[list.partition_point(|entry| sizes[entry.text as usize] < least)..];
        match partners {
            Partners::Earlier(least) => behind_smaller(&list[..list.partition_point(|entry| base + entry.text < slot)], least),
            Partners::Later if self.bound.sorts_by_key() => list,
            Partners::Later => &list[list.partition_point(|entry| base + entry.text <= slot)..],
            Partners::Others(least) => behind_smaller(list, least),
        }
    }

    /// Keeps two texts that share enough by their features.
    fn compare(&self, at: usize, other: usize, worker: &mut Worker) {
        let (a, b) = (self.probe.text(at), self.index.side.text(other));
        if let (Some(outline_a), Some(outline_b)) = (self.probe.outline(at), self.index.side.outline(other))
            && !self.bound.may_meet((outline_a, outline_b), a, b)
        {
            return;
        }
        let (a, b) = if a.group() < b.group() { (a, b) } else { (b, a) };
        if self.allow.is_some_and(|allow| !allow(a.group(), b.group())) {
            return;
        }
        if let Some((in_a, in_b)) = self.bound.shared(a, b, &mut worker.marks) {
            worker.pairs.push(Pair { a: a.group(), b: b.group(), in_a, in_b });
        }
    }
}
