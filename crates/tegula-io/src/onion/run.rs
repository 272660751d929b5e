//! Passes over a vertical file.

use super::chunk::{CHUNK, Chunks, Pool};
use super::emit::Emitter;
use super::feed::Feed;
use super::ngrams::{ByFingerprint, ByNumber, Collect, Count, Ngrams};
use super::options::Options;
use super::parse::{Owner, Parsed, Parser};
use super::{saved, tag_check};
use crate::compress::Input;
use crate::outputs::Outputs;
use std::path::{Path, PathBuf};
use tegula::context::{Amount, Context};
use tegula::error::Result;
use tegula::flow::in_order;
use tegula::hash::Width;
use tegula::onion::{
    Document, Fate, Judge, Numbering, Numbers, RepeatCount, SeenSet, Spec, Verdict,
};
use tegula::shingle::Shingler;

/// The typical length of a line in bytes, for estimates.
const LINE: u64 = 6;
/// N-grams expected of a stream, whose size is not known.
const STREAMED: u64 = 16 << 20;
/// More lines than a stream has.
const LONGEST: u64 = 1 << 36;

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
    /// How often the input was read.
    pub passes: u8,
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
            chunk: (2 * CHUNK / context.threads()).clamp(CHUNK / 8, CHUNK / 2),
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
        tag_check::check(context, feed.input()?, input, &options.tags)?;
    }
    let saved = options.saved.as_deref();
    let judge = saved
        .map(|path| saved::judge(context, path, options))
        .or_else(|| {
            options
                .once
                .then(|| Judge::new(options.rules, context, false))
        })
        .transpose()?;
    let mut run = Run {
        context,
        options,
        tuning,
        emitter: Emitter::create(outputs, output, options.strip)?,
    };
    let summary = match judge {
        Some(judge) => run.judge(&mut feed, judge, || ByFingerprint(spec(options, tuning)))?,
        None => run.twice(&mut feed)?,
    };
    run.emitter.finish()?;
    Ok(summary)
}

struct Run<'a> {
    context: &'a Context,
    options: &'a Options,
    tuning: Tuning,
    emitter: Emitter,
}

impl Run<'_> {
    /// Numbers the n-grams that occur more than once, then judges by these.
    fn twice(&mut self, feed: &mut Feed) -> Result<Summary> {
        feed.keep_copy(self.context)?;
        let numbers = self.number(feed)?;
        let judge = Judge::numbered(self.options.rules, self.context, &numbers, false)?;
        let spec = spec(self.options, self.tuning);
        let ngrams = || ByNumber::new(spec.clone(), numbers.reader());
        let summary = self.judge(feed, judge, ngrams)?;
        Ok(Summary {
            passes: 2,
            ..summary
        })
    }

    /// Numbers the n-grams that occur more than once.
    fn number(&self, feed: &mut Feed) -> Result<Numbers> {
        let spec = spec(self.options, self.tuning);
        let bytes = bytes_expected(feed)?;
        let expected = bytes.map_or(STREAMED, |bytes| bytes / LINE);
        // A line takes at least a byte.
        let end = bytes.unwrap_or(LONGEST).saturating_mul(spec.step());
        let numbering = Numbering::new(self.context, expected, end);
        let ngrams = || Collect::new(spec.clone(), numbering.writer());
        collect(self.context, feed, (self.options, self.tuning), ngrams)?;
        numbering.finish()
    }

    /// Judges everything, and writes it.
    fn judge<N: Ngrams<Key: Send>, S: SeenSet<Key = N::Key>>(
        &mut self,
        feed: &mut Feed,
        mut judge: Judge<S>,
        ngrams: impl Fn() -> N + Sync,
    ) -> Result<Summary> {
        let Self {
            context,
            options,
            tuning,
            emitter,
        } = self;
        let (buffers, pool) = (Pool::default(), Pool::<Parsed<N::Key>>::default());
        let chunks = chunks(context, feed, options, tuning.chunk, &buffers)?;
        context
            .progress
            .begin("judging", feed.bytes(), Amount::Bytes);
        let mut tally = Tally::default();
        let result = in_order(
            context,
            chunks,
            || Parser::new(&options.tags, ngrams(), !options.strip),
            |parser, mut chunk| {
                let mut parsed = pool.take();
                parser.parse(&mut chunk, &mut parsed)?;
                buffers.give_bytes(chunk.bytes);
                Ok(parsed)
            },
            |mut parsed| {
                tally.judge(&mut judge, parsed.documents())?;
                emitter.chunk(&mut parsed, |owner| tally.is_removed(owner))?;
                context.progress.advance(parsed.disk);
                parsed.let_go();
                pool.give(parsed);
                Ok(())
            },
        );
        context.progress.end();
        result.map_err(|error| feed.copy_error().unwrap_or(error))?;
        Ok(Summary {
            ngrams: judge.ngrams(),
            passes: 1,
            ..tally.summary
        })
    }
}

/// Reads a feed, and collects what `ngrams` needs.
fn collect<N: Ngrams<Key: Send>>(
    context: &Context,
    feed: &mut Feed,
    (options, tuning): (&Options, Tuning),
    ngrams: impl Fn() -> N + Sync,
) -> Result<()> {
    let buffers = Pool::default();
    let chunks = chunks(context, feed, options, tuning.chunk, &buffers)?;
    context
        .progress
        .begin("counting", feed.bytes(), Amount::Bytes);
    let result = in_order(
        context,
        chunks,
        || {
            let parser = Parser::new(&options.tags, ngrams(), false);
            (parser, Parsed::default())
        },
        |(parser, parsed), mut chunk| {
            parser.parse(&mut chunk, parsed)?;
            let disk = parsed.disk;
            parsed.let_go();
            buffers.give_bytes(chunk.bytes);
            Ok(disk)
        },
        |disk| {
            context.progress.advance(disk);
            Ok(())
        },
    );
    context.progress.end();
    result.map_err(|error| feed.copy_error().unwrap_or(error))
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
            tag_check::check(context, feed.input()?, input, &options.tags)?;
        }
        expected += feed.bytes().unwrap_or(0) / LINE;
        feeds.push(feed);
    }
    let tuning = Tuning::of(context);
    let count = RepeatCount::new(context, expected);
    for feed in &mut feeds {
        let ngrams = || Count::new(spec(options, tuning), count.writer());
        collect(context, feed, (options, tuning), ngrams)?;
    }
    let repeated = count.finish()?;
    saved::save(outputs, output, options, &repeated)?;
    Ok((repeated.count(), repeated.ngrams()))
}

fn spec(options: &Options, tuning: Tuning) -> Spec {
    Spec {
        shingler: Shingler::new(options.rules.ngram, tuning.width),
        whole: options.whole,
    }
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

/// An estimate of the size of the text, if that of the input is known.
fn bytes_expected(feed: &mut Feed) -> Result<Option<u64>> {
    let Some(bytes) = feed.bytes() else {
        return Ok(None);
    };
    let input: Input = feed.input()?;
    Ok(Some(bytes.saturating_mul(input.expansion())))
}

/// Judges the documents of chunks and counts the results.
#[derive(Default)]
struct Tally {
    summary: Summary,
    next_unit: u32,
    /// The verdicts of the current chunk.
    verdicts: Vec<Verdict>,
    /// For each document of the current chunk, whether it is removed completely.
    removed: Vec<bool>,
}

impl Tally {
    fn judge<S: SeenSet>(
        &mut self,
        judge: &mut Judge<S>,
        documents: &[Document<S::Key>],
    ) -> Result<()> {
        self.verdicts.clear();
        self.removed.clear();
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
            self.removed.push(!stays);
        }
        Ok(())
    }

    fn is_removed(&self, owner: Owner) -> bool {
        match owner {
            Owner::None => false,
            Owner::Document(number) => self.removed[number as usize],
            Owner::Paragraph(number) => !self.verdicts[number as usize].is_kept(),
        }
    }
}
