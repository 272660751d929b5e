//! The judge: decides on documents in input order, and remembers the n-grams of kept paragraphs.

use super::document::Document;
use super::numbering::Numbers;
use super::rules::Rules;
use super::seen::{Place, SeenNumbers, SeenSet, SeenTable};
use super::smooth::smooth;
use super::sources::Sources;
use super::verdict::{Fate, Verdict};
use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::hash::Fingerprint;

/// The number of n-grams whose slots are prefetched together.
const TOUCHED: usize = 64;
/// The largest number of a unit.
const LAST_UNIT: u32 = u32::MAX - 2;
/// The slot of an n-gram that is not remembered.
const NOWHERE: Place = Place::MAX;

/// Decides on documents one by one.
///
/// By fingerprint, holds 8 bytes for each n-gram remembered, divided by a load of .5 to .7, and half
/// as much again if sources are requested; a document costs one look-up, about one cache miss, for
/// each of its n-grams. By number, holds 4 bytes for each n-gram that occurs more than once, and only
/// these are looked up.
pub struct Judge<S = SeenTable> {
    rules: Rules,
    seen: S,
    next_unit: u32,
    /// The slots of the document's n-grams.
    places: Vec<Place>,
    /// For each paragraph: how many n-grams end before its end, and the slot of the whole
    /// paragraph.
    paragraphs: Vec<(usize, Place)>,
}

impl Judge {
    /// A judge that remembers every n-gram, and where it was seen if requested. The table grows
    /// between documents.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if the ceiling is already exceeded.
    pub fn new(rules: Rules, context: &Context, with_sources: bool) -> Result<Self> {
        Ok(Self::with(
            rules,
            SeenTable::new(context, true, with_sources)?,
        ))
    }

    /// A judge that remembers only [admitted](Judge::admit) n-grams, `count` at most. If these are
    /// all that occur more than once, its verdicts equal those of a judge that remembers all.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if they do not fit under the ceiling.
    pub fn among(rules: Rules, context: &Context, count: u64, with_sources: bool) -> Result<Self> {
        let mut judge = Self::with(rules, SeenTable::new(context, false, with_sources)?);
        judge.seen.make_room(
            usize::try_from(count)
                .unwrap_or(usize::MAX / 8)
                .saturating_add(1),
        )?;
        Ok(judge)
    }

    /// Admits n-grams that may be remembered.
    ///
    /// # Errors
    /// If there are more of them than announced.
    pub fn admit(&mut self, fingerprints: impl IntoIterator<Item = Fingerprint>) -> Result<()> {
        fingerprints
            .into_iter()
            .try_for_each(|fingerprint| self.seen.admit(fingerprint))
    }

    /// Bytes of memory that a judge needs for this many n-grams.
    pub fn bytes_for(ngrams: u64) -> u64 {
        SeenTable::bytes_for(ngrams)
    }

    /// Bytes of the table.
    pub fn bytes(&self) -> u64 {
        self.seen.bytes()
    }
}

impl Judge<SeenNumbers> {
    /// A judge of documents whose n-grams were numbered.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if they do not fit under the ceiling.
    pub fn numbered(
        rules: Rules,
        context: &Context,
        numbers: &Numbers,
        with_sources: bool,
    ) -> Result<Self> {
        let seen = SeenNumbers::new(context, numbers.count(), with_sources)?;
        Ok(Self::with(rules, seen))
    }
}

impl<S: SeenSet> Judge<S> {
    fn with(rules: Rules, seen: S) -> Self {
        let rules = Rules {
            ngram: rules.ngram.max(1),
            ..rules
        };
        Self {
            rules,
            seen,
            next_unit: 0,
            places: Vec::new(),
            paragraphs: Vec::new(),
        }
    }

    /// Distinct n-grams remembered.
    pub fn ngrams(&self) -> u64 {
        self.seen.held()
    }

    /// Decides on a document whose first paragraph is unit `first_unit`, which must be at least the
    /// number of paragraphs so far; remembers the n-grams of the paragraphs it keeps. Appends a
    /// verdict for each paragraph and, if requested, its sources.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if the table would exceed the ceiling, before any decision.
    /// [`ErrorKind::Data`] beyond 2^32 − 3 units.
    pub fn document(
        &mut self,
        document: &Document<S::Key>,
        first_unit: u32,
        verdicts: &mut Vec<Verdict>,
        sources: Option<&mut Sources>,
    ) -> Result<()> {
        self.begin(document, first_unit)?;
        let before = verdicts.len();
        match sources {
            Some(sources) => self.look(document, first_unit, verdicts, sources),
            None => self.look(document, first_unit, verdicts, &mut Unasked),
        }
        let decided = &mut verdicts[before..];
        if let Some(stub) = self.rules.smooth {
            smooth(&document.paragraphs, decided, stub);
        }
        let decided = &verdicts[before..];
        self.remember(first_unit, |paragraph| decided[paragraph].is_kept());
        Ok(())
    }

    /// Adds a document without judging it: all its n-grams count as previously seen. For
    /// references, which are never removed.
    ///
    /// # Errors
    /// As [`Judge::document`].
    pub fn learn(&mut self, document: &Document<S::Key>, first_unit: u32) -> Result<()> {
        self.begin(document, first_unit)?;
        let mut verdicts = Vec::with_capacity(document.paragraphs.len());
        self.look(document, first_unit, &mut verdicts, &mut Unasked);
        self.remember(first_unit, |_| true);
        Ok(())
    }

    /// Checks the numbers and reserves space.
    fn begin(&mut self, document: &Document<S::Key>, first_unit: u32) -> Result<()> {
        let units = u32::try_from(document.paragraphs.len()).ok();
        let end = units
            .and_then(|units| first_unit.checked_add(units))
            .filter(|end| *end <= LAST_UNIT);
        let Some(end) = end.filter(|_| first_unit >= self.next_unit) else {
            let message = format!(
                "expected units numbered in order up to {LAST_UNIT}, found unit {first_unit}"
            );
            return Err(Error::new(ErrorKind::Data, message));
        };
        let wholes = document
            .paragraphs
            .iter()
            .filter_map(|paragraph| paragraph.whole);
        let all = document.ngrams.iter().map(|ngram| ngram.key).chain(wholes);
        self.seen.reserve(all)?;
        self.next_unit = end;
        Ok(())
    }

    /// Looks up every n-gram, and decides by the threshold alone.
    fn look(
        &mut self,
        document: &Document<S::Key>,
        first: u32,
        verdicts: &mut Vec<Verdict>,
        sources: &mut impl NoteSources,
    ) {
        self.places.clear();
        self.paragraphs.clear();
        let n = self.rules.ngram as u64;
        let ngrams = &document.ngrams;
        let mut start = 0_u64;
        for (unit, paragraph) in (first..).zip(&document.paragraphs) {
            let end = start + u64::from(paragraph.tokens);
            // Tokens before this one were already counted, or are in an earlier paragraph.
            let mut counted = start;
            let mut seen = 0_u32;
            while let Some(ngram) = ngrams
                .get(self.places.len())
                .filter(|ngram| u64::from(ngram.end) < end)
            {
                if self.places.len().is_multiple_of(TOUCHED) {
                    let next = ngrams[self.places.len()..].iter().take(TOUCHED);
                    self.seen.touch(next.map(|ngram| ngram.key));
                }
                let found = self.seen.look(ngram.key, unit);
                self.places.push(found.map_or(NOWHERE, |found| found.place));
                if let Some(found) = found.filter(|found| found.is_seen) {
                    let after = u64::from(ngram.end) + 1;
                    let more = (after - counted.max(after.saturating_sub(n)).min(after)) as u32;
                    counted = after;
                    seen += more;
                    sources.note(&self.seen, found.place, more);
                }
            }
            let mut place = NOWHERE;
            if let Some(whole) = paragraph.whole.filter(|_| paragraph.tokens > 0) {
                let found = self.seen.look(whole, unit);
                place = found.map_or(NOWHERE, |found| found.place);
                if let Some(found) = found.filter(|found| found.is_seen)
                    && seen < paragraph.tokens
                {
                    sources.note(&self.seen, found.place, paragraph.tokens - seen);
                    seen = paragraph.tokens;
                }
            }
            self.paragraphs.push((self.places.len(), place));
            sources.end();
            let duplicate = self
                .rules
                .threshold
                .exceeded_by(seen.into(), paragraph.tokens.into());
            verdicts.push(Verdict {
                seen,
                fate: if duplicate {
                    Fate::Duplicate
                } else {
                    Fate::Kept
                },
            });
            start = end;
        }
    }

    /// Marks the n-grams of kept paragraphs as previously seen, and forgets the others.
    fn remember(&mut self, first: u32, kept: impl Fn(usize) -> bool) {
        let mut start = 0;
        for (number, (end, whole)) in self.paragraphs.iter().enumerate() {
            let (unit, kept) = (first + number as u32, kept(number));
            for place in self.places[start..*end]
                .iter()
                .chain([whole])
                .filter(|place| **place != NOWHERE)
            {
                self.seen.end(*place, unit, kept);
            }
            start = *end;
        }
    }
}

/// Records sources, or not.
trait NoteSources {
    /// Adds tokens of the current paragraph that were previously seen in the n-gram at a slot.
    fn note(&mut self, seen: &impl SeenSet, place: Place, tokens: u32);
    /// Ends the paragraph.
    fn end(&mut self);
}

impl NoteSources for Sources {
    #[inline]
    fn note(&mut self, seen: &impl SeenSet, place: Place, tokens: u32) {
        if let Some(unit) = seen.unit(place) {
            Self::note(self, unit, tokens);
        }
    }

    fn end(&mut self) {
        Self::end(self);
    }
}

/// For judges without sources.
struct Unasked;

impl NoteSources for Unasked {
    #[inline]
    fn note(&mut self, _: &impl SeenSet, _: Place, _: u32) {}
    fn end(&mut self) {}
}
