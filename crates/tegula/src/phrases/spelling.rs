//! The second reading: where each phrase first occurs, and how it is spelled there.

use super::found::{Best, Found, FoundRow, Order, Part};
use super::frequencies::Frequencies;
use super::listing::Listing;
use super::row::{Row, Spelled};
use crate::context::{Amount, Context, Reservation};
use crate::engine::Job;
use crate::engine::reread::changed;
use crate::engine::taped::Taped;
use crate::error::Result;
use crate::flow::for_each_chunk;
use crate::hash::{Fingerprint, Width};
use crate::recipe::Recipe;
use crate::record::{Batch, Chunk, Source};
use crate::tape::{self, TapeReader};
use crate::text::code_points::CodePoints;
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::Normaliser;
use crate::text::segment::{self, Part as TextPart};
use crate::text::spans::TokenSpans;
use crate::text::words::Words;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Reads the texts that have the first occurrence of a phrase, and lists all phrases.
///
/// # Errors
/// Errors of the source, the memory ceiling or scratch; if the input has changed.
pub(super) fn spell(
    context: &Context,
    job: &Job,
    taped: &Taped,
    (found, best): (&Found, &Best),
    frequencies: &Frequencies,
) -> Result<Listing> {
    let (source, recipe) = (job.source, job.recipe);
    let speller = Speller {
        source,
        recipe,
        normaliser: &recipe.check()?,
        taped,
        frequencies,
        cache: PartCache {
            context,
            found,
            last: best.last,
            parts: Mutex::default(),
        },
    };
    let mut listing = Listing::new(context, best)?;
    let total = source.files().iter().map(|file| file.bytes).sum();
    context
        .progress
        .begin("spelling phrases", Some(total), Amount::Bytes);
    let mut writer = listing.writer();
    for_each_chunk(
        context,
        source,
        || Worker {
            batch: Batch::default(),
            parts: Vec::new(),
            part: Part::default(),
            reader: taped.tape.reader(),
            words: Words::default(),
            tokens: Vec::new(),
            spans: TokenSpans::default(),
            points: CodePoints::default(),
            numbers: Vec::new(),
            rarities: Vec::new(),
        },
        |worker, chunk| speller.chunk(worker, chunk),
        |out| writer.push(&out),
    )?;
    drop(writer);
    context.progress.end();
    listing.seal()?;
    Ok(listing)
}

/// What all threads share.
struct Speller<'a> {
    source: &'a dyn Source,
    recipe: &'a Recipe,
    normaliser: &'a Normaliser,
    taped: &'a Taped,
    frequencies: &'a Frequencies,
    cache: PartCache<'a>,
}

/// One thread's buffers.
struct Worker<'a> {
    batch: Batch,
    parts: Vec<TextPart>,
    /// The phrases that occur first in a record.
    part: Part,
    reader: TapeReader<'a>,
    words: Words,
    tokens: Vec<Fingerprint>,
    spans: TokenSpans,
    points: CodePoints,
    numbers: Vec<u32>,
    /// The sum of the rarities of the tokens before each, and of all.
    rarities: Vec<i64>,
}

impl Speller<'_> {
    fn chunk(&self, worker: &mut Worker, chunk: &dyn Chunk) -> Result<Spelled> {
        let mut batch = std::mem::take(&mut worker.batch);
        batch.clear();
        chunk.read(&mut batch);
        let units = &self.taped.units;
        let file = chunk.file();
        let mut out = Spelled::default();
        for record in &batch.records {
            let changed = || changed(&self.source.files()[file as usize].path, record.number);
            let found = units.records.find(file, record.number);
            let range = units.of_record(found.ok_or_else(changed)?);
            let starts = &self.taped.starts[range.start as usize..=range.end as usize];
            let tape = starts[0]..starts[range.len()];
            self.cache.within(&tape, &mut worker.part)?;
            if worker.part.rows.is_empty() {
                continue;
            }
            let text = batch.text_of(record);
            let (level, rejoin) = (self.recipe.unit, self.recipe.rejoin);
            let mut parts = std::mem::take(&mut worker.parts);
            parts.clear();
            segment::parts(text, batch.segments_of(record), level, rejoin, &mut parts);
            if parts.len() != range.len() {
                return Err(changed());
            }
            let offsets = code_points(text, parts.iter().map(|part| part.text.start));
            for ((part, offset), unit) in parts.iter().zip(offsets).zip(range) {
                if !self.unit(worker, unit, (&text[part.text.clone()], offset), &mut out)? {
                    return Err(changed());
                }
            }
            worker.parts = parts;
        }
        worker.batch = batch;
        Ok(out)
    }

    /// Spells the phrases of the worker's part that occur first in a unit with this text, which
    /// begins at this code point of its record; false if it has other tokens than before.
    fn unit(
        &self,
        worker: &mut Worker,
        unit: u32,
        (text, offset): (&str, u32),
        out: &mut Spelled,
    ) -> Result<bool> {
        let Worker {
            part,
            reader,
            words,
            tokens,
            spans,
            points,
            numbers,
            rarities,
            ..
        } = worker;
        let range = self.taped.range(unit);
        let rows = within(&part.rows, &range, |row| row.place);
        if rows.is_empty() {
            return Ok(true);
        }
        numbers.clear();
        reader.extend(range.clone(), numbers)?;
        fingerprints(self.normaliser, words, text, tokens);
        let spelled = tokens.iter().map(|token| tape::number(*token, Width::FULL));
        if !spelled.eq(numbers.iter().copied()) {
            return Ok(false);
        }
        let mut sum = 0;
        rarities.clear();
        rarities.push(0);
        rarities.extend(numbers.iter().map(|token| {
            sum += self.frequencies.rarity(*token);
            sum
        }));
        let spans = spans.read(self.normaliser, text);
        points.read(text);
        let base = out.text.len();
        out.text.push_str(text);
        for row in rows {
            let first = (row.place - range.start) as usize;
            let last = first + row.length as usize - 1;
            let (from, to) = (spans[first].start, spans[last].end);
            let shares = shares_of(part, row);
            out.rows.push(Row {
                place: row.place,
                deviation: row.deviation,
                association: self
                    .frequencies
                    .association(row.occurrences, rarities[last + 1] - rarities[first]),
                text: (base + from) as u64,
                shares: out.shares.len() as u64,
                text_bytes: (to - from) as u32,
                share_count: shares.len() as u32,
                length: row.length,
                occurrences: row.occurrences,
                texts: row.texts,
                unit,
                start: offset + points.before(text, from),
                end: offset + points.before(text, to),
            });
            out.shares.extend(shares);
        }
        Ok(true)
    }
}

/// The shares of a phrase.
fn shares_of(part: &Part, row: &FoundRow) -> impl ExactSizeIterator<Item = [u32; 3]> {
    let key = (row.place, row.length);
    let from = part
        .shares
        .partition_point(|share| (share.place, share.length) < key);
    let rest = &part.shares[from..];
    let to = rest.partition_point(|share| (share.place, share.length) == key);
    rest[..to]
        .iter()
        .map(|share| [share.value, share.texts, share.occurrences])
}

/// The rows with places in a range, of rows that are sorted by place.
fn within<'a, T>(rows: &'a [T], range: &Range<u64>, place: impl Fn(&T) -> u64) -> &'a [T] {
    let from = rows.partition_point(|row| place(row) < range.start);
    let to = rows.partition_point(|row| place(row) < range.end);
    &rows[from..to]
}

/// For each offset in bytes, which never decrease, the number of code points before it.
fn code_points(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<u32> {
    let (mut at, mut count) = (0, 0);
    offsets
        .map(|offset| {
            count += text[at..offset].chars().count() as u32;
            at = offset;
            count
        })
        .collect()
}

/// A part, and the memory that it takes.
type Held = Arc<(Part, Reservation)>;

/// Phrases by place, a few parts at a time, for threads that read neighbouring chunks.
struct PartCache<'a> {
    context: &'a Context,
    found: &'a Found,
    /// The last phrase that is listed.
    last: Order,
    parts: Mutex<Vec<(usize, Held)>>,
}

impl PartCache<'_> {
    /// The phrases that begin in a range of the tape.
    fn within(&self, range: &Range<u64>, out: &mut Part) -> Result<()> {
        out.rows.clear();
        out.shares.clear();
        for number in self.found.parts(range) {
            let part = self.part(number)?;
            let Part { rows, shares } = &part.0;
            out.rows
                .extend_from_slice(within(rows, range, |row| row.place));
            out.shares
                .extend_from_slice(within(shares, range, |share| share.place));
        }
        Ok(())
    }

    fn part(&self, number: usize) -> Result<Held> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, part)) = parts.iter().find(|(held, _)| *held == number) {
            return Ok(Arc::clone(part));
        }
        if parts.len() > self.context.threads() {
            parts.remove(0);
        }
        let part = Arc::new(self.found.part(self.context, number, self.last)?);
        parts.push((number, Arc::clone(&part)));
        Ok(part)
    }
}
