//! All fields of every row, for other formats.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use tegula::error::{Error, ErrorKind, Result};

use super::json;
use super::key::Key;
use super::open::{Footer, Opened};
use super::read::RowBatches;
use super::texts::{Text, Texts, holds_bytes};
use crate::convert::{Conversion, FieldValue, Fields};
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::options::ReadOptions;

/// Calls `visit` with the number and all fields of each row, in order; damage is an error, except in
/// rows that were passed over when they were read. Returns the columns whose types JSON lacks, with
/// their representation.
pub(crate) fn for_each_row(
    watch: &Arc<InputGuard>,
    options: &ReadOptions,
    limits: &Limits,
    visit: &mut dyn FnMut(u64, &Fields<'_>) -> Result<()>,
) -> Result<Vec<Conversion>> {
    let whole = |footer| match footer {
        Footer::Whole(opened) => Ok(opened),
        Footer::Damaged(error) => Err(error),
    };
    let opened = whole(Opened::open_all(watch, limits)?)?;
    let schema = Arc::clone(opened.meta.schema());
    let keys: Vec<Key> = options
        .text_keys()
        .iter()
        .map(|name| Key::new(name))
        .collect();
    let is_bytes = |key: &Key| {
        key.field(&schema)
            .is_some_and(|field| holds_bytes(field.data_type()))
    };
    // A writer that does not mark texts as strings does not mark the other strings either.
    let unmarked = keys.iter().any(is_bytes);
    let conversions = conversions(watch, &schema, unmarked)?;
    let mut row = Row {
        schema: &schema,
        unmarked,
        lost: Vec::new(),
        visit,
    };
    let mut read = if options.needs.whole_rows {
        Some(RowBatches::new(whole(Opened::open(watch, options, limits)?)?).peekable())
    } else {
        None
    };
    let mut group = usize::MAX;
    for piece in RowBatches::new(Arc::clone(&opened)) {
        if piece.group != group {
            group = piece.group;
            row.lost.clear();
            while let Some(piece) = read
                .as_mut()
                .and_then(|read| read.next_if(|p| p.group == group))
            {
                match piece.decode() {
                    Ok(_) => {}
                    Err(error) if is_damage(&error) => {
                        row.lost.push(piece.first..piece.first + piece.rows as u64);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        let rows = piece.first..piece.first + piece.rows as u64;
        if row.is_lost(&rows) {
            continue;
        }
        match piece.decode() {
            Ok(batches) => row.visit_all(piece.first, &batches)?,
            // Part of it can be read.
            Err(error) if is_damage(&error) && !row.lost.is_empty() => {
                let window = opened.window(group);
                for skipped in (0..piece.rows).step_by(window) {
                    let count = window.min(piece.rows - skipped);
                    let first = piece.first + skipped as u64;
                    if !row.is_lost(&(first..first + count as u64)) {
                        let batches = opened.read_window(group, piece.skip + skipped, count)?;
                        row.visit_all(first, &batches)?;
                    }
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(conversions)
}

/// Whether rows are lost by this error; a disk that fails is another matter.
fn is_damage(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Data | ErrorKind::Memory)
}

/// The columns whose types JSON lacks.
fn conversions(watch: &InputGuard, schema: &SchemaRef, unmarked: bool) -> Result<Vec<Conversion>> {
    let mut conversions = Vec::new();
    for field in schema.fields() {
        let becomes = json::conversion(field.data_type()).map_err(|found| {
            Error::data(format!(
                "expected types that JSON can represent, found {found} in the column \"{}\"",
                field.name()
            ))
            .at(watch.path())
            .hint("write Parquet, or remove the column from the input")
        })?;
        if let Some(becomes) = becomes {
            let to = if unmarked && holds_bytes(field.data_type()) {
                "string, in base64 where it is not UTF-8"
            } else {
                becomes
            };
            conversions.push(Conversion {
                column: field.name().clone(),
                from: field.data_type().to_string(),
                to: to.to_owned(),
            });
        }
    }
    Ok(conversions)
}

/// Shows rows to a visitor.
struct Row<'a, 'v> {
    schema: &'a SchemaRef,
    /// Whether bytes are strings that the writer did not mark.
    unmarked: bool,
    /// The rows of the file that were passed over.
    lost: Vec<Range<u64>>,
    visit: &'v mut dyn FnMut(u64, &Fields<'_>) -> Result<()>,
}

impl Row<'_, '_> {
    /// Whether all these rows were passed over.
    fn is_lost(&self, rows: &Range<u64>) -> bool {
        let mut at = rows.start;
        for lost in &self.lost {
            if lost.contains(&at) {
                at = lost.end;
            }
        }
        at >= rows.end
    }

    fn visit_all(&mut self, first: u64, batches: &[RecordBatch]) -> Result<()> {
        let mut index = first;
        for batch in batches {
            let unmarked: Vec<Option<Texts>> = batch
                .columns()
                .iter()
                .map(|column| {
                    (self.unmarked && holds_bytes(column.data_type())).then(|| Texts::of(column))
                })
                .collect();
            for row in 0..batch.num_rows() {
                if !self.is_lost(&(index..index + 1)) {
                    let fields: Fields<'_> = self
                        .schema
                        .fields()
                        .iter()
                        .zip(batch.columns().iter().zip(&unmarked))
                        .map(|(field, (column, texts))| {
                            let text = texts.as_ref().map(|texts| texts.get(row));
                            let value = match text {
                                Some(Text::Some(text)) => FieldValue::Text(text.into()),
                                _ => FieldValue::of(column, row),
                            };
                            (field.name().as_str().into(), value)
                        })
                        .collect();
                    (self.visit)(index + 1, &fields)?;
                }
                index += 1;
            }
        }
        Ok(())
    }
}

impl FieldValue<'_> {
    fn of(column: &ArrayRef, row: usize) -> Self {
        let mut text = String::new();
        match json::write(column, row, &mut text) {
            json::Shape::Null => Self::Null,
            json::Shape::Other => Self::Json(text.into()),
            json::Shape::Text => {
                text.clear();
                json::plain(column, row, &mut text);
                Self::Text(text.into())
            }
        }
    }
}
