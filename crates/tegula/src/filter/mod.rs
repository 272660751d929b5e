//! A stream without near copies: each text is judged on arrival, against the kept ones before it.
//!
//! A text is hidden if a kept one matches it at or above the threshold. Candidates come from the
//! postings of its shingles, the rarest first. With r shingles still to come, a kept text that had
//! none of the earlier ones can share at most these r, or cover what they cover. Once that is not
//! enough for any text, no new candidates are taken, and the long lists of common shingles are only
//! searched for existing candidates. What a candidate shares is then known (from the lists for sets
//! of shingles, from its own sequence of shingles for coverage), and the measure scores it.
//!
//! *Useful for* results in rank order, feeds, anything that is read once. *Not useful for* choosing
//! which copy is kept: the first always is.

mod postings;

use crate::context::{Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::hash::{Fingerprint, Hashed, Sequence, Width};
use crate::measure::Measure;
use crate::pair::{Pair, Sizes};
use crate::recipe::{FingerprintKind, Recipe};
use crate::record::Level;
use crate::shingle::Shingler;
use crate::text::digest::Digest;
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::Normaliser;
use crate::text::words::Words;
use crate::threshold::{Score, Threshold};
use postings::Postings;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::num::NonZeroU32;
use std::ops::Range;

/// What the memory is for, in errors.
const WHAT: &str = "the index of kept texts";
/// For fewer texts than this, it is not worth searching the postings to forget them.
const FEW: usize = 64;

/// Judges texts one after the other.
pub struct Filter {
    method: Method,
    normaliser: Normaliser,
    postings: Postings,
    kept: Vec<Kept>,
    /// The maximum of each size among the kept texts.
    most: Size,
    last: Option<NonZeroU32>,
    judged: u64,
    held: Reservation,
    words: Words,
    tokens: Vec<Fingerprint>,
    ids: Vec<u64>,
    text: Reading,
}

/// Why a text is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    /// The kept text that matches best, by its place among all texts that were judged, from 0.
    pub witness: u64,
    /// Their score; under a directed measure the share of the hidden text.
    pub score: Score,
}

/// How two texts are scored.
struct Method {
    measure: Measure,
    threshold: Threshold,
    shingler: Shingler,
    /// Whether the measure compares the tokens that shingles cover.
    covers: bool,
}

/// How large a text is.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    /// Distinct shingles.
    shingles: u32,
    /// Tokens, at least 1.
    tokens: u32,
    /// Shingles that are not the first of their kind.
    repeats: u32,
}

impl Size {
    /// The maximum of each size.
    fn or(self, other: Self) -> Self {
        Self {
            shingles: self.shingles.max(other.shingles),
            tokens: self.tokens.max(other.tokens),
            repeats: self.repeats.max(other.repeats),
        }
    }
}

/// A kept text.
struct Kept {
    place: u64,
    size: Size,
    /// Shingles found so far that it shares with the text being judged.
    shared: u32,
    /// Its shingles in order, if they cover tokens.
    sequence: Box<[u64]>,
}

/// The text being judged.
#[derive(Default)]
struct Reading {
    size: Size,
    /// All shingles with their positions, equal ones together.
    shingles: Vec<(Fingerprint, u32)>,
    /// The distinct ones among them.
    distinct: Vec<Range<u32>>,
    /// All shingles in order, if they cover tokens, and the number of each among the distinct ones.
    sequence: Vec<u64>,
    numbers: HashMap<u64, usize, BuildHasherDefault<Hashed>>,
    /// The last candidate that has each distinct shingle.
    seen: Vec<Option<u32>>,
}

impl Reading {
    /// The distinct shingles.
    fn distinct(&self) -> impl Iterator<Item = Fingerprint> {
        (self.distinct.iter()).map(|at| self.shingles[at.start as usize].0)
    }

    /// Tokens of a kept text and of this one that are in shingles of both.
    fn covered(&mut self, candidate: u32, kept: &Kept, shingler: &Shingler) -> (u32, u32) {
        let Self {
            numbers,
            seen,
            sequence,
            size,
            ..
        } = self;
        let in_kept = covered(
            &kept.sequence,
            shingler.cover(kept.size.tokens as usize),
            |shingle| {
                let number = numbers.get(&shingle);
                if let Some(number) = number {
                    seen[*number] = Some(candidate);
                }
                number.is_some()
            },
        );
        let own = covered(sequence, shingler.cover(size.tokens as usize), |shingle| {
            let number = numbers.get(&shingle);
            number.is_some_and(|number| seen[*number] == Some(candidate))
        });
        (in_kept, own)
    }
}

impl Method {
    fn new(recipe: &Recipe) -> Self {
        Self {
            measure: recipe.measure,
            threshold: recipe.threshold,
            shingler: Shingler::new(recipe.ngram, Width::FULL),
            covers: recipe.measure.needs_positions(),
        }
    }

    /// The score of an earlier and a later text that overlap like this; under a directed measure
    /// the share of the later one. None below the threshold.
    fn score(&self, (a, b): (Size, Size), (in_a, in_b): (u32, u32)) -> Option<Score> {
        let (pair, sizes) = (
            Pair {
                a: 0,
                b: 1,
                in_a,
                in_b,
            },
            Sizes {
                sets: &[a.shingles, b.shingles],
                lengths: &[a.tokens, b.tokens],
            },
        );
        let score = if self.measure.is_directed() {
            self.measure.rules().shares(&pair, sizes).1
        } else {
            self.measure.rules().score(&pair, sizes)
        };
        (self.measure.admits(self.threshold, score)).then_some(score)
    }

    /// An upper bound on the overlap with an earlier text that shares at most this many distinct
    /// shingles, which cover this many tokens of the later text.
    fn most(&self, earlier: Size, Rest { shingles, covered }: Rest) -> (u32, u32) {
        if self.covers {
            let occurrences = shingles.saturating_add(earlier.repeats);
            let tokens = occurrences.saturating_mul(self.shingler.n() as u32);
            (tokens.min(earlier.tokens), covered)
        } else {
            let shared = shingles.min(earlier.shingles);
            (shared, shared)
        }
    }

    /// Whether an earlier text may match that shares no more than this.
    fn may(&self, sizes: (Size, Size), rest: Rest) -> bool {
        self.score(sizes, self.most(sizes.0, rest)).is_some()
    }

    /// Whether any text of at most this size may match that shares no more than this: the best
    /// possible one consists of the shared shingles.
    fn opens(&self, most: Size, later: Size, rest: Rest) -> bool {
        let occurrences = rest.shingles.saturating_add(most.repeats);
        let tokens = occurrences.saturating_mul(self.shingler.n() as u32);
        let ideal = Size {
            shingles: rest.shingles.min(most.shingles),
            tokens: tokens.min(most.tokens),
            ..most
        };
        self.may((ideal, later), rest)
    }
}

/// What a list of shingles and all after it can contribute.
#[derive(Debug, Clone, Copy, Default)]
struct Rest {
    /// Distinct shingles.
    shingles: u32,
    /// Tokens of the text being judged that they cover.
    covered: u32,
}

impl Filter {
    /// A filter for a recipe that compares whole texts by all their shingles, or for equality.
    /// With `last`, texts are compared only with this many kept ones.
    ///
    /// # Errors
    /// A usage error if it is another recipe.
    pub fn new(recipe: &Recipe, context: &Context, last: Option<NonZeroU32>) -> Result<Self> {
        let normaliser = recipe.check()?;
        check(recipe)?;
        Ok(Self {
            method: Method::new(recipe),
            normaliser,
            postings: Postings::new(),
            kept: Vec::new(),
            most: Size::default(),
            last,
            judged: 0,
            held: context.budget.reserve(0, WHAT)?,
            words: Words::default(),
            tokens: Vec::new(),
            ids: Vec::new(),
            text: Reading::default(),
        })
    }

    /// Judges a text, and keeps it unless it is hidden.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if there is no room to keep it: then it counts as not judged.
    pub fn judge(&mut self, text: &str) -> Result<Option<Hidden>> {
        self.read(text);
        let hidden = self.hidden();
        if hidden.is_none() {
            self.keep()?;
        }
        self.judged += 1;
        Ok(hidden)
    }

    /// Bytes that the kept texts take.
    pub fn bytes(&self) -> u64 {
        self.held.bytes()
    }

    /// Reads the shingles of a text.
    fn read(&mut self, text: &str) {
        let Self {
            tokens,
            ids,
            text: reading,
            method,
            ..
        } = self;
        fingerprints(&self.normaliser, &mut self.words, text, tokens);
        let Reading {
            size,
            shingles,
            distinct,
            ..
        } = reading;
        shingles.clear();
        if method.measure.is_equality() {
            let mut all = Sequence::default();
            for token in tokens.iter() {
                all.push(*token);
            }
            shingles.push((all.finish(), 0));
        } else {
            method.shingler.ids(tokens, ids);
            shingles.extend((0..).zip(ids.iter()).map(|(at, id)| {
                let check = method.shingler.check(tokens, at as usize);
                (Fingerprint { id: *id, check }, at)
            }));
            shingles.sort_unstable();
        }
        distinct.clear();
        let mut start = 0;
        for equal in shingles.chunk_by(|a, b| a.0 == b.0) {
            let end = start + equal.len() as u32;
            distinct.push(start..end);
            start = end;
        }
        *size = Size {
            shingles: distinct.len() as u32,
            tokens: tokens.len() as u32,
            repeats: (shingles.len() - distinct.len()) as u32,
        };
        if method.covers {
            let Reading {
                shingles,
                distinct,
                sequence,
                numbers,
                seen,
                ..
            } = reading;
            sequence.clear();
            sequence.resize(shingles.len(), 0);
            numbers.clear();
            seen.clear();
            seen.resize(distinct.len(), None);
            for (number, equal) in distinct.iter().enumerate() {
                for (shingle, at) in &shingles[equal.start as usize..equal.end as usize] {
                    let whole = shingle.whole();
                    sequence[*at as usize] = whole;
                    numbers.insert(whole, number);
                }
            }
        }
    }

    /// The number of the first kept text that still counts.
    fn oldest(&self) -> usize {
        let last = self.last.map_or(usize::MAX, |last| last.get() as usize);
        self.kept.len().saturating_sub(last)
    }

    /// The kept text that matches best, the earliest of several.
    fn hidden(&mut self) -> Option<Hidden> {
        let oldest = self.oldest();
        let Self {
            method,
            postings,
            kept,
            text,
            ..
        } = self;
        let mut lists = Vec::with_capacity(text.distinct.len());
        for (number, shingle) in text.distinct().enumerate() {
            let list = postings.of(shingle);
            let list = &list[list.partition_point(|kept| (*kept as usize) < oldest)..];
            if !list.is_empty() {
                lists.push((list, number));
            }
        }
        lists.sort_unstable_by_key(|(list, number)| (list.len(), *number));
        let rests = rests(method, text, &lists);
        let mut candidates = Vec::new();
        let mut opens = true;
        for ((list, _), rest) in lists.iter().zip(&rests) {
            opens = opens && method.opens(self.most, text.size, *rest);
            if opens {
                for number in *list {
                    let kept = &mut kept[*number as usize];
                    if kept.shared == 0 {
                        if !method.may((kept.size, text.size), *rest) {
                            continue;
                        }
                        candidates.push(*number);
                    }
                    kept.shared += 1;
                }
            } else if list.len() < candidates.len() {
                for number in *list {
                    let kept = &mut kept[*number as usize];
                    kept.shared += u32::from(kept.shared > 0);
                }
            } else {
                for number in &candidates {
                    let shares = list.binary_search(number).is_ok();
                    kept[*number as usize].shared += u32::from(shares);
                }
            }
        }
        let covered = rests.first().map_or(0, |rest| rest.covered);
        let mut best: Option<(Score, u32)> = None;
        for number in candidates {
            let kept = &mut kept[number as usize];
            let shingles = std::mem::take(&mut kept.shared);
            let sizes = (kept.size, text.size);
            let rest = Rest { shingles, covered };
            let overlap = if !method.covers {
                (shingles, shingles)
            } else if method.may(sizes, rest) {
                text.covered(number, kept, &method.shingler)
            } else {
                continue;
            };
            let Some(score) = method.score(sizes, overlap) else {
                continue;
            };
            let is_better = |(other, earlier): (Score, u32)| {
                score > other || (score == other && number < earlier)
            };
            if best.is_none_or(is_better) {
                best = Some((score, number));
            }
        }
        best.map(|(score, number)| Hidden {
            witness: kept[number as usize].place,
            score,
        })
    }

    /// Keeps the text that was read.
    fn keep(&mut self) -> Result<()> {
        let old = self.oldest();
        // Texts out of reach are dropped a quarter of the reach at a time.
        if old > FEW.max(self.kept.len() / 5) {
            self.postings.forget(old as u32);
            self.kept.drain(..old);
            let sizes = self.kept.iter().map(|kept| kept.size);
            self.most = sizes.fold(Size::default(), Size::or);
            let bytes = self.kept.iter().map(Kept::bytes).sum::<u64>() + self.postings.bytes();
            self.held.shrink(self.held.bytes().saturating_sub(bytes));
        }
        let Self {
            postings,
            text,
            kept,
            ..
        } = self;
        if kept.len() >= Postings::MOST {
            let most = Postings::MOST;
            return Err(Error::new(
                ErrorKind::Memory,
                format!("expected at most {most} kept texts"),
            )
            .hint("compare with the latest ones only: set ⟨last⟩"));
        }
        let fresh = Kept {
            place: self.judged,
            size: text.size,
            shared: 0,
            sequence: text.sequence.as_slice().into(),
        };
        (self.held)
            .grow(fresh.bytes() + postings.cost(text.distinct()), WHAT)
            .map_err(full)?;
        let number = kept.len() as u32;
        text.distinct()
            .for_each(|shingle| postings.add(shingle, number));
        self.most = self.most.or(fresh.size);
        kept.push(fresh);
        Ok(())
    }
}

impl Kept {
    /// Bytes with its place in a list that doubles.
    fn bytes(&self) -> u64 {
        (2 * size_of::<Self>() + size_of_val(&*self.sequence)) as u64
    }
}

/// Tokens in shingles of a sequence that `counts`, each of `cover` tokens.
fn covered(sequence: &[u64], cover: usize, mut counts: impl FnMut(u64) -> bool) -> u32 {
    let (mut tokens, mut end) = (0, 0);
    for (at, shingle) in sequence.iter().enumerate() {
        if counts(*shingle) {
            tokens += at + cover - end.max(at);
            end = at + cover;
        }
    }
    tokens as u32
}

/// For each list, what its shingle and those after it contribute.
fn rests(method: &Method, text: &Reading, lists: &[(&[u32], usize)]) -> Vec<Rest> {
    let mut rests = vec![Rest::default(); lists.len()];
    let mut rest = Rest::default();
    let mut marks = vec![false; text.size.tokens as usize];
    for ((_, number), out) in lists.iter().zip(&mut rests).rev() {
        rest.shingles += 1;
        if method.covers {
            let occurrences = &text.distinct[*number];
            for (_, at) in &text.shingles[occurrences.start as usize..occurrences.end as usize] {
                let cover = method.shingler.cover(marks.len());
                for mark in &mut marks[*at as usize..][..cover] {
                    rest.covered += u32::from(!std::mem::replace(mark, true));
                }
            }
        }
        *out = rest;
    }
    rests
}

/// The error at the memory ceiling, which another reach avoids.
fn full(error: Error) -> Error {
    error.first("compare with the latest kept texts only: set ⟨last⟩ to their number")
}

/// Refuses recipes under which a text cannot be judged by its shingles alone.
fn check(recipe: &Recipe) -> Result<()> {
    let measure = recipe.measure;
    let name = &recipe.recipe;
    let works = "use copies, ssr, sscr, ssr-containment, sscr-containment, exact or plain, or a recipe of your own that starts from one of these";
    let is_alone = measure.needs_shingles() && !measure.needs_rarity();
    let (field, expected) = if !(is_alone || measure.is_equality()) || recipe.keys.is_some() {
        return Err(Error::of("recipe")
            .expected("one that compares all shingles of two texts")
            .found(name)
            .hint(works));
    } else if recipe.unit != Level::Document {
        ("unit", "document, as a stream is filtered by whole texts")
    } else if recipe.unmasked_steps().is_some() {
        (
            "unmasked",
            "\"ignore\", as texts of a stream are compared once",
        )
    } else if recipe.levenshtein.is_some() {
        ("levenshtein", "none, as the texts of a stream are not held")
    } else if !recipe.thresholds.is_none() {
        ("thresholds", "none, as a stream has one threshold")
    } else if !recipe.lengths.are_all() {
        (
            "lengths",
            "\"all\", as a text of a stream is compared with all kept ones",
        )
    } else if !recipe.distinct.is_none() {
        (
            "distinct",
            "\"none\", as the texts of a stream are not held",
        )
    } else if !recipe.shared_numbers.is_none() {
        (
            "shared_numbers",
            "\"none\", as the texts of a stream are not held",
        )
    } else if !recipe.select.is_all() {
        ("select", "\"all\", as a stream is compared by all shingles")
    } else if recipe.common > 0 {
        ("common", "0, as a stream is compared by all shingles")
    } else if recipe.fingerprint != FingerprintKind::Tokens {
        (
            "fingerprint",
            "tokens, as a stream is not read again to validate others",
        )
    } else if recipe.digest != Digest::Tegula {
        ("digest", "\"tegula\", as a stream has no other")
    } else {
        return Ok(());
    };
    Err(Error::of(field).expected(expected).hint(works))
}

#[cfg(test)]
mod tests;
