//! Decides without a list of all pairs, for collections with too many to list: a template with a
//! hundred thousand copies has five billion.
//!
//! Texts are processed in keep order, in batches. Those of a batch are joined with each other;
//! those that would be kept are joined with all open texts, and the texts they remove are not
//! processed again. So the cost grows with the texts, and with the pairs of a kept and a removed
//! text.
//!
//! The result equals that of [`crate::decide`] on all pairs. Its rounds keep a text when nothing it
//! waits for is open, and remove it when a kept text covers it; the order does not matter, as
//! neither is ever revoked. Here a text is kept only when all its pairs with open texts are known.
//! A text that waits for one of a later batch, which a directed measure allows, is deferred with
//! its pairs; so is a whole batch if all open texts wait for deferred ones. If some finally wait for
//! each other in a cycle, all pairs among them are known, and the same rule breaks it.
//!
//! Candidates that pass rescoring count as pairs during the rounds. Those that the decision relies
//! on are then verified in the texts; if one turns out not to be a pair, or a different text of it
//! may be removed, the decision is repeated with this knowledge.

mod checked;

use self::checked::{Checked, Known};
use super::run::Run;
use crate::block::{BlockStore, Features};
use crate::context::{Amount, Context, Reservation};
use crate::decide::settle::{Edge, Edges, Ended, Rounds, State};
use crate::error::Result;
use crate::evidence::{PairSink, Pairs, Scoring};
use crate::join::Blocks;
use crate::measure::Bound;
use crate::pair::{Pair, Sizes};
use crate::threshold::Threshold;
use std::collections::HashMap;

/// Bytes for each text of a batch: its pairs within the batch, and their derived data.
const TAKEN_BYTES: u64 = 16 * 64;

/// The input of a decision.
#[derive(Clone, Copy)]
pub(super) struct Texts<'a> {
    pub(super) features: &'a Features,
    pub(super) blocks: &'a Blocks<'a>,
    pub(super) bound: &'a dyn Bound,
    /// By group, its position in keep order.
    pub(super) places: &'a [u32],
    /// The size of the first batch.
    pub(super) together: usize,
}

impl Run<'_> {
    /// The kept groups, and the pairs of a kept and a removed text.
    ///
    /// # Errors
    /// Errors of the source, the memory ceiling or scratch.
    pub(super) fn decide(&self, texts: Texts) -> Result<(Pairs, Vec<bool>)> {
        let mut known = HashMap::new();
        loop {
            let mut decider = Decider::new(self, texts, &known)?;
            decider.run()?;
            let truths = match decider.checked()? {
                Checked::Upheld(pairs, kept) => return Ok((pairs, kept)),
                Checked::Truths(truths) => truths,
            };
            known.extend(truths);
        }
    }
}

/// Determines which texts of a pair may be removed.
#[derive(Clone, Copy)]
struct Judge<'a> {
    scoring: Scoring,
    sizes: Sizes<'a>,
    threshold: Threshold,
    places: &'a [u32],
}

impl Judge<'_> {
    fn edge(&self, pair: &Pair) -> Edge {
        let (a_is_removable, b_is_removable) =
            self.scoring.removable(pair, self.sizes, self.threshold);
        Edge {
            a_is_removable,
            b_is_removable,
        }
    }

    /// The text of a pair that waits for the other.
    fn waiting(&self, pair: &Pair) -> u32 {
        if Rounds::a_waits(self.places, (pair.a, pair.b), self.edge(pair)) {
            pair.a
        } else {
            pair.b
        }
    }
}

/// Pairs with their direction.
struct Judged<'a> {
    judge: Judge<'a>,
    pairs: &'a [Pair],
}

impl Edges for Judged<'_> {
    fn each(&self, f: &mut dyn FnMut(u32, u32, Edge)) -> Result<()> {
        for pair in self.pairs {
            f(pair.a, pair.b, self.judge.edge(pair));
        }
        Ok(())
    }
}

struct Decider<'a> {
    run: &'a Run<'a>,
    context: &'a Context,
    texts: Texts<'a>,
    known: &'a Known,
    judge: Judge<'a>,
    states: Vec<State>,
    /// By group, whether it was deferred: all its pairs with open texts are known.
    is_late: Vec<bool>,
    /// Pairs of open texts of which at least one was deferred.
    waiting: Vec<Pair>,
    /// By group, whether it waits for another in one of these pairs, or did when they were last
    /// passed over.
    is_blocked: Vec<bool>,
    /// The number of pairs that the last pass over them left.
    left: usize,
    /// Whether a text was decided on since then.
    has_moved: bool,
    /// Pairs that were still open at the end.
    circles: Vec<Pair>,
    rounds: Rounds<'a>,
    held: Reservation,
}

/// A batch of texts, with the pairs among them.
struct Taken {
    texts: Vec<u32>,
    /// By group, its index in the batch.
    at: HashMap<u32, u32>,
    /// By text, its position in keep order.
    places: Vec<u32>,
    pairs: Vec<Pair>,
    /// The pairs, by indices in the batch.
    edges: Vec<(u32, u32, Edge)>,
    /// By text, whether it would be kept if there were no others.
    stays: Vec<bool>,
}

impl<'a> Decider<'a> {
    fn new(run: &'a Run<'a>, texts: Texts<'a>, known: &'a Known) -> Result<Self> {
        let groups = run.lengths.len();
        // States, marks, indices in the batch, the order, and buffers of rounds.
        let bytes = (17 + Rounds::BYTES) * groups as u64;
        Ok(Self {
            run,
            context: run.context,
            texts,
            known,
            judge: Judge {
                scoring: Scoring::of(run.recipe),
                sizes: Sizes {
                    sets: &texts.features.set_sizes,
                    lengths: run.lengths,
                },
                threshold: run.recipe.threshold,
                places: texts.places,
            },
            states: vec![State::Open; groups],
            is_late: vec![false; groups],
            waiting: Vec::new(),
            is_blocked: vec![false; groups],
            left: 0,
            has_moved: false,
            circles: Vec::new(),
            rounds: Rounds::new(texts.places),
            held: run.context.budget.reserve(bytes, "the decision")?,
        })
    }

    /// The candidates in a sink, as far as known, that pass rescoring.
    fn pairs(&self, sink: PairSink) -> Result<Pairs> {
        Ok(self
            .run
            .rescore_pairs(self.candidates(sink)?, self.judge.sizes.sets)?
            .0)
    }

    /// The candidates in a sink, as far as known.
    fn candidates(&self, sink: PairSink) -> Result<Pairs> {
        let pool = self.context.pool()?;
        let found = pool.install(|| sink.finish())?;
        if self.known.is_empty() {
            return Ok(found);
        }
        let sink = PairSink::new(self.context);
        found.pass(&sink, |pair| {
            let known = self.known.get(&(pair.a, pair.b)).copied();
            known.unwrap_or(Some(pair))
        })?;
        pool.install(|| sink.finish())
    }

    fn run(&mut self) -> Result<()> {
        let context = self.context;
        let mut open = groups(&self.texts.features.blocks)?;
        open.sort_unstable_by_key(|group| self.texts.places[*group as usize]);
        context
            .progress
            .begin("deciding", Some(open.len() as u64), Amount::Items);
        let (pool, blocks, allow) = (context.pool()?, self.texts.blocks, self.run.allow);
        let (few, index) = (self.texts.together, pool.install(|| blocks.index()));
        let most = (context.budget.free() / 8 / TAKEN_BYTES).max(few as u64) as usize;
        let _taken = context
            .budget
            .reserve(most as u64 * TAKEN_BYTES, "the decision")?;
        let (mut some, mut others) = (
            vec![false; self.states.len()],
            vec![false; self.states.len()],
        );
        let mut size = few;
        while !open.is_empty() {
            context.check()?;
            let chosen = self.choose(&open, size.min(most));
            if chosen.is_empty() && self.has_moved {
                self.go_on()?;
                self.advance(&mut open);
                continue;
            }
            // Where all wait for deferred texts, those of a batch are deferred, too.
            let defers = chosen.is_empty();
            let chosen = if defers {
                open[..few.min(open.len())].to_vec()
            } else {
                chosen
            };
            mark(&mut some, &chosen, true);
            let sink = PairSink::at_most(context, (8 * size + few * few) as u64);
            pool.install(|| blocks.among(&some, allow, &sink))?;
            mark(&mut some, &chosen, false);
            if sink.is_full() {
                size = (size / 4).max(few);
                continue;
            }
            let mut taken = self.take(chosen, &self.pairs(sink)?)?;
            if defers {
                taken.stays.fill(true);
            }
            let stay: Vec<u32> = taken
                .texts
                .iter()
                .zip(&taken.stays)
                .filter(|(_, stays)| **stays)
                .map(|(text, _)| *text)
                .collect();
            mark(&mut others, &open, true);
            mark(&mut others, &taken.texts, false);
            mark(&mut some, &stay, true);
            let sink = PairSink::new(context);
            // Few texts probe an index of all; for many, a separate index is built.
            let all = index.as_ref().filter(|_| stay.len() < open.len() / 8);
            let all = all.map(|(index, _)| index);
            pool.install(|| blocks.between(&some, &others, all, allow, &sink))?;
            mark(&mut some, &stay, false);
            mark(&mut others, &open, false);
            let outer = self.pairs(sink)?;
            self.settle(&taken, &outer)?;
            if self.waiting.len() > self.left + self.left / 2 {
                self.go_on()?;
            }
            self.advance(&mut open);
            size = match taken.pairs.len() / taken.texts.len() {
                0..2 => (size * 4).min(most),
                2..8 => size,
                _ => (size / 2).max(few),
            };
        }
        context.progress.end();
        self.circles.clone_from(&self.waiting);
        let pairs = std::mem::take(&mut self.waiting);
        Rounds::new(self.texts.places).settle(
            &mut self.states,
            &Judged {
                judge: self.judge,
                pairs: &pairs,
            },
        )
    }

    /// Removes from the open texts those that were decided on or deferred.
    fn advance(&self, open: &mut Vec<u32>) {
        let before = open.len();
        open.retain(|group| {
            self.states[*group as usize] == State::Open && !self.is_late[*group as usize]
        });
        let done = before - open.len();
        self.context.progress.advance(done as u64);
    }

    /// The next batch: open texts that wait for no deferred one.
    fn choose(&self, open: &[u32], size: usize) -> Vec<u32> {
        let is_free = |group: &&u32| !self.is_blocked[**group as usize];
        open.iter().filter(is_free).take(size).copied().collect()
    }

    /// The result for a batch if there were no other texts.
    fn take(&self, texts: Vec<u32>, found: &Pairs) -> Result<Taken> {
        let at: HashMap<u32, u32> = texts.iter().copied().zip(0..).collect();
        let places: Vec<u32> = texts
            .iter()
            .map(|text| self.texts.places[*text as usize])
            .collect();
        let mut pairs = Vec::with_capacity(found.len() as usize);
        found.for_each(|pair| {
            pairs.push(pair);
            Ok(())
        })?;
        let edges: Vec<_> = pairs
            .iter()
            .map(|pair| (at[&pair.a], at[&pair.b], self.judge.edge(pair)))
            .collect();
        let mut states = vec![State::Open; texts.len()];
        Rounds::new(&places).settle(&mut states, &edges[..])?;
        let stays = states.iter().map(|state| *state == State::Kept).collect();
        Ok(Taken {
            texts,
            at,
            places,
            pairs,
            edges,
            stays,
        })
    }

    /// Decides on a batch, as far as certain, and on open texts that it removes; `outer` are pairs
    /// of these with the provisionally kept.
    fn settle(&mut self, taken: &Taken, outer: &Pairs) -> Result<()> {
        // Which of the provisionally kept wait for another open text.
        let mut may_stay: Vec<bool> = taken
            .stays
            .iter()
            .zip(&taken.texts)
            .map(|(stays, text)| *stays && !self.is_blocked[*text as usize])
            .collect();
        outer.for_each(|pair| {
            if let Some(at) = taken.at.get(&self.judge.waiting(&pair)) {
                may_stay[*at as usize] = false;
            }
            Ok(())
        })?;
        let mut states = vec![State::Open; taken.texts.len()];
        let mut rounds = Rounds::new(&taken.places);
        while rounds.round(&mut states, |at| may_stay[at as usize], &taken.edges[..])?
            == Ended::Moved
        {}
        for (at, text) in taken.texts.iter().enumerate() {
            let state = &mut self.states[*text as usize];
            *state = states[at];
            self.has_moved |= *state == State::Kept;
            if *state == State::Open && taken.stays[at] {
                self.is_late[*text as usize] = true;
            }
        }
        outer.for_each(|pair| {
            self.judge
                .edge(&pair)
                .drive_out((pair.a, pair.b), &mut self.states);
            Ok(())
        })?;
        taken
            .pairs
            .iter()
            .try_for_each(|pair| self.put_off(*pair))?;
        outer.for_each(|pair| self.put_off(pair))
    }

    /// Defers a pair if it may still matter.
    fn put_off(&mut self, pair: Pair) -> Result<()> {
        let is_late = self.is_late[pair.a as usize] || self.is_late[pair.b as usize];
        if is_late && self.are_open(&pair) {
            if self.waiting.len() == self.waiting.capacity() {
                let more = self.waiting.capacity().max(1 << 10);
                // Both lists exist at once while one grows, and once more for cycles.
                self.held.grow(
                    (3 * more * size_of::<Pair>()) as u64,
                    "pairs of texts that wait for each other",
                )?;
                self.waiting.reserve_exact(more);
            }
            self.is_blocked[self.judge.waiting(&pair) as usize] = true;
            self.waiting.push(pair);
        }
        Ok(())
    }

    fn are_open(&self, pair: &Pair) -> bool {
        [pair.a, pair.b]
            .iter()
            .all(|group| self.states[*group as usize] == State::Open)
    }

    /// Decides on deferred texts, as far as now certain. As this passes over all their pairs, it is
    /// for when these have grown by half, or no text is free.
    fn go_on(&mut self) -> Result<()> {
        let Self {
            rounds,
            states,
            is_late,
            ..
        } = self;
        let edges = Judged {
            judge: self.judge,
            pairs: &self.waiting,
        };
        while rounds.round(states, |text| is_late[text as usize], &edges)? == Ended::Moved {}
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|pair| self.are_open(pair));
        self.is_blocked.fill(false);
        for pair in &waiting {
            self.is_blocked[self.judge.waiting(pair) as usize] = true;
        }
        self.left = waiting.len();
        self.has_moved = false;
        self.waiting = waiting;
        Ok(())
    }
}

/// The groups of all texts.
fn groups(blocks: &BlockStore) -> Result<Vec<u32>> {
    match blocks {
        BlockStore::Memory(block) => Ok(block.groups.clone()),
        BlockStore::Scratch { file, heads } => {
            let mut all = Vec::new();
            for head in heads {
                all.extend(BlockStore::read(file, *head)?.groups);
            }
            Ok(all)
        }
    }
}

fn mark(marks: &mut [bool], groups: &[u32], value: bool) {
    for group in groups {
        marks[*group as usize] = value;
    }
}
