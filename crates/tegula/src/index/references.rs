//! Records of an index as references of a run.

use super::Index;
use super::blocks::Records;

use super::query::Question;
use super::view::View;
use crate::api::chunk::TextChunk;
use crate::context::Context;
use crate::engine::bad_records::Told;
use crate::error::{Error, Result};
use crate::recipe::Recipe;
use crate::record::{Batch, Chunk, Chunks, Fetched, Source, SourceFile, Wanted};
use std::sync::{Arc, OnceLock};

/// The records of an index, or those that may match the texts of a run, in the order in which they were
/// added. A record is numbered by its place among all that the segments hold.
pub struct References {
    index: Arc<Index>,
    view: Arc<View>,
    /// By segment, the number of its first record.
    firsts: Vec<u64>,
    /// The numbers of the records, ascending.
    all: Vec<u64>,
    /// Those that are not left out.
    kept: OnceLock<Vec<u64>>,
    file: [SourceFile; 1],
    names: Vec<String>,
    /// By name, the place of the field among those that the index keeps.
    columns: Vec<Option<usize>>,
}

impl References {
    /// All records of an index, with the values of these fields.
    ///
    /// # Errors
    /// If it does not keep its texts.
    pub fn all(index: Arc<Index>, names: &[String]) -> Result<Self> {
        let view = index.view();
        let description = &view.description;
        if !description.texts {
            return Err(Error::of("⟨against⟩")
                .expected("an index that keeps its texts")
                .found("one made with ⟨no_texts⟩")
                .at(index.path())
                .hint("ask it with tegula query, or name the files that it was made of"));
        }
        let mut firsts = Vec::new();
        let (mut first, mut numbers) = (0, Vec::new());
        for live in &view.segments {
            firsts.push(first);
            let records = 0..live.segment.amount.records;
            let kept = records.filter(|record| !live.removed.has(*record));
            numbers.extend(kept.map(|record| first + u64::from(record) + 1));
            first += u64::from(live.segment.amount.records);
        }
        let place = |name: &String| description.fields.iter().position(|field| field == name);
        let columns = names.iter().map(place).collect();
        let name = index.path().file_name().unwrap_or_default();
        let file = SourceFile {
            path: index.path().to_path_buf(),
            name: name.to_string_lossy().into_owned(),
            bytes: description.segments.iter().map(|entry| entry.text).sum(),
        };
        Ok(Self {
            firsts,
            all: numbers,
            kept: OnceLock::new(),
            file: [file],
            names: names.to_vec(),
            columns,
            index,
            view,
        })
    }

    /// The numbers of the records that may match a text of a source under a recipe, ascending; none if the
    /// index cannot tell.
    ///
    /// # Errors
    /// Errors of the source; if the index is damaged.
    pub fn candidates(
        &self,
        context: &Context,
        source: &dyn Source,
        recipe: &Recipe,
    ) -> Result<Option<Vec<u64>>> {
        if !self.index.finds_all_of(recipe) {
            return Ok(None);
        }
        let mut wanted: Vec<u64> = Vec::new();
        let question = Question {
            threshold: Some(recipe.threshold),
            top: None,
            of_asked: false,
        };
        self.index
            .places_of_all(context, source, question, &mut Told, |(segment, record)| {
                wanted.push(self.firsts[segment] + u64::from(record) + 1);
            })?;
        wanted.sort_unstable();
        wanted.dedup();
        Ok(Some(wanted))
    }

    /// Leaves out all records but these, once.
    pub fn keep(&self, numbers: Vec<u64>) {
        let _once = self.kept.set(numbers);
    }

    /// The number of changes of the index when it was opened.
    pub fn generation(&self) -> u64 {
        self.view.description.generation
    }

    /// The numbers of the records.
    fn numbers(&self) -> &[u64] {
        self.kept.get().unwrap_or(&self.all)
    }

    /// The text of the record with a number.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn text(&self, number: u64) -> Result<Option<String>> {
        let mut batch = Batch::default();
        if self.numbers().binary_search(&number).is_err() {
            return Ok(None);
        }
        self.read(number, &mut batch, &mut Records::default())?;
        Ok(batch
            .records
            .first()
            .map(|record| batch.text_of(record).to_owned()))
    }

    fn read(&self, number: u64, batch: &mut Batch, room: &mut Records) -> Result<()> {
        let at = self.firsts.partition_point(|first| *first < number) - 1;
        let segment = &self.view.segments[at].segment;
        let wrong = || segment.pages.damaged("a record", "something else");
        let stored = segment.record((number - 1 - self.firsts[at]) as u32, room)?;
        let fields = self.view.description.fields.len();
        let (values, body) = stored.parts(fields).ok_or_else(wrong)?;
        let text = std::str::from_utf8(body).map_err(|_| wrong())?;
        let mark = batch.begin();
        batch.text.push_str(text);
        batch.ids.push_str(stored.id);
        let value = |column: &Option<usize>| values.get((*column)?).copied().flatten();
        let values = self
            .columns
            .iter()
            .map(|column| value(column).map(str::to_owned));
        batch.fields.extend(values);
        let bytes = number - 1..number - 1 + text.len().max(1) as u64;
        batch.finish(&mark, number, bytes, true);
        Ok(())
    }

    /// Chunks of these records.
    fn chunks_of<'a>(&'a self, mut numbers: impl Iterator<Item = u64> + Send + 'a) -> Chunks<'a> {
        let characters = self.index.recipe().counts_characters();
        let mut room = Records::default();
        // A record that did not fit in the chunk before.
        let mut left: Option<Batch> = None;
        Box::new(std::iter::from_fn(move || {
            let mut piece = TextChunk::default();
            loop {
                let mut batch = left.take().unwrap_or_default();
                if batch.records.is_empty() {
                    let Some(number) = numbers.next() else { break };
                    if let Err(error) = self.read(number, &mut batch, &mut room) {
                        return Some(Err(error));
                    }
                }
                let Some(record) = batch.records.first() else {
                    break;
                };
                if !piece.takes(batch.text_of(record)) {
                    left = Some(batch);
                    break;
                }
                piece.push_of(&batch, record, characters);
            }
            (!piece.is_empty()).then(|| Ok(Box::new(piece) as Box<dyn Chunk>))
        }))
    }
}

impl Source for References {
    fn files(&self) -> &[SourceFile] {
        &self.file
    }

    fn text_bytes(&self) -> u64 {
        self.file[0].bytes
    }

    fn field_names(&self) -> &[String] {
        &self.names
    }

    fn chunks(&self) -> Result<Chunks<'_>> {
        Ok(self.chunks_of(self.numbers().iter().copied()))
    }

    fn fetch<'a>(&'a self, wanted: Wanted<'a>) -> Result<Fetched<'a>> {
        let known = |number: &u64| self.numbers().binary_search(number).is_ok();
        let numbers = wanted.of_file(0).map(|place| place.number).filter(known);
        Ok(Fetched {
            chunks: self.chunks_of(numbers),
            bytes: self.file[0].bytes,
        })
    }
}
