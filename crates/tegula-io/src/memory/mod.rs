//! Tables in memory: Arrow record batches that are read in place, as the files of a collection.
//!
//! A [`Table`] is a name and its rows; a row is a record, addressed by its number. Texts are taken
//! from the arrays themselves: nothing is written, parsed, or copied beyond what a chunk holds
//! while it is read. Tables belong to the caller, who pays for them: they are not part of the memory
//! ceiling. *Not useful for* later processes: a run folder keeps the name of a table, not its texts.

mod chunks;
mod layout;
mod received;
#[cfg(test)]
mod tests;

pub(crate) use chunks::{TableChunks, for_each_row, for_each_text, text};
pub(crate) use layout::{Layout, Piece};
pub use received::Received;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path};
use std::sync::Arc;
use tegula::error::{Error, ErrorKind, Result};

/// A table in memory: a name, and batches of one schema. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Table {
    inner: Arc<Inner>,
    other_types: Arc<OtherTypes>,
}

/// By row, from 0, the types of values that are no strings: their text is null.
pub type OtherTypes = BTreeMap<u64, String>;

#[derive(Debug)]
struct Inner {
    name: String,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// The rows before each batch.
    starts: Vec<u64>,
    rows: u64,
    /// The bytes of text in a table that no longer exists.
    gone: Option<u64>,
}

impl Table {
    /// A table of these batches, whose schema is that of the first; without batches it has neither
    /// rows nor columns. The name stands for a path in messages and evidence.
    ///
    /// # Errors
    /// If the name is not that of a file in a folder, or a batch has other columns.
    pub fn new(name: impl Into<String>, batches: Vec<RecordBatch>) -> Result<Self> {
        let schema = batches
            .first()
            .map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
        Self::with_schema(name, schema, batches)
    }

    /// The same with a known schema, so that a table without batches has columns.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_schema(
        name: impl Into<String>,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
    ) -> Result<Self> {
        let name = checked(name.into())?;
        for batch in &batches {
            check_schema(&schema, batch.schema_ref())
                .map_err(|error| error.at(Path::new(&name)))?;
        }
        let (mut starts, mut rows) = (Vec::with_capacity(batches.len()), 0);
        for batch in &batches {
            starts.push(rows);
            rows += batch.num_rows() as u64;
        }
        Ok(Self {
            inner: Arc::new(Inner {
                name,
                schema,
                batches,
                starts,
                rows,
                gone: None,
            }),
            other_types: Arc::default(),
        })
    }

    /// The same, with the types that errors name instead of null.
    #[must_use]
    pub fn with_other_types(self, types: OtherTypes) -> Self {
        Self {
            other_types: Arc::new(types),
            ..self
        }
    }

    /// A table that an earlier run read, of which only name and size are known; reading it is an
    /// error.
    ///
    /// # Errors
    /// If the name cannot be that of a table.
    #[doc(hidden)]
    pub fn gone(name: impl Into<String>, bytes: u64) -> Result<Self> {
        Ok(Self {
            inner: Arc::new(Inner {
                name: checked(name.into())?,
                schema: Arc::new(Schema::empty()),
                batches: Vec::new(),
                starts: Vec::new(),
                rows: 0,
                gone: Some(bytes),
            }),
            other_types: Arc::default(),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.inner.schema
    }

    /// Its batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.inner.batches
    }

    /// The number of its rows.
    pub fn rows(&self) -> u64 {
        self.inner.rows
    }

    /// The batch of a row, counted from 0, and its row in that batch.
    pub fn place(&self, row: u64) -> Option<(usize, usize)> {
        let inner = &*self.inner;
        if row >= inner.rows {
            return None;
        }
        // The last batch that begins here or before; those before it that do as well are empty.
        let batch = inner
            .starts
            .partition_point(|start| *start <= row)
            .checked_sub(1)?;
        let within = usize::try_from(row - inner.starts[batch]).ok()?;
        Some((batch, within))
    }

    /// The batches of these rows, without copying a value, each with the index of its first row.
    pub(crate) fn slices(&self, rows: Range<u64>) -> impl Iterator<Item = (u64, RecordBatch)> {
        let mut at = rows.start;
        std::iter::from_fn(move || {
            let (batch, within) = self.place(at).filter(|_| at < rows.end)?;
            let batch = &self.inner.batches[batch];
            let left = usize::try_from(rows.end - at).unwrap_or(usize::MAX);
            let count = left.min(batch.num_rows() - within);
            let first = at;
            at += count as u64;
            Some((first, batch.slice(within, count)))
        })
    }

    /// The types of values that are no strings.
    pub(crate) fn other_types(&self) -> &Arc<OtherTypes> {
        &self.other_types
    }

    /// The bytes of its texts at the time of the run, if it no longer exists.
    pub(crate) fn gone_bytes(&self) -> Option<u64> {
        self.inner.gone
    }

    /// Refuses to read a table that no longer exists.
    pub(crate) fn check_present(&self) -> Result<()> {
        match self.inner.gone {
            Some(_) => Err(no_longer(Path::new(self.name()))),
            None => Ok(()),
        }
    }
}

/// Tables are the same if name and number of rows are: values are not compared.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        let key = |table: &Self| (table.inner.rows, table.inner.gone);
        self.name() == other.name() && key(self) == key(other)
    }
}

impl Eq for Table {}

/// The error for texts that were in memory during an earlier run.
pub fn no_longer(name: &Path) -> Error {
    Error::new(
        ErrorKind::Run,
        "the texts that the run read were in memory, and are not kept",
    )
    .at(name)
    .hint("run again with the same data, or from a file that has it")
}

/// A name that can stand for a path: files for bad records are named after it.
fn checked(name: String) -> Result<String> {
    let mut parts = Path::new(&name).components();
    let is_plain = !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)));
    if is_plain && name != "-" && !name.starts_with(REFERENCES) {
        return Ok(name);
    }
    Err(ErrorKind::Usage
        .expected("the name of a table in memory to be like that of a file, such as texts")
        .found(format!("'{name}'")))
}

/// How names of references begin in the evidence of a run.
const REFERENCES: &str = "against/";

fn check_schema(expected: &Schema, found: &Schema) -> Result<()> {
    let columns = |schema: &Schema| -> Vec<String> {
        let fields = schema.fields().iter();
        fields
            .map(|field| format!("{}: {}", field.name(), field.data_type()))
            .collect()
    };
    let (expected, found) = (columns(expected), columns(found));
    if expected == found {
        return Ok(());
    }
    Err(ErrorKind::Usage
        .expected(format!("batches of one schema ({})", expected.join(", ")))
        .found(format!("one with {}", found.join(", "))))
}
