//! Recipes without keys: the features of all groups are ranked, and joined.

use super::clock::Clock;
use super::counted::{self, Counting};
use super::joined::Joined;
use super::reread::for_each_first;
use super::run::Run;
use super::{checkpoint, decider, extract};
use crate::block::{self, Features};
use crate::chains::{self, Parameters, Placed, RowSpec, Rows, Texts};
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::PairSink;
use crate::join::Blocks;
use crate::pair::{Sizes, Validation};
use std::path::Path;

impl Run<'_> {
    /// Joins the features saved by an earlier run, those of the rows that the first pass wrote, or
    /// terms, which a second pass extracts.
    pub(super) fn without_keys(
        &self,
        placed: Option<(Placed, &RowSpec)>,
        kept: Option<&Path>,
        clock: &mut Clock,
    ) -> Result<Joined> {
        let Self {
            context,
            lengths,
            shape,
            ..
        } = *self;
        let groups = self.firsts.groups;
        let features = match (kept, placed, self.weigher) {
            (Some(path), ..) => checkpoint::take_features(context, path, groups.len())?,
            (None, Some(placed), _) => {
                let parameters = Parameters {
                    n: self.recipe.ngram,
                    sequences: self.recipe.measure.needs_positions(),
                    collide: self.collide,
                    frequent: shape.frequent,
                    signature_bits: self.tuning.signature_bits,
                    block_groups: self.tuning.block_groups,
                    rarity: self.rarity,
                };
                let of = (lengths, parameters);
                let features = chains::features(context, groups, placed, of, |texts, rows| {
                    self.read_again(texts, rows)
                })?;
                clock.lap("chains");
                self.kept(features)?
            }
            (None, None, Some(weigher)) => {
                let terms = extract::terms(context, self.reading, self.firsts, weigher)?;
                clock.lap("extract");
                let terms = terms.with(shape.layout.numbers);
                // Each stage has its own threads: memory freed by a thread returns to the system at
                // the latest when the thread ends.
                let features = context
                    .pool()?
                    .install(|| block::rank(context, terms, lengths, shape))?;
                clock.lap("rank");
                self.kept(features)?
            }
            (None, None, None) => {
                return Err(Error::new(
                    ErrorKind::Run,
                    "expected features to join, found none",
                ));
            }
        };
        self.joined(features, clock)
    }

    /// Reads the rows of another pass.
    fn read_again(&self, texts: &Texts, rows: &Rows) -> Result<()> {
        let Some(shingles) = self.shingles else {
            return Ok(());
        };
        for_each_first(
            self.context,
            self.reading,
            self.firsts,
            "reading again",
            || rows.placer(),
            |placer, group, text, _, buffers| {
                shingles.ids(self.reading.normaliser, text, buffers);
                for start in texts.starts_of(group) {
                    placer.place_again(buffers.occurrences(), start)?;
                }
                Ok(())
            },
        )
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
            let texts = decider::Texts {
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
            let notes = self.collide;
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
