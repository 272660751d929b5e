//! The texts to compare, held in memory.

use crate::mail;
use crate::opened::{Opened, Opening};
use crate::spec::InputSpec;
use std::collections::HashMap;
use std::path::Path;
use tegula::context::{Context, Reservation};
use tegula::engine::bad_records::BadRecords;
use tegula::error::{Error, Result};
use tegula::recipe::Staged;
use tegula::record::{Batch, Source};
use tegula_io::collection::Collection;
use tegula_io::options::{FormatName, ReadOptions};

/// Texts with their names, in input order. They are held in full, and reserved from the memory
/// ceiling.
///
/// The text of a file with a single text has the file's name; the texts of other files have their
/// ids. A second text of the same name gets `~2` appended.
pub(super) struct Texts {
    ids: Vec<String>,
    ends: Vec<usize>,
    all: String,
    /// What messages are besides their text, by place.
    apart: HashMap<usize, String>,
    _held: Reservation,
}

impl Texts {
    /// Reads all texts.
    ///
    /// # Errors
    /// Errors of the inputs, and when the texts are larger than the memory ceiling.
    pub(super) fn read(opened: &Opened) -> Result<Self> {
        opened
            .read(|bad| Self::of(&opened.host.context, &opened.inputs.main, bad))
            .map(|(texts, _)| texts)
    }

    fn of(context: &Context, collection: &Collection, bad: &mut dyn BadRecords) -> Result<Self> {
        let mut held = context.budget.reserve(0, "the texts")?;
        let (mut ids, mut ends, mut all) = (Vec::new(), Vec::new(), String::new());
        let mut files: Vec<u32> = Vec::new();
        let mut apart = HashMap::new();
        let mut batch = Batch::default();
        for chunk in collection.chunks()? {
            context.check()?;
            let chunk = chunk?;
            batch.clear();
            chunk.read(&mut batch);
            for record in batch.bad.drain(..) {
                bad.bad(record)?;
            }
            // Twice the bytes: the buffer is copied while it grows.
            if !held.try_grow(2 * batch.text.len() as u64) {
                return Err(context
                    .budget
                    .reserve(2 * batch.text.len() as u64, "holding the texts")
                    .map_or_else(
                        |error| error,
                        |_| Error::usage("the texts do not fit under the memory ceiling"),
                    ));
            }
            let file = &collection.files()[chunk.file() as usize];
            for record in &batch.records {
                // No other field is read.
                if let Some(Some(value)) = batch.fields_of(record).first() {
                    apart.insert(ids.len(), value.clone());
                }
                all.push_str(batch.text_of(record));
                ends.push(all.len());
                files.push(chunk.file());
                ids.push(match batch.id_of(record) {
                    Some(id) if !id.is_empty() => id.to_owned(),
                    _ => format!("{}:{}", file.name, record.number),
                });
            }
        }
        let mut texts = vec![0_u32; collection.files().len()];
        for file in &files {
            texts[*file as usize] += 1;
        }
        for (id, file) in ids.iter_mut().zip(&files) {
            if texts[*file as usize] == 1 && (texts.len() > 1 || is_text(collection, *file)) {
                id.clone_from(&collection.files()[*file as usize].name);
            }
        }
        tell_apart(&mut ids);
        Ok(Self {
            ids,
            ends,
            all,
            apart,
            _held: held,
        })
    }

    /// The number of texts.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The id of one.
    pub(super) fn id(&self, at: usize) -> &str {
        &self.ids[at]
    }

    /// The text of one.
    pub(super) fn text(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[at]]
    }

    /// Why a run does not compare two messages, whatever their texts.
    pub(super) fn kept_apart(&self, a: usize, b: usize) -> Option<&'static str> {
        let of = |at: usize| self.apart.get(&at).map_or("", String::as_str);
        mail::why_apart(of(a), of(b))
    }
}

fn is_text(collection: &Collection, file: u32) -> bool {
    collection
        .format(file)
        .is_some_and(|(format, _)| format == FormatName::Text)
}

/// Appends a number to names that an earlier text already has.
fn tell_apart(ids: &mut [String]) {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for id in ids {
        let count = seen.entry(id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *id = format!("{id}~{count}");
        }
    }
}

/// All text of a file.
///
/// # Errors
/// When it cannot be read, or holds no text.
pub(super) fn one(opened: &Opened, path: &Path, recipe: &Staged) -> Result<String> {
    let mut input = InputSpec::default();
    input.paths.push(path.to_path_buf());
    input.read = ReadOptions {
        limit: None,
        ..opened.input.read.clone()
    };
    let ignored = Opened::new(opened.host, &opened.outputs, Opening::new(&input, recipe))?;
    let texts = Texts::read(&ignored)?;
    if texts.all.trim().is_empty() {
        return Err(Error::of("⟨ignore⟩")
            .expected("a text")
            .found("none")
            .at(path));
    }
    let all: Vec<&str> = (0..texts.len()).map(|at| texts.text(at)).collect();
    Ok(all.join("\n\n"))
}
