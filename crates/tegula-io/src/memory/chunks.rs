//! The records of a table, chunk by chunk, and single texts.

use super::{Layout, Table};
use crate::block::room_for_text;
use crate::convert::Conversion;
use crate::format::arrow::{AllFields, Columns, Visit, Wanted, conversions, write_row};
use crate::limits::Limits;
use crate::options::{Needs, ReadOptions};
use arrow_array::RecordBatch;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tegula::error::{Error, Result};
use tegula::large::Scales;
use tegula::record::{BadRecord, Batch, Chunk, LargeRecord};

/// Iterates over the chunks of a table.
pub(crate) struct TableChunks {
    file: u32,
    layout: Arc<Layout>,
    wanted: Arc<Wanted>,
    limits: Limits,
    next: usize,
    /// The number of rows that a limit still allows.
    left: Option<u64>,
}

impl TableChunks {
    /// The chunks of the table with this index, with at most `left` rows.
    ///
    /// # Errors
    /// If the table no longer exists, or has no such column as the options name.
    pub(crate) fn new(
        (file, layout): (u32, &Arc<Layout>),
        options: &ReadOptions,
        limits: &Limits,
        left: Option<u64>,
    ) -> Result<Self> {
        Ok(Self {
            file,
            layout: Arc::clone(layout),
            wanted: Arc::new(layout.wanted(options)?),
            limits: limits.clone(),
            next: 0,
            left,
        })
    }

    /// The number of rows that the limit still allows.
    pub(crate) fn left(&self) -> Option<u64> {
        self.left
    }
}

impl Iterator for TableChunks {
    type Item = Box<dyn Chunk>;

    fn next(&mut self) -> Option<Box<dyn Chunk>> {
        let piece = self.layout.pieces.get(self.next)?;
        let mut rows = piece.rows.clone();
        if let Some(left) = &mut self.left {
            rows.end = rows.end.min(rows.start.saturating_add(*left));
            *left -= rows.end - rows.start;
        }
        if rows.is_empty() {
            return None;
        }
        self.next += 1;
        let mut chunk = TableChunk {
            file: self.file,
            table: self.layout.table.clone(),
            wanted: Arc::clone(&self.wanted),
            rows,
            bytes: piece.bytes,
            large: None,
            refused: None,
        };
        chunk.weigh(&self.limits);
        Some(Box::new(chunk))
    }
}

/// Some consecutive rows of a table.
struct TableChunk {
    file: u32,
    table: Table,
    wanted: Arc<Wanted>,
    rows: Range<u64>,
    /// Bytes of text.
    bytes: u64,
    large: Option<LargeRecord>,
    /// Why its only record does not fit under the memory ceiling.
    refused: Option<Error>,
}

impl TableChunk {
    /// Estimates the memory of a chunk that is one long text: its tokens take many times what the
    /// text does.
    fn weigh(&mut self, limits: &Limits) {
        if self.rows.end - self.rows.start > 1 || self.bytes < LONG {
            return;
        }
        let mut scales = Scales::new(limits.characters);
        for (_, batch) in self.table.slices(self.rows.clone()) {
            let columns = Columns::of(&batch, &self.wanted);
            for text in columns.texts(0).unwrap_or_default() {
                scales.add(text.as_bytes());
            }
        }
        if scales.memory() > limits.memory {
            self.refused = Some(limits.refuse(&scales, true));
            return;
        }
        self.large = Some(LargeRecord {
            number: self.rows.start + 1,
            memory: scales.memory(),
            tokens: scales.tokens(),
        })
        .filter(|record| record.memory > 0);
    }

    /// Its only record as one that cannot be read; there are no bytes of it to keep.
    fn bad(&self, error: &Error) -> BadRecord {
        let number = self.rows.start + 1;
        BadRecord {
            number,
            bytes: self.rows.clone(),
            raw: Vec::new(),
            error: error.again().at(&self.wanted.path).record(number),
        }
    }
}

/// Bytes of a text that may need more memory than a chunk of usual size.
const LONG: u64 = 1 << 18;

impl Chunk for TableChunk {
    fn file(&self) -> u32 {
        self.file
    }

    fn disk_bytes(&self) -> u64 {
        self.bytes
    }

    fn large(&self) -> Option<LargeRecord> {
        self.large
    }

    fn read(&self, batch: &mut Batch) {
        self.read_some(&|_| true, batch);
    }

    fn read_some(&self, wanted: &dyn Fn(u64) -> bool, batch: &mut Batch) {
        if let Some(error) = &self.refused {
            if wanted(self.rows.start + 1) {
                batch.bad.push(self.bad(error));
            }
            return;
        }
        for (first, rows) in self.table.slices(self.rows.clone()) {
            // Made for the first wanted row only, as most chunks of a later pass have none.
            let mut columns = None;
            for row in 0..rows.num_rows() {
                let place = first + row as u64;
                if !wanted(place + 1) {
                    continue;
                }
                if self.large.is_some()
                    && let Err(error) = room_for_text(batch, self.bytes as usize)
                {
                    batch.bad.push(self.bad(&error));
                    continue;
                }
                let columns = columns.get_or_insert_with(|| Columns::of(&rows, &self.wanted));
                columns.push(row, place, batch, || identity(&rows, row).into());
            }
        }
    }
}

/// What a row in which no text is found is compared by: all its values.
fn identity(rows: &RecordBatch, row: usize) -> Vec<u8> {
    let mut all = String::new();
    write_row(rows, row, &mut all);
    all.into_bytes()
}

/// Calls `visit` for each row, in order, with all its fields; returns the columns whose types JSON
/// lacks.
///
/// # Errors
/// If the table no longer exists, or has a type that JSON cannot represent; those of `visit`.
pub(crate) fn for_each_row(
    layout: &Layout,
    options: &ReadOptions,
    visit: Visit<'_>,
) -> Result<Vec<Conversion>> {
    let table = &layout.table;
    table.check_present()?;
    let conversions = conversions(Path::new(table.name()), table.schema(), options)?;
    let fields = AllFields::new(table.schema(), options);
    for piece in &layout.pieces {
        for (first, rows) in table.slices(piece.rows.clone()) {
            fields.show(rows.columns(), first, &|_| false, visit)?;
        }
    }
    Ok(conversions)
}

/// Calls `visit` with the number of each row, from 1, and its text, or what is bad about it.
///
/// # Errors
/// If there is no such column; those of `visit`.
pub(crate) fn for_each_text(
    table: &Table,
    text_keys: &[String],
    mut visit: impl FnMut(u64, Result<&str, BadRecord>) -> Result<()>,
) -> Result<()> {
    let options = ReadOptions {
        text_key: text_keys.to_vec(),
        ..ReadOptions::default()
    };
    let wanted = Layout::new(table, &options, usize::MAX).wanted(&options)?;
    let mut batch = Batch::default();
    for (first, rows) in table.slices(0..table.rows()) {
        let columns = Columns::of(&rows, &wanted);
        for row in 0..rows.num_rows() {
            let place = first + row as u64;
            batch.clear();
            columns.push(row, place, &mut batch, || identity(&rows, row).into());
            match batch.bad.pop() {
                Some(bad) => visit(place + 1, Err(bad))?,
                None => visit(place + 1, Ok(&batch.text))?,
            }
        }
    }
    Ok(())
}

/// The text of a record, by its number from 1; none if there is no such record, or it has no text.
///
/// # Errors
/// If the table no longer exists, or has no such column as the options name.
pub(crate) fn text(layout: &Layout, options: &ReadOptions, number: u64) -> Result<Option<String>> {
    let options = ReadOptions {
        needs: Needs::default(),
        ..options.clone()
    };
    let wanted = layout.wanted(&options)?;
    let Some(row) = number.checked_sub(1) else {
        return Ok(None);
    };
    let mut batch = Batch::default();
    for (first, rows) in layout.table.slices(row..number) {
        let columns = Columns::of(&rows, &wanted);
        columns.push(0, first, &mut batch, || identity(&rows, 0).into());
    }
    let record = batch.records.first();
    Ok(record.map(|record| batch.text_of(record).to_owned()))
}
