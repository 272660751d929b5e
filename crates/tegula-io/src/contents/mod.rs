//! Checks whether a collection contains what a run requires: fields, ids, tags.
//!
//! [`Contents::of_heads`] reads the beginning of every file, which is nearly always sufficient.
//! [`Contents::search`] looks for the rest in all following records, up to the first that has it,
//! so that [`Contents::check`] refuses only what no record has. Texts are decoded but not compared,
//! which costs a fraction of a run; nothing is written.

mod inventory;
mod observed;

pub(crate) use inventory::listed;

use crate::block::Piece;
use crate::collection::Collection;
use crate::options::{FormatName, ReadOptions, TagOptions};
use observed::Observed;
use std::sync::atomic::{AtomicBool, Ordering};
use tegula::context::{Amount, Context};
use tegula::error::{ErrorKind, Result};
use tegula::field::{Expected, FieldNeed};
use tegula::flow::{in_order, weighed};
use tegula::record::{BadRecord, Batch, Chunk, Level, Source};

/// The requirements of a run on a collection.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Fields, and what they must contain.
    pub fields: Vec<FieldNeed>,
    /// The levels to compare.
    pub levels: Vec<Level>,
    /// Whether there are other records to compare with, so that a single document is acceptable.
    pub has_others: bool,
    /// Whether records must have the id field, if one is named.
    pub ids: bool,
    /// Whether records that cannot be read are skipped, so that at least one readable record must
    /// be found.
    pub passes_over: bool,
}

/// What was found in a collection.
#[derive(Debug)]
pub struct Contents<'a> {
    collection: &'a Collection,
    asked: &'a Asked,
    expected: Vec<Expected>,
    seen: Observed,
    /// Files without marked paragraphs at the beginning, though their format supports marks.
    unmarked: Vec<u32>,
}

impl<'a> Contents<'a> {
    /// Reads the beginning of every file, as far as it can matter. `bad` receives the unreadable
    /// records there, and whether there are any others.
    ///
    /// # Errors
    /// If a file cannot be read; errors of `bad`.
    pub fn of_heads(
        context: &Context,
        collection: &'a Collection,
        asked: &'a Asked,
        bad: &mut dyn FnMut(BadRecord, bool) -> Result<()>,
    ) -> Result<Self> {
        let dates = collection.options().dates()?;
        let expected = |need: &FieldNeed| Expected {
            holds: need.holds.clone(),
            dates: dates.clone(),
        };
        let mut contents = Self {
            collection,
            asked,
            expected: asked.fields.iter().map(expected).collect(),
            seen: Observed {
                fields: vec![(false, None); asked.fields.len()],
                ..Observed::default()
            },
            unmarked: Vec::new(),
        };
        if collection.options().limit.is_some() {
            // With a limit, the files to read depend on the number of records in earlier ones.
            return Ok(contents);
        }
        let look = &contents;
        let needs = !asked.fields.is_empty() || (asked.ids && look.options().id_key.is_some());
        let tags = asked.levels.iter().any(|level| *level != Level::Document);
        let matters = |file: u32| {
            collection.format(file).is_some_and(|(format, _)| {
                needs || format.facts().has_fields || (tags && format.facts().has_marks)
            })
        };
        let files = (0..collection.files().len() as u32).filter(|file| matters(*file));
        let first_chunks = files.filter_map(|file| {
            collection
                .file_chunks(file)
                .map_or_else(|error| Some(Err(error)), |mut chunks| chunks.next())
        });
        let mut heads = Vec::new();
        in_order(
            context,
            weighed(context, collection.files(), first_chunks),
            Batch::default,
            |batch, (held, chunk)| {
                let seen = look.decoded(&*chunk, batch);
                let bad = std::mem::take(&mut batch.bad);
                if held.is_some() {
                    *batch = Batch::default();
                }
                Ok((chunk.file(), seen, bad))
            },
            |(file, seen, found)| {
                let others = seen.records > 0;
                heads.push((file, seen));
                found.into_iter().try_for_each(|record| bad(record, others))
            },
        )?;
        for (file, seen) in heads {
            if seen.structured && !seen.paragraphs {
                contents.unmarked.push(file);
            }
            contents.seen.add(seen);
        }
        Ok(contents)
    }

    /// What a chunk contains; it is decoded into `batch`.
    fn decoded(&self, chunk: &dyn Chunk, batch: &mut Batch) -> Observed {
        batch.clear();
        chunk.read(batch);
        self.look(chunk.file(), batch)
    }

    /// What decoded records contain.
    fn look(&self, file: u32, batch: &Batch) -> Observed {
        let format = self.collection.format(file).map(|(format, _)| format);
        let names = self.collection.field_names();
        let field = |(need, expected): (&FieldNeed, &Expected)| {
            let mut misfit = None;
            let Some(place) = names.iter().position(|name| *name == need.name) else {
                return (false, None);
            };
            for value in batch
                .records
                .iter()
                .filter_map(|record| batch.fields_of(record).get(place)?.as_deref())
            {
                if expected.fits(value) {
                    return (true, None);
                }
                misfit.get_or_insert_with(|| value.to_owned());
            }
            (false, misfit)
        };
        let marks = |level| batch.segments.iter().any(|unit| unit.level == level);
        Observed {
            records: batch.records.len() as u64,
            fields: self
                .asked
                .fields
                .iter()
                .zip(&self.expected)
                .map(field)
                .collect(),
            // The id of plain text is the file's name, whatever field is named.
            id: format != Some(FormatName::Text)
                && batch.records.iter().any(|record| record.id.is_some()),
            structured: format.is_some_and(|format| format.facts().has_marks)
                && !batch.records.is_empty(),
            paragraphs: marks(Level::Paragraph),
            sentences: marks(Level::Sentence),
            ..Observed::default()
        }
    }

    fn options(&self) -> &ReadOptions {
        self.collection.options()
    }

    /// The id field, if one is named and no record has it.
    fn missing_id(&self, seen: &Observed) -> Option<&str> {
        self.options()
            .id_key
            .as_deref()
            .filter(|_| self.asked.ids && !seen.id)
    }

    /// The marks of the requested units that no record has: the unit, and its mark.
    fn missing_marks(&self, seen: &Observed) -> Vec<(Level, String)> {
        let options = self.options();
        let mut missing = Vec::new();
        let formats = || {
            (0..self.collection.files().len() as u32)
                .filter_map(|file| self.collection.format(file))
        };
        let any = |of: fn(FormatName) -> bool| formats().any(|(format, _)| of(format));
        if self.asked.levels.contains(&Level::Paragraph)
            && !seen.paragraphs
            && any(|format| format.facts().has_marks)
        {
            let mut marks = Vec::new();
            if any(|format| format == FormatName::Vertical) {
                marks.push(format!("<{}>", options.tags.par_tag()));
            }
            if any(|format| format == FormatName::Tei) {
                let elements = options.tags.par_elements();
                marks.extend(elements.iter().map(|name| format!("<{name}>")));
            }
            if any(|format| format == FormatName::Conllu) {
                marks.push("# newpar".into());
            }
            marks.dedup();
            missing.push((Level::Paragraph, marks.join(" or ")));
        }
        // Without the usual marks in TEI, sentences are found by rules.
        let needs = |format| {
            format == FormatName::Vertical || (format == FormatName::Tei && self.names_sentences())
        };
        let marked = options.tags.sent_tag() != TagOptions::NONE;
        if self.asked.levels.contains(&Level::Sentence)
            && !seen.sentences
            && marked
            && formats().any(|(format, _)| needs(format))
        {
            missing.push((Level::Sentence, format!("<{}>", options.tags.sent_tag())));
        }
        missing
    }

    /// Whether there are files whose tags users can name.
    fn names_tags(&self) -> bool {
        let mut formats = (0..self.collection.files().len() as u32)
            .filter_map(|file| self.collection.format(file));
        formats.any(|(format, _)| format.facts().has_marks && format != FormatName::Conllu)
    }

    /// Whether the user named the sentence tag.
    fn names_sentences(&self) -> bool {
        self.options().tags.sent_tag.is_some()
    }

    /// Requirements not seen yet.
    pub fn missing(&self) -> Vec<String> {
        self.missing_in(&self.seen)
    }

    fn missing_in(&self, seen: &Observed) -> Vec<String> {
        let record = (self.asked.passes_over && seen.records == 0)
            .then(|| "record that can be read".to_owned());
        let fields = self
            .asked
            .fields
            .iter()
            .zip(&seen.fields)
            .filter(|(_, (fits, _))| !fits)
            .map(|(need, _)| need.name.as_str());
        let fields = fields
            .chain(self.missing_id(seen))
            .map(|name| format!("field '{name}'"));
        record
            .into_iter()
            .chain(fields)
            .chain(self.missing_marks(seen).into_iter().map(|(_, marks)| marks))
            .collect()
    }

    /// Searches all records for anything not found yet, up to the first that has it.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn search(&mut self, context: &Context) -> Result<()> {
        let total = self.collection.files().iter().map(|file| file.bytes).sum();
        context
            .progress
            .begin("looking for fields and tags", Some(total), Amount::Bytes);
        let met = AtomicBool::new(false);
        let (look, collection) = (&*self, self.collection);
        let mut found = Observed::default();
        in_order(
            context,
            weighed(
                context,
                collection.files(),
                collection
                    .chunks()?
                    .take_while(|_| !met.load(Ordering::Relaxed)),
            ),
            Batch::default,
            |batch, (held, chunk)| {
                let mut seen = look.decoded(&*chunk, batch);
                // A damaged page costs many rows.
                let are_rows = collection
                    .format(chunk.file())
                    .is_some_and(|(format, _)| format == FormatName::Parquet);
                let lost = |bad: &BadRecord| {
                    if are_rows {
                        bad.bytes.end - bad.bytes.start
                    } else {
                        1
                    }
                };
                seen.bad = batch.bad.iter().map(lost).sum();
                seen.first_bad = batch.bad.drain(..).next().map(|record| record.error);
                if held.is_some() {
                    *batch = Batch::default();
                }
                Ok((seen, chunk.disk_bytes()))
            },
            |(seen, bytes)| {
                found.add(seen);
                met.store(look.missing_in(&found).is_empty(), Ordering::Relaxed);
                context.progress.advance(bytes);
                Ok(())
            },
        )?;
        context.progress.end();
        self.seen.add(found);
        Ok(())
    }

    /// Refuses anything that no record has, and lists the alternatives. Returns notes about the
    /// rest for the user.
    ///
    /// # Errors
    /// Names the field or tag; an error if a file cannot be read.
    pub fn check(&self, context: &Context) -> Result<Vec<String>> {
        if self.seen.records == 0
            && let (true, Some(first)) = (self.asked.passes_over, &self.seen.first_bad)
        {
            let error = ErrorKind::Data
                .expected("records that can be read")
                .found(format!(
                    "none: all {} are bad; the first: {}",
                    self.seen.bad,
                    first.spelt(&tegula::option::mark).line
                ));
            let advice = first
                .marked()
                .1
                .filter(|advice| !advice.contains("⟨on_bad_record"));
            return Err(error.hint(
                advice.unwrap_or("repair the files, or set ⟨format⟩, ⟨encoding⟩ or ⟨text_key⟩"),
            ));
        }
        self.check_documents(context)?;
        if self.seen.records == 0 {
            return Ok(Vec::new());
        }
        for ((need, expected), (fits, misfit)) in self
            .asked
            .fields
            .iter()
            .zip(&self.expected)
            .zip(&self.seen.fields)
        {
            match misfit {
                _ if *fits => {}
                Some(value) => {
                    expected.check(&need.name, value)?;
                    return Err(expected.nothing_fits(&need.name, value));
                }
                None => return Err(self.no_field(&need.name)?),
            }
        }
        if let Some(key) = self.missing_id(&self.seen) {
            return Err(self.no_field(key)?);
        }
        for (level, marks) in self.missing_marks(&self.seen) {
            let tags = self.tags(context, None)?;
            let options = self.options();
            let known = [
                options.vertical.doc_tag(),
                options.tags.par_tag(),
                options.vertical.glue_tag(),
            ]
            .map(|tag| format!("<{tag}>"));
            if level == Level::Sentence
                && !self.names_sentences()
                && tags
                    .keys()
                    .all(|tag| known.contains(tag) || tag.ends_with(OWN))
            {
                // No other tag can be the sentence tag.
                continue;
            }
            let tags = listed(&tags);
            let (units, option) = match level {
                Level::Sentence => ("sentences", "⟨sent_tag⟩"),
                _ => ("paragraphs", "⟨par_tag⟩"),
            };
            let rules = if level == Level::Sentence {
                "; with ⟨sent_tag=none⟩ they are found by rules"
            } else {
                ""
            };
            let hint = if self.names_tags() {
                format!(
                    "name the tag of {units} with {option}{rules}, or choose another ⟨unit⟩ or recipe"
                )
            } else {
                "choose another ⟨unit⟩ or recipe".to_owned()
            };
            return Err(ErrorKind::Usage
                .expected(format!("{units} in {marks}"))
                .found(format!("none; the tags found are: {tags}"))
                .hint(hint));
        }
        Ok(self.notes())
    }

    /// What some files lack.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let files = self.collection.files();
        if let ([first, ..], true) = (
            &self.unmarked[..],
            self.asked.levels.contains(&Level::Paragraph),
        ) {
            notes.push(format!(
                "files without marked paragraphs in their first records: {} of {}, such as {}; unmarked text is one paragraph",
                self.unmarked.len(),
                files.len(),
                files[*first as usize].name
            ));
        }
        if self.asked.levels.contains(&Level::Sentence)
            && self.seen.structured
            && !self.seen.sentences
        {
            notes.push(
                "no sentences are marked in the first records: if there are none, sentences are found by the rules of UAX #29"
                    .into(),
            );
        }
        notes
    }

    /// Refuses vertical files without document tags, unless they have no other tags either and
    /// there are other records.
    fn check_documents(&self, context: &Context) -> Result<()> {
        let files = self.collection.files();
        let of_files = || {
            (0..files.len() as u32).filter_map(|file| Some((file, self.collection.format(file)?.0)))
        };
        let alone = files.len() == 1
            && !self.asked.has_others
            && self.asked.levels.contains(&Level::Document);
        for (file, format) in of_files().filter(|(_, format)| format.facts().has_tokens) {
            if (format == FormatName::Conllu && !alone) || self.is_divided(file)? {
                continue;
            }
            let tags = self.tags(context, Some(file))?;
            let options = self.options();
            let inner = [
                options.tags.par_tag(),
                options.tags.sent_tag(),
                options.vertical.glue_tag(),
            ]
            .map(|tag| format!("<{tag}>"));
            let mark = if format == FormatName::Conllu {
                "# newdoc".to_owned()
            } else {
                format!("<{}>", options.vertical.doc_tag())
            };
            let hint = match format {
                FormatName::Conllu => {
                    "the file is one document, with nothing to compare it with; choose ⟨unit=sentence⟩"
                }
                _ if tags.is_empty() => "the file is one document, with nothing to compare it with",
                _ => "name the tag of documents with ⟨doc_tag⟩",
            };
            if alone
                || (format == FormatName::Vertical && tags.keys().any(|tag| !inner.contains(tag)))
            {
                return Err(ErrorKind::Usage
                    .expected(format!("documents in {mark}"))
                    .found(format!("none; the tags found are: {}", listed(&tags)))
                    .at(&files[file as usize].path)
                    .hint(hint));
            }
        }
        Ok(())
    }

    /// Whether a document mark occurs in a file, or the file is empty.
    fn is_divided(&self, file: u32) -> Result<bool> {
        let mut records = 0;
        for piece in self.collection.pieces(file, self.options().limit) {
            let Piece::Block(block) = piece? else {
                return Ok(true);
            };
            let whole = block.valid_text();
            let found = block.try_each(|_, range| {
                records += 1;
                let marked = block
                    .record(range, whole)
                    .map_or(true, |record| block.plan.format.is_marked(&record));
                if marked { Err(()) } else { Ok(()) }
            });
            if found.is_err() {
                return Ok(true);
            }
        }
        Ok(records == 0)
    }
}

/// The end of the tags with which marks surround a sentence.
const OWN: &str = "duplicate>";
