//! Verifies a decision in the texts.

use super::super::counted::{self, Counting};
use super::super::deciding::of_both;
use super::{Decider, Texts};
use crate::decide::settle::State;
use crate::error::Result;
use crate::evidence::{PairSink, Pairs};
use crate::pair::Pair;
use std::collections::HashMap;

/// Verified candidates that differed from their estimates: the true pair, or none.
pub(super) type Known = HashMap<(u32, u32), Option<Pair>>;

/// The result of verifying a decision.
pub(super) enum Checked {
    /// It is confirmed: the pairs of a kept and a removed text, and by group whether it is kept.
    Upheld(Pairs, Vec<bool>),
    /// It is refuted, as these pairs differ.
    Truths(Known),
}

impl Decider<'_> {
    /// Verifies in the texts the pairs that the decision relies on: those of a kept and a removed
    /// text, and those of texts in cycles. If they are as assumed, each step of the rounds is
    /// valid, as a text waits for no others than those in candidate pairs.
    pub(super) fn checked(self) -> Result<Checked> {
        let Self {
            run,
            context,
            texts:
                Texts {
                    features,
                    blocks,
                    bound,
                    ..
                },
            judge,
            ..
        } = self;
        let is = |state: State| {
            self.states
                .iter()
                .map(|own| *own == state)
                .collect::<Vec<bool>>()
        };
        let (kept, removed) = (is(State::Kept), is(State::Removed));
        let sink = PairSink::new(context);
        let allow = run.allow;
        context
            .pool()?
            .install(|| blocks.between(&kept, &removed, None, allow, &sink))?;
        sink.take(&mut self.circles.clone())?;
        let candidates = self.candidates(sink)?;
        let (true, Some(shingles)) = (features.may_collide, bound.shingles()) else {
            let pairs = run.rescore_pairs(candidates, judge.sizes.sets)?.0;
            return Ok(Checked::Upheld(of_both(context, &pairs, &kept)?, kept));
        };
        let counting = Counting {
            measure: run.recipe.measure,
            bound,
            shingles,
            sizes: judge.sizes,
            notes: false,
        };
        let pairs = counted::verify(
            context,
            (run.reading, run.firsts),
            features,
            counting,
            &candidates,
        )?
        .0;
        // Both lists are sorted by (a, b), and the pairs are a subset of the candidates.
        let (mut truths, mut found) = (Known::new(), pairs.cursor()?);
        let mut next = found.next()?;
        candidates.for_each(|candidate| {
            let truth = next.filter(|pair| (pair.a, pair.b) == (candidate.a, candidate.b));
            if truth.is_some() {
                next = found.next()?;
            }
            if truth.is_none_or(|pair| judge.edge(&pair) != judge.edge(&candidate)) {
                truths.insert((candidate.a, candidate.b), truth);
            }
            Ok(())
        })?;
        if !truths.is_empty() {
            return Ok(Checked::Truths(truths));
        }
        drop(found);
        let pairs = run.rescore_pairs(pairs, judge.sizes.sets)?.0;
        Ok(Checked::Upheld(of_both(context, &pairs, &kept)?, kept))
    }
}
