//! Onion over a stream: one text at a time, none of which is held.

use super::Dedup;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::hash::{Fingerprint, Width};
use crate::onion::{Document, Fate, Judge, Rules, Verdict};
use crate::recipe::{Measure, Recipe, Short};
use crate::record::Level as Unit;
use crate::shingle::Shingler;
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::Normaliser;
use crate::text::segment::{self, Part};
use crate::text::words::Words;
use crate::threshold::Score;
use std::fmt;
use std::ops::Range;

/// Judges texts one after the other: a text, or a part of it, is removed if more than the threshold
/// of its tokens are in previously seen n-grams, from kept parts of earlier texts or earlier in the
/// same one (Pomikálek 2011; Benko 2013, §3).
///
/// Order matters: the first of several copies is kept. By default verdicts are smoothed, as in the
/// original: a run of parts with at most 20 tokens in total follows the parts around it, and so
/// does a whole text of that size; `set("onion.smooth", "false")` judges each part on its own.
///
/// Verdicts equal those of [`Dedup::run`] with the recipe `onion`, which needs all texts at once
/// but less memory, as it knows which n-grams occur only once.
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
/// One look-up per token; 11 to 16 bytes of memory per distinct n-gram.
pub struct Onion {
    judge: Judge,
    normaliser: Normaliser,
    shingler: Shingler,
    unit: Unit,
    rejoin: bool,
    /// Whether parts shorter than an n-gram are also compared, as a whole.
    short: bool,
    min_tokens: u32,
    next: u32,
    buffers: Buffers,
}

/// Buffers reused for each text.
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

/// The verdict on a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// Whether it is kept: whole, or, if parts are judged, at least one part; a text without parts
    /// is kept.
    pub is_kept: bool,
    /// The share of its tokens that were previously seen; 0 for a text without tokens.
    pub share: Score,
    /// Its parts: paragraphs, sentences, or the whole text as one.
    pub parts: Vec<JudgedPart>,
}

/// The verdict on a part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JudgedPart {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The bytes removed with it, including the separator before the next part.
    pub cut: Range<usize>,
    /// The share of its tokens that were previously seen.
    pub share: Score,
    /// Whether it is kept.
    pub is_kept: bool,
    /// Whether it is removed only because it is short and next to removed parts (smoothing).
    pub is_smoothed: bool,
}

impl Onion {
    /// A judge for the recipe `onion`, with its settings: threshold, n-gram, unit, normalisation,
    /// `min_tokens`, and the memory ceiling. References ([`Dedup::against`]) count as previously
    /// seen.
    ///
    /// # Errors
    /// A usage error if the recipe is another one or has constraints on pairs;
    /// [`Memory`](crate::ErrorKind::Memory) if the references need more than the ceiling.
    pub fn new(dedup: &Dedup) -> Result<Self> {
        dedup.check()?;
        dedup.policy.check_order_decides()?;
        let Recipe {
            unit,
            rejoin,
            measure,
            ngram,
            threshold,
            normalise,
            ..
        } = &dedup.recipe;
        if *measure != Measure::PreviouslySeen {
            return Err(Error::of("recipe")
                .expected("onion")
                .found(&dedup.recipe.recipe)
                .hint(
                    "other recipes compare texts in pairs, and need all of them at once: use run",
                ));
        }
        if !(Constraints {
            min_tokens: 0,
            ..dedup.constraints.clone()
        })
        .is_empty()
        {
            return Err(Error::of("within")
                .expected("none, as texts of a stream have no fields")
                .hint("use one judge for each value of the field"));
        }
        let onion = dedup.recipe.onion.unwrap_or_default();
        let rules = Rules {
            ngram: *ngram,
            threshold: *threshold,
            smooth: onion.smooth.then_some(onion.stub),
        };
        let mut judge = Self {
            judge: Judge::new(rules, &dedup.machine.context()?, false)?,
            normaliser: Normaliser::new(normalise)?,
            shingler: Shingler::new(*ngram, Width::FULL),
            unit: *unit,
            rejoin: *rejoin,
            short: onion.short == Short::Exact,
            min_tokens: dedup.constraints.min_tokens,
            next: 0,
            buffers: Buffers::default(),
        };
        dedup
            .references
            .iter()
            .try_for_each(|reference| judge.learn(reference.text()))?;
        Ok(judge)
    }

    /// Judges a text, and remembers the n-grams of the kept parts.
    ///
    /// # Errors
    /// [`Memory`](crate::ErrorKind::Memory) if the n-grams would exceed the ceiling: this text was
    /// not judged, but later texts may be; [`Data`](crate::ErrorKind::Data) beyond 2^32 − 3 parts.
    pub fn judge(&mut self, text: &str) -> Result<Judgement> {
        self.read(text);
        let Buffers {
            document,
            verdicts,
            parts,
            lengths,
            ..
        } = &mut self.buffers;
        verdicts.clear();
        self.judge.document(document, self.next, verdicts, None)?;
        self.next += parts.len() as u32;
        let (mut seen, mut tokens) = (0, 0);
        let mut judged = Vec::with_capacity(parts.len());
        // A text of which nothing is there to judge is no stub that smoothing removes.
        let is_blank = self.unit == Unit::Document && text.trim_start().is_empty();
        for ((part, verdict), length) in parts.iter().zip(verdicts.iter()).zip(lengths.iter()) {
            // A part that is too short was not judged, so smoothing must not remove it.
            let fate = if is_blank || *length < self.min_tokens {
                Fate::Kept
            } else {
                verdict.fate
            };
            seen += u64::from(verdict.seen);
            tokens += u64::from(*length);
            judged.push(JudgedPart {
                range: part.text.clone(),
                cut: part.cut.clone(),
                share: share(verdict.seen.into(), (*length).into()),
                is_kept: fate == Fate::Kept,
                is_smoothed: fate == Fate::Smoothed,
            });
        }
        let is_kept = judged.is_empty() || judged.iter().any(|part| part.is_kept);
        Ok(Judgement {
            is_kept,
            share: share(seen, tokens),
            parts: judged,
        })
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

    /// Bytes of memory used by the n-grams so far.
    pub fn bytes(&self) -> u64 {
        self.judge.bytes()
    }

    /// Reads the parts of a text, and its document, into the buffers.
    fn read(&mut self, text: &str) {
        let Buffers {
            words,
            parts,
            tokens,
            all,
            lengths,
            document,
            ..
        } = &mut self.buffers;
        parts.clear();
        all.clear();
        lengths.clear();
        segment::parts(text, &[], self.unit, self.rejoin, parts);
        let mut heard = Vec::with_capacity(parts.len());
        for part in parts.iter() {
            let count =
                fingerprints(&self.normaliser, words, &text[part.text.clone()], tokens) as u32;
            lengths.push(count);
            // The judge gets no tokens of a part that is too short, or of one without tokens, which
            // other recipes compare by its raw text.
            let counts = count > 0 && count >= self.min_tokens;
            heard.push(if counts { count } else { 0 });
            if counts {
                all.extend_from_slice(tokens);
            }
        }
        document.fill(&self.shingler, all, &heard, self.short);
    }
}

fn share(seen: u64, tokens: u64) -> Score {
    Score {
        part: seen,
        whole: tokens.max(1),
    }
}

impl fmt::Debug for Onion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Onion")
            .field("ngrams", &self.judge.ngrams())
            .field("unit", &self.unit)
            .finish_non_exhaustive()
    }
}
