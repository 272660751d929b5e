//! The results of the search: a row for each phrase, by its first occurrence, and one for each
//! value of a field with which it occurs.

use super::tree::Node;
use crate::context::{Context, Reservation};
use crate::engine::taped::Taped;
use crate::error::Result;
use crate::field::{FieldColumn, FieldKey};
use crate::partition::{Partitions, Writer};
use crate::unit::Units;
use std::collections::BinaryHeap;

/// A phrase. It is the only one of its length that occurs first at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct FoundRow {
    /// Where it begins on the tape.
    pub(super) place: u64,
    /// Its deviation of proportions, times its occurrences and all tokens.
    pub(super) deviation: u64,
    /// Its tokens.
    pub(super) length: u32,
    pub(super) occurrences: u32,
    pub(super) texts: u32,
    padding: u32,
}

/// Occurrences of a phrase under one value of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Share {
    /// Where the phrase begins.
    pub(super) place: u64,
    /// Its tokens.
    pub(super) length: u32,
    /// The value.
    pub(super) value: u32,
    pub(super) texts: u32,
    pub(super) occurrences: u32,
}

/// The order of the list, as a number that is unique to a phrase.
pub(super) type Order = u128;

/// The place of a phrase in the list.
pub(super) fn order(length: u32, occurrences: u32, place: u64) -> Order {
    u128::from(!length) << 96 | u128::from(!occurrences) << 64 | u128::from(place)
}

/// The values of a field.
pub(super) struct Values {
    /// Sorted.
    pub(super) names: Vec<String>,
    /// By record.
    of_record: Vec<u32>,
    /// By value: tokens.
    tokens: Vec<u64>,
    _held: Reservation,
}

impl Values {
    /// The values of a key, whose column this is.
    ///
    /// # Errors
    /// If the ceiling leaves nothing for them.
    pub(super) fn new(
        context: &Context,
        units: &Units,
        key: &FieldKey,
        column: &FieldColumn,
    ) -> Result<Self> {
        let held = context.budget.reserve(
            4 * units.records.len() as u64 + column.heap_bytes(),
            "the values of a field",
        )?;
        let (codes, names) = key.parts(column);
        let mut sorted: Vec<u32> = (0..names.len() as u32).collect();
        sorted.sort_unstable_by_key(|code| &names[*code as usize]);
        let mut rank = vec![0; names.len()];
        for (place, code) in (0..).zip(&sorted) {
            rank[*code as usize] = place;
        }
        let of_record: Vec<u32> = (0..units.records.len())
            .map(|record| rank[codes[column.code(record) as usize] as usize])
            .collect();
        let mut tokens = vec![0; names.len()];
        for record in 0..units.records.len() {
            let range = units.of_record(record);
            let all = &units.tokens[range.start as usize..range.end as usize];
            tokens[of_record[record] as usize] += all.iter().map(|n| u64::from(*n)).sum::<u64>();
        }
        Ok(Self {
            names: sorted
                .iter()
                .map(|code| names[*code as usize].clone())
                .collect(),
            of_record,
            tokens,
            _held: held,
        })
    }
}

/// Tokens in a part, at least.
const PART: u64 = 1 << 18;
/// The most parts.
const PARTS: u64 = 1 << 12;
/// Rows that are stored at a time.
const BUFFER: usize = 64;

/// All phrases, in parts of the tape.
pub(super) struct Found {
    rows: Partitions<FoundRow>,
    shares: Option<Partitions<Share>>,
    /// Tokens in a part.
    part: u64,
}

/// The rows of a part, in input order, those of one place by length.
#[derive(Default)]
pub(super) struct Part {
    pub(super) rows: Vec<FoundRow>,
    /// In the same order, those of a phrase by value.
    pub(super) shares: Vec<Share>,
}

/// Which phrases are listed.
pub(super) struct Best {
    /// Their number.
    pub(super) count: u64,
    /// The last.
    pub(super) last: Order,
    /// Some of them, equally spaced in no particular order.
    pub(super) sample: Vec<Order>,
}

/// Phrases for each one in a sample.
pub(super) const SAMPLED: usize = 1 << 8;

impl Found {
    /// Nothing yet, in a collection of this many tokens.
    pub(super) fn new(context: &Context, tokens: u64, by_value: bool) -> Self {
        let part = PART.max(tokens.div_ceil(PARTS));
        let count = tokens.div_ceil(part) as usize;
        Self {
            rows: Partitions::new(context, count, BUFFER),
            shares: by_value.then(|| Partitions::new(context, count, BUFFER)),
            part,
        }
    }

    /// A writer for one thread.
    pub(super) fn writer(&self) -> FoundWriter<'_> {
        FoundWriter {
            rows: self.rows.writer(),
            shares: self.shares.as_ref().map(Partitions::writer),
            part: self.part,
            counts: Vec::new(),
        }
    }

    /// Finishes writing.
    ///
    /// # Errors
    /// If the last rows of a writer could not be stored.
    pub(super) fn seal(&self) -> Result<()> {
        self.rows.seal()?;
        self.shares.as_ref().map_or(Ok(()), Partitions::seal)
    }

    /// The first ones in the order of the list, at most this many, or all.
    ///
    /// # Errors
    /// If the ceiling leaves no room, or scratch cannot be read.
    pub(super) fn best(&self, context: &Context, top: Option<u64>) -> Result<Best> {
        let all = self.rows.all_rows();
        let top = top.filter(|top| *top < all);
        let kept = top.unwrap_or(0) + all / SAMPLED as u64;
        let _held = context
            .budget
            .reserve(size_of::<Order>() as u64 * kept, "the order of phrases")?;
        let mut first = BinaryHeap::new();
        let mut sample = Vec::new();
        let mut seen = 0;
        for part in 0..self.rows.count() {
            context.check()?;
            for row in self.rows.look(part)? {
                let order = row.order();
                if seen % SAMPLED == 0 {
                    sample.push(order);
                }
                seen += 1;
                match (top, first.peek()) {
                    (Some(top), last) if (first.len() as u64) < top || last > Some(&order) => {
                        if first.len() as u64 == top {
                            first.pop();
                        }
                        first.push(order);
                    }
                    _ => {}
                }
            }
        }
        let last = first.peek().copied().unwrap_or(Order::MAX);
        sample.retain(|order| *order <= last);
        Ok(Best {
            count: top.unwrap_or(all),
            last,
            sample,
        })
    }

    /// The parts that have phrases beginning in a range of the tape.
    pub(super) fn parts(&self, range: &std::ops::Range<u64>) -> std::ops::Range<usize> {
        let end = range.end.div_ceil(self.part) as usize;
        ((range.start / self.part) as usize).min(end)..end
    }

    /// The phrases of a part that are listed, and the memory that they take.
    ///
    /// # Errors
    /// If the ceiling leaves no room, or scratch cannot be read.
    pub(super) fn part(
        &self,
        context: &Context,
        part: usize,
        last: Order,
    ) -> Result<(Part, Reservation)> {
        let shares = self.shares.as_ref();
        let bytes = size_of::<FoundRow>() as u64 * self.rows.rows(part)
            + size_of::<Share>() as u64 * shares.map_or(0, |shares| shares.rows(part));
        let held = context.budget.reserve(bytes, "the phrases of some texts")?;
        let mut rows = self.rows.look(part)?;
        rows.retain(|row| row.order() <= last);
        rows.sort_unstable_by_key(|row| (row.place, row.length));
        let mut shares = shares.map_or(Ok(Vec::new()), |shares| shares.look(part))?;
        shares.sort_unstable();
        Ok((Part { rows, shares }, held))
    }
}

impl FoundRow {
    /// Its place in the list.
    fn order(&self) -> Order {
        order(self.length, self.occurrences, self.place)
    }
}

/// Adds what one thread finds.
pub(super) struct FoundWriter<'a> {
    rows: Writer<'a, FoundRow>,
    shares: Option<Writer<'a, Share>>,
    part: u64,
    /// Of one phrase: value, texts, occurrences.
    counts: Vec<(u32, u32, u32)>,
}

impl FoundWriter<'_> {
    /// Adds a phrase.
    ///
    /// # Errors
    /// If scratch is full.
    pub(super) fn push(
        &mut self,
        taped: &Taped,
        node: &Node,
        values: Option<&Values>,
    ) -> Result<()> {
        let occurrences = node.members.len() as u32;
        let place = node.members[0].place;
        let part = (place / self.part) as usize;
        let all = taped.tape.len();
        let by_text = node.members.chunk_by(|a, b| a.unit == b.unit);
        let deviation = match (values, &mut self.shares) {
            (Some(values), Some(shares)) => {
                self.counts.clear();
                self.counts.extend(by_text.map(|of_text| {
                    let record = taped.units.record_of(of_text[0].unit);
                    (values.of_record[record], 1, of_text.len() as u32)
                }));
                self.counts.sort_unstable();
                let mut deviation = 0;
                for of_value in self.counts.chunk_by(|a, b| a.0 == b.0) {
                    let value = of_value[0].0;
                    let count = of_value.iter().map(|count| count.2).sum();
                    deviation += above(count, occurrences, values.tokens[value as usize], all);
                    let share = Share {
                        place,
                        length: node.length,
                        value,
                        texts: of_value.len() as u32,
                        occurrences: count,
                    };
                    shares.push(part, share)?;
                }
                deviation
            }
            _ => by_text
                .map(|of_text| {
                    let tokens = taped.units.tokens[of_text[0].unit as usize];
                    above(of_text.len() as u32, occurrences, tokens.into(), all)
                })
                .sum(),
        };
        let row = FoundRow {
            place,
            deviation,
            length: node.length,
            occurrences,
            texts: node.texts,
            padding: 0,
        };
        self.rows.push(part, row)
    }
}

/// By how much the share of a part in the occurrences of a phrase is above its share in all tokens,
/// times the occurrences and all tokens; 0 if it is below. As both shares sum to 1 over all parts,
/// the sum of these is half the sum of all differences, that is, the deviation of proportions; so
/// parts without the phrase can be ignored.
fn above(count: u32, occurrences: u32, tokens: u64, all: u64) -> u64 {
    // Fewer than 2³² of each.
    (u64::from(count) * all).saturating_sub(tokens * u64::from(occurrences))
}
