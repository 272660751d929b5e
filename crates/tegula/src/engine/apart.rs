//! Pairs that reach the recipe's threshold but do not count: short texts below the threshold of
//! their length, texts that differ in links, amounts or codes, and texts whose score falls below the
//! threshold as one of them lacks numbers.

use super::group_texts::GroupTexts;
use super::reread::{Firsts, for_each_text};
use super::run::Run;
use super::verify;
use crate::error::Result;
use crate::evidence::{Hidden, PairSink, Pairs, Scoring};
use crate::pair::{Pair, Sizes};
use crate::text::digits::Digits;
use crate::text::numbers::Spelled;
use std::sync::Mutex;

impl Run<'_> {
    /// The pairs that no threshold of their length and no differing item hides; counts the others.
    /// `sets` are the distinct shingles by group.
    pub(super) fn apart(&self, pairs: Pairs, sets: &[u32], hidden: &mut Hidden) -> Result<Pairs> {
        let before = pairs.len();
        let pairs = self.above_their_thresholds(pairs, sets)?;
        hidden.thresholds = before - pairs.len();
        let before = pairs.len();
        let pairs = self.with_equal_items(pairs)?;
        hidden.distinct = before - pairs.len();
        let before = pairs.len();
        let pairs = self.lowered(pairs, sets)?;
        hidden.missing_numbers = before - pairs.len();
        Ok(pairs)
    }

    fn above_their_thresholds(&self, pairs: Pairs, sets: &[u32]) -> Result<Pairs> {
        if self.recipe.thresholds.is_none() || pairs.is_empty() {
            return Ok(pairs);
        }
        let reaches = self.reaches_its_threshold(sets);
        self.kept_of(&pairs, |pair| reaches(&pair))
    }

    /// Whether the score of a pair reaches the threshold of its length.
    fn reaches_its_threshold<'s>(&'s self, sets: &'s [u32]) -> impl Fn(&Pair) -> bool + Sync + 's {
        let (scoring, usual) = (Scoring::of(self.recipe), self.recipe.threshold);
        let sizes = Sizes {
            sets,
            lengths: self.lengths,
        };
        move |pair| {
            let threshold = scoring.threshold_of(pair, sizes, usual);
            scoring.admits(threshold, scoring.score(pair, sizes))
        }
    }

    /// Reads the texts of pairs again.
    fn with_equal_items(&self, pairs: Pairs) -> Result<Pairs> {
        let Some(items) = self.reading.apart.items else {
            return Ok(pairs);
        };
        if pairs.is_empty() {
            return Ok(pairs);
        }
        let context = self.context;
        let groups = self.firsts.groups.len();
        let (wanted, _held) = pairs.groups(context, groups)?;
        let _hashes = context
            .budget
            .reserve(16 * groups as u64, "the links and amounts of texts")?;
        let hashes = Mutex::new(vec![0_u128; groups]);
        let firsts = Firsts {
            wanted: Some(&wanted),
            ..self.firsts
        };
        for_each_text(
            context,
            self.reading,
            firsts,
            "reading the pairs",
            || (),
            |(), group, text| {
                let hash = items.hash(text);
                let mut hashes = hashes
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                hashes[group as usize] = hash;
                Ok(())
            },
        )?;
        let hashes = hashes
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        self.kept_of(&pairs, |pair| {
            hashes[pair.a as usize] == hashes[pair.b as usize]
        })
    }

    /// The pairs whose score still reaches the threshold after what it loses for missing numbers, with
    /// what is left. Reads the texts of pairs again.
    fn lowered(&self, pairs: Pairs, sets: &[u32]) -> Result<Pairs> {
        let rule = self.recipe.missing_numbers;
        if rule.is_none() || pairs.is_empty() {
            return Ok(pairs);
        }
        let context = self.context;
        let (wanted, _held) = pairs.groups(context, self.firsts.groups.len())?;
        let firsts = Firsts {
            wanted: Some(&wanted),
            ..self.firsts
        };
        let numbers = GroupTexts::new(context, &wanted)?;
        for_each_text(
            context,
            self.reading,
            firsts,
            "reading the pairs",
            Digits::default,
            |digits, group, text| {
                let spelled = Spelled::of(self.reading.normaliser, digits, text, rule.first());
                numbers.put(group, spelled.into_bytes())
            },
        )?;
        let (reaches, lengths) = (self.reaches_its_threshold(sets), self.lengths);
        self.those_of(&pairs, |pair| {
            let (a, b) = (numbers.get(pair.a)?, numbers.get(pair.b)?);
            let (a, b) = (Spelled::from_bytes(&a), Spelled::from_bytes(&b));
            let shorter = lengths[pair.a as usize].min(lengths[pair.b as usize]);
            let left = pair.lowered(rule.loss(a, b, shorter));
            Ok(reaches(&left).then_some(left))
        })
    }

    fn kept_of(&self, pairs: &Pairs, keeps: impl Fn(Pair) -> bool + Sync) -> Result<Pairs> {
        self.those_of(pairs, |pair| Ok(keeps(pair).then_some(pair)))
    }

    fn those_of(
        &self,
        pairs: &Pairs,
        kept: impl Fn(Pair) -> Result<Option<Pair>> + Sync,
    ) -> Result<Pairs> {
        let context = self.context;
        let sink = PairSink::new(context);
        let pool = context.pool()?;
        let score = |pair: Pair, (): &mut ()| kept(pair);
        pool.install(|| verify::by_score(pairs, &sink, || (), score))?;
        pool.install(|| sink.finish())
    }
}
