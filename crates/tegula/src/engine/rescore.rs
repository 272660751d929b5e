//! Rescores pairs by what their score does not consider.
//!
//! *Levenshtein*: the texts of paired groups are read again and stored, in memory or on scratch,
//! and their edit distance is computed pair by pair. *Unmasked*: the shingles of paired groups are
//! extracted again without masks, then ranked and verified like candidates. If either has a
//! threshold, pairs below it are dropped.

use super::group_texts::GroupTexts;
use super::reading::{Reading, Shingles};
use super::reread::{Firsts, for_each_text};
use super::run::Run;
use super::{extract, verify};
use crate::block::{self, Frequent, Shape};
use crate::compare::Comparer;
use crate::error::Result;
use crate::evidence::{Hidden, Millionths, PairSink, Pairs, Rescore, Rescored};
use crate::hash::Width;
use crate::levenshtein;
use crate::pair::{Pair, Sizes};
use crate::rarity::ShingleWeights;
use crate::recipe::{Measure, Recipe, Select, Unmasked};
use crate::shingle::Shingler;
use crate::text::dense::AGAIN;
use crate::text::normalise::{Normaliser, Tokens};
use crate::threshold::{Score, Threshold};
use std::sync::atomic::{AtomicBool, Ordering};

/// A threshold that is reached by every pair with anything in common.
fn lowest() -> Threshold {
    Threshold::new(1, u32::MAX).unwrap_or_else(|_| unreachable!("it is a proper fraction"))
}

/// The measure for texts without masks: containment if the recipe's own measure is, otherwise
/// resemblance.
fn unmasked_measure(measure: Measure) -> Measure {
    if measure.is_directed() {
        Measure::ResemblanceContainment
    } else {
        Measure::Resemblance
    }
}

/// Spells out the tokens of a text, to be compared by characters.
fn spell(normaliser: &Normaliser, text: &str, tokens: &mut Tokens, out: &mut String) {
    out.clear();
    normaliser.tokens(text, tokens);
    let apart = !normaliser.steps().boundaries.are_characters();
    for token in tokens.iter().filter(|token| !token.ends_with(AGAIN)) {
        if apart && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(token);
    }
    if tokens.is_empty() {
        out.push_str(text);
    }
}

/// The Levenshtein ratio of two texts after normalisation, as in rescoring: over the characters of
/// the tokens, separated by spaces unless each token is a character.
pub fn levenshtein_ratio(normaliser: &Normaliser, a: &str, b: &str) -> Score {
    let (mut tokens, mut left, mut right) = (Tokens::default(), String::new(), String::new());
    spell(normaliser, a, &mut tokens, &mut left);
    spell(normaliser, b, &mut tokens, &mut right);
    let longer = left.chars().count().max(right.chars().count()) as u64;
    levenshtein::ratio(&left, &right, lowest()).unwrap_or(Score {
        part: 0,
        whole: longer,
    })
}

/// The score of two texts without masks, as in rescoring: containment if the recipe's own measure
/// is, otherwise resemblance; none if the recipe has no masks.
///
/// # Errors
/// Usage errors naming the field of the recipe.
pub fn unmasked_score(recipe: &Recipe, a: &str, b: &str) -> Result<Option<Score>> {
    let Some(normalise) = recipe.unmasked_steps() else {
        return Ok(None);
    };
    let measures = Comparer::new(&Recipe {
        normalise,
        ..recipe.clone()
    })?
    .counts(a, b);
    Ok(unmasked_measure(recipe.measure).rules().of_texts(&measures))
}

impl Run<'_> {
    /// Rescores pairs: returns those that are kept, their further scores, and how many are hidden.
    /// `sets` are the distinct shingles by group.
    pub(super) fn rescore_pairs(
        &self,
        pairs: Pairs,
        sets: &[u32],
    ) -> Result<(Pairs, Option<Rescored>, Hidden)> {
        let context = self.context;
        let mut hidden = Hidden::default();
        let pairs = self.apart(pairs, sets, &mut hidden)?;
        let Some(mut look) = Rescored::new(context, self.recipe, pairs.len())? else {
            return Ok((pairs, None, hidden));
        };
        if pairs.is_empty() {
            return Ok((pairs, Some(look), hidden));
        }
        let ratios = self
            .recipe
            .levenshtein
            .map(|threshold| self.levenshtein(&pairs, threshold))
            .transpose()?;
        let candidates = ratios.as_ref().unwrap_or(&pairs);
        hidden.levenshtein = pairs.len() - candidates.len();
        let bare = self
            .reading
            .apart
            .unmasked
            .map(|normaliser| self.unmasked(candidates, normaliser))
            .transpose()?;
        // All lists are sorted by (a, b), and each is a subset of the one before.
        candidates.for_each(|pair| {
            let ratio = Score {
                part: pair.in_a.into(),
                whole: pair.in_b.into(),
            };
            let levenshtein = ratios.is_some().then(|| Millionths::of(ratio));
            look.push(Rescore {
                a: pair.a,
                b: pair.b,
                levenshtein,
                unmasked: None,
            });
            Ok(())
        })?;
        if let Some(bare) = &bare {
            let least = match self.recipe.unmasked {
                Unmasked::AtLeast(threshold) => Some(threshold),
                _ => None,
            };
            look.take_unmasked(bare, unmasked_measure(self.recipe.measure), least)?;
        }
        hidden.unmasked = candidates.len() - look.seen.len() as u64;
        if look.seen.len() as u64 == pairs.len() {
            return Ok((pairs, Some(look), hidden));
        }
        let sink = PairSink::new(context);
        let mut stay = look.seen.iter().map(|seen| (seen.a, seen.b)).peekable();
        pairs.pass(&sink, |pair| {
            let stays = stay.next_if_eq(&(pair.a, pair.b)).is_some();
            stays.then_some(pair)
        })?;
        let pairs = context.pool()?.install(|| sink.finish())?;
        Ok((pairs, Some(look), hidden))
    }

    /// The further scores of pairs, of which others have computed those of texts that are not equal;
    /// both lists are in order.
    pub(super) fn rescored_elsewhere(
        &self,
        pairs: &Pairs,
        scores: Vec<Rescore>,
    ) -> Result<Option<Rescored>> {
        let Some(mut look) = Rescored::new(self.context, self.recipe, pairs.len())? else {
            return Ok(None);
        };
        let mut scores = scores.into_iter().peekable();
        pairs.for_each(|Pair { a, b, .. }| {
            while scores.next_if(|seen| (seen.a, seen.b) < (a, b)).is_some() {}
            let seen = scores.next_if(|seen| (seen.a, seen.b) == (a, b));
            let equal = look.of(a, a).map(|seen| Rescore { b, ..seen });
            seen.or(equal).into_iter().for_each(|seen| look.push(seen));
            Ok(())
        })?;
        Ok(Some(look))
    }

    /// The pairs whose ratio reaches the threshold, with the ratio as a part of a whole.
    fn levenshtein(&self, pairs: &Pairs, threshold: Threshold) -> Result<Pairs> {
        let context = self.context;
        let (wanted, _held) = pairs.groups(context, self.firsts.groups.len())?;
        let firsts = Firsts {
            wanted: Some(&wanted),
            ..self.firsts
        };
        let texts = GroupTexts::new(context, &wanted)?;
        for_each_text(
            context,
            self.reading,
            firsts,
            "reading the pairs",
            <(Tokens, String)>::default,
            |(tokens, spelled), group, text| {
                spell(self.reading.normaliser, text, tokens, spelled);
                texts.put(group, spelled.as_bytes().into())
            },
        )?;
        let sink = PairSink::new(context);
        let score = |pair: Pair, (): &mut ()| {
            context.check()?;
            let (a, b) = (texts.get(pair.a)?, texts.get(pair.b)?);
            let ratio = levenshtein::ratio(
                &String::from_utf8_lossy(&a),
                &String::from_utf8_lossy(&b),
                threshold,
            );
            Ok(ratio.map(|ratio| Pair {
                in_a: ratio.part as u32,
                in_b: ratio.whole as u32,
                ..pair
            }))
        };
        let pool = context.pool()?;
        pool.install(|| verify::by_score(pairs, &sink, || (), score))?;
        pool.install(|| sink.finish())
    }

    /// The pairs whose texts have anything in common without masks.
    fn unmasked(&self, pairs: &Pairs, normaliser: &Normaliser) -> Result<Bare> {
        let Self {
            context,
            recipe,
            reading,
            ..
        } = *self;
        let measure = unmasked_measure(recipe.measure);
        let (wanted, _held) = pairs.groups(context, self.firsts.groups.len())?;
        let firsts = Firsts {
            wanted: Some(&wanted),
            same_steps: false,
            ..self.firsts
        };
        let reading = Reading {
            collapse: reading.collapse,
            ..Reading::wholes(reading.source, recipe, normaliser)
        };
        let shingles = Shingles {
            shingler: Shingler::new(recipe.ngram, Width::FULL),
            rabin: None,
            select: Select::All,
            modulo: None,
            weights: ShingleWeights::default(),
        };
        let masked: Vec<AtomicBool> = wanted.iter().map(|_| AtomicBool::new(false)).collect();
        let note = |group: u32, text: &str| {
            masked[group as usize].store(self.reading.normaliser.masks(text), Ordering::Relaxed);
        };
        let extracted = extract::shingles(context, &reading, firsts, &shingles, note)?;
        let shape = Shape {
            layout: super::layout(measure, self.tuning),
            may_collide: false,
            frequent: Frequent::Counted(0),
        };
        let extracted = extracted.with(shape.layout.numbers);
        let pool = context.pool()?;
        let features = pool.install(|| block::rank(context, extracted, self.lengths, shape))?;
        let sink = PairSink::new(context);
        if let Some(bound) = measure.rules().bound(lowest(), &self.of) {
            pool.install(|| verify::verify(context, pairs, &features, &*bound, &sink))?;
        }
        let masked = masked.into_iter().map(AtomicBool::into_inner).collect();
        Ok(Bare {
            pairs: pool.install(|| sink.finish())?,
            sets: features.set_sizes,
            masked,
        })
    }
}

/// Pairs of texts without masks.
struct Bare {
    /// The pairs that have anything in common.
    pairs: Pairs,
    /// Distinct shingles by group.
    sets: Vec<u32>,
    /// By group, whether part of its text is masked.
    masked: Vec<bool>,
}

impl Rescored {
    /// Sets the scores without masks. Drops pairs below `least` if masks affected them: where
    /// nothing is masked, the recipe's own threshold has already decided.
    fn take_unmasked(
        &mut self,
        bare: &Bare,
        measure: Measure,
        least: Option<Threshold>,
    ) -> Result<()> {
        let sizes = Sizes {
            sets: &bare.sets,
            lengths: &[],
        };
        let least = least.map(|least| measure.comparable(least));
        let is_dropped = |a: u32, b: u32, score: Score| {
            let masked = bare.masked[a as usize] || bare.masked[b as usize];
            masked && least.is_some_and(|least| !least.admits(score.part, score.whole))
        };
        // Texts of a pair not in this list have nothing in common.
        let mut passed = vec![false; self.seen.len()];
        let mut at = 0;
        bare.pairs.for_each(|pair| {
            while self
                .seen
                .get(at)
                .is_some_and(|seen| (seen.a, seen.b) < (pair.a, pair.b))
            {
                at += 1;
            }
            if let Some(seen) = self.seen.get_mut(at) {
                let score = measure.rules().score(&pair, sizes);
                seen.unmasked = Some(Millionths::of(score));
                passed[at] = !is_dropped(pair.a, pair.b, score);
            }
            Ok(())
        })?;
        for (seen, passed) in self.seen.iter_mut().zip(&mut passed) {
            if seen.unmasked.is_none() {
                seen.unmasked = Some(Millionths::ZERO);
                *passed = !is_dropped(seen.a, seen.b, Score { part: 0, whole: 1 });
            }
        }
        let mut passed = passed.into_iter();
        self.seen.retain(|_| passed.next().unwrap_or(true));
        Ok(())
    }
}
