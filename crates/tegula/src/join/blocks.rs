//! Joins blocks with blocks: each block is indexed, and probed by every block that may contain
//! partners.

use super::index::{Entry, Index, Side};
use crate::block::{Block, BlockStore, Features, Head};
use crate::context::{Amount, Context, Reservation};
use crate::error::Result;
use crate::evidence::PairSink;
use crate::measure::{Apart, Bound, Marks, Partners};
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
    /// The indexed texts that a text met and must be compared with.
    near: Vec<u32>,
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
        let (base, sizes) = (index.side.base, index.side.sizes);
        let (top, mut partners) = (
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
            let largest = bound.largest(suffix, size);
            if largest < size {
                partners.end = partners.end.min(index.smaller(largest + 1));
            }
            if partners.is_empty() || !bound.probes(suffix, size, top) {
                break;
            }
            let least = bound.least_key(suffix, size);
            let mut meet = |entry: &Entry| {
                if entry.key() < least
                    || !partners.contains(&entry.text())
                    || base + entry.text() == slot
                {
                    return;
                }
                let other = entry.text() as usize;
                if std::mem::replace(&mut worker.met[other], slot) == slot {
                    return;
                }
                worker.work.0 += 1;
                if bound.may((suffix, size), (entry.key(), sizes[other])) {
                    worker.near.push(entry.text());
                }
            };
            let (entries, bitmaps) = index.scan(rank, &partners, least);
            match near {
                Some((bitmap, apart)) => apart.near(bitmap, bitmaps, |near| meet(&entries[near])),
                None => entries.iter().for_each(meet),
            }
        }
        self.compare(at, near.map(|(_, apart)| apart), worker);
    }

    /// The texts of the index that may be partners of the text at a position in the order of all.
    fn partners(&self, partners: Partners, slot: u32) -> Range<u32> {
        let (index, base) = (self.index, self.index.side.base);
        let count = index.side.sizes.len() as u32;
        match partners {
            Partners::Earlier(least) => index.smaller(least)..slot.saturating_sub(base).min(count),
            Partners::Later => (slot + 1).saturating_sub(base).min(count)..count,
            Partners::Others(least) => index.smaller(least)..count,
        }
    }

    /// Keeps the texts among those near a text whose features share enough with it.
    fn compare(&self, at: usize, apart: Option<Apart>, worker: &mut Worker) {
        let mut near = std::mem::take(&mut worker.near);
        worker.work.1 += near.len() as u64;
        let (a, outlines) = (self.probe.text(at), self.index.side.outlines());
        if let Some(outline) = self.probe.outlines().of(at) {
            outlines.retain(&mut near, |text, other| match apart {
                Some(apart) => apart.may_meet(outline, other),
                None => {
                    self.bound
                        .may_meet((outline, other), a, self.index.side.text(text as usize))
                }
            });
        }
        for other in near.drain(..) {
            let b = self.index.side.text(other as usize);
            let (a, b) = if a.group() < b.group() {
                (a, b)
            } else {
                (b, a)
            };
            if !self.allow.pair(a.group(), b.group()) {
                continue;
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
        worker.near = near;
    }
}
