//! The step that compares two texts.

use super::features::Features;
use super::{Finds, Match, Search, Text};
use crate::block::{Block, block};
use crate::engine::reading::Buffers;
use crate::evidence::Scoring;
use crate::hash::Fingerprint;
use crate::measure::{self, Bound, Compares, Marks};
use crate::pair::{Pair, Sizes};

impl Search<'_> {
    /// What two texts share, counted in the texts themselves, if it reaches the threshold.
    pub fn verify(&self, (a, text_a): (Text, &str), (b, text_b): (Text, &str)) -> Option<Match> {
        if b.id() < a.id() {
            return self.verify((b, text_b), (a, text_a));
        }
        let [of_a, of_b] = [text_a, text_b].map(|text| {
            let mut buffers = Buffers::default();
            let tokens = self.tokens(text, &mut buffers);
            (buffers, tokens)
        });
        let (sets, lengths) = ([a.set, b.set], [a.tokens, b.tokens]);
        let sizes = Sizes {
            sets: &sets,
            lengths: &lengths,
        };
        let scoring = Scoring::of(self.recipe);
        let shared = if of_a.0.tokens == of_b.0.tokens {
            let pair = scoring.equal(0, sizes);
            Some((pair.in_a, pair.in_b))
        } else if self.finds == Finds::Runs {
            self.counted((&of_a.0, &of_b.0), sizes)
        } else {
            let [of_a, of_b] = [(text_a, of_a), (text_b, of_b)]
                .map(|(text, (mut buffers, tokens))| self.look(text, tokens, &mut buffers));
            self.compared([&of_a, &of_b], sizes)
        };
        let (in_a, in_b) = shared?;
        let pair = Pair {
            a: 0,
            b: 1,
            in_a,
            in_b,
        };
        let may_go = scoring.removable(&pair, sizes, self.recipe.threshold);
        Some(Match::new((a.id(), b.id()), (in_a, in_b), may_go))
    }

    /// The overlap of two texts by their shingles.
    fn counted(&self, (a, b): (&Buffers, &Buffers), sizes: Sizes) -> Option<(u32, u32)> {
        let bound = self.bound.as_deref()?;
        let [of_a, of_b] = [a, b].map(|buffers| {
            let tokens = buffers.tokens.iter();
            tokens.map(|token| token.whole()).collect::<Vec<u64>>()
        });
        let shared = bound
            .shingles()?
            .counted((&of_a, &of_b), &mut Marks::default());
        let by = self.layout.sizes(sizes);
        bound.admits(shared, (by[0], by[1])).then_some(shared)
    }

    /// The overlap of two texts by their features.
    fn compared(&self, texts: [&Features; 2], sizes: Sizes) -> Option<(u32, u32)> {
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
        let block: Block = block::<4>(rows, &[0, 1], (sizes, &totals), self.layout);
        bound.shared(block.text(0), block.text(1), &mut Marks::default())
    }
}
