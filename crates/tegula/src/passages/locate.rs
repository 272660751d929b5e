//! Where passages are in their texts, and the proof of each: the tokens are compared by their full
//! fingerprints, as those on the tape are only numbers.
//!
//! What is to be found is put into the partition of its text, and what is found there into that of
//! its passage, so that no table of all passages is in memory.

use super::chain::admits;
use super::list::{List, ListWriter};
use super::{Passage, Wanted};
use crate::context::{Context, Reservation};
use crate::engine::Job;
use crate::engine::reading::Reading;
use crate::engine::reread::{Firsts, for_each_first};
use crate::engine::taped::Taped;
use crate::error::{Error, Result};
use crate::hash::{Sequence, Width};
use crate::partition::{Partitions, Writer};
use crate::text::code_points::CodePoints;
use crate::text::normalise::Normaliser;
use crate::text::spans::TokenSpans;

/// A part of a passage on one side.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Sought {
    unit: u32,
    passage: u32,
    /// Its number in the passage; on the side of `b` with [`OF_B`].
    part: u32,
    /// Its tokens.
    from: u32,
    length: u32,
}

/// What a text shows of a part.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Seen {
    passage: u32,
    part: u32,
    /// The code points and bytes of the whole side.
    chars: [u32; 2],
    bytes: [u32; 2],
    /// The fingerprint of its tokens.
    digest: [u64; 2],
}

/// A piece of a passage as written in `a`.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Piece {
    passage: u32,
    number: u32,
    bytes: [u8; PIECE],
}

const OF_B: u32 = 1 << 31;
/// Bytes in a piece.
const PIECE: usize = 32;
/// Partitions of each kind.
const PARTITIONS: usize = 256;
/// Rows that a thread collects for a partition, at most.
const BUFFER: usize = 64;
const WHAT: &str = "the places of passages";

/// The passages with their offsets, without those that the texts do not prove.
pub(super) fn locate(
    context: &Context,
    job: Job,
    taped: &Taped,
    wanted: &Wanted,
    passages: &List,
) -> Result<List> {
    let normaliser = job.recipe.check()?;
    let reading = Reading {
        width: Width::bits(job.tuning.id_bits),
        ..Reading::wholes(job.source, job.recipe, &normaliser)
    };
    // What the threads collect may take an eighth of the memory.
    let of_row = (size_of::<Seen>() + size_of::<Piece>()) * context.threads();
    let of_row = of_row * PARTITIONS.min(passages.len());
    let most = context.budget.free() as usize / 8 / of_row.max(1);
    let buffer = most.clamp(1, BUFFER);
    // That, and which groups have passages.
    let bytes = taped.groups.len() + of_row * buffer;
    let _held = context.budget.reserve(bytes as u64, WHAT)?;
    // The rows of one kind are freed while others are added, and freed memory returns late.
    let most = context.budget.free() / 4;
    let looks = Looks {
        context,
        taped,
        passages: passages.len(),
        sought: Partitions::new(context, PARTITIONS, buffer).keep_at_most(most),
        seen: Partitions::new(context, PARTITIONS, buffer).keep_at_most(most),
        texts: Partitions::new(context, PARTITIONS, buffer).keep_at_most(most),
    };
    let some = looks.seek(passages)?;
    let firsts = Firsts {
        units: &taped.units,
        groups: &taped.groups,
        wanted: Some(&some),
        same_steps: true,
    };
    for_each_first(
        context,
        &reading,
        firsts,
        "reading passages",
        || Worker {
            spans: TokenSpans::default(),
            points: CodePoints::default(),
            sought: None,
            seen: looks.seen.writer(),
            texts: wanted.texts.then(|| looks.texts.writer()),
        },
        |worker, group, text, _, buffers| {
            let unit = taped.groups.first[group as usize];
            worker.points.read(text);
            looks.look(worker, unit, (&normaliser, text), &buffers.tokens)
        },
    )?;
    looks.finish(passages, wanted)
}

/// What is to be found, and what was found.
struct Looks<'a> {
    context: &'a Context,
    taped: &'a Taped,
    /// The number of passages.
    passages: usize,
    sought: Partitions<Sought>,
    seen: Partitions<Seen>,
    texts: Partitions<Piece>,
}

/// One thread's buffers.
struct Worker<'a> {
    spans: TokenSpans,
    points: CodePoints,
    /// A partition of what is to be found, by text.
    sought: Option<(usize, Vec<Sought>, Reservation)>,
    seen: Writer<'a, Seen>,
    texts: Option<Writer<'a, Piece>>,
}

impl Looks<'_> {
    /// The partition of a text: they follow the order of the texts, so that a thread mostly stays
    /// in one.
    fn of_unit(&self, unit: u32) -> usize {
        let all = u128::from(self.taped.tape.len().max(1));
        let start = u128::from(self.taped.range(unit).start);
        (start * PARTITIONS as u128 / all) as usize
    }

    /// The partition of a passage: they follow the order of the list.
    fn of_passage(&self, passage: u32) -> usize {
        passage as usize * PARTITIONS / self.passages.max(1)
    }

    /// Distributes the parts of all passages; returns which groups have some.
    fn seek(&self, passages: &List) -> Result<Vec<bool>> {
        let mut some = vec![false; self.taped.groups.len()];
        let mut writer = self.sought.writer();
        let mut number = 0;
        passages.for_each(|passage| {
            for (unit, of) in [(passage.a.unit, 0), (passage.b.unit, OF_B)] {
                some[self.taped.groups.of_unit[unit as usize] as usize] = true;
                let partition = self.of_unit(unit);
                for (at, part) in (0..).zip(&passage.parts) {
                    let row = Sought {
                        unit,
                        passage: number,
                        part: at | of,
                        from: if of == 0 { part.a } else { part.b },
                        length: part.length,
                    };
                    writer.push(partition, row)?;
                }
            }
            number += 1;
            Ok(())
        })?;
        drop(writer);
        self.sought.seal()?;
        Ok(some)
    }

    /// Looks at a text, whose tokens have these fingerprints.
    fn look(
        &self,
        worker: &mut Worker,
        unit: u32,
        (normaliser, text): (&Normaliser, &str),
        fingerprints: &[crate::hash::Fingerprint],
    ) -> Result<()> {
        let partition = self.of_unit(unit);
        if worker
            .sought
            .as_ref()
            .is_none_or(|(at, ..)| *at != partition)
        {
            worker.sought = None;
            let bytes = size_of::<Sought>() as u64 * self.sought.rows(partition);
            let held = self.context.budget.reserve(bytes, WHAT)?;
            let mut rows = self.sought.look(partition)?;
            rows.sort_unstable_by_key(|row| (row.unit, row.passage, row.part));
            worker.sought = Some((partition, rows, held));
        }
        let Some((_, rows, _)) = &worker.sought else {
            return Ok(());
        };
        let rows = &rows[rows.partition_point(|row| row.unit < unit)..];
        let rows = &rows[..rows.partition_point(|row| row.unit == unit)];
        let spans = worker.spans.read(normaliser, text);
        let side = |row: &Sought| (row.passage, row.part & OF_B);
        for parts in rows.chunk_by(|x, y| side(x) == side(y)) {
            let (first, last) = (parts[0], parts[parts.len() - 1]);
            let start = spans[first.from as usize].start;
            let end = spans[(last.from + last.length) as usize - 1].end;
            let chars = [start, end].map(|at| worker.points.before(text, at));
            let to = self.of_passage(first.passage);
            for part in parts {
                let mut sequence = Sequence::default();
                let from = part.from as usize;
                fingerprints[from..from + part.length as usize]
                    .iter()
                    .for_each(|token| sequence.push(*token));
                let digest = sequence.finish().digest();
                let seen = Seen {
                    passage: part.passage,
                    part: part.part,
                    chars,
                    bytes: [start as u32, end as u32],
                    digest: [digest as u64, (digest >> 64) as u64],
                };
                worker.seen.push(to, seen)?;
            }
            if let Some(texts) = worker.texts.as_mut().filter(|_| first.part & OF_B == 0) {
                for (number, some) in (0..).zip(text.as_bytes()[start..end].chunks(PIECE)) {
                    let mut bytes = [0; PIECE];
                    bytes[..some.len()].copy_from_slice(some);
                    let piece = Piece {
                        passage: first.passage,
                        number,
                        bytes,
                    };
                    texts.push(to, piece)?;
                }
            }
        }
        Ok(())
    }

    /// The passages with what was seen of them.
    fn finish(mut self, passages: &List, wanted: &Wanted) -> Result<List> {
        // Frees its rows.
        self.sought = Partitions::new(self.context, 1, 1);
        self.seen.seal()?;
        self.texts.seal()?;
        let mut located = ListWriter::new(self.context)?;
        let mut reader = passages.reader(0);
        let mut number = 0;
        for partition in 0..PARTITIONS {
            self.context.check()?;
            let bytes = size_of::<Seen>() as u64 * self.seen.rows(partition)
                + size_of::<Piece>() as u64 * self.texts.rows(partition);
            let _held = self.context.budget.reserve(bytes, WHAT)?;
            let mut seen = self.seen.take(partition)?;
            seen.sort_unstable_by_key(|row| (row.passage, row.part));
            let mut texts = self.texts.take(partition)?;
            texts.sort_unstable_by_key(|piece| (piece.passage, piece.number));
            let (mut seen, mut texts) = (&seen[..], &texts[..]);
            while (number as usize) < self.passages && self.of_passage(number) == partition {
                let Some(passage) = reader.next()? else { break };
                let (rows, others) =
                    seen.split_at(seen.partition_point(|row| row.passage == number));
                let (pieces, more) =
                    texts.split_at(texts.partition_point(|piece| piece.passage == number));
                (seen, texts) = (others, more);
                if place(passage, rows, pieces, wanted)? {
                    located.push(passage)?;
                }
                number += 1;
            }
        }
        located.finish()
    }
}

/// Fills in the offsets of a passage, and drops what is not equal on both sides; returns whether
/// enough is left.
fn place(passage: &mut Passage, rows: &[Seen], pieces: &[Piece], wanted: &Wanted) -> Result<bool> {
    let count = passage.parts.len();
    let (of_a, of_b) = rows.split_at(count.min(rows.len()));
    let (Some(first_a), Some(first_b)) = (of_a.first(), of_b.first()) else {
        return Err(Error::data("a text changed while it was read")
            .hint("run again on a copy that no one writes to"));
    };
    for (side, seen) in [(&mut passage.a, first_a), (&mut passage.b, first_b)] {
        side.chars = seen.chars[0]..seen.chars[1];
        side.bytes = seen.bytes[0]..seen.bytes[1];
    }
    let mut bytes: Vec<u8> = pieces.iter().flat_map(|piece| piece.bytes).collect();
    if wanted.texts {
        bytes.truncate(passage.a.bytes.len());
    }
    // Cut where the passage begins and ends, and so whole.
    passage.text = String::from_utf8(bytes).unwrap_or_default();
    let mut both = of_a.iter().zip(of_b);
    if both.clone().all(|(a, b)| a.digest == b.digest) {
        return Ok(true);
    }
    // Different tokens had one number: such a part is an edit.
    let (same, edits) = (&mut passage.same, &mut passage.edits);
    passage.parts.retain(|part| {
        let is_true = both.next().is_some_and(|(a, b)| a.digest == b.digest);
        if !is_true {
            *same -= part.length;
            *edits += part.length;
        }
        is_true
    });
    Ok(admits(wanted, passage.same, passage.edits))
}
