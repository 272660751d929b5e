//! Onion over a stream: one text after the other, none of which is held.

use super::Dedup;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::hash::{Fingerprint, Width};
use crate::onion::{Document, Fate, Judge, Rules, Verdict};
use crate::recipe::{Recipe, Short};
use crate::record::Level as Unit;
use crate::shingle::Shingler;
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::Normaliser;
use crate::text::segment::{self, Part};
use crate::text::words::Words;
use crate::threshold::Score;
use std::fmt;
use std::ops::Range;

/// Judges texts one after the other: a text, or a part of it, goes if more of its tokens than the threshold lie in n-grams that were seen
/// before, in what was kept of earlier texts or earlier in the same one (Pomikálek 2011; Benko 2013, §3).
///
/// The order decides: the first of several copies stays. By default verdicts are smoothed, as the original does it: parts of together 20
/// tokens at most go with those around them, and so does a whole text that has no more; `set("onion.smooth", "false")` judges each part by
/// itself.
///
/// Verdicts are those of [`Dedup::run`] with the recipe `onion`, which needs all texts at once, and less memory, as it knows which n-grams
/// occur only once.
///
/// ```
/// use tegula::{Dedup, Onion};
///
/// let mut onion = Onion::new(&Dedup::recipe("onion")?.ngram(3)?.set("onion.smooth", "false")?)?;
/// assert!(onion.judge("to be or not to be that is the question")?.is_kept);
/// let judged = onion.judge("to be or not to be is the question of today")?;
/// assert!(!judged.is_kept);
/// assert_eq!(judged.share.to_string(), "0.8181");
/// # Ok::<(), tegula::Error>(())
/// ```
///
/// # Cost
/// One look-up for each token; 11 to 16 bytes of memory for each n-gram that occurs.
pub struct Onion {
    judge: Judge,
    normaliser: Normaliser,
    shingler: Shingler,
    unit: Unit,
    mend: bool,
    /// Whether parts shorter than an n-gram are compared whole, too.
    short: bool,
    min_tokens: u32,
    next: u32,
    buffers: Buffers,
}

/// Buffers that are used again for each text.
#[derive(Default)]
struct Buffers {
    words: Words,
    parts: Vec<Part>,
    /// The tokens of a part, and of all parts.
    tokens: Vec<Fingerprint>,
    all: Vec<Fingerprint>,
    lengths: Vec<u32>,
    document: Document,
    verdicts: Vec<Verdict>,
}

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// Whether it stays: all of it, or, where parts are judged, one part or more; a text without parts stays.
    pub is_kept: bool,
    /// The share of its tokens that was seen before; 0 for a text without tokens.
    pub share: Score,
    /// Its parts: the paragraphs or sentences, or all of it as one.
    pub parts: Vec<JudgedPart>,
}

/// What became of a part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JudgedPart {
    /// Bytes of the text that it is.
    pub range: Range<usize>,
    /// Bytes of the text that go with it: what parts it from the next one, too.
    pub cut: Range<usize>,
    /// The share of its tokens that was seen before.
    pub share: Score,
    /// Whether it stays.
    pub is_kept: bool,
    /// Whether it goes only because it is short and stands beside parts that go (smoothing).
    pub is_smoothed: bool,
}

impl Onion {
    /// A judge by the recipe `onion`, with all that was set: threshold, n-gram, unit, normalisation, `min_tokens`, and the memory ceiling.
    /// References ([`Dedup::against`]) count as seen.
    ///
    /// # Errors
    /// A usage error where the recipe is another one or has constraints on pairs; [`Memory`](crate::ErrorKind::Memory) where the
    /// references need more than the ceiling.
    pub fn new(dedup: &Dedup) -> Result<Self> {
        dedup.check()?;
        dedup.policy.check_order_decides()?;
        let Recipe { unit, mend, measure, ngram, threshold, normalise, .. } = &dedup.recipe;
        if !measure.is_in_order() {
            return Err(Error::usage(format!("recipe: expected onion, found {}", dedup.recipe.recipe))
                .hint("other recipes compare texts in pairs, and need all of them at once: use run"));
        }
        if !(Constraints { min_tokens: 0, ..dedup.constraints.clone() }).is_empty() {
            return Err(Error::usage("within: expected none, as texts of a stream have no fields")
                .hint("take a judge for each value of the field"));
        }
        let onion = dedup.recipe.onion.unwrap_or_default();
        let rules = Rules { ngram: *ngram, threshold: *threshold, smooth: onion.smooth.then_some(onion.stub) };
        let mut judge = Self {
            judge: Judge::new(rules, &dedup.machine.context()?, false)?,
            normaliser: Normaliser::new(normalise)?,
            shingler: Shingler::new(*ngram, Width::FULL),
            unit: *unit,
            mend: *mend,
            short: onion.short == Short::Exact,
            min_tokens: dedup.constraints.min_tokens,
            next: 0,
            buffers: Buffers::default(),
        };
        dedup.references.iter().try_for_each(|reference| judge.learn(reference.text()))?;
        Ok(judge)
    }

    /// Judges a text, and remembers the n-grams of what stays.
    ///
    /// # Errors
    /// [`Memory`](crate::ErrorKind::Memory) where the n-grams would take more than the ceiling: the text was not judged then, and texts
    /// after it may be; [`Data`](crate::ErrorKind::Data) beyond 2^32 − 3 parts.
    pub fn judge(&mut self, text: &str) -> Result<Judgement> {
        self.read(text);
        let Buffers { document, verdicts, parts, lengths, .. } = &mut self.buffers;
        verdicts.clear();
        self.judge.document(document, self.next, verdicts, None)?;
        self.next += parts.len() as u32;
        let (mut known, mut tokens) = (0, 0);
        let mut judged = Vec::with_capacity(parts.len());
        for ((part, verdict), length) in parts.iter().zip(verdicts.iter()).zip(lengths.iter()) {
            // What is too short was not judged, whatever smoothing made of the gap.
            let fate = if *length < self.min_tokens { Fate::Kept } else { verdict.fate };
            known += u64::from(verdict.known);
            tokens += u64::from(*length);
            judged.push(JudgedPart {
                range: part.text.clone(),
                cut: part.cut.clone(),
                share: share(verdict.known.into(), (*length).into()),
                is_kept: fate == Fate::Kept,
                is_smoothed: fate == Fate::Smoothed,
            });
        }
        let is_kept = judged.is_empty() || judged.iter().any(|part| part.is_kept);
        Ok(Judgement { is_kept, share: share(known, tokens), parts: judged })
    }

    /// Remembers all n-grams of a text without judging it.
    ///
    /// # Errors
    /// As [`Onion::judge`].
    pub fn learn(&mut self, text: &str) -> Result<()> {
        self.read(text);
        self.judge.learn(&self.buffers.document, self.next)?;
        self.next += self.buffers.parts.len() as u32;
        Ok(())
    }

    /// Bytes of memory that the n-grams take so far.
    pub fn bytes(&self) -> u64 {
        self.judge.bytes()
    }

    /// The parts of a text, and its document, into the buffers.
    fn read(&mut self, text: &str) {
        let Buffers { words, parts, tokens, all, lengths, document, .. } = &mut self.buffers;
        parts.clear();
        all.clear();
        lengths.clear();
        segment::parts(text, &[], self.unit, self.mend, parts);
        let mut heard = Vec::with_capacity(parts.len());
        for part in parts.iter() {
            let count = fingerprints(&self.normaliser, words, &text[part.text.clone()], tokens) as u32;
            lengths.push(count);
            // The judge hears of no tokens of a part that is too short, or that has none and is compared by its raw text elsewhere.
            let counts = count > 0 && count >= self.min_tokens;
            heard.push(if counts { count } else { 0 });
            if counts {
                all.extend_from_slice(tokens);
            }
        }
        document.fill(&self.shingler, all, &heard, self.short);
    }
}

fn share(known: u64, tokens: u64) -> Score {
    Score { part: known, whole: tokens.max(1) }
}

impl fmt::Debug for Onion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Onion").field("ngrams", &self.judge.ngrams()).field("unit", &self.unit).finish_non_exhaustive()
    }
}
