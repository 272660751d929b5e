//! Hits that an index knows: a stream is judged against it, and what is kept is added to it.

use serde_json::Value;
use std::path::Path;
use tegula::Record;
use tegula::context::Context;
use tegula::engine::bad_records::FailOnBad;
use tegula::error::{Error, ErrorKind, Result};
use tegula::filter::{Filter, Hidden};
use tegula::index::{IdTaken, Index, Question};
use tegula::recipe::Recipe;
use tegula::source::Records;
use tegula_io::hits::Content;

/// An index beside a stream.
pub(super) struct Known {
    index: Index,
    recipe: Recipe,
    context: Context,
    adds: bool,
    /// Kept hits that are not in the index yet.
    kept: Vec<Kept>,
    bytes: usize,
    /// Judges hits against those that are not in the index yet; none if these are added one by one.
    filter: Option<Filter>,
    /// The numbers of the hits that it judged.
    judged: Vec<u64>,
}

struct Kept {
    id: String,
    text: String,
    fields: Vec<(String, String)>,
}

/// So many kept hits are added at once.
const AT_ONCE: usize = 1000;
/// Or so many bytes of them.
const BYTES: usize = 1 << 24;

impl Known {
    /// Opens an index, to judge by a recipe that differs from its own in the threshold at most.
    pub(super) fn open(
        path: &Path,
        given: &[&str],
        threshold: Option<tegula::threshold::Threshold>,
        adds: bool,
        context: &Context,
    ) -> Result<Self> {
        let index = Index::open(path, context)?;
        if let Some(option) = given.iter().find(|option| **option != "threshold") {
            return Err(Error::of(format!("⟨{option}⟩"))
                .problem("the index was made with a recipe, by which hits are compared")
                .hint("leave it out, or make another index"));
        }
        let mut recipe = index.recipe().clone();
        recipe.threshold = threshold.unwrap_or(recipe.threshold);
        let filter = match Filter::new(&recipe, context, None) {
            Ok(filter) => Some(filter),
            // Then each kept hit is in the index before the next is judged.
            Err(error) if adds && error.kind() == ErrorKind::Usage => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            index,
            recipe,
            context: context.clone(),
            adds,
            kept: Vec::new(),
            bytes: 0,
            filter,
            judged: Vec::new(),
        })
    }

    /// Whether a hit matches a text of the index.
    pub(super) fn has(&self, text: &str) -> Result<bool> {
        let question = Question {
            threshold: Some(self.recipe.threshold),
            top: Some(1),
            of_asked: true,
        };
        Ok(!self.index.ask(text, question)?.is_empty())
    }

    /// The hit that is not in the index yet and matches this one, which has a number.
    pub(super) fn hides(&mut self, number: u64, text: &str) -> Result<Option<Hidden>> {
        let Some(filter) = &mut self.filter else {
            return Ok(None);
        };
        let hidden = filter.judge(text)?;
        self.judged.push(number);
        Ok(hidden.map(|hidden| Hidden {
            witness: self.judged[hidden.witness as usize],
            ..hidden
        }))
    }

    /// Keeps a hit, to be added.
    pub(super) fn keep(&mut self, line: &[u8], content: &Content<'_>) -> Result<()> {
        if !self.adds {
            return Ok(());
        }
        let id = content.id.filter(|id| !id.is_empty()).ok_or_else(|| {
            ErrorKind::Data
                .expected("an id, by which the hit is known in the index")
                .found("none")
                .hint("name its field with ⟨id_key⟩, or leave out ⟨add⟩")
        })?;
        let names = self.index.description().fields;
        let mut fields = Vec::new();
        if !names.is_empty() {
            let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
            let row: Value = serde_json::from_slice(line.trim_ascii()).unwrap_or_default();
            let values = names.into_iter().filter_map(|name| {
                let value = if name.starts_with('/') {
                    row.pointer(&name)?
                } else {
                    row.get(&name)?
                };
                let value = match value {
                    Value::String(text) => text.clone(),
                    Value::Null => return None,
                    other => other.to_string(),
                };
                Some((name, value))
            });
            fields.extend(values);
        }
        self.bytes += content.text.len();
        self.kept.push(Kept {
            id: id.to_owned(),
            text: content.text.to_owned(),
            fields,
        });
        let is_full = self.kept.len() >= AT_ONCE || self.bytes >= BYTES;
        if self.filter.is_none() || is_full {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds what is kept: then the disk has it. One of an id that is there takes its place.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.kept.is_empty() {
            return Ok(());
        }
        let names = self.index.description().fields;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let source = Records::new(&names, || {
            Ok(self.kept.iter().map(|kept| {
                let record = Record::new(&*kept.text).id(&*kept.id);
                let fields = kept.fields.iter();
                Ok(fields.fold(record, |record, (name, value)| {
                    record.field(&**name, &**value)
                }))
            }))
        });
        let source = source.bytes(self.bytes as u64);
        let mut writer = self.index.write(&self.context)?;
        writer.add(&source, IdTaken::Replace, &mut FailOnBad)?;
        writer.commit()?;
        drop((writer, source));
        self.index.merge(&self.context, false)?;
        self.kept.clear();
        self.bytes = 0;
        if self.filter.is_some() {
            self.filter = Some(Filter::new(&self.recipe, &self.context, None)?);
            self.judged.clear();
        }
        Ok(())
    }
}
