//! All fields of every row, for other formats.

use std::path::Path;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{Schema, SchemaRef};
use tegula::error::{ErrorKind, Result};

use super::json;
use super::key::Key;
use super::texts::{Text, Texts, holds_bytes};
use crate::convert::{Conversion, FieldValue, Fields};
use crate::options::ReadOptions;
use crate::tables::strings::Strings;

/// Receives the number and all fields of a row, and says whether it is written.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(u64, &Fields<'_>) -> Result<bool>;

/// The columns of a schema whose types JSON lacks, with their representation.
///
/// # Errors
/// Names a type that cannot be represented.
pub(crate) fn conversions(
    path: &Path,
    schema: &Schema,
    options: &ReadOptions,
) -> Result<Vec<Conversion>> {
    let unmarked = is_unmarked(schema, options);
    let mut conversions = Vec::new();
    for field in schema.fields() {
        let becomes = json::conversion(field.data_type()).map_err(|found| {
            ErrorKind::Data
                .expected("types that JSON can represent")
                .found(format!("{found} in the column \"{}\"", field.name()))
                .at(path)
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

/// Whether bytes are strings that the writer did not mark: one that does not mark texts does not
/// mark the other strings either.
fn is_unmarked(schema: &Schema, options: &ReadOptions) -> bool {
    let mut keys = options.text_keys().into_iter().map(Key::new);
    keys.any(|key| {
        key.field(schema)
            .is_some_and(|field| holds_bytes(field.data_type()))
    })
}

/// Shows rows of a schema, with all their fields.
pub(crate) struct AllFields {
    schema: SchemaRef,
    /// Whether bytes are strings that the writer did not mark.
    unmarked: bool,
}

impl AllFields {
    /// For rows of this schema, whose texts are those of the options.
    pub(crate) fn new(schema: &SchemaRef, options: &ReadOptions) -> Self {
        Self {
            schema: SchemaRef::clone(schema),
            unmarked: is_unmarked(schema, options),
        }
    }

    /// Shows the rows of these columns, of which the first has this index in its file, except
    /// those that are lost; returns how many of them are written.
    ///
    /// # Errors
    /// Those of `visit`.
    pub(crate) fn show(
        &self,
        columns: &[ArrayRef],
        first: u64,
        is_lost: &dyn Fn(u64) -> bool,
        visit: Visit<'_>,
    ) -> Result<u64> {
        let has_texts = |column: &ArrayRef| {
            let data_type = column.data_type();
            Strings::fits(data_type) || (self.unmarked && holds_bytes(data_type))
        };
        let texts: Vec<Option<Texts>> = columns
            .iter()
            .map(|column| has_texts(column).then(|| Texts::of(column)))
            .collect();
        let mut written = 0;
        for row in 0..columns.first().map_or(0, Array::len) {
            let index = first + row as u64;
            if is_lost(index) {
                continue;
            }
            let fields: Fields<'_> = self
                .schema
                .fields()
                .iter()
                .zip(columns.iter().zip(&texts))
                .map(|(field, (column, texts))| {
                    let text = texts.as_ref().map(|texts| texts.get(row));
                    let value = match text {
                        Some(Text::Some(text)) => FieldValue::Text(text.into()),
                        _ => FieldValue::of(column, row),
                    };
                    (field.name().as_str().into(), value)
                })
                .collect();
            written += u64::from(visit(index + 1, &fields)?);
        }
        Ok(written)
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
