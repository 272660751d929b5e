//! The first pass: the size and digest of every unit, which shingles may repeat, which records are
//! bad.

use super::bad_records::BadRecords;
use super::reading::{Buffers, Features, Reading};
use crate::chains::{NONE, Placed, Placer, Rows};
use crate::context::{Amount, Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::field::FieldColumn;
use crate::flow::for_each_chunk;
use crate::hash::Hashed;
use crate::onion::{NumberWriter, Numbering, Text};
use crate::record::{self, Batch, Chunk, Level};
use crate::statistics::{self, Statistics};
use crate::tape::{self, Tape, TapeWriter};
use crate::text::digest::{Digest, Digested};
use crate::unit::{Growth, PartRange, Units};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::{Mutex, PoisonError};

/// The result of the first pass.
pub(crate) struct Survey {
    pub(crate) units: Units,
    /// By record, where its n-grams begin, if these are read.
    pub(crate) firsts: Vec<u64>,
    /// Where the rows of each unit's shingles are, if there are any.
    pub(crate) placed: Option<Placed>,
    /// All tokens, if wanted.
    pub(crate) tape: Option<Tape>,
    /// The memory of the dictionary, if words were segmented with one.
    pub(crate) dictionary: Reservation,
}

/// What the survey says of the records of a chunk.
#[derive(Serialize, Deserialize)]
pub struct Surveyed {
    batch: Batch,
    /// The index of the file.
    pub(crate) file: u32,
    /// Units of each record.
    counts: Vec<u32>,
    /// Records without text.
    blank: Vec<u32>,
    /// Where the n-grams of each record begin.
    firsts: Vec<u64>,
    rows: Vec<Row>,
    /// The numbers of all tokens, if they are put on a tape.
    tape: Vec<u32>,
    parts: Vec<PartRange>,
    ordinals: Vec<u32>,
    /// Ids that the format gives units, each with the unit's row index.
    ids: Vec<(u32, Box<str>)>,
    /// Bytes on disk.
    disk: u64,
}

#[derive(Serialize, Deserialize)]
struct Row {
    tokens: u32,
    /// The same with those that are dropped, if they count.
    in_balance: Option<u32>,
    text_bytes: u32,
    digest: Digested,
    /// Where the rows of its shingles begin, and the number of distinct shingles.
    #[serde(skip)]
    place: (u32, u32),
}

/// One thread's buffers.
#[derive(Default)]
pub(crate) struct Worker<'a> {
    batch: Batch,
    buffers: Buffers,
    numbers: Option<NumberWriter<'a>>,
    placer: Option<Placer<'a>>,
    pub(crate) terms: statistics::Pending,
}

type Digests = HashSet<u128, BuildHasherDefault<Hashed>>;

/// The digests seen so far, in shards, so that shingles of equal texts are counted once.
pub(crate) struct SeenDigests(Vec<Mutex<Digests>>);

impl SeenDigests {
    pub(crate) fn new() -> Self {
        Self((0..64).map(|_| Mutex::new(Digests::default())).collect())
    }

    fn is_new(&self, digest: u128) -> bool {
        self.0[digest as usize % self.0.len()]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(digest)
    }
}

/// By unit, where the rows of its shingles begin, and the number of distinct shingles; or by record,
/// where its n-grams begin.
#[derive(Default)]
struct Places {
    are_kept: bool,
    firsts: Vec<u64>,
    starts: Vec<u32>,
    sets: Vec<u32>,
}

/// Appends a chunk's records and units to the tables, and reports its bad records.
fn append(
    units: &mut Units,
    places: &mut Places,
    mut out: Surveyed,
    (tails, growth): (bool, Growth),
    bad: &mut dyn BadRecords,
) -> Result<()> {
    out.batch
        .bad
        .drain(..)
        .try_for_each(|record| bad.bad(out.file, record))?;
    for (row, id) in &out.ids {
        units.own_ids.push(units.tokens.len() as u32 + row, id);
    }
    let mut rows = out.rows.into_iter();
    if rows
        .as_slice()
        .first()
        .is_some_and(|row| row.in_balance.is_some())
    {
        growth.make_room(&mut units.in_balance, rows.len());
    }
    units.parts.extend_from_slice(&out.parts);
    if !out.ordinals.is_empty() {
        // Units of earlier chunks, none of which was skipped, are numbered now.
        for unit in units.ordinals.len()..units.tokens.len() {
            let record = units
                .records
                .first_unit
                .partition_point(|first| *first as usize <= unit)
                - 1;
            units
                .ordinals
                .push(unit as u32 - units.records.first_unit[record] + 1);
        }
        units.ordinals.append(&mut out.ordinals);
    }
    places.firsts.append(&mut out.firsts);
    if places.are_kept {
        growth.make_room(&mut places.starts, rows.len());
        growth.make_room(&mut places.sets, rows.len());
    }
    let ids = out.batch.ids.len();
    units
        .records
        .no_dates
        .add(std::mem::take(&mut out.batch.no_dates));
    units.make_room(growth, (out.batch.records.len(), rows.len(), ids));
    let records = &mut units.records;
    for at in &out.blank {
        records.blank.add(records.number.len() + *at as usize);
    }
    for (record, count) in out.batch.records.iter().zip(&out.counts) {
        records.first_unit.push(units.tokens.len() as u32);
        records.file.push(out.file);
        records.number.push(record.number);
        records.byte_start.push(record.bytes.start);
        records.byte_len.push(record.bytes.end - record.bytes.start);
        records.push_id(record.id.clone().map_or("", |range| &out.batch.ids[range]));
        for (field, value) in records.fields.iter_mut().zip(out.batch.fields_of(record)) {
            field.push(value.as_deref());
        }
        for row in rows.by_ref().take(*count as usize) {
            if places.are_kept {
                places.starts.push(row.place.0);
                places.sets.push(row.place.1);
            }
            units.tokens.push(row.tokens);
            units.in_balance.extend(row.in_balance);
            units.text_bytes.push(row.text_bytes);
            units.digest.push(row.digest.head);
            if tails {
                units.digest_tails.push(row.digest.tail);
            }
        }
    }
    if units.tokens.len() >= u32::MAX as usize {
        let error = Error::new(ErrorKind::Data, "expected fewer than 4,294,967,295 units");
        return Err(error.hint("split the collection, or use a larger ⟨unit⟩"));
    }
    Ok(())
}

/// Decodes a chunk, and computes the size and digest of each unit in it.
pub(crate) fn look(
    reading: &Reading,
    seen: &SeenDigests,
    worker: &mut Worker,
    chunk: &dyn Chunk,
) -> Result<Surveyed> {
    worker.batch.clear();
    chunk.read(&mut worker.batch);
    if let Some(record) = chunk.large() {
        worker.buffers.make_room(record)?;
    }
    let mut out = Surveyed {
        batch: Batch::default(),
        file: chunk.file(),
        counts: Vec::with_capacity(worker.batch.records.len()),
        blank: Vec::new(),
        firsts: Vec::new(),
        rows: Vec::with_capacity(worker.batch.records.len()),
        tape: Vec::new(),
        parts: Vec::new(),
        ordinals: Vec::new(),
        ids: Vec::new(),
        disk: chunk.disk_bytes(),
    };
    for (at, record) in worker.batch.records.iter().enumerate() {
        let buffers = &mut worker.buffers;
        reading.parts(&worker.batch, at, buffers);
        let text = worker.batch.text_of(record);
        if u32::try_from(text.len()).is_err() {
            return Err(ErrorKind::Data
                .expected("a text below 4 GiB")
                .at(&reading.source.files()[chunk.file() as usize].path)
                .record(record.number)
                .hint("split the record"));
        }
        let is_blank = text.trim_start().is_empty();
        if is_blank {
            out.blank.push(at as u32);
        }
        out.counts.push(buffers.parts.len() as u32);
        if !worker.batch.out.is_empty() {
            if buffers.ordinals.is_empty() {
                buffers.ordinals.extend(1..=buffers.parts.len() as u32);
            }
            out.ordinals.append(&mut buffers.ordinals);
        }
        buffers.record.clear();
        buffers.lengths.clear();
        let parts = std::mem::take(&mut buffers.parts);
        let mut named = worker
            .batch
            .segments_of(record)
            .iter()
            .filter(|segment| segment.level == reading.level)
            .peekable();
        for part in &parts {
            while named
                .next_if(|segment| segment.text.start < part.text.start)
                .is_some()
            {}
            if let Some(id) = named
                .next_if(|segment| segment.text == part.text)
                .and_then(|segment| segment.id.clone())
            {
                out.ids.push((out.rows.len() as u32, id));
            }
            // White space may stand for a record in which no text was found.
            let bytes = if is_blank { 0 } else { part.text.len() as u32 };
            let tokens = if reading.lengths.leave_out(bytes) {
                buffers.skip(&text[part.text.clone()])
            } else {
                reading.tokens_of(&worker.batch, record, part, buffers)
            };
            let in_balance = reading.in_balance(&worker.batch, record, (part, tokens), buffers);
            if let Some(width) = reading.tape {
                let numbers = buffers.tokens[..tokens].iter();
                out.tape
                    .extend(numbers.map(|token| tape::number(*token, width)));
            }
            let text = &text[part.text.clone()];
            let digest = reading.digest(text, buffers);
            let short = reading.leaves_out(tokens as u32, bytes);
            if !short {
                let from = part.text.start;
                reading.count(
                    text,
                    (worker.batch.tags_of(record, from), from),
                    tokens,
                    buffers,
                    &mut worker.terms,
                );
            }
            if let Features::Ngrams(_) = reading.features {
                let judged = if short { 0 } else { tokens };
                buffers.lengths.push(judged as u32);
                buffers.record.extend_from_slice(&buffers.tokens[..judged]);
            }
            let mut place = (NONE, 0);
            match &reading.features {
                _ if short => {}
                Features::Shingles(shingles) if !reading.collapse || seen.is_new(digest.head) => {
                    shingles.ids(reading.normaliser, text, buffers);
                    if let Some(placer) = &mut worker.placer {
                        place = placer.place(buffers.occurrences())?;
                    }
                }
                _ => {}
            }
            out.rows.push(Row {
                tokens: tokens as u32,
                in_balance,
                text_bytes: bytes,
                digest,
                place,
            });
            if reading.level != Level::Document {
                out.parts.push(part.into());
            }
        }
        buffers.parts = parts;
        if let (Some(writer), Features::Ngrams(ngrams)) = (&mut worker.numbers, &reading.features) {
            let text = Text {
                tokens: &buffers.record,
                lengths: &buffers.lengths,
                first: ngrams.numbering.take(buffers.record.len() as u64),
                salt: ngrams.salt(&worker.batch, record),
            };
            ngrams.spec.collect(text, &mut buffers.ids, writer)?;
            out.firsts.push(text.first);
        }
    }
    // Pass on everything but the text, whose large buffer is reused.
    std::mem::swap(&mut out.batch, &mut worker.batch);
    worker.batch.text = std::mem::take(&mut out.batch.text);
    Ok(out)
}

/// Bytes of the tokens that each thread has read and that are not on the tape yet: those of three
/// chunks, in lists that may have grown to twice what they hold.
const IN_FLIGHT: u64 = 6 << 20;

/// Bytes of the tables of units, and of what is soon derived from them.
fn table_bytes(units: &Units, places: &Places) -> u64 {
    let more = if places.are_kept { 40 } else { 24 };
    let firsts = size_of_val(&places.firsts[..]) as u64;
    units.heap_bytes() + firsts + more * units.len() as u64
}

/// The tokens of the units from this one on.
pub(super) fn tokens_from(units: &Units, first: usize) -> u64 {
    units.tokens[first..]
        .iter()
        .map(|tokens| u64::from(*tokens))
        .sum()
}

/// The tables of units while they grow.
struct Gathering<'a> {
    context: &'a Context,
    units: Units,
    places: Places,
    table: Reservation,
    has_tails: bool,
    /// Bytes of the input read so far, and all of them.
    read: u64,
    total: u64,
    /// Units whose tokens were counted as work done.
    counted: usize,
}

impl<'a> Gathering<'a> {
    fn new(context: &'a Context, reading: &Reading, are_placed: bool) -> Result<Self> {
        let files = reading.source.files();
        let names = files.iter().map(|file| file.name.clone()).collect();
        let total = files.iter().map(|file| file.bytes).sum();
        context
            .progress
            .begin("reading", Some(total), Amount::Bytes);
        Ok(Self {
            context,
            units: Units::new(reading.level, names, record::columns(reading.source)),
            places: Places {
                are_kept: are_placed,
                ..Places::default()
            },
            table: context.budget.reserve(0, "the table of units")?,
            has_tails: reading.digest == Digest::Sha1,
            read: 0,
            total,
            counted: 0,
        })
    }

    fn take(&mut self, out: Surveyed, bad: &mut dyn BadRecords) -> Result<()> {
        let (context, table) = (self.context, &mut self.table);
        self.read += out.disk;
        let (read, total) = (self.read, self.total);
        append(
            &mut self.units,
            &mut self.places,
            out,
            (self.has_tails, Growth { read, all: total }),
            bad,
        )?;
        let read_before = std::mem::replace(&mut self.counted, self.units.len());
        context.work.tokens(tokens_from(&self.units, read_before));
        let held = table_bytes(&self.units, &self.places);
        // What all records will take is set aside early, as far as it is known, so that rows of
        // shingles, which can spill, leave room for it.
        let all = u128::from(held) * u128::from(total.max(read)) / u128::from(read.max(1));
        let all = u64::try_from(all).unwrap_or(u64::MAX / 2).max(held);
        let wanted = all.min(table.bytes().max(held) + context.budget.free() / 2);
        table.shrink(table.bytes().saturating_sub(wanted));
        if !table.try_grow(wanted - table.bytes())
            && held > table.bytes()
            && !table.try_grow(held - table.bytes())
        {
            let more = (all / 8 * 9).max(held) - table.bytes();
            context.budget.reserve(more, "the table of units")?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(Units, Places)> {
        let Self {
            mut units,
            places,
            mut table,
            ..
        } = self;
        self.context.progress.end();
        units
            .records
            .fields
            .iter()
            .try_for_each(FieldColumn::check)?;
        units.settle_ids();
        table.shrink(table.bytes().saturating_sub(units.heap_bytes()));
        units.held = Some(table);
        Ok((units, places))
    }
}

/// Reads everything once. Shingles are stored in `rows`, n-grams are collected to be numbered.
///
/// # Errors
/// Errors of the source, of a bad record under its policy, or of the memory ceiling.
pub(crate) fn survey(
    context: &Context,
    reading: &Reading,
    rows: Option<Rows>,
    bad: &mut dyn BadRecords,
) -> Result<Survey> {
    let seen = SeenDigests::new();
    let numbering = match &reading.features {
        Features::Ngrams(ngrams) => Some(&ngrams.numbering),
        _ => None,
    };
    let mut gathering = Gathering::new(context, reading, rows.is_some())?;
    let mut dictionary = no_dictionary(context)?;
    let mut tape = reading.tape.map(|_| TapeWriter::new(context)).transpose()?;
    let in_flight = IN_FLIGHT * context.threads() as u64;
    let _in_flight = tape
        .as_ref()
        .and_then(|_| context.budget.try_reserve(in_flight));
    for_each_chunk(
        context,
        reading.source,
        || Worker {
            numbers: numbering.map(Numbering::writer),
            placer: rows.as_ref().map(Rows::placer),
            ..Worker::default()
        },
        |worker, chunk| {
            let out = look(reading, &seen, worker, chunk)?;
            if let Some(counter) = reading.count.and_then(|count| count.counter) {
                counter.take(&mut worker.terms)?;
            }
            Ok(out)
        },
        |out| {
            let more = reading.normaliser.dictionary_bytes() - dictionary.bytes();
            dictionary.grow(more, "the dictionary of Chinese words")?;
            if let Some(tape) = &mut tape {
                tape.push(&out.tape)?;
            }
            gathering.take(out, bad)
        },
    )?;
    let (units, places) = gathering.finish()?;
    let placed = rows
        .map(|rows| rows.finish(places.starts, places.sets))
        .transpose()?
        .flatten();
    Ok(Survey {
        units,
        firsts: places.firsts,
        placed,
        tape: tape.map(TapeWriter::finish).transpose()?,
        dictionary,
    })
}

fn no_dictionary(context: &Context) -> Result<Reservation> {
    context.budget.reserve(0, "the dictionary of Chinese words")
}

/// The same from what others have read; nothing is read here.
///
/// # Errors
/// Theirs; those of a bad record under its policy, or of the memory ceiling.
pub(crate) fn gathered(
    context: &Context,
    reading: &Reading,
    read: impl FnOnce(&mut dyn FnMut(Surveyed) -> Result<()>) -> Result<Statistics>,
    bad: &mut dyn BadRecords,
) -> Result<(Survey, Statistics)> {
    let mut gathering = Gathering::new(context, reading, false)?;
    let statistics = read(&mut |out| {
        context.check()?;
        context.progress.advance(out.disk);
        gathering.take(out, bad)
    })?;
    let survey = Survey {
        units: gathering.finish()?.0,
        firsts: Vec::new(),
        placed: None,
        tape: None,
        dictionary: no_dictionary(context)?,
    };
    Ok((survey, statistics))
}
