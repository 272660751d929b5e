//! The step that compares two texts.

use super::features::Features;
use super::{Candidate, Finds, Match, Ranked, Search, Text};
use crate::block::{Block, block};
use crate::engine::reading::Buffers;
use crate::evidence::Scoring;
use crate::hash::Fingerprint;
use crate::measure::{self, Bound, Compares, Marks};
use crate::pair::{Pair, Sizes};
use std::collections::HashMap;

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

/// A text as it is compared.
enum Read {
    Tokens(Vec<u64>),
    Features(Features),
}

/// The texts in order of their ids.
fn in_order<T>(mut texts: [(Text, T); 2]) -> [(Text, T); 2] {
    if texts[1].0.id() < texts[0].0.id() {
        texts.swap(0, 1);
    }
    texts
}

impl Search<'_> {
    /// The matches among candidates, counted in the texts themselves, which `text` returns by start;
    /// not for shingles weighted by rarity, which the texts alone do not determine. Pairs that
    /// constraints do not allow are left out.
    ///
    /// # Cost
    /// Each text is read once, and its tokens are held until the end: 8 bytes each.
    pub fn verify<'t>(
        &self,
        candidates: &[Candidate],
        text: impl Fn(u32) -> (Text, &'t str),
    ) -> Vec<Match> {
        let mut read = HashMap::<u32, Read>::new();
        let (mut marks, mut buffers) = (Marks::default(), Buffers::default());
        let mut found = Vec::new();
        // Where candidates are sorted, a larger text is looked up once.
        for pairs in candidates.chunk_by(|a, b| a.larger == b.larger) {
            let larger = text(pairs[0].larger);
            let of_larger = read.remove(&larger.0.start);
            let of_larger = of_larger.unwrap_or_else(|| self.read(larger.1, &mut buffers));
            for pair in pairs {
                let smaller = text(pair.smaller);
                let start = smaller.0.start;
                if start == larger.0.start || !self.allows(larger.0, smaller.0) {
                    continue;
                }
                let of_smaller = read
                    .entry(start)
                    .or_insert_with(|| self.read(smaller.1, &mut buffers));
                let of = [(larger.0, &of_larger), (smaller.0, &*of_smaller)];
                let [(a, of_a), (b, of_b)] = in_order(of);
                let shared = match (of_a, of_b) {
                    (Read::Tokens(of_a), Read::Tokens(of_b)) => {
                        self.counted((of_a, of_b), (a, b), &mut marks)
                    }
                    (Read::Features(of_a), Read::Features(of_b)) => {
                        self.compared([of_a, of_b], (a, b))
                    }
                    _ => None,
                };
                found.extend(shared.map(|shared| self.matched((a, b), shared)));
            }
            read.insert(larger.0.start, of_larger);
        }
        found
    }

    fn read(&self, text: &str, buffers: &mut Buffers) -> Read {
        let tokens = self.tokens(text, buffers);
        let rabin = self.shingles.as_ref().and_then(|has| has.rabin.as_ref());
        if self.finds == Finds::Chains || rabin.is_some() {
            Read::Tokens(buffers.tokens.iter().map(|token| token.whole()).collect())
        } else {
            Read::Features(self.look(text, tokens, buffers))
        }
    }

    /// What two texts share by their ranked features, if it reaches the threshold; not for features
    /// that are chains or Rabin fingerprints, which must be verified in the texts.
    pub fn compare(&self, a: (Text, &[Ranked]), b: (Text, &[Ranked])) -> Option<Match> {
        let [(a, of_a), (b, of_b)] = in_order([a, b]);
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
    fn counted(
        &self,
        (of_a, of_b): (&[u64], &[u64]),
        of: (Text, Text),
        marks: &mut Marks,
    ) -> Option<(u32, u32)> {
        let bound = self.bound.as_deref()?;
        let pair = ((of.0.start, of_a), (of.1.start, of_b));
        let shared = bound.shingles()?.counted(pair.0, pair.1, marks);
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
