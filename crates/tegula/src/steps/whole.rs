//! Steps over whole texts: of equal ones, the first stands for all.

use super::verify::Both;
use super::{Equal, Match, Method, Search, Text, Whole};
use crate::block;
use crate::constraint::Origin;
use crate::engine::reading::Buffers;
use crate::evidence::Scoring;
use crate::hash::Width;
use crate::text::digest;
use crate::threshold::Score;
use std::collections::BTreeMap;

impl Method<'_> {
    /// What equal texts have in common, by partition of 2^`bits`, for texts with these ids; texts
    /// that are too short to be compared have none.
    pub fn wholes<'t>(
        &self,
        bits: u32,
        texts: impl IntoIterator<Item = (u64, Origin, &'t str)>,
    ) -> BTreeMap<u32, Vec<Whole>> {
        let (mut buffers, mut found) = (Buffers::default(), BTreeMap::<u32, Vec<Whole>>::new());
        for (id, origin, text) in texts {
            let tokens = buffers.read(&self.steps.normaliser, text) as u32;
            if tokens < self.constraints.min_tokens {
                continue;
            }
            let digest = digest::of_tokens(&buffers.tokens, Width::FULL, self.steps.apart(), text);
            let partition = block::partition_of((digest >> 64) as u64, 1 << bits) as u32;
            let rows = found.entry(partition).or_default();
            rows.push(Whole::new(id, tokens.max(1), digest, origin));
        }
        found
    }

    /// The texts of a partition that are to be compared, each with the texts equal to it: the one
    /// with the smallest id of all that are equal and have the same allowed partners.
    pub fn firsts(&self, wholes: &[Whole]) -> (Vec<Whole>, Vec<Equal>) {
        let mut rows = wholes.to_vec();
        rows.sort_unstable_by_key(|row| (row.digest(), row.origin(), row.id()));
        let (mut firsts, mut copies) = (Vec::new(), Vec::new());
        for equal in rows.chunk_by(|a, b| (a.digest(), a.origin()) == (b.digest(), b.origin())) {
            firsts.push(equal[0]);
            copies.extend(
                equal[1..]
                    .iter()
                    .map(|copy| Equal::new(equal[0].id(), copy.id())),
            );
        }
        (firsts, copies)
    }

    /// The pairs of equal texts among the [firsts](Method::firsts) of a partition, which constraints
    /// distinguish, but allow to be compared.
    pub fn equals(&self, firsts: &[Whole]) -> Vec<(u64, u64)> {
        let mut rows = firsts.to_vec();
        rows.sort_unstable_by_key(|row| (row.digest(), row.id()));
        let mut pairs = Vec::new();
        for equal in rows.chunk_by(|a, b| a.digest() == b.digest()) {
            for (at, a) in equal.iter().enumerate() {
                let others = equal[at + 1..].iter();
                let allowed = others.filter(|b| self.allows(a.origin(), b.origin()));
                pairs.extend(allowed.map(|b| (a.id(), b.id())));
            }
        }
        pairs
    }

    /// Whether constraints allow two texts to be compared.
    pub fn allows(&self, a: Origin, b: Origin) -> bool {
        self.limits.pair(a, b)
    }
}

impl Search<'_> {
    /// The match of two texts that equal this one; none if even equal texts do not reach the
    /// threshold.
    pub fn equal(&self, text: Text, ids: (u64, u64)) -> Option<Match> {
        let scoring = Scoring::of(self.recipe);
        let both = Both::of(text, text);
        let reaches = scoring.admits(self.recipe.threshold, Score::ONE);
        let pair = scoring.equal(0, both.sizes());
        let ids = (ids.0.min(ids.1), ids.0.max(ids.1));
        reaches.then(|| Match::new(ids, (pair.in_a, pair.in_b), (true, true)))
    }

    /// The match of two texts of which one equals the first of a match, the other its second.
    pub fn between(&self, of: Match, (a, b): (u64, u64)) -> Match {
        let (in_a, in_b, (a_is_removable, b_is_removable)) = (of.in_a, of.in_b, of.removable());
        if a < b {
            return Match::new((a, b), (in_a, in_b), (a_is_removable, b_is_removable));
        }
        let turned = Scoring::of(self.recipe).turned(&Both::pair((in_a, in_b)));
        Match::new(
            (b, a),
            (turned.in_a, turned.in_b),
            (b_is_removable, a_is_removable),
        )
    }
}
