//! The step that compares two texts.

use super::features::Features;
use super::{Finds, Match, Ranked, Search, Text};
use crate::block::{Block, block};
use crate::engine::reading::Buffers;
use crate::evidence::Scoring;
use crate::hash::Fingerprint;
use crate::measure::{self, Bound, Compares, Marks};
use crate::pair::{Pair, Sizes};

/// The sizes of two texts.
pub(super) struct Both {
    sets: [u32; 2],
    lengths: [u32; 2],
}

impl Both {
    pub(super) fn of(a: Text, b: Text) -> Self {
        Self {
            sets: [a.set, b.set],
            lengths: [a.whole.tokens, b.whole.tokens],
        }
    }

    pub(super) fn sizes(&self) -> Sizes<'_> {
        Sizes {
            sets: &self.sets,
            lengths: &self.lengths,
        }
    }

    /// The two texts with this overlap.
    pub(super) fn pair((in_a, in_b): (u32, u32)) -> Pair {
        Pair {
            a: 0,
            b: 1,
            in_a,
            in_b,
        }
    }
}

impl Search<'_> {
    /// What two texts share, counted in the texts themselves, if it reaches the threshold; not for
    /// shingles weighted by rarity, which the texts alone do not determine. None as well if constraints
    /// do not allow comparing them.
    pub fn verify(&self, (a, text_a): (Text, &str), (b, text_b): (Text, &str)) -> Option<Match> {
        if b.id() < a.id() {
            return self.verify((b, text_b), (a, text_a));
        }
        if !self.allows(a, b) {
            return None;
        }
        let [of_a, of_b] = [text_a, text_b].map(|text| {
            let mut buffers = Buffers::default();
            let tokens = self.tokens(text, &mut buffers);
            (buffers, tokens)
        });
        let rabin = self.shingles.as_ref().and_then(|has| has.rabin.as_ref());
        let shared = if self.finds == Finds::Chains || rabin.is_some() {
            self.counted((&of_a.0, &of_b.0), (a, b))
        } else {
            let [of_a, of_b] = [(text_a, of_a), (text_b, of_b)]
                .map(|(text, (mut buffers, tokens))| self.look(text, tokens, &mut buffers));
            self.compared([&of_a, &of_b], (a, b))
        };
        Some(self.matched((a, b), shared?))
    }

    /// What two texts share by their ranked features, if it reaches the threshold; not for features
    /// that are chains or Rabin fingerprints, which must be verified in the texts.
    pub fn compare(
        &self,
        (a, of_a): (Text, &[Ranked]),
        (b, of_b): (Text, &[Ranked]),
    ) -> Option<Match> {
        if b.id() < a.id() {
            return self.compare((b, of_b), (a, of_a));
        }
        if !self.allows(a, b) {
            return None;
        }
        let block = self.block(&[a, b], &[of_a, of_b].concat());
        let bound = self.bound.as_deref()?;
        let shared = bound.shared(block.text(0), block.text(1), &mut Marks::default());
        Some(self.matched((a, b), shared?))
    }

    fn allows(&self, a: Text, b: Text) -> bool {
        self.method.allows(a.whole.origin(), b.whole.origin())
    }

    fn matched(&self, (a, b): (Text, Text), shared: (u32, u32)) -> Match {
        let (scoring, both) = (Scoring::of(self.recipe), Both::of(a, b));
        let threshold = self.recipe.threshold;
        let removable = scoring.removable(&Both::pair(shared), both.sizes(), threshold);
        Match::new([a.whole, b.whole], shared, removable)
    }

    /// The overlap of two texts by their shingles.
    fn counted(&self, (a, b): (&Buffers, &Buffers), of: (Text, Text)) -> Option<(u32, u32)> {
        let bound = self.bound.as_deref()?;
        let [of_a, of_b] = [a, b].map(|buffers| {
            let tokens = buffers.tokens.iter();
            tokens.map(|token| token.whole()).collect::<Vec<u64>>()
        });
        let shared = bound
            .shingles()?
            .counted((&of_a, &of_b), &mut Marks::default());
        let both = Both::of(of.0, of.1);
        let by = self.layout.sizes(both.sizes());
        bound.admits(shared, (by[0], by[1])).then_some(shared)
    }

    /// The overlap of two texts by their features.
    fn compared(&self, texts: [&Features; 2], (a, b): (Text, Text)) -> Option<(u32, u32)> {
        if self.recipe.measure.compares() == Compares::Bits {
            return measure::agreeing(self.recipe.threshold, texts[0].bits, texts[1].bits);
        }
        let bound: &dyn Bound = self.bound.as_deref()?;
        let mut all: Vec<Fingerprint> = texts.iter().flat_map(|text| text.features()).collect();
        all.sort_unstable();
        all.dedup();
        let mut rows = Vec::new();
        for (at, text) in (0..).zip(texts) {
            rows.extend(text.rows.iter().map(|(feature, number)| {
                let rank = all.partition_point(|other| other < feature) as u32;
                [at, rank, *number, 0]
            }));
        }
        let totals = texts.map(|text| text.total);
        let both = Both::of(a, b);
        let block: Block = block::<4>(rows, &[0, 1], (both.sizes(), &totals), self.layout);
        bound.shared(block.text(0), block.text(1), &mut Marks::default())
    }
}
