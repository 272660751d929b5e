//! An index: texts that can be asked what resembles another, and that grow while they are asked.
//!
//! It is a folder. The texts are in *segments*, which never change: an addition writes new ones, a
//! removal marks records, and a merge writes several as one. A change takes effect by renaming one file
//! (`description`), so that an interrupted one leaves the index as it was. One process writes, any
//! number read, each the segments that it opened.
//!
//! A segment has, for every feature of its units, the units that have it; and the records, compressed.
//! A question finds candidates by its rare features (`candidates`), and compares the texts: what is
//! stored to find them may be ambiguous, an answer never is.
//!
//! *Useful for* texts asked about one by one, or in small numbers compared with those of the index.
//! *Not useful for* pairs within a collection, which are joined in a fraction of the time.

mod asking;
mod batch;
mod bits;
mod blocks;
mod candidates;
mod description;
mod dictionary;
mod extract;
mod folder;
mod list;
mod merge;
mod pages;
mod primer;
mod query;
mod references;
mod removed;
mod segment;
mod suits;
mod turns;
mod view;
mod vocabulary;
mod writer;

#[cfg(test)]
mod tests;

pub use asking::{Asking, Span};
pub use description::{Counted, Description, Entry};
pub use primer::PrimerFile;
pub use query::{Answered, Match, Question};
pub use references::References;
pub use writer::{Changed, IdTaken, Writer};

use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::hash;
use crate::lookup::Reader;
use crate::recipe::Recipe;
use crate::statistics::Statistics;
use folder::Folder;
use query::Work;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use turns::Turns;
use view::View;

/// An index that is open.
pub struct Index {
    folder: Folder,
    recipe: Recipe,
    reader: Reader,
    view: RwLock<Arc<View>>,
    turns: Turns,
    /// Earlier views that were still asked when they were replaced.
    retired: Mutex<Vec<Arc<View>>>,
    /// The buffers of threads that ask nothing now.
    idle: Mutex<Vec<Work>>,
}

/// How an index is made.
#[derive(Debug, Clone, Copy)]
pub struct Making<'a> {
    /// How texts are compared.
    pub recipe: &'a Recipe,
    /// Whether texts are kept.
    pub texts: bool,
    /// The fields of records to keep.
    pub fields: &'a [String],
    /// The frequencies of shingles, if the recipe weights these.
    pub statistics: Option<Frequencies<'a>>,
}

/// A file of frequencies, as `tegula stats` writes it.
#[derive(Debug, Clone, Copy)]
pub struct Frequencies<'a> {
    /// What the file contains.
    pub content: &'a [u8],
    /// The normalisation, as described in it.
    pub steps: &'a str,
}

/// What an index keeps of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The values of its fields, in the order of [`Description::fields`].
    pub fields: Vec<Option<String>>,
    /// Its text, if texts are kept.
    pub text: Option<String>,
}

impl Index {
    /// Makes an empty index.
    ///
    /// # Errors
    /// If the recipe is not one that can be looked up, or the folder contains something else.
    pub fn create(path: &Path, making: Making<'_>, context: &Context) -> Result<Self> {
        let Making {
            recipe,
            texts,
            fields,
            statistics,
        } = making;
        suits::check(recipe, texts)?;
        let mut recipe = recipe.clone();
        let mut counted = None;
        if recipe.measure.needs_rarity() {
            let given = statistics.ok_or_else(|| suits::needs_statistics(&recipe))?;
            Statistics::read(given.content, given.steps, Some(recipe.ngram))?;
            counted = Some(given);
            recipe.statistics = None;
        }
        let folder = Folder::new(path);
        folder.create()?;
        let lock = folder.lock()?;
        if folder.is_index() {
            return Err(Error::of("index")
                .expected("a new folder")
                .found("an index")
                .at(path));
        }
        if let Some(counted) = counted {
            folder.write_statistics(counted.content)?;
        }
        let mut description = Description::new(recipe, texts, fields.to_vec());
        description.statistics = counted.map(|given| Counted::new(given.steps, given.content));
        folder.replace(&description)?;
        drop(lock);
        Self::open(path, context)
    }

    /// Opens an index to ask it; files are read when they are needed.
    ///
    /// # Errors
    /// If there is none, or it is damaged, or of a version that cannot be read.
    pub fn open(path: &Path, context: &Context) -> Result<Self> {
        let folder = Folder::new(path);
        let view = View::open(&folder, None)?;
        let recipe = view.description.recipe.clone();
        let statistics = view.description.statistics.as_ref().map(|counted| {
            let content = folder.read_statistics(counted)?;
            let mut read = Statistics::read(&content[..], &counted.steps, Some(recipe.ngram))?;
            read.hold(context, hash::token(&content).id)?;
            Ok(Arc::new(read))
        });
        Ok(Self {
            reader: Reader::new(&recipe, statistics.transpose()?, false)?,
            folder,
            recipe,
            view: RwLock::new(Arc::new(view)),
            turns: Turns::default(),
            retired: Mutex::default(),
            idle: Mutex::default(),
        })
    }

    /// Removes the index with all its texts.
    ///
    /// # Errors
    /// If another process is changing it.
    pub fn discard(self) -> Result<()> {
        let lock = self.folder.lock()?;
        self.folder.discard();
        drop(lock);
        Ok(())
    }

    /// Whether a folder is an index.
    pub fn is_one(path: &Path) -> bool {
        Folder::new(path).is_index()
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// How texts are compared.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Whether all that a run with this recipe finds between its texts and those of the index is found by
    /// asking the index: it differs in the threshold at most.
    pub fn finds_all_of(&self, recipe: &Recipe) -> bool {
        let own = &self.recipe;
        let other = Recipe {
            threshold: own.threshold,
            statistics: None,
            ..recipe.clone()
        };
        let is_fixed = own.keys.is_some() || own.measure.is_equality();
        let reaches =
            (own.threshold).admits(recipe.threshold.numerator(), recipe.threshold.denominator());
        // Frequencies may be others than those of the index.
        other == *own && (reaches || !is_fixed) && !own.measure.needs_rarity()
    }

    /// What it is now, as far as this process has seen.
    pub fn description(&self) -> Description {
        self.view().description.clone()
    }

    /// Sees changes that other processes have made since.
    ///
    /// # Errors
    /// As [`Index::open`].
    pub fn refresh(&self) -> Result<()> {
        self.leave();
        let view = self.view();
        let now = self.folder.description()?;
        if now.generation != view.description.generation {
            self.show(&Arc::new(View::open(&self.folder, Some(&view))?));
        }
        Ok(())
    }

    /// Begins a change; waits while another thread of this process is making one.
    ///
    /// # Errors
    /// If another process is changing the index.
    pub fn write(&self, context: &Context) -> Result<Writer<'_>> {
        Writer::new(self, context)
    }

    /// Merges segments until there are few for the number of texts, or into one if `all`; returns how
    /// often it merged. Nobody is held up: texts can be asked, added and removed meanwhile. If another
    /// merges already, that is left to it, unless `all` are to be merged.
    ///
    /// # Cost
    /// Linear in the segments that are merged; over all, each text is merged a number of times that grows
    /// with the logarithm of the number of texts.
    ///
    /// # Errors
    /// As [`Writer::commit`]; if another process merges or writes, and `all` are to be merged; cancellation.
    pub fn merge(&self, context: &Context, all: bool) -> Result<u64> {
        self.merge_while(context, all, &mut || {})
    }

    /// As [`Index::merge`]; calls `meanwhile` whenever a merged segment is written and not yet in the
    /// place of others, for tests.
    ///
    /// # Errors
    /// As there.
    pub fn merge_while(
        &self,
        context: &Context,
        all: bool,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<u64> {
        let mut merged = 0;
        let Some(_lock) = self.folder.lock_merges(all)? else {
            return Ok(merged);
        };
        self.refresh()?;
        loop {
            context.check()?;
            let view = self.view();
            let Some(range) = merge::next(&view.description.segments, all) else {
                return Ok(merged);
            };
            let path = self.folder.merge();
            let discard = || drop(std::fs::remove_file(&path));
            // What is left of one that was interrupted.
            discard();
            let (kind, fields) = (view.description.kind(), view.description.fields.len());
            let parts = &view.segments[range.clone()];
            let pool = context.pool()?;
            let done = pool
                .install(|| {
                    merge::merge(context, &path, parts, (kind, fields), view.primer.as_ref())
                })
                .and_then(|done| {
                    meanwhile();
                    self.write(context)?.put(&done, &view, range)
                });
            match done {
                Ok(true) => merged += 1,
                // Another process has changed what was merged.
                Ok(false) => {
                    discard();
                    self.refresh()?;
                }
                Err(error) => {
                    discard();
                    // A writer of another process: the next change merges.
                    return if error.kind() == ErrorKind::Run && !all {
                        Ok(merged)
                    } else {
                        Err(error)
                    };
                }
            }
        }
    }

    /// Proves the checksum of every page, and that every record can be read.
    ///
    /// # Errors
    /// The first that is damaged.
    pub fn check(&self, context: &Context) -> Result<()> {
        let view = self.view();
        let mut records = blocks::Records::default();
        for live in &view.segments {
            let segment = &live.segment;
            segment.pages.check_all()?;
            for number in 0..segment.blocks.count {
                context.check()?;
                let block = segment.blocks.block(&segment.pages, number)?;
                let wrong = || segment.pages.damaged("a block of texts", "something else");
                records.read(&block).ok_or_else(wrong)?;
            }
            let mut entries = segment.features.entries(&segment.pages);
            while let Some((_, units)) = entries.next()? {
                if units.from(segment.amount.units).next().is_some() {
                    return Err(segment.pages.damaged("units of the segment", "others"));
                }
            }
        }
        Ok(())
    }

    /// The text of the record with an id and the values of its fields; none if it is not there, or no
    /// texts are kept.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn record(&self, id: &str) -> Result<Option<Kept>> {
        let view = self.view();
        self.with_work(|work| {
            let Some((at, record)) = view.find(id, &mut work.records)? else {
                return Ok(None);
            };
            let segment = &view.segments[at].segment;
            let wrong = || segment.pages.damaged("a record", "something else");
            let stored = segment.record(record, &mut work.records)?;
            let fields = view.description.fields.len();
            let (values, body) = stored.parts(fields).ok_or_else(wrong)?;
            let values = values.into_iter().map(|value| value.map(str::to_owned));
            let text = if view.description.texts {
                Some(std::str::from_utf8(body).map_err(|_| wrong())?.to_owned())
            } else {
                None
            };
            Ok(Some(Kept {
                fields: values.collect(),
                text,
            }))
        })
    }

    fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn show(&self, view: &Arc<View>) {
        let mut shown = self.view.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *shown, Arc::clone(view));
        drop(shown);
        let retired = self.retired.lock();
        retired.unwrap_or_else(PoisonError::into_inner).push(old);
        self.leave();
    }

    /// Leaves earlier views that nobody asks any more. Whoever leaves a file last that was removed waits
    /// until the system has freed it, and that is not to be one who asks.
    fn leave(&self) {
        let retired = self.retired.lock();
        let mut retired = retired.unwrap_or_else(PoisonError::into_inner);
        let all = std::mem::take(&mut *retired).into_iter();
        let (asked, left): (Vec<_>, Vec<_>) = all.partition(|view| Arc::strong_count(view) > 1);
        *retired = asked;
        // The lock is not held while files are freed.
        drop(retired);
        drop(left);
    }

    fn with_work<T>(&self, with: impl FnOnce(&mut Work) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut work = idle().pop().unwrap_or_default();
        let done = with(&mut work);
        idle().push(work);
        done
    }
}
