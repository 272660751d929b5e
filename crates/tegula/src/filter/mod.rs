//! A stream without near copies: each text is judged on arrival, against the kept ones before it.
//!
//! A text is hidden if a kept one matches it at or above the threshold. Candidates come from the
//! postings of its shingles, the rarest first (`lookup`). What a candidate shares is then known
//! (from the lists for sets of shingles, from its own sequence of shingles for coverage), and the measure
//! scores it.
//!
//! *Useful for* results in rank order, feeds, anything that is read once. *Not useful for* choosing
//! which copy is kept: the first always is.

mod covered;
mod postings;

use crate::context::{Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::lookup::{Overlap, Reader, Reading, Rest, Room, Size};
use crate::recipe::{FingerprintKind, Recipe};
use crate::record::Level;
use crate::text::digest::Digest;
use crate::threshold::{Score, Threshold};
use covered::Sequence;
use postings::Postings;
use std::num::NonZeroU32;

/// What the memory is for, in errors.
const WHAT: &str = "the index of kept texts";
/// For fewer texts than this, it is not worth searching the postings to forget them.
const FEW: usize = 64;

/// Judges texts one after the other.
pub struct Filter {
    reader: Reader,
    threshold: Threshold,
    postings: Postings,
    kept: Vec<Kept>,
    /// The maximum of each size among the kept texts.
    most: Size,
    last: Option<NonZeroU32>,
    judged: u64,
    held: Reservation,
    room: Room,
    text: Reading,
    sequence: Sequence,
}

/// Why a text is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    /// The kept text that matches best, by its place among all texts that were judged, from 0.
    pub witness: u64,
    /// Their score; under a directed measure the share of the hidden text.
    pub score: Score,
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

/// A feature of the text being judged, with the kept texts that have it.
type Listed<'a> = (&'a [u32], u32);

impl Filter {
    /// A filter for a recipe that compares whole texts by all their shingles, or for equality.
    /// With `last`, texts are compared only with this many kept ones.
    ///
    /// # Errors
    /// A usage error if it is another recipe.
    pub fn new(recipe: &Recipe, context: &Context, last: Option<NonZeroU32>) -> Result<Self> {
        recipe.check()?;
        check(recipe)?;
        Ok(Self {
            reader: Reader::new(recipe, None, true)?,
            threshold: recipe.threshold,
            postings: Postings::new(),
            kept: Vec::new(),
            most: Size::default(),
            last,
            judged: 0,
            held: context.budget.reserve(0, WHAT)?,
            room: Room::default(),
            text: Reading::default(),
            sequence: Sequence::default(),
        })
    }

    /// Judges a text, and keeps it unless it is hidden.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if there is no room to keep it: then it counts as not judged.
    pub fn judge(&mut self, text: &str) -> Result<Option<Hidden>> {
        self.reader.read(text, &mut self.room, &mut self.text);
        if self.reader.method().covers() {
            self.sequence.read(&self.text);
        }
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

    /// The number of the first kept text that still counts.
    fn oldest(&self) -> usize {
        let last = self.last.map_or(usize::MAX, |last| last.get() as usize);
        self.kept.len().saturating_sub(last)
    }

    /// The kept text that matches best, the earliest of several.
    fn hidden(&mut self) -> Option<Hidden> {
        let oldest = self.oldest();
        let Self {
            reader,
            threshold,
            postings,
            kept,
            text,
            sequence,
            ..
        } = self;
        let (method, shingler) = (reader.method(), reader.shingler());
        let mut lists: Vec<Listed> = Vec::with_capacity(text.distinct().len());
        for (number, shingle) in (0..).zip(text.distinct()) {
            let list = postings.of(shingle);
            let list = &list[list.partition_point(|kept| (*kept as usize) < oldest)..];
            if !list.is_empty() {
                lists.push((list, number));
            }
        }
        lists.sort_unstable_by_key(|(list, number)| (list.len(), *number));
        let numbers: Vec<u32> = lists.iter().map(|(_, number)| *number).collect();
        let rests = text.rests(&numbers, method, shingler);
        let asked = text.size;
        let admits = |score: Score| method.measure().admits(*threshold, score);
        let may = |size: Size, rest| admits(method.most((size, size), asked, rest));
        let mut candidates = Vec::new();
        let mut opens = true;
        for ((list, _), rest) in lists.iter().zip(&rests) {
            opens = opens && admits(method.most((Size::default(), self.most), asked, *rest));
            if opens {
                for number in *list {
                    let kept = &mut kept[*number as usize];
                    if kept.shared == 0 {
                        if !may(kept.size, *rest) {
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
        let all = rests.first().copied().unwrap_or_default();
        let mut best: Option<(Score, u32)> = None;
        for number in candidates {
            let kept = &mut kept[number as usize];
            let shingles = std::mem::take(&mut kept.shared);
            let mut overlap = Overlap {
                shingles,
                ..Overlap::default()
            };
            if method.covers() {
                if !may(kept.size, Rest { shingles, ..all }) {
                    continue;
                }
                overlap.covered = sequence.covered(number, (&kept.sequence, kept.size), shingler);
            }
            let score = method.score((kept.size, asked), overlap);
            let is_better = |(other, earlier): (Score, u32)| {
                score > other || (score == other && number < earlier)
            };
            if admits(score) && best.is_none_or(is_better) {
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
            sequence,
            reader,
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
        let of_tokens: &[u64] = if reader.method().covers() {
            sequence.shingles()
        } else {
            &[]
        };
        let fresh = Kept {
            place: self.judged,
            size: text.size,
            shared: 0,
            sequence: of_tokens.into(),
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
        let what = match &recipe.keys {
            Some(_) => "keys".to_owned(),
            None => format!("the measure {}", measure.name()),
        };
        return Err(Error::of("recipe")
            .expected("one that compares all shingles of two texts")
            .found(format!("{name}, with {what}"))
            .hint(works));
    } else if recipe.unmasked_steps().is_some() {
        // The field may be the recipe's own, of which who filters knows nothing.
        return Err(Error::of("recipe")
            .expected("one that compares texts once, and not also as they were before numbers and links were masked")
            .found(name)
            .hint(works));
    } else if recipe.unit != Level::Document {
        ("unit", "document, as a stream is filtered by whole texts")
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
