//! Changes of an index: records are added and removed, and the change takes effect as a whole.

use super::Index;
use super::batch::{Batch, MOST, Rows};
use super::blocks::Records;
use super::description::{Description, Entry};
use super::extract::{Buffers, Extracted, Extractor};
use super::folder::Lock;
use super::merge::Merged;
use super::primer::Primer;
use super::removed::Removed;
use super::segment::Unit;
use super::turns::Turn;
use super::view::View;
use crate::context::{Context, Reservation};
use crate::engine::bad_records::BadRecords;
use crate::error::{Error, ErrorKind, Result};
use crate::flow::for_each_chunk;
use crate::hash::{self, Hashed};
use crate::record::Source;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// What becomes of a record whose id is already there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IdTaken {
    /// It is an error, and nothing is added.
    #[default]
    Refuse,
    /// It takes the place of the one that is there.
    Replace,
    /// It is passed over.
    Skip,
}

/// What a change did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Changed {
    /// Records that were added.
    pub added: u64,
    /// Records that were removed, those that others replaced among them.
    pub removed: u64,
    /// Records that were passed over, as their id was there.
    pub skipped: u64,
    /// Bytes of text that were added.
    pub text: u64,
}

/// Changes an index: nothing it does can be seen before [`Writer::commit`], and nothing of it remains
/// without it.
pub struct Writer<'i> {
    index: &'i Index,
    context: Context,
    view: Arc<View>,
    /// The description after the change.
    next: Description,
    /// By segment of the view, its removed records after the change, if they change.
    removed: Vec<Option<Removed>>,
    batch: Option<Batch>,
    /// With what blocks are compressed, also if it is not yet part of the index.
    primer: Option<Arc<Primer>>,
    /// The memory of rows of the last segment.
    rows: Rows,
    /// New segments that are written.
    written: Vec<(Entry, Removed)>,
    /// Where the new records are: the number of a new segment, and that of the record.
    ids: HashMap<u128, (usize, u32), BuildHasherDefault<Hashed>>,
    room: Records,
    held: Reservation,
    changed: Changed,
    _lock: Lock,
    _turn: Turn<'i>,
}

/// What the memory is for, in errors.
const WHAT: &str = "the features of new texts";
/// Bytes for each new id.
const ID_BYTES: u64 = 64;
/// A segment is written when it takes this part of the memory, as it takes as much again while it is.
const PART: u64 = 2;
/// The least memory for a segment.
const LEAST: u64 = 4 << 20;

impl<'i> Writer<'i> {
    pub(super) fn new(index: &'i Index, context: &Context) -> Result<Self> {
        let turn = index.turns.take();
        let lock = index.folder.lock()?;
        // Another process may have changed the index.
        index.refresh()?;
        let view = index.view();
        index.folder.remove_others(&view.description);
        Ok(Self {
            index,
            context: context.clone(),
            next: view.description.clone(),
            removed: view.segments.iter().map(|_| None).collect(),
            primer: view.primer.clone(),
            view,
            batch: None,
            rows: Rows::default(),
            written: Vec::new(),
            ids: HashMap::default(),
            room: Records::default(),
            held: context.budget.reserve(0, WHAT)?,
            changed: Changed::default(),
            _lock: lock,
            _turn: turn,
        })
    }

    /// Adds the records of a source, with the fields that the index keeps. A record without an id is known
    /// by its file and number.
    ///
    /// # Errors
    /// If an id is there and must not be; errors of the source, the memory ceiling and the disk. The
    /// writer can then only be dropped.
    pub fn add(
        &mut self,
        source: &dyn Source,
        taken: IdTaken,
        bad: &mut dyn BadRecords,
    ) -> Result<()> {
        let index = self.index;
        let recipe = &index.recipe;
        let names: Vec<String> = source
            .files()
            .iter()
            .map(|file| file.name.clone())
            .collect();
        let known = source.field_names();
        let fields = self.next.fields.iter();
        let columns: Vec<Option<usize>> = fields
            .map(|field| known.iter().position(|name| name == field))
            .collect();
        let extractor = Extractor {
            reader: &index.reader,
            level: recipe.unit,
            rejoin: recipe.rejoin,
            texts: self.next.texts,
            names: &names,
            columns: &columns,
            taken: Mutex::default(),
        };
        let context = self.context.clone();
        let pool = context.pool()?;
        for_each_chunk(
            &context,
            source,
            Buffers::default,
            |buffers, chunk| Ok((chunk.file(), extractor.extract(buffers, chunk))),
            |(file, mut extracted)| {
                extracted
                    .bad
                    .drain(..)
                    .try_for_each(|record| bad.bad(file, record))?;
                self.take(&extracted, source, taken)?;
                extractor.done(extracted);
                let room = context.budget.free() + self.held.bytes();
                let full = self.batch.as_ref().is_some_and(|batch| {
                    batch.heap_bytes() > (room / PART).max(LEAST)
                        || batch.units() >= MOST
                        || batch.records() >= MOST
                });
                if full {
                    pool.install(|| self.flush())?;
                }
                Ok(())
            },
        )
    }

    /// Takes records that were read.
    fn take(&mut self, extracted: &Extracted, source: &dyn Source, taken: IdTaken) -> Result<()> {
        let mut stored = Vec::new();
        for record in &extracted.records {
            let at = |error: Error| {
                let (file, number) = record.place;
                let error = match source.files().get(file as usize) {
                    Some(file) => error.at(&file.path),
                    None => error,
                };
                error.record(number)
            };
            if self.has(&record.id)? {
                match taken {
                    IdTaken::Refuse => return Err(at(self.taken(&record.id))),
                    IdTaken::Replace => {
                        self.remove(&record.id)?;
                    }
                    IdTaken::Skip => {
                        self.changed.skipped += 1;
                        continue;
                    }
                }
            }
            let number = self.written.len();
            let batch = match &mut self.batch {
                Some(batch) => batch,
                none => {
                    let path = self.index.folder.file(self.next.next_file + number as u64);
                    none.insert(Batch::create(
                        path,
                        self.next.kind(),
                        self.primer.clone(),
                        std::mem::take(&mut self.rows),
                    )?)
                }
            };
            let of = batch.records();
            stored.clear();
            stored.extend_from_slice(&extracted.stored[record.stored.clone()]);
            for unit in &extracted.units[record.units.clone()] {
                let (tokens, has_tokens) = unit.tokens.clone();
                if !self.next.texts {
                    batch.write_tokens(&extracted.tokens[tokens], has_tokens, &mut stored);
                }
                let features = extracted.features[unit.features.clone()].iter().copied();
                let place = Unit {
                    record: of,
                    ..unit.unit
                };
                batch.push_unit((place, unit.size), features);
            }
            if stored.len() > LONGEST {
                return Err(at(ErrorKind::Data
                    .expected("a text of less than 2 GiB")
                    .found(format!("{} bytes", stored.len()))
                    .hint("split it")));
            }
            batch.push_record(&record.id, record.text, &stored)?;
            self.ids.insert(name(&record.id), (number, of));
            self.changed.added += 1;
            self.changed.text += record.text;
        }
        let bytes = self.batch.as_ref().map_or(0, Batch::heap_bytes);
        let bytes = bytes + ID_BYTES * self.ids.len() as u64;
        let held = self.held.bytes();
        if bytes > held {
            self.held.grow(bytes - held, WHAT)?;
        } else {
            self.held.shrink(held - bytes);
        }
        Ok(())
    }

    /// Whether a record with this id is there after the change so far.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn has(&mut self, id: &str) -> Result<bool> {
        if self.ids.contains_key(&name(id)) {
            return Ok(true);
        }
        Ok(self.old(id)?.is_some())
    }

    /// The error for an id that another text has.
    fn taken(&self, id: &str) -> Error {
        if self.ids.contains_key(&name(id)) {
            return ErrorKind::Data
                .expected("a different id for each text")
                .found(format!("'{id}' twice"))
                .hint("correct the ids, or keep the last text of each id with ⟨replace⟩");
        }
        ErrorKind::Data
            .expected("an id that is not in the index")
            .found(format!("'{id}'"))
            .hint("use ⟨replace⟩ to put the new text in place of the old one, or remove that with ⟨remove⟩")
    }

    /// The record of the view with an id, if it is not removed.
    fn old(&mut self, id: &str) -> Result<Option<(usize, u32)>> {
        let found = self.view.find(id, &mut self.room)?;
        Ok(found.filter(|(segment, record)| {
            let removed = self.removed[*segment].as_ref();
            !removed.is_some_and(|removed| removed.has(*record))
        }))
    }

    /// Removes the record with an id; returns whether it was there.
    ///
    /// # Errors
    /// If the index is damaged.
    pub fn remove(&mut self, id: &str) -> Result<bool> {
        if let Some((segment, record)) = self.ids.remove(&name(id)) {
            match self.written.get_mut(segment) {
                Some((_, removed)) => {
                    removed.add(record);
                }
                None => {
                    if let Some(batch) = &mut self.batch {
                        batch.replace(record);
                    }
                }
            }
            self.changed.removed += 1;
            return Ok(true);
        }
        let Some((segment, record)) = self.old(id)? else {
            return Ok(false);
        };
        self.remove_old(segment, record);
        Ok(true)
    }

    fn remove_old(&mut self, segment: usize, record: u32) {
        let now = &self.view.segments[segment].removed;
        let removed = self.removed[segment].get_or_insert_with(|| (**now).clone());
        self.changed.removed += u64::from(removed.add(record));
    }

    /// Removes the records that `is_old` chooses by the values of their fields, in the order of
    /// [`Description::fields`].
    ///
    /// # Errors
    /// If the index is damaged; those of `is_old`.
    pub fn remove_if(
        &mut self,
        mut is_old: impl FnMut(&[Option<&str>]) -> Result<bool>,
    ) -> Result<()> {
        let view = Arc::clone(&self.view);
        let fields = view.description.fields.len();
        for (at, live) in view.segments.iter().enumerate() {
            for record in 0..live.segment.amount.records {
                if live.removed.has(record) {
                    continue;
                }
                let stored = live.segment.record(record, &mut self.room)?;
                let wrong = || live.segment.pages.damaged("a record", "something else");
                let (values, _) = stored.parts(fields).ok_or_else(wrong)?;
                if is_old(&values)? {
                    self.remove_old(at, record);
                }
            }
            self.context.check()?;
        }
        Ok(())
    }

    /// Writes the new units so far as a segment.
    fn flush(&mut self) -> Result<()> {
        let Some(batch) = self.batch.take() else {
            return Ok(());
        };
        let mut removed = Removed::none(batch.records());
        batch.replaced().iter().for_each(|record| {
            removed.add(*record);
        });
        let primer = batch.primer().cloned();
        let (amount, bytes, rows) = batch.finish()?;
        self.rows = rows;
        let file = self.next.next_file + self.written.len() as u64;
        self.written
            .push((Entry::new(file, amount, bytes, primer.is_some()), removed));
        self.primer = primer.or(self.primer.take());
        Ok(())
    }

    /// What a commit would do.
    pub fn changed(&self) -> Changed {
        self.changed
    }

    /// Makes the change: when this returns, the disk has it.
    ///
    /// # Errors
    /// If the disk is full or cannot be written: then the index is as it was.
    pub fn commit(&mut self) -> Result<Changed> {
        let pool = self.context.pool()?;
        pool.install(|| self.flush())?;
        let changed = std::mem::take(&mut self.changed);
        let is_same = self.written.is_empty() && self.removed.iter().all(Option::is_none);
        if is_same {
            return Ok(changed);
        }
        self.next.next_file += self.written.len() as u64;
        self.write_primer()?;
        let Description {
            segments,
            next_file,
            ..
        } = &mut self.next;
        let old = segments.len();
        let mut lists: Vec<(usize, Removed)> = Vec::new();
        for (entry, removed) in std::mem::take(&mut self.written) {
            if removed.count() > 0 {
                lists.push((segments.len(), removed));
            }
            segments.push(entry);
        }
        let changes = self.removed.iter_mut().take(old).enumerate();
        lists.extend(changes.filter_map(|(at, removed)| Some((at, removed.take()?))));
        for (at, removed) in lists {
            removed.write(&self.index.folder.file(*next_file))?;
            segments[at].removed = removed.count();
            segments[at].removed_file = Some(*next_file);
            *next_file += 1;
        }
        segments.retain(|entry| entry.removed < entry.records);
        self.next.generation += 1;
        self.publish()?;
        self.ids.clear();
        self.rows = Rows::default();
        self.held.shrink(self.held.bytes());
        Ok(changed)
    }

    /// Writes what blocks are compressed with, if the index has none yet.
    fn write_primer(&mut self) -> Result<()> {
        if let (Some(primer), None) = (&self.primer, &self.next.primer) {
            let file = self.next.next_file;
            self.next.next_file += 1;
            self.next.primer = Some(primer.write(&self.index.folder.file(file), file)?);
        }
        Ok(())
    }

    /// Puts the description in place, and shows it to this process.
    fn publish(&mut self) -> Result<()> {
        self.index.folder.replace(&self.next)?;
        let view = View::of(&self.index.folder, self.next.clone(), Some(&self.view))?;
        self.view = Arc::new(view);
        self.removed = self.view.segments.iter().map(|_| None).collect();
        self.index.show(&self.view);
        self.index.folder.remove_others(&self.next);
        Ok(())
    }

    /// Puts a merged segment in the place of those it was written from, whatever was added and removed
    /// since; returns whether these are still there. Nothing may be pending.
    ///
    /// # Errors
    /// As [`Writer::commit`].
    pub(super) fn put(
        &mut self,
        merged: &Merged,
        parts: &View,
        range: Range<usize>,
    ) -> Result<bool> {
        let files = |view: &View, range: Range<usize>| -> Option<Vec<u64>> {
            let entries = view.description.segments.get(range)?;
            Some(entries.iter().map(|entry| entry.file).collect())
        };
        let wanted = files(parts, range.clone());
        let same = (0..=range.start)
            .map(|from| from..from + range.len())
            .find(|place| wanted.is_some() && files(&self.view, place.clone()) == wanted);
        let Some(place) = same else {
            return Ok(false);
        };
        let removed =
            merged.removed_since(&parts.segments[range], &self.view.segments[place.clone()]);
        // Another may have been made since.
        let is_same = match (&merged.primer, &self.primer) {
            (Some(own), Some(other)) => own.is(other),
            (own, other) => own.is_some() || other.is_none(),
        };
        if !is_same {
            return Ok(false);
        }
        self.primer.clone_from(&merged.primer);
        self.write_primer()?;
        let file = self.next.next_file;
        self.next.next_file += 1;
        let mut entry = Entry::new(file, merged.amount, merged.bytes, merged.primer.is_some());
        if removed.count() > 0 {
            removed.write(&self.index.folder.file(self.next.next_file))?;
            entry.removed = removed.count();
            entry.removed_file = Some(self.next.next_file);
            self.next.next_file += 1;
        }
        let is_live = entry.removed < entry.records;
        self.index.folder.rename_merge(file)?;
        self.next.segments.splice(place, is_live.then_some(entry));
        self.next.generation += 1;
        self.publish()?;
        Ok(true)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        // What was not committed; a writer that is killed leaves it to the next.
        if self.batch.take().is_some() || !self.written.is_empty() {
            self.index.folder.remove_others(&self.view.description);
        }
    }
}

/// The most bytes of a record.
const LONGEST: usize = (1 << 31) - 1;

/// What identifies an id.
fn name(id: &str) -> u128 {
    hash::token(id.as_bytes()).digest()
}
