//! Chains: range by range, adjacent positions shared by the same places become one feature of a text.

use super::classes::{Member, Tables, share};
use super::found::Found;
use super::postings::Chains;
use super::row::{Bits, Row};
use super::rows::{BLOCK_BITS, Stored};
use super::texts::Texts;
use crate::context::{Amount, Context};
use crate::error::Result;
use crate::partition::Partitions;
use rayon::prelude::*;
use std::ops::Range;

/// Ranges of positions to aim at, so that their buffers stay small.
const RANGES: u64 = 2048;

/// The most shingles of a chain, whose length leaves room for marks.
pub(crate) const LONGEST: usize = 1 << 28;

/// The members of all classes, by range of positions.
pub(super) struct Members {
    members: Partitions<Member>,
    /// Positions in a range, as a power of two.
    range: u32,
}

impl Members {
    /// For rows of which `blocks` blocks of positions were begun.
    pub(super) fn new(context: &Context, blocks: u64) -> Self {
        let together = blocks.div_ceil(RANGES).next_power_of_two().trailing_zeros();
        let range = (BLOCK_BITS + together).min(Member::RANGE);
        let count = ((blocks << BLOCK_BITS) >> range) as usize + 1;
        let row = size_of::<Member>() as u64;
        let buffer = (context.budget.free() / 4 / (row * count as u64 * context.threads() as u64))
            .clamp(16, 340);
        Self {
            members: Partitions::new(context, count, buffer as usize),
            range,
        }
    }

    /// Adds the members of the classes of some partitions.
    ///
    /// # Errors
    /// Any error from the memory ceiling or scratch.
    pub(super) fn share(
        &self,
        context: &Context,
        rows: &Stored,
        bits: Bits,
        signature_bits: u32,
    ) -> Result<()> {
        let widths = (bits, self.range, signature_bits);
        match rows {
            Stored::Narrow(rows) => shared(context, rows, widths, &self.members),
            Stored::Wide(rows) => shared(context, rows, widths, &self.members),
            Stored::Full(rows) => shared(context, rows, widths, &self.members),
        }
    }

    /// Fills the slots of a range.
    fn read<S: Slot>(&self, range: usize, slots: &mut [S]) -> Result<()> {
        fill(slots, self.members.take_pieces(range)?.iter().flatten());
        Ok(())
    }

    /// Bytes that a thread holds while it builds chains.
    fn dense_bytes(&self, bits: Bits) -> u64 {
        let slot = if bits.position == 32 { 8 } else { 16 };
        slot << self.range
    }

    /// Builds the chains of all texts, of at most `longest` shingles; `shingles` is the number of
    /// shingle positions of a group's text.
    ///
    /// # Errors
    /// Any error from the memory ceiling or scratch.
    pub(super) fn chains(
        self,
        context: &Context,
        (texts, bits): (&Texts, Bits),
        shingles: impl Fn(u32) -> u32 + Sync,
        (longest, chains): (usize, &Chains),
    ) -> Result<()> {
        // Consecutive ranges, each with whole texts.
        let mut jobs: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for text in 0..texts.len() {
            let start = texts.start(text);
            let end = start + u64::from(shingles(texts.group(text)));
            let (first, last) = (
                (start >> self.range) as usize,
                ((end - 1) >> self.range) as usize,
            );
            match jobs.last_mut() {
                Some((of_job, ranges)) if first < ranges.end => {
                    of_job.end = text + 1;
                    ranges.end = ranges.end.max(last + 1);
                }
                _ => jobs.push((text..text + 1, first..last + 1)),
            }
        }
        let _held = context.budget.reserve(
            self.dense_bytes(bits) * context.threads() as u64,
            "the shingles of a range of texts",
        )?;
        context
            .progress
            .begin("chains", Some(jobs.len() as u64), Amount::Items);
        let long = longest.min(LONGEST) as u32;
        jobs.into_par_iter().try_for_each_init(
            || (Vec::new(), Vec::new(), chains.writer()),
            |(narrow, wide, writer), (some, ranges)| {
                let job = Job {
                    texts,
                    some,
                    shingles: &shingles,
                    longest: long,
                    range: self.range,
                };
                let put = |found| chains.put(writer, found);
                if bits.position == 32 {
                    let read = |range, slots: &mut [u64]| self.read(range, slots);
                    job.run(ranges, narrow, read, put)?;
                } else {
                    let read = |range, slots: &mut [u128]| self.read(range, slots);
                    job.run(ranges, wide, read, put)?;
                }
                context.progress.advance(1);
                context.check()
            },
        )?;
        context.progress.end();
        Ok(())
    }
}

/// Shares the rows of each partition.
fn shared<R: Row>(
    context: &Context,
    rows: &Partitions<R>,
    widths: (Bits, u32, u32),
    members: &Partitions<Member>,
) -> Result<()> {
    let _held = context.budget.reserve(
        rows.largest() * context.threads() as u64,
        "the shingles that occur most",
    )?;
    context
        .progress
        .begin("sharing", Some(rows.count() as u64), Amount::Items);
    (0..rows.count()).into_par_iter().try_for_each_init(
        || (members.writer(), Tables::default()),
        |(writer, tables), partition| {
            let some = rows.take_pieces(partition)?;
            share(some.iter(), widths, tables, |range, member| {
                writer.push(range, member)
            })?;
            context.progress.advance(1);
            context.check()
        },
    )?;
    members.seal()?;
    context.progress.end();
    Ok(())
}

/// Puts the members of a range in its slots.
pub(crate) fn fill<'m, S: Slot>(slots: &mut [S], members: impl Iterator<Item = &'m Member>) {
    for member in members {
        slots[member.within()] = S::new(*member);
    }
}

/// The class of a position and its signature, as one number.
pub(crate) trait Slot: Copy + Send + Eq {
    /// Of a position whose shingle no other has.
    const NONE: Self;

    fn new(member: Member) -> Self;

    /// The slot of the position this many steps later, if it belongs to the same chain.
    fn after(self, steps: u32) -> Self;

    fn first(self) -> u64;

    fn has_number(self) -> bool;
}

impl Slot for u64 {
    const NONE: Self = Self::MAX;

    #[inline]
    fn new(member: Member) -> Self {
        member.first() << 32 | Self::from(member.signature())
    }

    #[inline]
    fn after(self, steps: u32) -> Self {
        self.wrapping_add(Self::from(steps) << 32)
    }

    fn first(self) -> u64 {
        self >> 32
    }

    fn has_number(self) -> bool {
        self & 1 == 1
    }
}

impl Slot for u128 {
    const NONE: Self = Self::MAX;

    #[inline]
    fn new(member: Member) -> Self {
        Self::from(member.first()) << 32 | Self::from(member.signature())
    }

    #[inline]
    fn after(self, steps: u32) -> Self {
        self.wrapping_add(Self::from(steps) << 32)
    }

    fn first(self) -> u64 {
        (self >> 32) as u64
    }

    fn has_number(self) -> bool {
        self & 1 == 1
    }
}

/// Some texts whose chains are built together.
pub(crate) struct Job<'a, F> {
    pub(crate) texts: &'a Texts,
    /// Which.
    pub(crate) some: Range<usize>,
    /// The number of shingle positions of a group's text.
    pub(crate) shingles: &'a F,
    /// The most shingles of a chain.
    pub(crate) longest: u32,
    /// Positions in a range, as a power of two.
    pub(crate) range: u32,
}

/// An open chain: its first slot, its place in the text, and its length so far.
#[derive(Clone, Copy)]
struct Open<S> {
    slot: S,
    at: u32,
    length: u32,
}

impl<F: Fn(u32) -> u32> Job<'_, F> {
    /// Passes on the chains of the texts. They are in these ranges, whose slots `read` [fills](fill);
    /// range by range, so that a long text takes no more memory than others.
    pub(crate) fn run<S: Slot>(
        &self,
        ranges: Range<usize>,
        dense: &mut Vec<S>,
        read: impl Fn(usize, &mut [S]) -> Result<()>,
        mut put: impl FnMut(Found) -> Result<()>,
    ) -> Result<()> {
        let (mut text, mut open) = (self.some.start, None);
        for range in ranges {
            let base = (range as u64) << self.range;
            let end = base + (1 << self.range);
            dense.clear();
            dense.resize(1 << self.range, S::NONE);
            read(range, dense)?;
            while text < self.some.end && self.texts.start(text) < end {
                let start = self.texts.start(text);
                let stop = start + u64::from((self.shingles)(self.texts.group(text)));
                let (from, to) = (start.max(base), stop.min(end));
                let slots = &dense[(from - base) as usize..(to - base) as usize];
                let mut put = |open: Open<S>| put(self.found(text, start, open));
                self.extend(slots, (from - start) as u32, &mut open, &mut put)?;
                if stop > end {
                    // The rest of the text is in the next range.
                    break;
                }
                open.take().map_or(Ok(()), &mut put)?;
                text += 1;
            }
        }
        Ok(())
    }

    /// Continues the open chain of a text with slots from shingle `at` on; complete chains are passed on.
    fn extend<S: Slot>(
        &self,
        slots: &[S],
        at: u32,
        open: &mut Option<Open<S>>,
        put: &mut impl FnMut(Open<S>) -> Result<()>,
    ) -> Result<()> {
        for (slot, at) in slots.iter().zip(at..) {
            if let Some(chain) = open {
                if *slot == chain.slot.after(chain.length) && chain.length < self.longest {
                    chain.length += 1;
                    continue;
                }
                put(*chain)?;
            }
            *open = (*slot != S::NONE).then_some(Open {
                slot: *slot,
                at,
                length: 1,
            });
        }
        Ok(())
    }

    fn found<S: Slot>(&self, text: usize, start: u64, open: Open<S>) -> Found {
        let chain = open.slot.first();
        Found {
            chain,
            group: self.texts.group(text),
            at: open.at,
            length: open.length,
            has_number: open.slot.has_number(),
            is_head: start + u64::from(open.at) == chain,
            counts: self.texts.represents(text),
        }
    }
}
