//! Joins blocks with blocks: each block is indexed, and probed by every block that may contain
//! partners.

use super::index::{Entry, Index, Side};
use crate::block::{Block, BlockStore, Features, Head};
use crate::context::{Amount, Context, Reservation};
use crate::error::Result;
use crate::evidence::PairSink;
use crate::measure::{Bound, Marks, Partners};
use crate::pair::{Allow, Chosen, Pair};
use crate::scratch::SpillFile;
use rayon::prelude::*;
use std::ops::Range;

/// Texts per step of a thread.
const STEP: usize = 128;
/// Pairs passed on at once.
const FULL: usize = 1 << 15;

/// Which texts are indexed, and which probe the index.
#[derive(Debug, Clone, Copy, Default)]
struct Roles<'a> {
    indexed: Chosen<'a>,
    probing: Chosen<'a>,
}

/// All texts, to be joined once or, in batches, several times.
pub(crate) struct Blocks<'a> {
    context: &'a Context,
    features: &'a Features,
    bound: &'a dyn Bound,
    /// Set if all texts are in memory.
    side: Option<Side<'a>>,
    held: Option<Reservation>,
}

impl<'a> Blocks<'a> {
    /// Prepares the texts with these features.
    ///
    /// # Errors
    /// Any error from the memory ceiling.
    pub(crate) fn new(
        context: &'a Context,
        features: &'a Features,
        bound: &'a dyn Bound,
    ) -> Result<Self> {
        let block = match &features.blocks {
            BlockStore::Memory(block) => block,
            BlockStore::Scratch { heads, .. } => {
                let count = heads.iter().map(|head| u64::from(head.features)).sum();
                context.work.features(count, features.ranks.into());
                return Ok(Self {
                    context,
                    features,
                    bound,
                    side: None,
                    held: None,
                });
            }
        };
        let count = block.ranks.len() as u64;
        context.work.features(count, features.ranks.into());
        let (feature, rank, text) = Index::bytes(bound);
        let bytes = count * feature + u64::from(features.ranks) * rank + block.len() as u64 * text;
        let held = context.budget.reserve(bytes, "the index of features")?;
        let side = Some(Side::new(bound, block, 0).below(features.frequent));
        Ok(Self {
            context,
            features,
            bound,
            side,
            held: Some(held),
        })
    }

    /// Joins all texts with each other.
    ///
    /// # Errors
    /// Any error from the memory ceiling, scratch or the sink.
    pub(crate) fn all(&self, allow: Allow, sink: &PairSink) -> Result<()> {
        let steps = match &self.features.blocks {
            BlockStore::Memory(block) => block.len().div_ceil(STEP),
            BlockStore::Scratch { heads, .. } => heads.len(),
        };
        self.context
            .progress
            .begin("joining", Some(steps as u64), Amount::Items);
        self.join(Roles::default(), allow, sink, &|| {
            self.context.progress.advance(1);
        })?;
        self.context.progress.end();
        Ok(())
    }

    /// An index of all texts, for repeated probing by a few of them; none if memory cannot hold
    /// it in addition to another.
    pub(crate) fn index(&self) -> Option<(Index<'_>, Reservation)> {
        let (side, held) = (self.side.as_ref()?, self.held.as_ref()?);
        let held = self.context.budget.try_reserve(held.bytes())?;
        Some((
            Index::new(self.bound, side, None, self.features.ranks),
            held,
        ))
    }

    /// Joins the texts marked in `some`, by group, with those in `others`; `all` is an index of all
    /// texts, if there is one.
    ///
    /// # Errors
    /// As [`Blocks::all`].
    pub(crate) fn between(
        &self,
        some: &[bool],
        others: &[bool],
        all: Option<&Index>,
        allow: Allow,
        sink: &PairSink,
    ) -> Result<()> {
        self.join(
            Roles {
                indexed: Some(some),
                probing: Some(others),
            },
            allow,
            sink,
            &|| (),
        )?;
        let (Some(side), Some(all), None) = (&self.side, all, allow.either) else {
            return self.join(
                Roles {
                    indexed: Some(others),
                    probing: Some(some),
                },
                allow,
                sink,
                &|| (),
            );
        };
        let of_others = Allow {
            either: Some(others),
            ..allow
        };
        join(
            self.bound,
            all,
            side,
            (Some(some), of_others),
            sink,
            &|| self.context.check(),
        )
    }

    /// Joins the marked texts, by group, with each other.
    ///
    /// # Errors
    /// As [`Blocks::all`].
    pub(crate) fn among(&self, some: &[bool], allow: Allow, sink: &PairSink) -> Result<()> {
        self.join(
            Roles {
                indexed: Some(some),
                probing: Some(some),
            },
            allow,
            sink,
            &|| (),
        )
    }

    /// Schedules the blocks: one index at a time, as large as the ceiling allows, probed by every
    /// block that may contain partners.
    fn join(
        &self,
        roles: Roles,
        allow: Allow,
        sink: &PairSink,
        advance: &(dyn Fn() + Sync),
    ) -> Result<()> {
        let Self {
            context,
            features,
            bound,
            ..
        } = *self;
        match (&self.side, &features.blocks) {
            (Some(side), _) => {
                let index = Index::new(bound, side, roles.indexed, features.ranks);
                join(bound, &index, side, (roles.probing, allow), sink, &|| {
                    advance();
                    context.check()
                })
            }
            (None, BlockStore::Scratch { file, heads }) => {
                self.join_heads((file, heads), roles, allow, sink, advance)
            }
            (None, BlockStore::Memory(_)) => Ok(()),
        }
    }

    fn join_heads(
        &self,
        (file, heads): (&SpillFile, &[Head]),
        roles: Roles,
        allow: Allow,
        sink: &PairSink,
        advance: &(dyn Fn() + Sync),
    ) -> Result<()> {
        let Self {
            context,
            features,
            bound,
            ..
        } = *self;
        let (feature, _, text) = Index::bytes(bound);
        let mut from = 0;
        while from < heads.len() {
            // The features themselves, and twice the size of an index, as ranks not in this block
            // are skipped.
            let cost = |head: &Head| {
                head.extent.length
                    + 2 * (feature * u64::from(head.features) + text * u64::from(head.groups))
            };
            let room = context.budget.free() / 2;
            let mut to = from + 1;
            let mut bytes = cost(&heads[from]);
            while to < heads.len() && bytes + cost(&heads[to]) <= room {
                bytes += cost(&heads[to]);
                to += 1;
            }
            let _held = context.budget.reserve(bytes, "an index block")?;
            let first = BlockStore::read(file, heads[from])?;
            let groups = heads[from..to]
                .iter()
                .map(|head| head.groups as usize)
                .sum();
            let all = heads[from..to]
                .iter()
                .map(|head| head.features as usize)
                .sum();
            let mut all = Block::with_room(groups, all, &first);
            all.append(&first);
            drop(first);
            for head in &heads[from + 1..to] {
                all.append(&BlockStore::read(file, *head)?);
            }
            let side = Side::new(bound, &all, heads[from].base).below(features.frequent);
            let index = Index::new(bound, &side, roles.indexed, features.ranks);
            let sizes = (heads[from].sizes.0, heads[to - 1].sizes.1);
            for head in heads
                .iter()
                .filter(|head| bound.partners(head.sizes.0).reaches(sizes, head.sizes))
            {
                context.check()?;
                if sink.is_full() {
                    return Ok(());
                }
                let block = BlockStore::read(file, *head)?;
                let probe = Side::new(bound, &block, head.base).below(features.frequent);
                join(bound, &index, &probe, (roles.probing, allow), sink, &|| {
                    context.check()
                })?;
            }
            (from..to).for_each(|_| advance());
            from = to;
        }
        Ok(())
    }
}

/// A thread's buffers.
#[derive(Default)]
struct Worker {
    pairs: Vec<Pair>,
    /// For each indexed text, the last text that found it.
    met: Vec<u32>,
    marks: Marks,
    /// The numbers of pairs found and compared.
    work: (u64, u64),
}

/// The probing texts, and the index.
struct Join<'a> {
    bound: &'a dyn Bound,
    index: &'a Index<'a>,
    probe: &'a Side<'a>,
    allow: Allow<'a>,
}

/// Passes all pairs between an index and the chosen texts of a block to `sink`, in unspecified
/// order, until it is full; calls `tick` regularly. Runs on the current thread pool.
///
/// # Errors
/// Any error from the sink or `tick`.
pub fn join(
    bound: &dyn Bound,
    index: &Index,
    probe: &Side,
    (probing, allow): (Chosen, Allow),
    sink: &PairSink,
    tick: &(dyn Fn() -> Result<()> + Sync),
) -> Result<()> {
    let join = Join {
        bound,
        index,
        probe,
        allow,
    };
    let texts = probe.block.len();
    let workers: Vec<Worker> = (0..texts.div_ceil(STEP))
        .into_par_iter()
        .try_fold(Worker::default, |mut worker, step| {
            if sink.is_full() {
                return Ok(worker);
            }
            worker.met.resize(index.side.block.len(), u32::MAX);
            for text in step * STEP..((step + 1) * STEP).min(texts) {
                if probing.is_some_and(|probing| !probing[probe.block.groups[text] as usize]) {
                    continue;
                }
                join.probe(text, &mut worker);
                if worker.pairs.len() >= FULL {
                    sink.take(&mut worker.pairs)?;
                    if sink.is_full() {
                        break;
                    }
                }
            }
            tick()?;
            Ok(worker)
        })
        .collect::<Result<_>>()?;
    workers.into_iter().try_for_each(|mut worker| {
        sink.note(worker.work);
        sink.take(&mut worker.pairs)
    })
}

impl Join<'_> {
    /// Finds the partners of a text.
    fn probe(&self, at: usize, worker: &mut Worker) {
        let Self {
            bound,
            index,
            probe,
            ..
        } = *self;
        let (size, slot) = (probe.sizes[at], probe.base + at as u32);
        let (base, sizes, is_sorted) = (index.side.base, index.side.sizes, bound.sorts_by_key());
        let (top, partners) = (
            index.top_behind(slot),
            self.partners(bound.partners(size), slot),
        );
        let near = match (probe.bitmap(at), bound.has_bitmaps()) {
            (Some(bitmap), true) => match bound.apart(probe.block.text(at)) {
                Some(apart) => Some((bitmap, apart)),
                // Its distance from all is too large.
                None => return,
            },
            _ => None,
        };
        for (rank, suffix) in probe.features(at) {
            if !bound.probes(suffix, size, top) {
                break;
            }
            let mut list = index.of(rank);
            if list.is_empty() {
                continue;
            }
            let key = bound.key(suffix, size);
            if !is_sorted {
                let entries = index.entries(list.clone());
                let from = entries.partition_point(|entry| entry.text < partners.start);
                let to = entries.partition_point(|entry| entry.text < partners.end);
                list = list.start + from.min(to)..list.start + to;
            }
            let mut meet = |entry: &Entry| {
                let (other, place) = (entry.text as usize, base + entry.text);
                if place == slot
                    || (is_sorted && !partners.contains(&entry.text))
                    || worker.met[other] == slot
                {
                    return;
                }
                worker.met[other] = slot;
                worker.work.0 += 1;
                if bound.may((suffix, size), (entry.key, sizes[other])) {
                    self.compare(at, other, worker);
                }
            };
            let entries = index.entries(list.clone());
            match near {
                Some((bitmap, apart)) => {
                    apart.near(bitmap, index.bitmaps(list), |near| meet(&entries[near]));
                }
                None if is_sorted => entries
                    .iter()
                    .take_while(|entry| entry.key + key >= 0)
                    .for_each(meet),
                None => entries.iter().for_each(meet),
            }
        }
    }

    /// The texts of the index that may be partners of the text at a position in the order of all.
    fn partners(&self, partners: Partners, slot: u32) -> Range<u32> {
        let Side { base, sizes, .. } = *self.index.side;
        let of_size = |least: u32| sizes.partition_point(|size| *size < least) as u32;
        let count = sizes.len() as u32;
        match partners {
            Partners::Earlier(least) => of_size(least)..slot.saturating_sub(base).min(count),
            Partners::Later => (slot + 1).saturating_sub(base).min(count)..count,
            Partners::Others(least) => of_size(least)..count,
        }
    }

    /// Keeps two texts if their features share enough.
    fn compare(&self, at: usize, other: usize, worker: &mut Worker) {
        let (a, b) = (self.probe.text(at), self.index.side.text(other));
        worker.work.1 += 1;
        if let (Some(outline_a), Some(outline_b)) =
            (self.probe.outline(at), self.index.side.outline(other))
            && !self.bound.may_meet((outline_a, outline_b), a, b)
        {
            return;
        }
        let (a, b) = if a.group() < b.group() {
            (a, b)
        } else {
            (b, a)
        };
        if !self.allow.pair(a.group(), b.group()) {
            return;
        }
        if let Some((in_a, in_b)) = self.bound.shared(a, b, &mut worker.marks) {
            worker.pairs.push(Pair {
                a: a.group(),
                b: b.group(),
                in_a,
                in_b,
            });
        }
    }
}
