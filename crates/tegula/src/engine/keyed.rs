//! Recipes with keys: texts that share a key are candidates, and the measure scores each candidate
//! pair.

use super::clock::Clock;
use super::joined::Joined;
use super::reread::Firsts;
use super::run::Run;
use super::sign::{self, Signed, Signer};
use super::verify;
use super::{checkpoint, extract};
use crate::block::{self, Frequent, Layout, Numbers, Occurrences, Shape};
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::Candidates;
use crate::evidence::{PairSink, Pairs};
use crate::join::Blocks;
use crate::measure::{self, Bound, Compares, Measure};
use crate::pair::{Pair, Validation};
use crate::recipe::Keys;
use crate::sketch::Estimate;

impl Run<'_> {
    /// Computes signatures, generates candidates, extracts features and verifies.
    pub(super) fn by_keys(&self, keys: &Keys, clock: &mut Clock) -> Result<Joined> {
        let Self {
            context,
            recipe,
            lengths,
            shape,
            ..
        } = *self;
        let groups = self.firsts.groups.len();
        // Simhashes, or the set sizes by which containment is estimated.
        let each = match keys.kind().facts().estimate {
            Estimate::Bits => 8,
            _ if recipe.measure == Measure::AgreementContainment => 4,
            _ => 0,
        };
        let _signatures = context
            .budget
            .reserve(each * groups as u64, "the signatures")?;
        let signer = Signer::new(recipe, keys, self.statistics, self.weigher, groups)?;
        let Signed { keys, slots, bits } = sign::sign(context, self.reading, self.firsts, &signer)?;
        clock.lap("signatures");
        let candidates = self.generate(keys)?;
        clock.lap("candidates");
        let sink = PairSink::new(context);
        let mut counts = Candidates {
            generated: candidates.len(),
            compared: candidates.len(),
            skipped: 0,
        };
        let set_sizes = if recipe.measure.compares() == Compares::Bits {
            let score = |pair: Pair, (): &mut ()| {
                let [a, b] = [pair.a, pair.b].map(|group| bits[group as usize]);
                Ok(
                    measure::agreeing(recipe.threshold, a, b).map(|(in_a, in_b)| Pair {
                        in_a,
                        in_b,
                        ..pair
                    }),
                )
            };
            context
                .pool()?
                .install(|| verify::by_score(&candidates, &sink, || (), score))?;
            vec![0; groups]
        } else {
            let extracted = match slots {
                Some(slots) => slots,
                None => self.extract_candidates(&candidates)?,
            };
            clock.lap("extract");
            let extracted = extracted.with(shape.layout.numbers);
            let features = context
                .pool()?
                .install(|| block::rank(context, extracted, lengths, shape))?;
            clock.lap("rank");
            if let Some(bound) = self.bound() {
                context.pool()?.install(|| -> Result<()> {
                    if recipe.transitive {
                        counts =
                            verify::transitively(context, &candidates, &features, &*bound, &sink)?;
                        return Ok(());
                    }
                    verify::verify(context, &candidates, &features, &*bound, &sink)
                })?;
            }
            features.set_sizes
        };
        drop(candidates);
        let pairs = context.pool()?.install(|| sink.finish())?;
        if let Some(checkpoint) = self.checkpoint {
            checkpoint::keep_pairs(checkpoint, &pairs, &set_sizes, Validation::default())?;
        }
        clock.lap("verify");
        Ok(Joined {
            pairs,
            set_sizes,
            candidates: Some(counts),
            ..Joined::default()
        })
    }

    /// The bound of the recipe's measure at its threshold.
    pub(super) fn bound(&self) -> Option<Box<dyn Bound>> {
        self.recipe
            .measure
            .rules()
            .bound(self.recipe.threshold, &self.of)
    }

    /// Candidates: pairs of groups that share a key.
    fn generate(&self, keys: Occurrences) -> Result<Pairs> {
        let Self {
            context,
            lengths,
            allow,
            ..
        } = *self;
        let shape = Shape {
            layout: Layout {
                numbers: Numbers::None,
                by_tokens: false,
                ..self.shape.layout
            },
            frequent: Frequent::Dropped(self.recipe.common),
            ..self.shape
        };
        let pool = context.pool()?;
        let keys = pool.install(|| block::rank(context, keys, lengths, shape))?;
        let sink = PairSink::new(context);
        pool.install(|| {
            Blocks::new(context, &keys, &measure::Keys(self.recipe.least_keys))?.all(allow, &sink)
        })?;
        drop(keys);
        pool.install(|| sink.finish())
    }

    /// Extracts the features of groups in candidate pairs.
    fn extract_candidates(&self, candidates: &Pairs) -> Result<Occurrences> {
        let context = self.context;
        let _held = context.budget.reserve(
            self.firsts.groups.len() as u64,
            "which texts are candidates",
        )?;
        let mut wanted = vec![false; self.firsts.groups.len()];
        candidates.for_each(|pair| {
            wanted[pair.a as usize] = true;
            wanted[pair.b as usize] = true;
            Ok(())
        })?;
        let firsts = Firsts {
            wanted: Some(&wanted),
            ..self.firsts
        };
        match (self.weigher, self.shingles) {
            (Some(weigher), _) => extract::terms(context, self.reading, firsts, weigher),
            (None, Some(shingles)) => {
                extract::shingles(context, self.reading, firsts, shingles, |_, _| ())
            }
            (None, None) => Err(Error::new(
                ErrorKind::Run,
                "expected features to extract, found none",
            )),
        }
    }
}
