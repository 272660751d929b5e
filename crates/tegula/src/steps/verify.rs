//! The step that compares two texts.

use super::features::Features;
use super::{Candidate, Finds, Match, Ranked, Search, Text};
use crate::block::Block;
use crate::engine::reading::Buffers;
use crate::evidence::Scoring;
use crate::hash::Fingerprint;
use crate::measure::{self, Bound, Compares, Marks};
use crate::pair::{Pair, Sizes, Validation};
use crate::threshold::Score;

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

/// The texts of candidates, by start.
struct Compared<T> {
    starts: Vec<u32>,
    texts: Vec<(Text, T)>,
}

impl<T> Compared<T> {
    fn of(candidates: &[Candidate], text: impl Fn(u32) -> (Text, T)) -> Self {
        let both = candidates
            .iter()
            .flat_map(|pair| [pair.larger, pair.smaller]);
        let mut starts: Vec<u32> = both.collect();
        starts.sort_unstable();
        starts.dedup();
        let texts = starts.iter().map(|start| text(*start)).collect();
        Self { starts, texts }
    }

    /// The number of the text with this start.
    fn at(&self, start: u32) -> usize {
        self.starts.partition_point(|other| *other < start)
    }

    fn only_texts(&self) -> Vec<Text> {
        self.texts.iter().map(|(text, _)| *text).collect()
    }
}

impl Search<'_> {
    /// The matches among candidates, counted in the texts themselves, which `text` returns by start;
    /// not for shingles weighted by rarity, which the texts alone do not determine. Pairs that
    /// constraints do not allow are left out.
    ///
    /// Of [collisions](Self::may_collide), the error of the upper bounds is returned too, for which
    /// `ranked` returns the ranked features of a text; otherwise it may return none.
    ///
    /// # Cost
    /// Each text is read once, and its tokens or features are held until the end: 8 to 24 bytes each.
    /// Where candidates are sorted, a long text with many short ones costs little more than these.
    pub fn verify<'t>(
        &self,
        candidates: &[Candidate],
        text: impl Fn(u32) -> (Text, &'t str),
        ranked: impl Fn(u32) -> &'t [Ranked],
    ) -> (Vec<Match>, Validation) {
        let of = Compared::of(candidates, text);
        let (mut marks, mut buffers) = (Marks::default(), Buffers::default());
        let mut validation = Validation::default();
        if self.finds == Finds::Chains || self.may_collide() {
            let rows = of.starts.iter().flat_map(|start| ranked(*start));
            let rows: Vec<Ranked> = rows.copied().collect();
            let upper = self
                .may_collide()
                .then(|| self.block(&of.only_texts(), &rows));
            let read = |(_, body): &(Text, &str)| -> Vec<u64> {
                self.tokens(body, &mut buffers);
                buffers.tokens.iter().map(|token| token.whole()).collect()
            };
            let tokens: Vec<Vec<u64>> = of.texts.iter().map(read).collect();
            let found = self.matches(candidates, &of, |a, b| {
                let texts = (of.texts[a].0, of.texts[b].0);
                let (shared, is_enough) =
                    self.counted((&tokens[a], &tokens[b]), texts, &mut marks)?;
                let upper = upper
                    .as_ref()
                    .map(|block| self.shared(block, a, b, &mut marks));
                if let Some(Some(upper)) = upper {
                    let scores = [upper, shared].map(|shared| self.score(texts, shared));
                    validation.note(scores[0], scores[1]);
                }
                is_enough.then_some(shared)
            });
            return (found, validation);
        }
        let read = |(_, body): &(Text, &str)| {
            let tokens = self.tokens(body, &mut buffers);
            self.look(body, tokens, &mut buffers)
        };
        let features: Vec<Features> = of.texts.iter().map(read).collect();
        if self.recipe.measure.compares() == Compares::Bits {
            let found = self.matches(candidates, &of, |a, b| {
                let bits = [a, b].map(|at| features[at].bits);
                measure::agreeing(self.recipe.threshold, bits[0], bits[1])
            });
            return (found, validation);
        }
        let mut all: Vec<Fingerprint> = features.iter().flat_map(Features::features).collect();
        all.sort_unstable();
        all.dedup();
        let mut rows = Vec::new();
        for (at, text) in (0..).zip(&features) {
            rows.extend(text.rows.iter().map(|(feature, number)| {
                let rank = all.partition_point(|other| other < feature) as u32;
                [at, rank, *number, 0]
            }));
        }
        let totals: Vec<u64> = features.iter().map(|text| text.total).collect();
        let block = self.block_of_rows(&of.only_texts(), rows, &totals);
        let found = self.matches(candidates, &of, |a, b| {
            self.shared(&block, a, b, &mut marks)
        });
        (found, validation)
    }

    /// Whether texts may share features without sharing tokens, as Rabin fingerprints are small: then
    /// these only give upper bounds (Kupietz, section 2.7).
    pub fn may_collide(&self) -> bool {
        self.shingles.as_ref().is_some_and(|of| of.rabin.is_some())
    }

    /// The matches among candidates by the ranked features of their texts, which are sorted by start;
    /// not for features that are chains or Rabin fingerprints, which must be verified in the texts.
    pub fn compare<'r>(
        &self,
        candidates: &[Candidate],
        text: impl Fn(u32) -> (Text, &'r [Ranked]),
    ) -> Vec<Match> {
        let of = Compared::of(candidates, text);
        let features: Vec<Ranked> = of.texts.iter().flat_map(|(_, of)| *of).copied().collect();
        let block = self.block(&of.only_texts(), &features);
        let mut marks = Marks::default();
        self.matches(candidates, &of, |a, b| {
            self.shared(&block, a, b, &mut marks)
        })
    }

    /// The matches among candidates, given what two texts share, by their numbers, if it is enough. The
    /// first of two has the smaller id.
    fn matches<T>(
        &self,
        candidates: &[Candidate],
        of: &Compared<T>,
        mut shared: impl FnMut(usize, usize) -> Option<(u32, u32)>,
    ) -> Vec<Match> {
        let mut found = Vec::new();
        for pair in candidates {
            let (mut a, mut b) = (of.at(pair.larger), of.at(pair.smaller));
            if of.texts[b].0.id() < of.texts[a].0.id() {
                (a, b) = (b, a);
            }
            let texts = (of.texts[a].0, of.texts[b].0);
            if self.allows(texts.0, texts.1) {
                found.extend(shared(a, b).map(|shared| self.matched(texts, shared)));
            }
        }
        found
    }

    /// What two texts of a block share.
    fn shared(&self, block: &Block, a: usize, b: usize, marks: &mut Marks) -> Option<(u32, u32)> {
        let bound: &dyn Bound = self.bound.as_deref()?;
        bound.shared(block.text(a), block.text(b), marks)
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

    /// The score of two texts that share so much at most.
    fn score(&self, (a, b): (Text, Text), shared: (u32, u32)) -> Score {
        let both = Both::of(a, b);
        let by = self.layout.sizes(both.sizes());
        let shared = (shared.0.min(by[0]), shared.1.min(by[1]));
        let rules = self.recipe.measure.rules();
        rules.score(&Both::pair(shared), both.sizes())
    }

    /// The overlap of two texts by their shingles, and whether it is enough.
    fn counted(
        &self,
        (of_a, of_b): (&[u64], &[u64]),
        of: (Text, Text),
        marks: &mut Marks,
    ) -> Option<((u32, u32), bool)> {
        let bound = self.bound.as_deref()?;
        let pair = ((of.0.start, of_a), (of.1.start, of_b));
        let shared = bound.shingles()?.counted(pair.0, pair.1, marks);
        let both = Both::of(of.0, of.1);
        let by = self.layout.sizes(both.sizes());
        Some((shared, bound.admits(shared, (by[0], by[1]))))
    }
}
