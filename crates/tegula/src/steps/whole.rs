//! Steps over whole texts: of equal ones, the first stands for all.

use super::verify::Both;
use super::{Equal, Given, Match, Method, Search, Text, Twins, Whole};
use crate::block;
use crate::constraint::Origin;
use crate::engine::reading::Buffers;
use crate::evidence::Scoring;
use crate::hash::Width;
use crate::text::{digest, segment};
use std::collections::BTreeMap;
use std::ops::Range;

impl Method<'_> {
    /// The units that a text is compared by, as ranges of its bytes: the whole text, its paragraphs or
    /// its sentences, which never overlap.
    pub fn units(&self, text: &str) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        segment::parts(text, &[], self.recipe.unit, self.recipe.rejoin, &mut parts);
        parts.into_iter().map(|part| part.text).collect()
    }

    /// What equal texts have in common, by partition of 2^`bits`, for texts with these ids; texts
    /// that are not compared, because of their length, have none.
    pub fn wholes<'t>(
        &self,
        bits: u32,
        texts: impl IntoIterator<Item = Given<'t>>,
    ) -> BTreeMap<u32, Vec<Whole>> {
        let (mut buffers, mut found) = (Buffers::default(), BTreeMap::<u32, Vec<Whole>>::new());
        let lengths = self.recipe.lengths;
        for mut given in texts {
            let text = given.text;
            if lengths.leave_out(bytes_of(text)) {
                continue;
            }
            given.origin = self.of_length(given.origin, text);
            let tokens = buffers.read(&self.steps.normaliser, text) as u32;
            if tokens < self.constraints.min_tokens {
                continue;
            }
            let digest = digest::of_tokens(&buffers.tokens, Width::FULL, self.steps.apart(), text);
            let partition = block::partition_of((digest >> 64) as u64, 1 << bits) as u32;
            let rows = found.entry(partition).or_default();
            rows.push(Whole::new(&given, tokens.max(1), digest));
        }
        found
    }

    /// The same, and whether a text is too short to be compared with others as short.
    pub(super) fn of_length(&self, origin: Origin, text: &str) -> Origin {
        Origin {
            is_short: self.recipe.lengths.part(bytes_of(text)),
            ..origin
        }
    }

    /// The texts of a partition that are to be compared, each with the texts equal to it: the one
    /// with the smallest id of all that are equal and have the same allowed partners.
    pub fn firsts(&self, wholes: &[Whole]) -> (Vec<Whole>, Vec<Equal>) {
        let mut rows = wholes.to_vec();
        rows.sort_unstable_by_key(|row| (row.digest(), row.origin(), row.id()));
        let (mut firsts, mut copies) = (Vec::new(), Vec::new());
        for equal in rows.chunk_by(|a, b| (a.digest(), a.origin()) == (b.digest(), b.origin())) {
            let leader = equal.iter().min_by_key(|text| text.lead());
            let first = equal[0].led_by(*leader.unwrap_or(&equal[0]));
            let origin = first.origin();
            let are_matches = self.allows(origin, origin)
                && Scoring::of(self.recipe).equals_match(self.recipe.threshold);
            firsts.push(first);
            let others = equal[1..].iter();
            copies.extend(others.map(|copy| Equal::new(first, copy.id(), are_matches)));
        }
        (firsts, copies)
    }

    /// The pairs of equal texts among the [firsts](Method::firsts) of a partition, which constraints
    /// distinguish, but allow to be compared.
    pub fn equals(&self, firsts: &[Whole]) -> Vec<Twins> {
        let mut rows = firsts.to_vec();
        rows.sort_unstable_by_key(|row| (row.digest(), row.id()));
        let mut pairs = Vec::new();
        for equal in rows.chunk_by(|a, b| a.digest() == b.digest()) {
            for (at, a) in equal.iter().enumerate() {
                let others = equal[at + 1..].iter();
                let allowed = others.filter(|b| self.allows(a.origin(), b.origin()));
                pairs.extend(allowed.map(|b| Twins { a: *a, b: *b }));
            }
        }
        pairs
    }

    /// Whether constraints allow two texts to be compared.
    pub fn allows(&self, a: Origin, b: Origin) -> bool {
        self.limits.pair(a, b)
    }
}

/// The bytes of a text; none for white space, which may stand for a record without text.
fn bytes_of(text: &str) -> u32 {
    if text.trim_start().is_empty() {
        0
    } else {
        u32::try_from(text.len()).unwrap_or(u32::MAX)
    }
}

impl Search<'_> {
    /// The match of a text and one that equals it; none if even equal texts do not reach the
    /// threshold.
    pub fn equal(&self, a: Text, b: Whole) -> Option<Match> {
        let scoring = Scoring::of(self.recipe);
        let both = Both::of(a, a);
        let pair = scoring.equal(0, both.sizes());
        let mut of = [a.whole, b];
        of.sort_unstable_by_key(|text| text.id());
        let shared = (pair.in_a, pair.in_b);
        scoring
            .equals_match(self.recipe.threshold)
            .then(|| Match::new(of, shared, (true, true)))
    }

    /// The match of two texts of which one equals the first of a match, the other its second.
    pub fn between(&self, of: Match, (a, b): (u64, u64)) -> Match {
        let copies = of.with_ids(a, b);
        if a < b {
            return copies;
        }
        let turned = Scoring::of(self.recipe).turned(&Both::pair((of.in_a, of.in_b)));
        copies.turned((turned.in_a, turned.in_b))
    }
}
