//! The Onion driver: how much of each unit was previously seen (Benko 2013 §3; Pomikálek 2011).
//!
//! ```text
//! survey    pass 1: sizes, digests, numbers of n-grams that recur   → units
//! judge     pass 2: these n-grams, document by document, in order  → shares previously seen, kept units
//! ```
//!
//! A document is a record; its paragraphs are the record's units, or the record itself if that is
//! the unit. The judge receives only n-grams that have a number: others can never be previously seen.

use super::bad_records::BadRecords;
use super::clock::Clock;
use super::job::Job;
use super::reading::{Buffers, Features, Ngrams, Reading};
use super::recording::Recording;
use super::survey;
use crate::constraint::Allowed;
use crate::context::{Amount, Context};
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::{Coverage, Evidence, Findings, Notes, Source};
use crate::flow::for_each_chunk;
use crate::group::Groups;
use crate::hash::Width;
use crate::onion::{
    Document, Fate, Judge, NumberReader, Numbered, Numbering, Numbers, Rules, Sources, Spec, Text,
    Verdict,
};
use crate::recipe::{Recipe, Short};
use crate::record::{Batch, Chunk};
use crate::shingle::Shingler;
use crate::threshold::Threshold;
use crate::unit::Units;

/// Positions for each byte of text: more than a byte has tokens, as the size of compressed text is an
/// estimate.
const POSITIONS: u64 = 4;

/// Reads records in the passes after n-grams were numbered.
struct Passes<'a> {
    context: &'a Context,
    reading: &'a Reading<'a>,
    ngrams: &'a Ngrams,
    units: &'a Units,
    numbers: &'a Numbers,
    /// By record, where its n-grams begin.
    firsts: &'a [u64],
    /// The first file of the references.
    references_from: u32,
}

/// One thread's buffers.
struct State<'a> {
    batch: Batch,
    buffers: Buffers,
    reader: NumberReader<'a>,
}

/// Runs Onion over a source.
///
/// # Errors
/// As [`super::find`].
pub(super) fn find(context: &Context, job: Job, bad: &mut dyn BadRecords) -> Result<Findings> {
    let recipe = job.recipe;
    let mut clock = Clock::start();
    let (coverage, units, allowed, groups) =
        with_passes(context, job, bad, &mut clock, |passes, allowed| {
            passes.judge(
                rules(recipe, recipe.threshold),
                allowed,
                &|references, f| passes.each(references, f),
            )
        })?;
    clock.lap("judge");
    let notes = Notes {
        timings: clock.laps,
        ..Notes::default()
    };
    Ok(Findings {
        units,
        groups,
        allowed,
        evidence: Evidence::Coverage(coverage),
        notes,
    })
}

/// Runs Onion at several thresholds over n-grams read once: `each` receives the findings for each
/// threshold, in order.
///
/// # Errors
/// As for [`super::find`], and errors of `each`.
pub fn sweep(
    context: &Context,
    job: Job,
    thresholds: &[Threshold],
    bad: &mut dyn BadRecords,
    each: &mut dyn FnMut(&Units, &Allowed, Threshold, &Coverage) -> Result<()>,
) -> Result<()> {
    let recipe = job.recipe;
    with_passes(context, job, bad, &mut Clock::start(), |passes, allowed| {
        let mut recording = Recording::new(context)?;
        for references in [true, false] {
            passes.each(references, &mut |document, first| {
                recording.push(references, first, document)
            })?;
        }
        recording.end()?;
        for threshold in thresholds {
            let coverage = passes.judge(rules(recipe, *threshold), allowed, &|references, f| {
                recording.each(references, f)
            })?;
            each(passes.units, allowed, *threshold, &coverage)?;
        }
        Ok(())
    })
    .map(drop)
}

fn rules(recipe: &Recipe, threshold: Threshold) -> Rules {
    let onion = recipe.onion.unwrap_or_default();
    Rules {
        ngram: recipe.ngram,
        threshold,
        smooth: onion.smooth.then_some(onion.stub),
    }
}

/// Makes the first pass, and passes on the state for the second.
fn with_passes<T>(
    context: &Context,
    job: Job,
    bad: &mut dyn BadRecords,
    clock: &mut Clock,
    then: impl FnOnce(&Passes, &Allowed) -> Result<T>,
) -> Result<(T, Units, Allowed, Groups)> {
    let recipe = job.recipe;
    let normaliser = recipe.check()?;
    recipe.check_constraints(job.constraints)?;
    let onion = recipe.onion.unwrap_or_default();
    let width = Width::bits(job.tuning.id_bits);
    let spec = Spec {
        shingler: Shingler::new(recipe.ngram, width),
        whole: onion.short == Short::Exact,
    };
    // In European languages a word and its space take about six bytes; a wrong guess costs only
    // time.
    let bytes = job.source.text_bytes();
    let end = bytes.saturating_mul(POSITIONS * spec.step());
    let field = |name: &str| {
        job.source
            .field_names()
            .iter()
            .position(|field| field == name)
    };
    let within = job.constraints.within.iter().filter_map(|key| {
        let dates = job.source.expected(&key.name).dates;
        Some((field(&key.name)?, key.clone(), dates))
    });
    let within = within.collect();
    let reading = Reading {
        width,
        min_tokens: job.constraints.min_tokens,
        own_tokens: recipe.counts_own_tokens(),
        features: Features::Ngrams(Ngrams {
            numbering: Numbering::new(context, bytes / 6, end),
            spec,
            within,
        }),
        ..Reading::wholes(job.source, recipe, &normaliser)
    };
    let survey = survey::survey(context, &reading, None, bad)?;
    let units = survey.units;
    let allowed = job.constraints.resolve(&units)?;
    let groups = Groups::new(&units, &allowed);
    let _held = context.budget.reserve(
        groups.heap_bytes() + 9 * units.len() as u64 + 8 * survey.firsts.len() as u64,
        "the verdicts on units",
    )?;
    clock.lap("survey");
    let Features::Ngrams(ngrams) = &reading.features else {
        return Err(Error::new(
            ErrorKind::Run,
            "expected n-grams to be read, found other features",
        ));
    };
    let numbers = ngrams.numbering.finish()?;
    clock.lap("numbers");
    let passes = Passes {
        context,
        reading: &reading,
        ngrams,
        units: &units,
        numbers: &numbers,
        firsts: &survey.firsts,
        references_from: job.constraints.references_from.unwrap_or(u32::MAX),
    };
    let result = then(&passes, &allowed)?;
    Ok((result, units, allowed, groups))
}

/// Receives a document and its first unit.
type Take<'a> = &'a mut dyn FnMut(&Document<Numbered>, u32) -> Result<()>;

impl Passes<'_> {
    /// Judges the documents that `each` supplies: those of the references if its argument is true,
    /// otherwise the others.
    fn judge(
        &self,
        rules: Rules,
        allowed: &Allowed,
        each: &dyn Fn(bool, Take) -> Result<()>,
    ) -> Result<Coverage> {
        let units = self.units;
        let mut judge = Judge::numbered(rules, self.context, self.numbers, true)?;
        let count = units.len() as u32;
        let of_reference = |record: &usize| allowed.is_reference(*record);
        let first_reference = (0..units.records.len())
            .find(of_reference)
            .map_or(count, |record| units.records.first_unit[record]);
        // References were there before: the judge first counts their units, then starts again at 0.
        let references = count - first_reference;
        let to_judge = |unit: u32| {
            if unit < first_reference {
                unit + references
            } else {
                unit - first_reference
            }
        };
        let from_judge = |unit: u32| {
            if unit < references {
                unit + first_reference
            } else {
                unit - references
            }
        };
        if references > 0 {
            each(true, &mut |document, unit| {
                judge.learn(document, to_judge(unit))
            })?;
        }
        let mut coverage = Coverage {
            tokens: vec![0; units.len()],
            fates: vec![Fate::Kept; units.len()],
            sources: Vec::new(),
        };
        let mut verdicts: Vec<Verdict> = Vec::new();
        let mut sources = Sources::default();
        each(false, &mut |document, first| {
            verdicts.clear();
            sources.clear();
            judge.document(document, to_judge(first), &mut verdicts, Some(&mut sources))?;
            for (place, (unit, verdict)) in (first..).zip(&verdicts).enumerate() {
                // A unit that is too short was not judged, so smoothing must not remove it; nor does
                // it remove a record in which no text was found.
                let is_short = self.reading.leaves_out(units.tokens[unit as usize], 0);
                if is_short || units.is_blank(unit) {
                    continue;
                }
                coverage.tokens[unit as usize] = verdict.seen;
                coverage.fates[unit as usize] = verdict.fate;
                if verdict.fate != Fate::Kept {
                    let of = sources.of(place).iter();
                    coverage.sources.extend(of.map(|s| Source {
                        unit,
                        source: from_judge(s.unit),
                        tokens: s.tokens,
                    }));
                }
            }
            Ok(())
        })?;
        Ok(coverage)
    }

    /// Passes the documents of the references, or all others, to `take`, in input order, each with
    /// its first unit.
    fn each(&self, references: bool, take: Take) -> Result<()> {
        if references && self.references_from == u32::MAX {
            return Ok(());
        }
        let source = self.reading.source;
        let total = source.files().iter().map(|file| file.bytes).sum();
        self.context.progress.begin(
            if references { "learning" } else { "judging" },
            Some(total),
            Amount::Bytes,
        );
        let is_asked = |chunk: &dyn Chunk| (chunk.file() >= self.references_from) == references;
        for_each_chunk(
            self.context,
            source,
            || State {
                batch: Batch::default(),
                buffers: Buffers::default(),
                reader: self.numbers.reader(),
            },
            |state, chunk| {
                if is_asked(chunk) {
                    self.documents(state, chunk)
                } else {
                    Ok(Vec::new())
                }
            },
            |documents| {
                documents.iter().try_for_each(|(first, document)| {
                    let tokens = document.paragraphs.iter().map(|p| u64::from(p.tokens));
                    self.context.work.tokens(tokens.sum());
                    self.context.work.features(document.ngrams.len() as u64, 0);
                    take(document, *first)
                })
            },
        )?;
        self.context.progress.end();
        Ok(())
    }

    /// The documents of a chunk, each with its first unit; documents without units are skipped.
    fn documents(
        &self,
        state: &mut State,
        chunk: &dyn Chunk,
    ) -> Result<Vec<(u32, Document<Numbered>)>> {
        state.batch.clear();
        chunk.read(&mut state.batch);
        let path = &self.reading.source.files()[chunk.file() as usize].path;
        let changed = |number: u64| {
            Error::data("the file changed while it was read")
                .at(path)
                .record(number)
                .hint("run again on a copy that no one writes to")
        };
        let Some(first) = state.batch.records.first() else {
            return Ok(Vec::new());
        };
        let first = self
            .units
            .records
            .find(chunk.file(), first.number)
            .ok_or_else(|| changed(first.number))?;
        let mut documents = Vec::with_capacity(state.batch.records.len());
        for (place, at) in (0..state.batch.records.len()).zip(first..) {
            let number = state.batch.records[place].number;
            if self.units.records.number.get(at) != Some(&number) {
                return Err(changed(number));
            }
            let range = self.units.of_record(at);
            let document = self.document(state, (place, at))?;
            if document.paragraphs.len() != range.len()
                || document
                    .paragraphs
                    .iter()
                    .zip(range.clone())
                    .any(|(p, unit)| p.tokens != self.judged(self.units.tokens[unit as usize]))
            {
                return Err(changed(number));
            }
            if !range.is_empty() {
                documents.push((range.start, document));
            }
        }
        Ok(documents)
    }

    /// The tokens that the judge receives: none for a unit that is too short.
    fn judged(&self, tokens: u32) -> u32 {
        if self.reading.leaves_out(tokens, 0) {
            0
        } else {
            tokens
        }
    }

    /// The document of the record at `place` of the batch, the record `at` of all.
    fn document(
        &self,
        state: &mut State,
        (place, at): (usize, usize),
    ) -> Result<Document<Numbered>> {
        let State {
            batch,
            buffers,
            reader,
        } = state;
        let record = &batch.records[place];
        self.reading.parts(batch, place, buffers);
        buffers.record.clear();
        buffers.lengths.clear();
        let parts = std::mem::take(&mut buffers.parts);
        for part in &parts {
            let tokens = self.reading.tokens_of(batch, record, part, buffers);
            let judged = self.judged(tokens as u32);
            buffers.lengths.push(judged);
            buffers
                .record
                .extend_from_slice(&buffers.tokens[..judged as usize]);
        }
        buffers.parts = parts;
        let text = Text {
            tokens: &buffers.record,
            lengths: &buffers.lengths,
            first: self.firsts[at],
            salt: self.ngrams.salt(batch, record),
        };
        let mut document = Document::default();
        self.ngrams.spec.number(text, reader, &mut document)?;
        Ok(document)
    }
}
