//! Recipes without keys: the features of all groups are ranked, and joined.

use super::counted::{self, Counting};
use super::deciding::Texts;
use super::rank;
use super::{Clock, Joined, Run, checkpoint, extract};
use crate::block::Features;
use crate::context::Reservation;
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::PairSink;
use crate::join::Blocks;
use crate::pair::{Sizes, Validation};
use crate::repeats::Repeats;
use crate::runs::{self, Placed, RunParameters};
use std::path::Path;

/// Which shingles may repeat, if recorded, and the memory it takes.
type Repeated = Option<(Repeats, Option<Reservation>)>;

impl Run<'_> {
    /// Joins the features saved by an earlier run, or runs if there are rows, as far as memory
    /// permits; otherwise extracts shingles, or terms, in a second pass.
    pub(super) fn without_keys(
        &self,
        (placed, repeats): (Option<Placed>, Repeated),
        kept: Option<&Path>,
        clock: &mut Clock,
    ) -> Result<Joined> {
        if let Some(path) = kept {
            let features = checkpoint::take_features(self.context, path, self.firsts.groups.len())?;
            return self.joined(features, clock);
        }
        let Some(placed) = placed else {
            return self.read_again(repeats, clock);
        };
        let wanted = RunParameters {
            n: self.recipe.ngram,
            by_tokens: self.recipe.measure.needs_positions(),
            signature_bits: self.tuning.signature_bits,
            block_groups: self.tuning.block_groups,
            rarity: self.shape.rarity,
        };
        let made = runs::features(
            self.context,
            self.firsts.groups,
            placed,
            self.lengths,
            wanted,
        );
        clock.lap("runs");
        match made.and_then(|features| self.joined(self.kept(features)?, clock)) {
            Err(error) if error.kind() == ErrorKind::Memory => self.read_again(None, clock),
            found => found,
        }
    }

    /// Extracts, ranks and joins.
    fn read_again(&self, repeats: Repeated, clock: &mut Clock) -> Result<Joined> {
        let Self {
            context,
            lengths,
            shape,
            ..
        } = *self;
        let extracted = match (self.weigher, self.shingles) {
            (Some(weigher), _) => extract::terms(context, self.reading, self.firsts, weigher)?,
            (None, Some(shingles)) => {
                let (repeats, _held) = repeats.unzip();
                extract::shingles(
                    context,
                    self.reading,
                    self.firsts,
                    repeats.as_ref(),
                    (shingles, shape.rarity.is_some()),
                    |_, _| (),
                )?
            }
            (None, None) => {
                return Err(Error::new(
                    ErrorKind::Run,
                    "expected features to extract, found none",
                ));
            }
        };
        clock.lap("extract");
        // Each stage has its own threads: memory freed by a thread returns to the system at the
        // latest when the thread ends.
        let features = self.kept(
            context
                .pool()?
                .install(|| rank::rank(context, extracted, lengths, shape))?,
        )?;
        clock.lap("rank");
        self.joined(features, clock)
    }

    /// Saves the features, if there is a checkpoint.
    fn kept(&self, features: Features) -> Result<Features> {
        self.checkpoint.map_or(Ok(()), |checkpoint| {
            checkpoint::keep_features(checkpoint, &features)
        })?;
        Ok(features)
    }

    /// Joins features, and verifies in the texts if the features do not determine the score.
    fn joined(&self, features: Features, clock: &mut Clock) -> Result<Joined> {
        let Self {
            context,
            recipe,
            lengths,
            allow,
            ..
        } = *self;
        let measure = recipe.measure;
        let bound = self.bound();
        let bound = bound.ok_or_else(|| {
            Error::new(
                ErrorKind::Run,
                "expected a measure with a join, found another",
            )
        })?;
        let pool = context.pool()?;
        let blocks = pool.install(|| Blocks::new(context, &features, &*bound))?;
        let sink = PairSink::at_most(
            context,
            self.deciding.map_or(u64::MAX, |deciding| deciding.most),
        );
        pool.install(|| blocks.all(allow, &sink))?;
        drop(pool);
        if let (Some(deciding), true) = (self.deciding, sink.is_full()) {
            drop(sink);
            clock.lap("join");
            let (places, together) = (&deciding.places, self.tuning.together);
            let texts = Texts {
                features: &features,
                blocks: &blocks,
                bound: &*bound,
                places,
                together,
            };
            let (pairs, kept) = self.decide(texts)?;
            clock.lap("select");
            drop(blocks);
            return Ok(Joined {
                pairs,
                kept: Some(kept),
                set_sizes: features.set_sizes,
                ..Joined::default()
            });
        }
        drop(blocks);
        let mut pairs = context.pool()?.install(|| sink.finish())?;
        clock.lap("join");
        let mut validation = Validation::default();
        if let (true, Some(shingles)) = (features.may_collide, bound.shingles()) {
            let sizes = Sizes {
                sets: &features.set_sizes,
                lengths,
            };
            let notes = self.shape.collide;
            let counting = Counting {
                measure,
                bound: &*bound,
                shingles,
                sizes,
                notes,
            };
            (pairs, validation) = counted::verify(
                context,
                (self.reading, self.firsts),
                &features,
                counting,
                &pairs,
            )?;
            clock.lap("verify");
        }
        let Features { set_sizes, .. } = features;
        if let Some(checkpoint) = self.checkpoint {
            checkpoint::keep_pairs(checkpoint, &pairs, &set_sizes, validation)?;
        }
        Ok(Joined {
            pairs,
            set_sizes,
            validation,
            ..Joined::default()
        })
    }
}
