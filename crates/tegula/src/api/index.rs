//! An index on disk, in which texts are looked up one by one.

use super::Dedup;
use super::memory::Memory;
use super::record::Record;
use crate::context::Context;
use crate::engine::bad_records::FailOnBad;
use crate::error::{ErrorKind, Result};
use crate::index::{self, IdTaken, Making, Question};
use crate::machine::Limits;
use crate::record::{Level, Source};
use crate::threshold::Score;
use std::fmt;
use std::path::Path;

/// Texts on disk that can be asked what resembles another: one at a time, in about a millisecond, while
/// texts are added and removed.
///
/// ```
/// use tegula::{Dedup, Index, Record};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("ads.idx");
/// let index = Index::create(&path, &Dedup::recipe("copies")?, &["date"])?;
/// index.add([
///     Record::new("Bright flat of three rooms near the station, with a balcony and a cellar.").id("a1").field("date", "2024-05-01"),
///     Record::new("Bicycle for sale, hardly used, with two new tyres and a bell.").id("a2"),
/// ])?;
/// let found = index.query("FLAT of three rooms near the station, with a balcony and a cellar!")?;
/// assert_eq!((found[0].id.as_str(), found[0].score.to_string()), ("a1", "1".into()));
/// assert_eq!(found[0].field("date"), Some("2024-05-01"));
/// index.remove(["a1"])?;
/// assert_eq!(index.len(), 1);
/// # Ok::<(), tegula::Error>(())
/// ```
///
/// An answer has exactly the texts that [`Dedup::pairs`] would find with the index as references, with
/// the same scores. What a call that changes the index has returned is on disk, and stays there if the
/// process is killed; an interrupted change leaves nothing. One process at a time may change an index;
/// any number of processes and threads may ask it, and see what it was when they opened it, or last
/// called [`Index::refresh`].
///
/// # Cost
/// Under the default recipe about 1.1 bytes on disk for each byte of text, 0.85 without the texts. Memory
/// holds what questions touch, and 2 bytes for each text and thread.
pub struct Index {
    opened: index::Index,
    names: Vec<String>,
    context: Context,
}

/// A text of an index that resembles another.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Similar {
    /// Its id: that of its record, with `#p3` or `#s17` if parts of records are compared.
    pub id: String,
    /// Its score, as of a pair.
    pub score: Score,
    /// Distinct shingles that both have, if the recipe compares shingles.
    pub shared: Option<u32>,
    /// Its text, if the index keeps texts.
    pub text: Option<String>,
    fields: Vec<(String, Option<String>)>,
}

impl Similar {
    /// The value of a field that the index keeps, if the record has one.
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.fields.iter();
        fields.find(|(known, _)| known == name)?.1.as_deref()
    }
}

impl Index {
    /// Makes an empty index with the recipe of `dedup`, whose memory ceiling and threads it also uses.
    /// It keeps the texts, and the values of these fields.
    ///
    /// # Errors
    /// A usage error if the recipe cannot be looked up, or the folder contains something else; `copies`,
    /// `ssr`, `sscr`, their containments, `exact`, `plain`, `messages` and `simhash` can be.
    pub fn create(path: impl AsRef<Path>, dedup: &Dedup, fields: &[&str]) -> Result<Self> {
        Self::make(path.as_ref(), dedup, fields, true)
    }

    /// The same without the texts: the index is smaller, and answers have no text.
    ///
    /// # Errors
    /// As [`Index::create`]; also for recipes that compare more than tokens, such as `messages`.
    pub fn create_without_texts(
        path: impl AsRef<Path>,
        dedup: &Dedup,
        fields: &[&str],
    ) -> Result<Self> {
        Self::make(path.as_ref(), dedup, fields, false)
    }

    fn make(path: &Path, dedup: &Dedup, fields: &[&str], texts: bool) -> Result<Self> {
        dedup.check()?;
        let context = dedup.machine.context()?;
        let fields: Vec<String> = fields.iter().map(|name| (*name).to_owned()).collect();
        let making = Making {
            recipe: &dedup.recipe,
            texts,
            fields: &fields,
            statistics: None,
        };
        let opened = index::Index::create(path, making, &context)?;
        Ok(Self::new(opened, context))
    }

    /// Opens an index.
    ///
    /// # Errors
    /// If it is none, damaged, or of a version that cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let context = Limits::default().context()?;
        let opened = index::Index::open(path.as_ref(), &context)?;
        Ok(Self::new(opened, context))
    }

    fn new(opened: index::Index, context: Context) -> Self {
        Self {
            names: opened.description().fields,
            opened,
            context,
        }
    }

    /// Adds texts, each with an id that the index does not have.
    ///
    /// # Errors
    /// If an id is missing or taken: then nothing is added; errors of the disk.
    pub fn add<'a, T: Into<Record<'a>>>(
        &self,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<usize> {
        self.put(texts, IdTaken::Refuse)
    }

    /// Adds texts; each takes the place of the one with its id, if there is one.
    ///
    /// # Errors
    /// As [`Index::add`].
    pub fn replace<'a, T: Into<Record<'a>>>(
        &self,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<usize> {
        self.put(texts, IdTaken::Replace)
    }

    fn put<'a, T: Into<Record<'a>>>(
        &self,
        texts: impl IntoIterator<Item = T>,
        taken: IdTaken,
    ) -> Result<usize> {
        let records: Vec<Record> = texts.into_iter().map(Into::into).collect();
        if let Some(at) = records.iter().position(|record| !record.has_id()) {
            return Err(ErrorKind::Data
                .expected("an id for every text")
                .found("none")
                .record(at as u64 + 1)
                .hint("give each record an id, by which it can be removed"));
        }
        let characters = self.opened.recipe().counts_characters();
        let memory = Memory::new("texts", records, self.names.clone(), characters);
        self.add_source(&memory, taken)
    }

    /// Adds the records of a source, whose fields are those that the index keeps.
    fn add_source(&self, source: &dyn Source, taken: IdTaken) -> Result<usize> {
        let mut writer = self.opened.write(&self.context)?;
        writer.add(source, taken, &mut FailOnBad)?;
        let changed = writer.commit()?;
        drop(writer);
        self.opened.merge(&self.context, false)?;
        Ok(changed.added as usize)
    }

    /// Removes the texts with these ids; returns how many there were.
    ///
    /// # Errors
    /// If another process is changing the index; errors of the disk.
    pub fn remove<S: AsRef<str>>(&self, ids: impl IntoIterator<Item = S>) -> Result<usize> {
        let mut writer = self.opened.write(&self.context)?;
        for id in ids {
            writer.remove(id.as_ref())?;
        }
        let changed = writer.commit()?;
        drop(writer);
        self.opened.merge(&self.context, false)?;
        Ok(changed.removed as usize)
    }

    /// The texts that match this one at or above the threshold of the recipe, the best first; of equal
    /// scores the oldest first. The text is compared as a whole, even if the index is one of paragraphs.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn query(&self, text: &str) -> Result<Vec<Similar>> {
        self.ask(
            text,
            Question {
                threshold: Some(self.opened.recipe().threshold),
                top: None,
                of_asked: false,
            },
        )
    }

    /// As [`Index::query`], at another threshold.
    ///
    /// # Errors
    /// Also if the threshold is invalid, or below that of a recipe that finds no other pairs.
    pub fn query_at(&self, text: &str, threshold: impl fmt::Display) -> Result<Vec<Similar>> {
        let threshold = Some(threshold.to_string().parse()?);
        self.ask(
            text,
            Question {
                threshold,
                top: None,
                of_asked: false,
            },
        )
    }

    /// The texts that resemble this one most, whatever their scores, at most so many.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn ranked(&self, text: &str, top: usize) -> Result<Vec<Similar>> {
        self.ask(
            text,
            Question {
                threshold: None,
                top: Some(top),
                of_asked: false,
            },
        )
    }

    fn ask(&self, text: &str, question: Question) -> Result<Vec<Similar>> {
        let level = self.opened.recipe().unit;
        let found = self.opened.ask(text, question)?;
        let similar = found.into_iter().map(|found| Similar {
            id: found.id(level),
            score: found.score,
            shared: found.shared,
            fields: self.names.iter().cloned().zip(found.fields).collect(),
            text: found.text,
        });
        Ok(similar.collect())
    }

    /// The text with an id; none if there is none, or texts are not kept.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn text(&self, id: &str) -> Result<Option<String>> {
        Ok(self.opened.record(id)?.and_then(|kept| kept.text))
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.opened.description().records() as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is compared.
    pub fn unit(&self) -> Level {
        self.opened.recipe().unit
    }

    /// Merges all segments, so that questions are answered fastest, and what was removed leaves the
    /// disk.
    ///
    /// # Errors
    /// As [`Index::remove`].
    pub fn merge(&self) -> Result<()> {
        self.opened.merge(&self.context, true).map(drop)
    }

    /// Proves that the index is undamaged.
    ///
    /// # Errors
    /// [`ErrorKind::Data`] naming what is damaged.
    pub fn check(&self) -> Result<()> {
        self.opened.check(&self.context)
    }

    /// Sees what other processes have changed.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn refresh(&self) -> Result<()> {
        self.opened.refresh()
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("path", &self.opened.path())
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
