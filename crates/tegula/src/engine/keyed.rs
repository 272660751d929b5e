//! Recipes with keys: texts that share a key are nominated, and the measure decides on each nominated pair.

use super::again::Firsts;
use super::extract;
use super::rank::{self, Features, Shape};
use super::reading::{Reading, Shingles};
use super::sign::{self, Signed, Signer};
use super::terms::Weigher;
use super::verify::{self, Nominated};
use super::{Clock, join_blocks};
use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::{PairSink, Pairs};
use crate::join::{self, Nomination};
use crate::recipe::{Keys, Measure, Recipe};
use crate::statistics::Statistics;

/// What a run with keys works on.
pub(super) struct Run<'a> {
    pub(super) context: &'a Context,
    pub(super) recipe: &'a Recipe,
    pub(super) keys: &'a Keys,
    pub(super) reading: &'a Reading<'a>,
    pub(super) firsts: Firsts<'a>,
    pub(super) statistics: &'a Statistics,
    pub(super) weigher: Option<&'a Weigher<'a>>,
    pub(super) shingles: Option<&'a Shingles>,
    pub(super) lengths: &'a [u32],
    pub(super) shape: Shape,
    pub(super) of: join::Of,
    pub(super) allow: join::Allow<'a>,
}

/// What it found.
pub(super) struct Found {
    pub(super) pairs: Pairs,
    pub(super) set_sizes: Vec<u32>,
    pub(super) nominated: Nominated,
}

impl Run<'_> {
    pub(super) fn find(&self, clock: &mut Clock) -> Result<Found> {
        let context = self.context;
        let groups = self.firsts.groups.len();
        let _signatures = match self.keys {
            Keys::Simhash { .. } => Some(context.budget.reserve(8 * groups as u64, "the signatures")?),
            _ => None,
        };
        let signer = Signer::new(self.recipe, self.keys, self.statistics, self.weigher, groups)?;
        let Signed { keys, slots, bits } = sign::sign(context, self.reading, self.firsts, &signer)?;
        clock.lap("sign");
        let candidates = self.nominate(keys)?;
        clock.lap("nominate");
        let sink = PairSink::new(context);
        let mut nominated = Nominated { candidates: candidates.len(), compared: candidates.len(), skipped: 0 };
        let set_sizes = if self.recipe.measure == Measure::Hamming {
            let score = |pair: join::Pair, worker: &mut join::Worker| {
                let of = |group: u32| (group, bits[group as usize]);
                worker.pairs.extend(join::of_bits(self.recipe.threshold, of(pair.a), of(pair.b)));
            };
            context.pool()?.install(|| verify::by_score(&candidates, &sink, score))?;
            vec![0; groups]
        } else {
            let extracted = match slots {
                Some(slots) => slots,
                None => self.extract(&candidates)?,
            };
            clock.lap("extract");
            let features = context.pool()?.install(|| rank::rank(context, extracted, self.lengths, self.shape))?;
            clock.lap("rank");
            if self.recipe.transitive {
                nominated = context.pool()?.install(|| self.transitively(&candidates, &features, &sink))?;
            } else if let Some(verifier) = self.verifier() {
                context.pool()?.install(|| verify::verify(context, &candidates, &features, &*verifier, &sink))?;
            }
            features.set_sizes
        };
        drop(candidates);
        let pairs = context.pool()?.install(|| sink.finish())?;
        clock.lap("verify");
        Ok(Found { pairs, set_sizes, nominated })
    }

    fn verifier(&self) -> Option<Box<dyn join::Verify>> {
        let longest = self.lengths.iter().copied().max().unwrap_or(1);
        join::verifier(self.recipe.measure, self.recipe.threshold, self.recipe.ngram, longest, self.of)
    }

    fn transitively(&self, candidates: &Pairs, features: &Features, sink: &PairSink) -> Result<Nominated> {
        match self.verifier() {
            Some(verifier) => verify::transitively(self.context, candidates, features, &*verifier, sink),
            None => Ok(Nominated { candidates: candidates.len(), compared: candidates.len(), skipped: 0 }),
        }
    }

    /// Pairs of groups that share a key.
    fn nominate(&self, keys: extract::Extracted) -> Result<Pairs> {
        let context = self.context;
        let shape = Shape { measure: Measure::Resemblance, collide: false, common: self.recipe.common, ..self.shape };
        let pool = context.pool()?;
        let keys = pool.install(|| rank::rank(context, keys, self.lengths, shape))?;
        let sink = PairSink::new(context);
        pool.install(|| join_blocks(context, &keys, &Nomination, self.allow, &sink))?;
        drop(keys);
        pool.install(|| sink.finish())
    }

    /// What is compared, of the groups that are in a nominated pair.
    fn extract(&self, candidates: &Pairs) -> Result<extract::Extracted> {
        let context = self.context;
        let _held = context.budget.reserve(self.firsts.groups.len() as u64, "which texts are nominated")?;
        let mut wanted = vec![false; self.firsts.groups.len()];
        candidates.for_each(|pair| {
            wanted[pair.a as usize] = true;
            wanted[pair.b as usize] = true;
            Ok(())
        })?;
        let firsts = Firsts { wanted: Some(&wanted), ..self.firsts };
        match (self.weigher, self.shingles) {
            (Some(weigher), _) => extract::terms(context, self.reading, firsts, weigher),
            (None, Some(shingles)) => extract::shingles(context, self.reading, firsts, None, shingles),
            (None, None) => Err(Error::new(ErrorKind::Run, "expected features to extract, found none")),
        }
    }
}
