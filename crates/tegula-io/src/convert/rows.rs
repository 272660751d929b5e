//! The texts of rows, whose fields are shown without saying where in them the text is.

use super::sink::write_fields;
use super::{FieldValue, Fields, json_fields, replace_text};
use crate::collection::Collection;
use crate::format::Format as _;
use crate::format::joined::{JOINT, split_cuts};
use crate::format::jsonl::Jsonl;
use crate::rewrite::patched;
use std::ops::Range;
use tegula::error::Result;
use tegula::record::Batch;

/// Finds the texts of rows in their fields.
pub(super) struct RowTexts {
    keys: Vec<String>,
    /// If texts are inside structs, which are shown as objects: they are found and cut as in JSON
    /// Lines.
    inside: Option<Jsonl>,
}

impl RowTexts {
    /// For the text columns of a collection.
    pub(super) fn of(collection: &Collection) -> Self {
        let keys = collection.options().text_keys().into_iter();
        let keys: Vec<String> = keys.map(str::to_owned).collect();
        let is_inside = keys.iter().any(|key| key.starts_with('/'));
        Self {
            keys,
            inside: is_inside.then(|| Jsonl::new(collection.settings())),
        }
    }

    /// The text of a row.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn joined(&self, fields: &Fields<'_>) -> Result<String> {
        if let Some(inside) = &self.inside {
            let mut batch = Batch::default();
            inside.decode(&object(fields), &mut batch)?;
            return Ok(batch.text);
        }
        let texts = self.keys.iter().filter_map(|key| text_of(fields, key));
        Ok(texts.collect::<Vec<_>>().join(JOINT))
    }

    /// The fields without some bytes of the text.
    ///
    /// # Errors
    /// If there is no text.
    pub(super) fn cut<'f>(&self, fields: &Fields<'f>, cuts: &[Range<usize>]) -> Result<Fields<'f>> {
        if let Some(inside) = &self.inside {
            let line = object(fields);
            let left = patched(&line, &inside.remove(&line, cuts)?);
            let owned = json_fields(&left)?.into_iter();
            return Ok(owned
                .map(|(name, value)| (name.into_owned().into(), value.owned()))
                .collect());
        }
        let mut fields = fields.clone();
        let lengths: Vec<usize> = (self.keys.iter())
            .map(|key| text_of(&fields, key).map_or(0, str::len))
            .collect();
        for (key, cuts) in self.keys.iter().zip(split_cuts(lengths.into_iter(), cuts)) {
            let Some(text) = text_of(&fields, key) else {
                continue;
            };
            let mut rest = text.to_owned();
            for cut in cuts.into_iter().rev() {
                rest.replace_range(cut, "");
            }
            replace_text(&mut fields, key, rest);
        }
        Ok(fields)
    }
}

/// The fields as an object of JSON.
fn object(fields: &Fields<'_>) -> String {
    let mut line = String::from("{");
    write_fields(fields, &mut line);
    line.push('}');
    line
}

fn text_of<'a>(fields: &'a Fields<'_>, key: &str) -> Option<&'a str> {
    let (_, value) = fields.iter().find(|(name, _)| name == key)?;
    match value {
        FieldValue::Text(text) => Some(text.as_ref()),
        _ => None,
    }
}
