//! The sorted list of phrases.

use super::found::{Best, Order, SAMPLED, Values};
use super::frequencies;
use super::phrase::Phrase;
use super::row::{Row, Spelled};
use crate::context::Context;
use crate::engine::taped::Taped;
use crate::error::{ErrorKind, Result};
use crate::partition::{Partitions, Writer};
use crate::scratch::SpillFile;

/// About how many rows are sorted at a time.
const TOGETHER: usize = 1 << 15;
/// Rows that are stored at a time.
const BUFFER: usize = 64;

/// All phrases that are listed, in stretches of the list.
pub(super) struct Listing {
    rows: Partitions<Row>,
    /// The first phrase of each stretch but the first.
    firsts: Vec<Order>,
    /// Texts and shares.
    spill: SpillFile,
}

impl Listing {
    /// An empty list of these.
    ///
    /// # Errors
    /// If there is no scratch.
    pub(super) fn new(context: &Context, best: &Best) -> Result<Self> {
        let mut sample = best.sample.clone();
        sample.sort_unstable();
        let step = TOGETHER / SAMPLED;
        let firsts: Vec<Order> = sample.into_iter().step_by(step).skip(1).collect();
        Ok(Self {
            rows: Partitions::new(context, firsts.len() + 1, BUFFER),
            firsts,
            spill: context.scratch.file()?,
        })
    }

    /// The only writer.
    pub(super) fn writer(&mut self) -> ListingWriter<'_> {
        ListingWriter {
            rows: self.rows.writer(),
            firsts: &self.firsts,
            spill: &mut self.spill,
        }
    }

    /// Finishes writing.
    ///
    /// # Errors
    /// If the last rows could not be stored.
    pub(super) fn seal(&self) -> Result<()> {
        self.rows.seal()
    }

    /// Passes all phrases on, in order; returns their number.
    ///
    /// # Errors
    /// If the ceiling leaves no room, or scratch cannot be read; of `take`; on cancellation.
    pub(super) fn each(
        self,
        context: &Context,
        taped: &Taped,
        values: Option<&Values>,
        take: &mut dyn FnMut(&Phrase) -> Result<()>,
    ) -> Result<u64> {
        let (mut text, mut shares) = (Vec::new(), Vec::new());
        let mut count = 0;
        for stretch in 0..self.rows.count() {
            context.check()?;
            let bytes = size_of::<Row>() as u64 * self.rows.rows(stretch);
            let _held = context.budget.reserve(bytes, "a part of the phrases")?;
            let mut rows = self.rows.take(stretch)?;
            rows.sort_unstable_by_key(Row::order);
            for row in &rows {
                text.resize(row.text_bytes as usize, 0);
                self.spill.read_at(row.text, &mut text)?;
                shares.resize(row.share_count as usize, [0_u32; 3]);
                self.spill
                    .read_at(row.shares, bytemuck::cast_slice_mut(&mut shares))?;
                let by: Vec<(&str, u32, u32)> = values
                    .iter()
                    .flat_map(|values| {
                        let names = &values.names;
                        shares.iter().map(|[value, texts, occurrences]| {
                            (names[*value as usize].as_str(), *texts, *occurrences)
                        })
                    })
                    .collect();
                let whole = u64::from(row.occurrences) * taped.tape.len();
                let scale = f64::from(1_u32 << frequencies::BITS);
                take(&Phrase {
                    text: std::str::from_utf8(&text).map_err(|_| {
                        ErrorKind::Data
                            .expected("a phrase in UTF-8 on scratch")
                            .found("other bytes")
                            .hint("check the disk of ⟨scratch⟩")
                    })?,
                    tokens: row.length,
                    texts: row.texts,
                    occurrences: row.occurrences,
                    dp: row.deviation as f64 / whole as f64,
                    association: row.association as f64 / scale,
                    id: &taped.units.id(row.unit),
                    start: row.start.into(),
                    end: row.end.into(),
                    by: &by,
                })?;
            }
            count += rows.len() as u64;
        }
        Ok(count)
    }
}

/// Adds phrases to the list.
pub(super) struct ListingWriter<'a> {
    rows: Writer<'a, Row>,
    firsts: &'a [Order],
    spill: &'a mut SpillFile,
}

impl ListingWriter<'_> {
    /// Adds those of a chunk.
    ///
    /// # Errors
    /// If scratch is full.
    pub(super) fn push(&mut self, spelled: &Spelled) -> Result<()> {
        let text = self.spill.append(spelled.text.as_bytes())?.start;
        let shares = self
            .spill
            .append(bytemuck::cast_slice(&spelled.shares))?
            .start;
        for row in &spelled.rows {
            let stretch = self.firsts.partition_point(|first| *first <= row.order());
            let row = Row {
                text: text + row.text,
                shares: shares + size_of::<[u32; 3]>() as u64 * row.shares,
                ..*row
            };
            self.rows.push(stretch, row)?;
        }
        Ok(())
    }
}
