//! Asking an index: what in it resembles a text.

use super::Index;
use super::blocks::Records;
use super::candidates::{Candidate, Tables, candidates};
use super::view::{Live, View};
use crate::context::Context;
use crate::engine::bad_records::BadRecords;
use crate::engine::hidden::{Found, hidden_by};
use crate::engine::loss::Loss;
use crate::error::{Error, Result};
use crate::flow::for_each_chunk;
use crate::lookup::{Method, Reading, Room};
use crate::measure::agreeing;
use crate::recipe::Recipe;
use crate::record::{Batch, Chunk, Level, Source};
use crate::text::segment::{self, Part};
use crate::threshold::{Score, Threshold};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// What is asked about a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Question {
    /// The minimum score; none for a ranked list, in which what hides pairs of the recipe hides nothing.
    pub threshold: Option<Threshold>,
    /// How many matches are wanted, at most.
    pub top: Option<usize>,
    /// Whether the score is the share of the text that is asked about, if the measure is directed;
    /// otherwise it is that of the pair.
    pub of_asked: bool,
}

/// A unit of the index that matches a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The id of its record.
    pub record_id: String,
    /// Its number in the record, from 1; none if units are whole records.
    pub ordinal: Option<u32>,
    /// Its score, as of the pair.
    pub score: Score,
    /// Distinct shingles that both have; none if the measure compares none.
    pub shared: Option<u32>,
    /// The values of the fields of its record, in the order of [`super::Description::fields`].
    pub fields: Vec<Option<String>>,
    /// Its text, if texts are kept.
    pub text: Option<String>,
    /// Its bytes in the text of its record.
    pub part: Option<Range<usize>>,
    /// The segment and the number of its record.
    pub(super) place: (usize, u32),
}

/// The buffers of one thread.
#[derive(Default)]
pub(super) struct Work {
    room: Room,
    asked: Reading,
    other: Reading,
    tables: Tables,
    pub(super) records: Records,
}

/// The place of a match among others: its score, and its age by segment, record and part.
type Rank = (Reverse<Score>, (usize, u32, u32));

impl Index {
    /// What resembles a text, which is compared as one unit: the best first, of equal scores the oldest
    /// first.
    ///
    /// # Cost
    /// A look-up for each distinct feature and segment, and the units of rare ones; each candidate that
    /// is left is read and compared.
    ///
    /// # Errors
    /// If the threshold is one that the recipe cannot answer, or the index is damaged.
    pub fn ask(&self, text: &str, question: Question) -> Result<Vec<Match>> {
        self.with_work(|work| self.ask_with(&self.view(), text, question, work))
    }

    fn ask_with(
        &self,
        view: &View,
        text: &str,
        question: Question,
        work: &mut Work,
    ) -> Result<Vec<Match>> {
        let threshold = self.threshold(question)?;
        self.reader.read(text, &mut work.room, &mut work.asked);
        let tokens = work.asked.size.tokens;
        // What hides pairs depends on the threshold that is asked for.
        let recipe = match threshold {
            Some(threshold) if threshold != self.recipe.threshold => Cow::Owned(Recipe {
                threshold,
                ..self.recipe.clone()
            }),
            _ => Cow::Borrowed(&self.recipe),
        };
        let method = Method::new(&self.recipe, question.of_asked);
        let mut all: Vec<(Candidate, usize)> = Vec::new();
        for (at, live) in view.segments.iter().enumerate() {
            let found = candidates(
                &live.segment,
                &mut work.asked,
                (method, self.reader.shingler()),
                threshold,
                &mut work.tables,
            )?;
            all.extend(found.into_iter().map(|candidate| (candidate, at)));
        }
        // Of a ranked list only the best are compared; otherwise neighbours, which are read together.
        let wanted = question.top.unwrap_or(usize::MAX);
        if wanted < all.len() {
            all.sort_unstable_by_key(|(candidate, at)| {
                (Reverse(candidate.most), *at, candidate.unit)
            });
        } else {
            let mut keyed = Vec::with_capacity(all.len());
            for (candidate, at) in all {
                let unit = view.segments[at].segment.unit(candidate.unit)?;
                keyed.push(((at, unit.record, unit.part[0]), candidate, at));
            }
            keyed.sort_unstable_by_key(|(key, ..)| *key);
            all = keyed
                .into_iter()
                .map(|(_, candidate, at)| (candidate, at))
                .collect();
        }
        let mut found: BTreeMap<Rank, Match> = BTreeMap::new();
        for (candidate, at) in all {
            let last = found.last_key_value().filter(|_| found.len() >= wanted);
            if wanted == 0 || last.is_some_and(|((score, _), _)| candidate.most < score.0) {
                break;
            }
            let verified = self.verify(
                view,
                (at, candidate.unit),
                (text, tokens),
                (&recipe, method, threshold),
                work,
            )?;
            found.extend(verified);
            if found.len() > wanted {
                found.pop_last();
            }
        }
        Ok(found.into_values().collect())
    }

    /// The threshold of a question, if it is one that can be answered.
    fn threshold(&self, question: Question) -> Result<Option<Threshold>> {
        let recipe = &self.recipe;
        let fixed = recipe.keys.is_some() || recipe.measure.is_equality();
        match question.threshold {
            None if fixed => Ok(Some(recipe.threshold)),
            Some(threshold)
                if fixed
                    && !recipe
                        .threshold
                        .admits(threshold.numerator(), threshold.denominator()) =>
            {
                Err(Error::of("⟨threshold⟩")
                    .expected(format!("at least {}, that of the index", recipe.threshold))
                    .found(threshold)
                    .hint("make another index with a lower threshold: this one cannot find lower scores"))
            }
            threshold => Ok(threshold),
        }
    }

    /// Compares a unit with the text.
    fn verify(
        &self,
        view: &View,
        (at, unit): (usize, u32),
        (text, tokens): (&str, u32),
        (recipe, method, threshold): (&Recipe, Method, Option<Threshold>),
        work: &mut Work,
    ) -> Result<Option<(Rank, Match)>> {
        let Live { segment, removed } = &view.segments[at];
        let place = segment.unit(unit)?;
        if removed.has(place.record) {
            return Ok(None);
        }
        let least = self.recipe.threshold;
        let agree = |a: u64, b: u64| agreeing(least, a, b);
        if let Some(asked) = work.asked.signature
            && agree(asked, place.signature).is_none()
        {
            return Ok(None);
        }
        let Work {
            room,
            asked,
            other,
            records,
            ..
        } = work;
        let wrong = || segment.pages.damaged("a record", "something else");
        let stored = segment.record(place.record, records)?;
        let record_id = stored.id;
        let fields = view.description.fields.len();
        let (values, body) = stored.parts(fields).ok_or_else(wrong)?;
        let [ordinal, start, length] = place.part.map(|number| number as usize);
        let part = (ordinal > 0).then(|| start..start.saturating_add(length));
        let mut own = None;
        if view.description.texts {
            let whole = std::str::from_utf8(body).map_err(|_| wrong())?;
            let text = match part.clone() {
                Some(part) => whole.get(part).ok_or_else(wrong)?,
                None => whole,
            };
            self.reader.read(text, room, other);
            own = Some(text);
        } else {
            let of = segment.tokens(body, ordinal.saturating_sub(1))?;
            let (tokens, has_tokens) = of.ok_or_else(wrong)?;
            self.reader.read_tokens(&tokens, has_tokens, room, other);
        }
        let overlap = asked.overlap(other, method, self.reader.shingler());
        let has_shingles = method.measure().needs_shingles();
        let score = match (asked.signature, other.signature) {
            (Some(a), Some(b)) => {
                let (part, whole) = agree(a, b).unwrap_or((0, 1));
                Score {
                    part: u64::from(part),
                    whole: u64::from(whole),
                }
            }
            (None, None) if has_shingles => method.score((other.size, asked.size), overlap),
            // The only feature of each is its whole text.
            (None, None) => Score {
                part: overlap.shingles.into(),
                whole: 1,
            },
            _ => return Ok(None),
        };
        let shared = has_shingles.then_some(overlap.shingles);
        let (normaliser, items) = (self.reader.normaliser(), self.reader.items());
        let tokens = tokens.min(other.size.tokens);
        let loss = own.and_then(|own| Loss::of(&self.recipe, normaliser, (text, own), tokens));
        let left = loss.as_ref().map_or(score, |loss| loss.lower(score));
        match threshold {
            Some(threshold) => {
                if !method.measure().admits(threshold, left) {
                    return Ok(None);
                }
                if let (true, Some(own)) = (recipe.may_hide(), own) {
                    let found = Found {
                        texts: (text, own),
                        score: Some(score),
                        loss: loss.as_ref(),
                        tokens,
                    };
                    if hidden_by(recipe, normaliser, items, found)?.is_some() {
                        return Ok(None);
                    }
                }
            }
            None if left.part == 0 => return Ok(None),
            None => {}
        }
        let score = left;
        let found = Match {
            record_id: record_id.to_owned(),
            ordinal: (ordinal > 0).then_some(place.part[0]),
            score,
            shared,
            fields: values
                .into_iter()
                .map(|value| value.map(str::to_owned))
                .collect(),
            text: own.map(str::to_owned),
            part,
            place: (at, place.record),
        };
        let age = (at, place.record, place.part[0]);
        Ok(Some(((Reverse(score), age), found)))
    }
}

/// A unit of a source, with what resembles it.
#[derive(Debug)]
pub struct Answered<'a> {
    /// Its id: that of its record, with `#p3` or `#s17` for a part of it.
    pub id: String,
    /// Its text.
    pub text: &'a str,
    /// The matches.
    pub matches: Vec<Match>,
}

impl Index {
    /// Asks about every unit of a source, on all threads of the context, of the index as it is when this
    /// begins. `answer` gets the matches on any thread, `take` what it makes of them in input order.
    ///
    /// # Errors
    /// As [`Index::ask`]; errors of the source, and of the two functions.
    pub fn ask_all<T: Send>(
        &self,
        context: &Context,
        (source, bad): (&dyn Source, &mut dyn BadRecords),
        question: Question,
        answer: impl Fn(Answered<'_>) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let view = self.view();
        let (level, rejoin) = (self.recipe.unit, self.recipe.rejoin);
        let read = |room: &mut (Batch, Work, Vec<Part>), chunk: &dyn Chunk| {
            let (batch, work, parts) = room;
            batch.clear();
            chunk.read(batch);
            let mut answers = Vec::new();
            for record in &batch.records {
                let text = batch.text_of(record);
                let given = batch.id_of(record).filter(|id| !id.is_empty());
                let file = &source.files()[chunk.file() as usize].name;
                let made_up = || format!("{file}:{}", record.number);
                let id = given.map_or_else(made_up, str::to_owned);
                parts.clear();
                segment::parts(text, batch.segments_of(record), level, rejoin, parts);
                for (ordinal, part) in (1_u32..).zip(parts.iter()) {
                    let text = &text[part.text.clone()];
                    let matches = self.ask_with(&view, text, question, work)?;
                    let id = match level {
                        Level::Document => id.clone(),
                        level => format!("{id}{}{ordinal}", level.mark()),
                    };
                    answers.push(answer(Answered { id, text, matches })?);
                }
            }
            Ok((answers, chunk.file(), std::mem::take(&mut batch.bad)))
        };
        for_each_chunk(
            context,
            source,
            Default::default,
            read,
            |(answers, file, skipped)| {
                let mut skipped = skipped.into_iter();
                skipped.try_for_each(|record| bad.bad(file, record))?;
                answers.into_iter().try_for_each(&mut take)
            },
        )
    }
}

impl Index {
    /// Calls `take` with the segment and number of every record that matches a unit of a source, in any
    /// order, possibly several times.
    pub(super) fn places_of_all(
        &self,
        context: &Context,
        source: &dyn Source,
        question: Question,
        bad: &mut dyn BadRecords,
        mut take: impl FnMut((usize, u32)),
    ) -> Result<()> {
        let answer = |answered: Answered<'_>| Ok(answered.matches);
        self.ask_all(context, (source, bad), question, answer, |matches| {
            for found in matches {
                take(found.place);
            }
            Ok(())
        })
    }
}

impl Match {
    /// The id of the unit: that of its record, with `#p3` or `#s17` for a part of it.
    pub fn id(&self, level: Level) -> String {
        match self.ordinal {
            Some(ordinal) => format!("{}{}{ordinal}", self.record_id, level.mark()),
            None => self.record_id.clone(),
        }
    }
}
