//! A record on its way to another format: the names and values of its fields.

use crate::format::json;
use std::borrow::Cow;
use tegula::error::{ErrorKind, Result};

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue<'a> {
    /// None: a JSON null, a null in Parquet.
    Null,
    /// A string.
    Text(Cow<'a, str>),
    /// A number, boolean, list or object, as JSON text on one line.
    Json(Cow<'a, str>),
}

impl FieldValue<'_> {
    /// The same value without what it is borrowed from.
    pub(super) fn owned(self) -> FieldValue<'static> {
        match self {
            Self::Null => FieldValue::Null,
            Self::Text(text) => FieldValue::Text(text.into_owned().into()),
            Self::Json(json) => FieldValue::Json(json.into_owned().into()),
        }
    }
}

/// The fields of a record, in order, each name once.
pub type Fields<'a> = Vec<(Cow<'a, str>, FieldValue<'a>)>;

/// A column whose type the new format does not support.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Conversion {
    /// The column.
    pub column: String,
    /// The original type.
    pub from: String,
    /// The new type.
    pub to: String,
}

/// The fields of a JSON object. Numbers keep their digits and nested values their spelling; if a
/// name is repeated, the last value counts.
pub fn json_fields(line: &str) -> Result<Fields<'_>> {
    let wrong = |what: &str| ErrorKind::Data.expected(format!("a JSON object: {what}"));
    let (mut fields, mut failed) = (Fields::new(), None);
    json::object(line, |key, value| {
        let name = json::unescape(key);
        match value_of(&line[value.at]) {
            Ok(value) => match fields.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => fields.push((name.into_owned().into(), value)),
            },
            Err(error) => failed = Some(error.to_string()),
        }
    })
    .map_err(|fault| wrong(&fault.what))?;
    failed.map_or(Ok(fields), |error| Err(wrong(&error)))
}

/// A value from its JSON text.
fn value_of(raw: &str) -> serde_json::Result<FieldValue<'_>> {
    Ok(match raw.as_bytes().first() {
        Some(b'n') => FieldValue::Null,
        Some(b'"') if raw.contains('\\') => {
            FieldValue::Text(serde_json::from_str::<String>(raw)?.into())
        }
        Some(b'"') => FieldValue::Text(raw.get(1..raw.len() - 1).unwrap_or_default().into()),
        _ if raw.contains(['\n', '\r']) => FieldValue::Json(raw.replace(['\n', '\r'], " ").into()),
        _ => FieldValue::Json(raw.into()),
    })
}

/// The fields of a CSV row: all strings. Cells beyond the header are named by their number; missing
/// cells are null.
pub fn csv_fields<'a>(
    names: &'a [String],
    cells: impl IntoIterator<Item = Cow<'a, str>>,
) -> Fields<'a> {
    let mut cells = cells.into_iter();
    let mut fields: Fields<'a> = names
        .iter()
        .map(|name| {
            (
                Cow::from(name.as_str()),
                cells.next().map_or(FieldValue::Null, FieldValue::Text),
            )
        })
        .collect();
    for (place, cell) in (names.len() + 1..).zip(cells) {
        fields.push((place.to_string().into(), FieldValue::Text(cell)));
    }
    fields
}

/// The fields of a record of plain text or a vertical file: its id, its text, and its metadata.
pub fn text_fields<'a>(
    id: Option<&'a str>,
    text: &'a str,
    metadata: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
) -> Fields<'a> {
    let text_of = |value: Option<&'a str>| {
        value.map_or(FieldValue::Null, |value| FieldValue::Text(value.into()))
    };
    let mut fields = vec![
        ("id".into(), text_of(id)),
        ("text".into(), FieldValue::Text(text.into())),
    ];
    for (name, value) in metadata {
        if name != "id" && name != "text" {
            fields.push((name.into(), text_of(value)));
        }
    }
    fields
}

/// Replaces the value of a top-level field; `false` if there is no field with this name.
pub fn replace_text<'a>(
    fields: &mut Fields<'a>,
    name: &str,
    text: impl Into<Cow<'a, str>>,
) -> bool {
    let field = fields.iter_mut().find(|(known, _)| known == name);
    field
        .map(|(_, value)| *value = FieldValue::Text(text.into()))
        .is_some()
}
