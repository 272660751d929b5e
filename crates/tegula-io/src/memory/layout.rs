//! How a table is divided into chunks: once, by the lengths of its texts.

use super::Table;
use crate::format::arrow::{Key, Texts, Wanted};
use crate::options::ReadOptions;
use arrow_array::{Array, RecordBatch};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tegula::error::Result;

/// Rows whose lengths are determined at a time: keys of a dictionary are converted for them.
const STEP: u64 = 1 << 13;
/// What a row counts as in a chunk besides its text, so that short texts are not too many.
const ROW: u64 = 64;

/// A table and its pieces. Costs a look at the length of each text.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) table: Table,
    /// Bytes of text.
    pub(crate) bytes: u64,
    pub(crate) pieces: Vec<Piece>,
}

/// Consecutive rows that are read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) rows: Range<u64>,
    /// Bytes of text.
    pub(crate) bytes: u64,
}

impl Layout {
    /// Divides a table into pieces with this many bytes of text in the columns of the options; a
    /// longer text is a piece of its own. A column that does not exist is refused when it is read.
    pub(crate) fn new(table: &Table, options: &ReadOptions, size: usize) -> Self {
        let keys: Vec<Key> = options.text_keys().into_iter().map(Key::new).collect();
        let size = size as u64;
        let mut pieces: Vec<Piece> = Vec::new();
        let (mut all, mut first, mut filled, mut bytes) = (0, 0, 0, 0);
        let mut close = |rows: Range<u64>, bytes| {
            if !rows.is_empty() {
                pieces.push(Piece { rows, bytes });
            }
        };
        for at in (0..table.rows()).step_by(STEP as usize) {
            let end = table.rows().min(at + STEP);
            for (start, batch) in table.slices(at..end) {
                let lengths = Lengths::of(&batch, &keys);
                for row in 0..batch.num_rows() {
                    let (place, length) = (start + row as u64, lengths.of_row(row));
                    if filled > 0 && filled + length > size {
                        close(first..place, bytes);
                        (first, filled, bytes) = (place, 0, 0);
                    }
                    filled += length + ROW;
                    bytes += length;
                    all += length;
                }
            }
        }
        close(first..table.rows(), bytes);
        Self {
            table: table.clone(),
            bytes: table.gone_bytes().unwrap_or(all),
            pieces,
        }
    }

    /// The columns that the options name.
    ///
    /// # Errors
    /// If the table no longer exists, or has no such column; lists the columns.
    pub(crate) fn wanted(&self, options: &ReadOptions) -> Result<Wanted> {
        self.table.check_present()?;
        let is_null = |key: &Key| {
            let mut columns = self.table.batches().iter().map(|batch| key.column(batch));
            columns.all(|column| {
                column.is_none_or(|column| (0..column.array.len()).all(|row| column.is_null(row)))
            })
        };
        let (path, schema) = (Path::new(self.table.name()), self.table.schema());
        Ok(Wanted {
            other_types: Arc::clone(self.table.other_types()),
            ..Wanted::of(path, schema, options, &is_null)?
        })
    }
}

/// The lengths of the texts in some rows.
struct Lengths(Vec<Texts>);

impl Lengths {
    fn of(batch: &RecordBatch, keys: &[Key]) -> Self {
        let columns = keys.iter().filter_map(|key| key.column(batch));
        Self(columns.map(|column| Texts::of(&column.array)).collect())
    }

    fn of_row(&self, row: usize) -> u64 {
        self.0.iter().map(|texts| texts.bytes(row) as u64).sum()
    }
}
