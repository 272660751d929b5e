//! Hits that an index knows: a stream is judged against it, and what is kept is added to it.

use serde_json::Value;
use std::path::Path;
use tegula::Record;
use tegula::context::{Context, Reservation};
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
    adds: Adds,
    held: Reservation,
    /// Kept hits that are not in the index yet.
    kept: Vec<Kept>,
    bytes: usize,
    /// Judges hits against those that are not in the index yet; none if these are added one by one.
    filter: Option<Filter>,
    /// Whether what the filter finds is decided by the index, as the recipe also looks at what the filter
    /// does not.
    only_suspects: bool,
    /// The numbers of the hits that it judged.
    judged: Vec<u64>,
}

/// When kept hits are added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Adds {
    /// Never.
    Nothing,
    /// Once their lines are written.
    Often,
    /// Once the whole output is there.
    Last,
}

/// What became of a hit.
pub(super) enum Judged {
    /// Nothing matches it.
    New,
    /// A text of the index matches it.
    Known,
    /// A hit that is not in the index yet matches it.
    Hidden(Hidden),
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

/// What the memory is for, in errors.
const WHAT: &str = "the kept hits that the index does not have yet";

impl Known {
    /// Opens an index, to judge by a recipe that differs from its own in the threshold at most.
    pub(super) fn open(
        path: &Path,
        given: &[&str],
        threshold: Option<tegula::threshold::Threshold>,
        adds: Adds,
        context: &Context,
    ) -> Result<Self> {
        let index = Index::open(path, context)?;
        if let Some(option) = given.iter().find(|option| **option != "threshold") {
            return Err(Error::of(format!("⟨{option}⟩"))
                .problem("hits are compared by the recipe that the index was made with")
                .hint("leave it out, or make another index"));
        }
        let mut recipe = index.recipe().clone();
        recipe.threshold = threshold.unwrap_or(recipe.threshold);
        let (filter, only_suspects) = match Filter::new(&recipe, context, None) {
            Ok(filter) => (Some(filter), false),
            // Without these, more pairs reach the threshold.
            Err(error) if adds != Adds::Nothing && error.kind() == ErrorKind::Usage => (
                Filter::new(&recipe.that_hides_nothing(), context, None).ok(),
                true,
            ),
            Err(error) if error.kind() == ErrorKind::Usage => {
                return Err(
                    error.first("set ⟨add⟩: then the index compares the hits with each other")
                );
            }
            Err(error) => return Err(error),
        };
        if adds == Adds::Last && (only_suspects || filter.is_none()) {
            return Err(Error::of("⟨add⟩")
                .problem("by the recipe of this index, hits are compared only after they are added, so their lines must be written first")
                .hint("write to standard output, without ⟨expand⟩; or leave out ⟨add⟩"));
        }
        Ok(Self {
            index,
            recipe,
            context: context.clone(),
            adds,
            held: context.budget.reserve(0, WHAT)?,
            kept: Vec::new(),
            bytes: 0,
            filter,
            only_suspects,
            judged: Vec::new(),
        })
    }

    /// Whether a hit matches a text of the index.
    fn has(&self, text: &str) -> Result<bool> {
        let question = Question {
            threshold: Some(self.recipe.threshold),
            top: Some(1),
            of_asked: true,
        };
        Ok(!self.index.ask(text, question)?.is_empty())
    }

    /// Judges a hit, which has a number.
    pub(super) fn judge(&mut self, number: u64, text: &str) -> Result<Judged> {
        if self.has(text)? {
            return Ok(Judged::Known);
        }
        let Some(filter) = &mut self.filter else {
            return Ok(Judged::New);
        };
        let mut hidden = filter.judge(text)?;
        if hidden.is_some() && self.only_suspects {
            self.flush()?;
            if self.has(text)? {
                return Ok(Judged::Known);
            }
            hidden = match &mut self.filter {
                Some(filter) => filter.judge(text)?,
                None => None,
            };
        }
        self.judged.push(number);
        Ok(hidden.map_or(Judged::New, |hidden| {
            Judged::Hidden(Hidden {
                witness: self.judged[hidden.witness as usize],
                ..hidden
            })
        }))
    }

    /// Keeps a hit, to be added.
    pub(super) fn keep(&mut self, line: &[u8], content: &Content<'_>) -> Result<()> {
        if self.adds == Adds::Nothing {
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
        self.held
            .grow((content.text.len() + id.len()) as u64, WHAT)?;
        self.bytes += content.text.len();
        self.kept.push(Kept {
            id: id.to_owned(),
            text: content.text.to_owned(),
            fields,
        });
        let is_full = self.kept.len() >= AT_ONCE || self.bytes >= BYTES;
        if self.adds == Adds::Often && (self.filter.is_none() || is_full) {
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
        self.held.shrink(self.held.bytes());
        if self.filter.is_some() {
            let recipe = if self.only_suspects {
                self.recipe.that_hides_nothing()
            } else {
                self.recipe.clone()
            };
            self.filter = Some(Filter::new(&recipe, &self.context, None)?);
            self.judged.clear();
        }
        Ok(())
    }
}
