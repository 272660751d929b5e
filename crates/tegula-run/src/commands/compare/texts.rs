//! The texts to compare, held in memory.

use crate::mail;
use crate::opened::{Opened, Opening};
use crate::spec::InputSpec;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use tegula::context::{Context, Reservation};
use tegula::engine::bad_records::BadRecords;
use tegula::error::{Error, Result};
use tegula::recipe::Staged;
use tegula::record::{Batch, Source, SourceFile};
use tegula_io::collection::Collection;
use tegula_io::options::{FormatName, ReadOptions};

/// What is before the names of texts of the baseline.
const BASELINE: &str = "baseline/";

/// Texts with their names, in input order, those of the baseline last. They are held in full, and
/// reserved from the memory ceiling.
///
/// The text of a file with a single text has the file's name; the texts of other files have their
/// ids. A second text of the same name gets `~2` appended.
pub(super) struct Texts {
    ids: Vec<String>,
    ends: Vec<usize>,
    all: String,
    /// What messages are besides their text, by place.
    apart: HashMap<usize, String>,
    /// The number of those that are not of the baseline.
    own: usize,
    /// The file, place and fault of each text that could not be read.
    unread: Vec<String>,
    held: Reservation,
}

impl Texts {
    /// Reads all texts.
    ///
    /// # Errors
    /// Errors of the inputs, and when the texts are larger than the memory ceiling.
    pub(super) fn read(opened: &Opened) -> Result<Self> {
        opened
            .read(|bad| {
                let held = opened.host.context.budget.reserve(0, "the texts")?;
                let mut texts = Self {
                    ids: Vec::new(),
                    ends: Vec::new(),
                    all: String::new(),
                    apart: HashMap::new(),
                    own: 0,
                    unread: Vec::new(),
                    held,
                };
                for (collection, first) in opened.inputs.collections() {
                    let named = if first == 0 { "" } else { BASELINE };
                    texts.add(&opened.host.context, (collection, first), named, bad)?;
                    if first == 0 {
                        texts.own = texts.ids.len();
                    }
                }
                tell_apart(&mut texts.ids);
                Ok(texts)
            })
            .map(|(texts, _)| texts)
    }

    /// Appends the texts of a collection, `named` before their names.
    fn add(
        &mut self,
        context: &Context,
        (collection, first): (&Collection, u32),
        named: &str,
        bad: &mut dyn BadRecords,
    ) -> Result<()> {
        let before = self.ids.len();
        let mut files: Vec<u32> = Vec::new();
        let mut batch = Batch::default();
        for chunk in collection.chunks()? {
            context.check()?;
            let chunk = chunk?;
            batch.clear();
            chunk.read(&mut batch);
            let file = &collection.files()[chunk.file() as usize];
            for record in batch.bad.drain(..) {
                let (number, fault) = (record.number, record.error.message());
                bad.bad(first + chunk.file(), record)?;
                self.unread
                    .push(format!("{}, record {number}: {fault}", file.name));
            }
            // Twice the bytes: the buffer is copied while it grows.
            if !self.held.try_grow(2 * batch.text.len() as u64) {
                return Err(context
                    .budget
                    .reserve(2 * batch.text.len() as u64, "holding the texts")
                    .map_or_else(
                        |error| error,
                        |_| Error::usage("the texts do not fit under the memory ceiling"),
                    ));
            }
            for record in &batch.records {
                // No other field is read.
                if let Some(Some(value)) = batch.fields_of(record).first() {
                    self.apart.insert(self.ids.len(), value.clone());
                }
                self.all.push_str(batch.text_of(record));
                self.ends.push(self.all.len());
                files.push(chunk.file());
                self.ids.push(match batch.id_of(record) {
                    Some(id) if !id.is_empty() => id.to_owned(),
                    _ => format!("{}:{}", file.name, record.number),
                });
            }
        }
        let mut texts = vec![0_u32; collection.files().len()];
        for file in &files {
            texts[*file as usize] += 1;
        }
        let is_alone =
            |file: u32| texts[file as usize] == 1 && (texts.len() > 1 || is_text(collection, file));
        let names = names(collection.files());
        for (id, file) in self.ids[before..].iter_mut().zip(&files) {
            if is_alone(*file) {
                id.clone_from(&names[*file as usize]);
            }
            id.insert_str(0, named);
        }
        Ok(())
    }

    /// Whether a text is of the baseline.
    pub(super) fn is_baseline(&self, at: usize) -> bool {
        at >= self.own
    }

    /// The file, place and fault of each text that could not be read.
    pub(super) fn unread(&self) -> &[String] {
        &self.unread
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

/// The names of files: those in the collection, but the paths of files that are named themselves and
/// called alike, as in `draft/essay.txt` and `print/essay.txt`.
fn names(files: &[SourceFile]) -> Vec<String> {
    // Files in folders have different names.
    let own = |file: &SourceFile| -> Option<OsString> {
        let is_named_itself = !file.name.contains('/');
        file.path
            .file_name()
            .filter(|_| is_named_itself)
            .map(OsStr::to_owned)
    };
    let mut alike: HashMap<OsString, u32> = HashMap::new();
    for own in files.iter().filter_map(own) {
        *alike.entry(own).or_default() += 1;
    }
    let name = |file: &SourceFile| match own(file).and_then(|own| alike.get(&own)) {
        Some(2..) => file.path.display().to_string(),
        _ => file.name.clone(),
    };
    files.iter().map(name).collect()
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
