//! Recipes without keys: all groups are ranked, and joined block by block.

use super::Run;
use super::block::{self, Block, BlockStore};
use super::rank::{self, Features};
use super::{Clock, checkpoint, extract};
use crate::context::{Amount, Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::{PairSink, Pairs};
use crate::join::{self, OrderedJoin, Probe, Validation};
use crate::repeats::Repeats;
use crate::runs::{self, Placed, Wanted};
use std::path::{Path, PathBuf};

/// What runs are taken from.
enum RunsFrom {
    /// The rows of this run.
    Rows(Box<Placed>),
    /// A file of an earlier one.
    Kept(PathBuf),
}

/// The pairs, the distinct shingles by group, and what validation found.
type Found = (Pairs, Vec<u32>, Validation);

impl Run<'_> {
    /// By runs where there are rows, or an earlier run has kept some, as far as memory has room for them; else by shingles, block by block.
    pub(super) fn without_keys(
        &self,
        (placed, repeats): (Option<Placed>, Option<(Repeats, Option<Reservation>)>),
        kept: Option<(PathBuf, bool)>,
        clock: &mut Clock,
    ) -> Result<Found> {
        let from = match (placed, kept) {
            (Some(placed), _) => RunsFrom::Rows(Box::new(placed)),
            (None, Some((path, true))) => RunsFrom::Kept(path),
            (None, kept) => return self.in_order(repeats, kept.map(|(path, _)| path).as_deref(), clock),
        };
        match self.by_runs(from, clock) {
            Err(error) if error.kind() == ErrorKind::Memory => self.in_order(None, None, clock),
            found => found,
        }
    }

    /// Extracts, ranks and joins; features that an earlier run has kept are taken from there. Gives the pairs, the distinct shingles by group,
    /// and what validation found.
    fn in_order(&self, repeats: Option<(Repeats, Option<Reservation>)>, kept: Option<&Path>, clock: &mut Clock) -> Result<Found> {
        let Self { context, lengths, shape, allow, .. } = *self;
        let features = if let Some(path) = kept {
            checkpoint::take_features(context, path, self.firsts.groups.len())?
        } else {
            let extracted = self.extract(repeats)?;
            clock.lap("extract");
            // Each stage has its own threads: memory that a thread has freed goes back to the system at the latest when it ends.
            let features = context.pool()?.install(|| rank::rank(context, extracted, lengths, shape))?;
            if let Some(checkpoint) = self.checkpoint {
                checkpoint::keep_features(checkpoint, &features)?;
            }
            features
        };
        clock.lap("rank");
        let sink = PairSink::new(context);
        let mut validation = Validation::default();
        let recipe = self.recipe;
        if let Some(join) = join::for_measure(recipe.measure, recipe.threshold, recipe.ngram, self.longest(), self.of) {
            validation = context.pool()?.install(|| join_blocks(context, &features, &*join, allow, &sink))?;
        }
        let pairs = context.pool()?.install(|| sink.finish())?;
        if let Some(checkpoint) = self.checkpoint {
            checkpoint::keep_pairs(checkpoint, &pairs, &features.set_sizes, validation)?;
        }
        clock.lap("join");
        Ok((pairs, features.set_sizes, validation))
    }

    /// The same by runs, from the rows that were made while texts were read, or as an earlier run has kept them.
    fn by_runs(&self, from: RunsFrom, clock: &mut Clock) -> Result<Found> {
        let Self { context, recipe, lengths, allow, .. } = *self;
        let wanted = Wanted {
            measure: recipe.measure,
            threshold: recipe.threshold,
            n: recipe.ngram,
            allow,
            signature_bits: self.tuning.signature_bits,
        };
        let (texts, set_sizes) = match from {
            RunsFrom::Rows(placed) => {
                let made = runs::texts(context, self.firsts.groups, *placed, lengths, wanted)?;
                if let Some(checkpoint) = self.checkpoint {
                    checkpoint::keep_runs(checkpoint, &made.0, &made.1)?;
                }
                made
            }
            RunsFrom::Kept(path) => checkpoint::take_runs(context, &path, lengths)?,
        };
        clock.lap("runs");
        let pairs = runs::pairs(context, (self.reading, self.firsts), &texts, wanted, |stage| clock.lap(stage))?;
        if let Some(checkpoint) = self.checkpoint {
            checkpoint::keep_pairs(checkpoint, &pairs, &set_sizes, Validation::default())?;
        }
        Ok((pairs, set_sizes, Validation::default()))
    }

    fn extract(&self, repeats: Option<(Repeats, Option<Reservation>)>) -> Result<extract::Extracted> {
        match (self.weigher, self.shingles) {
            (Some(weigher), _) => extract::terms(self.context, self.reading, self.firsts, weigher),
            (None, Some(shingles)) => {
                let (repeats, _held) = repeats.unzip();
                extract::shingles(self.context, self.reading, self.firsts, repeats.as_ref(), shingles, |_, _| ())
            }
            (None, None) => Err(Error::new(ErrorKind::Run, "expected features to extract, found none")),
        }
    }
}

/// Chooses the blocks: one index at a time, as large as the ceiling allows, probed by every block that may have partners in it.
pub(super) fn join_blocks(
    context: &Context,
    features: &Features,
    join: &dyn OrderedJoin,
    allow: join::Allow,
    sink: &PairSink,
) -> Result<Validation> {
    let ranks = features.ranks;
    let mut validation = Validation::default();
    match &features.blocks {
        BlockStore::Memory(block) => {
            if block.is_empty() {
                return Ok(validation);
            }
            context.progress.begin("joining", Some(1), Amount::Items);
            let index = join::index(join, block, 0, ranks);
            validation.add(join::join(join, &index, Probe { block, base: 0 }, allow, sink)?);
            context.progress.advance(1);
        }
        BlockStore::Scratch { file, heads } => {
            context.progress.begin("joining", Some(heads.len() as u64), Amount::Items);
            let mut from = 0;
            while from < heads.len() {
                // Each feature takes its numbers in the block, twelve bytes while postings are made, and eight and a few in them.
                let cost = |head: &block::Head| head.extent.length + 24 * u64::from(head.features);
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
                let features = heads[from..to].iter().map(|head| head.features as usize).sum();
                let mut all = Block::with_room(groups, features, &first);
                all.append(&first);
                drop(first);
                for head in &heads[from + 1..to] {
                    all.append(&BlockStore::read(file, *head)?);
                }
                let index = join::index(join, &all, heads[from].base, ranks);
                let sizes = (heads[from].sizes.0, heads[to - 1].sizes.1);
                for head in heads.iter().filter(|head| join.reaches(sizes, head.sizes)) {
                    context.check()?;
                    let block = BlockStore::read(file, *head)?;
                    validation.add(join::join(join, &index, Probe { block: &block, base: head.base }, allow, sink)?);
                }
                context.progress.advance((to - from) as u64);
                from = to;
            }
        }
    }
    context.progress.end();
    Ok(validation)
}
