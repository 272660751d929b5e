//! Passes over a vertical file.

use super::chunk::{CHUNK, Chunks, Pool};
use super::emit::Emitter;
use super::feed::Feed;
use super::options::{Options, Passes};
use super::parse::{Owner, Parsed, Parser};
use super::{saved, sight};
use crate::compress::Input;
use crate::outputs::Outputs;
use std::path::{Path, PathBuf};
use tegula::context::{Amount, Context};
use tegula::error::{Error, ErrorKind, Result};
use tegula::flow::in_order;
use tegula::hash::Width;
use tegula::onion::{Document, Fate, Judge, RepeatCount, Repeated, Verdict};
use tegula::shingle::Shingler;

/// The typical length of a line in bytes, for estimates.
const LINE: u64 = 6;

/// The figures of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Documents with tokens.
    pub documents: u64,
    /// Documents removed completely.
    pub documents_removed: u64,
    /// Paragraphs with tokens.
    pub paragraphs: u64,
    /// Removed paragraphs.
    pub paragraphs_removed: u64,
    /// Those removed because of the paragraphs around them.
    pub paragraphs_smoothed: u64,
    /// Tokens.
    pub tokens: u64,
    /// Tokens in removed paragraphs.
    pub tokens_removed: u64,
    /// Distinct n-grams held.
    pub ngrams: u64,
    /// The number of passes made.
    pub passes: u8,
    /// Whether the run began with one pass and needed two.
    pub restarted: bool,
}

/// Settings that do not change the output, for tests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tuning {
    pub(super) chunk: usize,
    pub(super) width: Width,
}

impl Tuning {
    /// Chunks in flight have a fixed total size, unless there are very many threads.
    fn of(context: &Context) -> Self {
        Self {
            chunk: (4 * CHUNK / context.threads()).clamp(CHUNK / 8, CHUNK),
            width: Width::FULL,
        }
    }
}

/// Judges a vertical file and writes it with marks, or without what is removed. `-` is standard
/// input and standard output. A file is renamed into place when `outputs` are published.
///
/// # Errors
/// If something cannot be read or written; if the saved fingerprints are damaged or belong to other
/// options; if the required data do not fit under the memory ceiling.
pub fn deduplicate(
    context: &Context,
    input: &Path,
    (outputs, output): (&Outputs, Option<&Path>),
    options: &Options,
) -> Result<Summary> {
    tuned(
        context,
        input,
        (outputs, output),
        options,
        Tuning::of(context),
    )
}

pub(super) fn tuned(
    context: &Context,
    input: &Path,
    (outputs, output): (&Outputs, Option<&Path>),
    options: &Options,
    tuning: Tuning,
) -> Result<Summary> {
    outputs.protect(input)?;
    let mut feed = Feed::open(input)?;
    outputs.guard(feed.guard())?;
    if feed.is_file() {
        sight::check(context, feed.input()?, input, &options.tags)?;
    }
    let judge = options
        .saved
        .as_deref()
        .map(|path| saved::judge(context, path, options))
        .transpose()?;
    let mut run = Run {
        context,
        options,
        tuning,
        emitter: Emitter::create(outputs, output, options.strip)?,
    };
    let mut summary = match judge {
        Some(judge) => run.once(&mut feed, judge)?.summary,
        None => run.fresh(&mut feed)?,
    };
    summary.passes = summary.passes.max(1);
    run.emitter.finish()?;
    Ok(summary)
}

struct Run<'a> {
    context: &'a Context,
    options: &'a Options,
    tuning: Tuning,
    emitter: Emitter,
}

/// How a judging pass ended.
struct Ended {
    summary: Summary,
    /// The n-grams did not fit under the memory ceiling.
    overflow: Option<Error>,
}

impl Run<'_> {
    /// Judges without saved n-grams.
    fn fresh(&mut self, feed: &mut Feed) -> Result<Summary> {
        let passes = self.options.passes;
        if passes != Passes::One {
            feed.keep_copy(self.context)?;
        }
        let mut restarted = false;
        if passes != Passes::Two {
            let expected = tokens_expected(feed)?;
            let free = self.context.budget.free();
            let fits = expected.is_none_or(|tokens| Judge::bytes_for(tokens) <= free);
            if fits || passes == Passes::One {
                let judge = Judge::new(self.options.rules, self.context, false)?;
                let ended = self.once(feed, judge)?;
                match ended.overflow {
                    None => return Ok(ended.summary),
                    Some(error) if passes == Passes::One => return Err(error),
                    Some(_) => {}
                }
                restarted = true;
            }
        }
        if restarted {
            feed.finish_copy(self.context)?;
        }
        self.emitter.restart();
        let expected = tokens_expected(feed)?.unwrap_or(0);
        let repeated = self.count(std::slice::from_mut(feed), expected)?;
        let mut judge = Judge::among(self.options.rules, self.context, repeated.count(), false)?;
        repeated.for_each(|piece| judge.admit(piece.iter().copied()))?;
        drop(repeated);
        let ended = self.once(feed, judge)?;
        match ended.overflow {
            None => Ok(Summary {
                passes: 2,
                restarted,
                ..ended.summary
            }),
            Some(error) => Err(error),
        }
    }

    /// Judges everything, and writes what was not written yet.
    fn once(&mut self, feed: &mut Feed, mut judge: Judge) -> Result<Ended> {
        let Self {
            context,
            options,
            tuning,
            emitter,
        } = self;
        let (buffers, pool) = (Pool::default(), Pool::<Parsed>::default());
        let chunks = chunks(context, feed, options, tuning.chunk, &buffers)?;
        context
            .progress
            .begin("judging", feed.bytes(), Amount::Bytes);
        let mut tally = Tally::default();
        let mut overflow = None;
        let result = in_order(
            context,
            chunks,
            || parser(options, *tuning, !options.strip),
            |parser, mut chunk| {
                let mut parsed = pool.take();
                parser.parse(&mut chunk, &mut parsed)?;
                if chunk.bytes.capacity() <= 2 * CHUNK {
                    buffers.give(chunk.bytes);
                }
                Ok(parsed)
            },
            |mut parsed| {
                if let Err(error) = tally.judge(&mut judge, parsed.documents()) {
                    if error.kind() == ErrorKind::Memory {
                        overflow = Some(error);
                        return Err(Error::new(ErrorKind::Memory, "the memory ceiling"));
                    }
                    return Err(error);
                }
                emitter.chunk(&mut parsed, |owner| tally.goes(owner))?;
                context.progress.advance(parsed.disk);
                parsed.let_go();
                pool.give(parsed);
                Ok(())
            },
        );
        context.progress.end();
        tally.summary.ngrams = judge.ngrams();
        if overflow.is_none() {
            result.map_err(|error| feed.copy_error().unwrap_or(error))?;
        }
        Ok(Ended {
            summary: tally.summary,
            overflow,
        })
    }

    /// Counts the n-grams of all feeds.
    fn count(&self, feeds: &mut [Feed], expected: u64) -> Result<Repeated> {
        count(self.context, feeds, self.options, self.tuning, expected)
    }
}

fn count(
    context: &Context,
    feeds: &mut [Feed],
    options: &Options,
    tuning: Tuning,
    expected: u64,
) -> Result<Repeated> {
    let count = RepeatCount::new(context, expected);
    for feed in feeds {
        let buffers = Pool::default();
        let chunks = chunks(context, feed, options, tuning.chunk, &buffers)?;
        context
            .progress
            .begin("counting", feed.bytes(), Amount::Bytes);
        let result = in_order(
            context,
            chunks,
            || {
                (
                    parser(options, tuning, false),
                    count.writer(),
                    Parsed::default(),
                )
            },
            |(parser, writer, parsed), mut chunk| {
                parser.parse(&mut chunk, parsed)?;
                if chunk.bytes.capacity() <= 2 * CHUNK {
                    buffers.give(chunk.bytes);
                }
                parsed
                    .documents()
                    .iter()
                    .try_for_each(|document| writer.document(document))?;
                let disk = parsed.disk;
                parsed.let_go();
                Ok(disk)
            },
            |disk| {
                context.progress.advance(disk);
                Ok(())
            },
        );
        context.progress.end();
        result.map_err(|error| feed.copy_error().unwrap_or(error))?;
    }
    count.finish()
}

/// Saves the n-grams that occur more than once in the inputs, for later runs over them, together or
/// one by one, at any threshold. Returns their number, and the number of all n-grams.
///
/// # Errors
/// If something cannot be read or written, or scratch is full.
pub fn save_fingerprints(
    context: &Context,
    inputs: &[PathBuf],
    (outputs, output): (&Outputs, &Path),
    options: &Options,
) -> Result<(u64, u64)> {
    let mut feeds = Vec::with_capacity(inputs.len());
    let mut expected = 0;
    for input in inputs {
        outputs.protect(input)?;
        let mut feed = Feed::open(input)?;
        outputs.guard(feed.guard())?;
        if feed.is_file() {
            sight::check(context, feed.input()?, input, &options.tags)?;
        }
        expected += feed.bytes().unwrap_or(0) / LINE;
        feeds.push(feed);
    }
    let repeated = count(context, &mut feeds, options, Tuning::of(context), expected)?;
    saved::save(outputs, output, options, &repeated)?;
    Ok((repeated.count(), repeated.ngrams()))
}

fn parser(options: &Options, tuning: Tuning, marks: bool) -> Parser<'_> {
    Parser::new(
        &options.tags,
        Shingler::new(options.rules.ngram, tuning.width),
        options.whole,
        marks,
    )
}

fn chunks<'a>(
    context: &'a Context,
    feed: &mut Feed,
    options: &'a Options,
    size: usize,
    buffers: &'a Pool<Vec<u8>>,
) -> Result<Chunks<'a>> {
    let input = feed.input()?.within(Some(&context.budget), feed.path())?;
    Ok(Chunks::new(
        context,
        input,
        feed.path().to_path_buf(),
        &options.tags,
        buffers,
    )
    .sized(size))
}

/// An estimate of the number of tokens, if the size of the input is known.
fn tokens_expected(feed: &mut Feed) -> Result<Option<u64>> {
    let Some(bytes) = feed.bytes() else {
        return Ok(None);
    };
    let input: Input = feed.input()?;
    Ok(Some(bytes.saturating_mul(input.expansion()) / LINE))
}

/// Judges the documents of chunks and counts the results.
#[derive(Default)]
struct Tally {
    summary: Summary,
    next_unit: u32,
    /// The verdicts of the current chunk.
    verdicts: Vec<Verdict>,
    /// For each document of the current chunk, whether it is removed completely.
    gone: Vec<bool>,
}

impl Tally {
    fn judge(&mut self, judge: &mut Judge, documents: &[Document]) -> Result<()> {
        self.verdicts.clear();
        self.gone.clear();
        for document in documents {
            let first = self.verdicts.len();
            judge.document(document, self.next_unit, &mut self.verdicts, None)?;
            // The judge has checked that the number fits.
            self.next_unit += document.paragraphs.len() as u32;
            let mut stays = false;
            let mut empty = true;
            for (paragraph, verdict) in document.paragraphs.iter().zip(&self.verdicts[first..]) {
                if paragraph.tokens == 0 {
                    continue;
                }
                empty = false;
                stays |= verdict.is_kept();
                self.summary.paragraphs += 1;
                self.summary.tokens += u64::from(paragraph.tokens);
                if !verdict.is_kept() {
                    self.summary.paragraphs_removed += 1;
                    self.summary.paragraphs_smoothed += u64::from(verdict.fate == Fate::Smoothed);
                    self.summary.tokens_removed += u64::from(paragraph.tokens);
                }
            }
            self.summary.documents += u64::from(!empty);
            self.summary.documents_removed += u64::from(!empty && !stays);
            self.gone.push(!stays);
        }
        Ok(())
    }

    fn goes(&self, owner: Owner) -> bool {
        match owner {
            Owner::None => false,
            Owner::Document(number) => self.gone[number as usize],
            Owner::Paragraph(number) => !self.verdicts[number as usize].is_kept(),
        }
    }
}
