//! Writes a collection back: kept records are copied byte for byte, and only the parts in an edit
//! are changed.

use crate::block::Piece;
use crate::block::{Block, Damage};
use crate::buffers::Pool;
use crate::chunks::Pieces;
use crate::collection::Collection;
use crate::detect;
use crate::edit::{Edit, Marks};
use crate::encoding::encode;
use crate::format::{Note, Patch, moved, parquet};
use crate::options::FormatName;
use crate::outputs::{Outputs, Packed};
use crate::standoff::Standoff;
use crate::target::Target;
use crate::writing::{Edited, Sink, Writing};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::Source;
use tegula::threads;

pub use crate::format::{MarkPlace, MarkStyle};
pub use crate::writing::{Progress, Written};

/// How to write a collection back.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct RewriteOptions {
    /// The number of threads; 0 counts as 1.
    pub threads: usize,
    /// Whether this run marks: then CSV headers get the columns of marks, and records without a
    /// mark empty cells.
    pub marks: bool,
    /// The style of marks.
    pub style: MarkStyle,
}

/// The edit of a record, by file and number.
pub type Edits<'a> = &'a (dyn Fn(u32, u64) -> Edit + Sync);

/// Writes `collection` to `target`. `edits` is called for every record, including bad ones: it
/// should return [`Edit::Drop`] for those to be removed. The broken end of a damaged file is always
/// removed. Under a limit, everything after the last record read is not written. The files are
/// renamed into place when `outputs` are published.
pub fn rewrite(
    collection: &Collection,
    (outputs, target): (&Outputs, &Target),
    edits: Edits<'_>,
    options: &RewriteOptions,
    progress: Progress<'_>,
) -> Result<Written> {
    let (job, paths) = Job::new(collection, (outputs, target), edits, options, progress)?;
    if collection.files().len() > 1 && collection.options().limit.is_none() {
        job.side_by_side(&paths)
    } else {
        job.in_turn(&paths)
    }
}

/// Writes some files of `collection`, one after the other, as [`rewrite`] would.
///
/// # Errors
/// As there.
pub fn rewrite_files(
    (collection, files): (&Collection, Range<u32>),
    (outputs, target): (&Outputs, &Target),
    edits: Edits<'_>,
    options: &RewriteOptions,
) -> Result<Written> {
    let (job, paths) = Job::new(collection, (outputs, target), edits, options, &|_| Ok(()))?;
    let mut written = Written::default();
    for file in files {
        let path = paths.get(file as usize);
        job.file(file, path, (&mut None, 1), &mut written)?;
    }
    Ok(written)
}

/// Refuses an output whose name implies another format than that of the input.
fn same_format(collection: &Collection, target: &Target) -> Result<()> {
    let (Target::File(path), Some((format, _))) = (target, collection.format(0)) else {
        return Ok(());
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match detect::by_name(&name).0 {
        Some(other) if other != format && !detect::promises(&name, format) => Err(ErrorKind::Usage
            .expected(format!("an output of the input's format, {format:?}"))
            .found(format!("a name for {other:?}"))
            .at(path)
            .hint("give the output the extension of the input")),
        _ => Ok(()),
    }
}

/// What is known at the end of a file.
#[derive(Default)]
struct End {
    /// What completes the file if its last records are not written.
    close: &'static str,
    is_broken: bool,
    is_record: bool,
}

struct Job<'a> {
    collection: &'a Collection,
    outputs: &'a Outputs,
    edits: Edits<'a>,
    options: &'a RewriteOptions,
    progress: Progress<'a>,
    /// Held during the processing of a large record, if files are written in parallel.
    large: Mutex<()>,
    /// Of edited blocks.
    buffers: Pool,
}

impl<'a> Job<'a> {
    /// A job, and the paths to which it writes.
    fn new(
        collection: &'a Collection,
        (outputs, target): (&'a Outputs, &Target),
        edits: Edits<'a>,
        options: &'a RewriteOptions,
        progress: Progress<'a>,
    ) -> Result<(Self, Vec<PathBuf>)> {
        same_format(collection, target)?;
        let job = Self {
            collection,
            outputs,
            edits,
            options,
            progress,
            large: Mutex::default(),
            buffers: Pool::default(),
        };
        Ok((job, target.paths(collection)))
    }

    fn threads(&self) -> usize {
        self.options.threads.max(1)
    }

    /// Writes one file after the other, with the blocks of each in parallel.
    fn in_turn(&self, paths: &[PathBuf]) -> Result<Written> {
        let mut written = Written::default();
        let mut left = self.collection.options().limit;
        for (file, _) in (0..).zip(self.collection.files()) {
            let path = paths.get(file as usize);
            self.file(file, path, (&mut left, self.threads()), &mut written)?;
        }
        Ok(written)
    }

    /// Writes several files in parallel, each on one thread.
    fn side_by_side(&self, paths: &[PathBuf]) -> Result<Written> {
        let next = AtomicU32::new(0);
        let stop = AtomicBool::new(false);
        let count = self.collection.files().len();
        let results = Mutex::new(Vec::with_capacity(count));
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let file = next.fetch_add(1, Ordering::Relaxed);
                if file as usize >= count {
                    break;
                }
                let mut written = Written::default();
                let path = paths.get(file as usize);
                let done = self.file(file, path, (&mut None, 1), &mut written);
                if done.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
                if let Ok(mut results) = results.lock() {
                    results.push((file, done.map(|()| written)));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads().min(count) {
                // If the system refuses threads, fewer are sufficient.
                if threads::start(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        let mut results = results.into_inner().unwrap_or_default();
        // The first error in input order, whichever thread found it first.
        results.sort_by_key(|(file, _)| *file);
        let mut sum = Written::default();
        for (_, result) in results {
            sum.add(&result?);
        }
        Ok(sum)
    }

    /// Writes one file.
    fn file(
        &self,
        file: u32,
        path: Option<&PathBuf>,
        (left, threads): (&mut Option<u64>, usize),
        written: &mut Written,
    ) -> Result<()> {
        let source = &self.collection.files()[file as usize];
        if self
            .collection
            .format(file)
            .is_some_and(|(f, _)| f == FormatName::Parquet)
        {
            return self.parquet(file, path, left, written);
        }
        let draft = Packed::create(self.outputs, path.map_or(Path::new("-"), PathBuf::as_path))?;
        let beside = match path {
            Some(path) if self.is_standoff() => Some(Standoff::create(self.outputs, path)?),
            None if self.is_standoff() => {
                return Err(Error::of("⟨mark_place=standoff⟩")
                    .expected("an output file")
                    .found("standard output"));
            }
            _ => None,
        };
        let (style, progress) = (&self.options.style, self.progress);
        let writing = Writing::new((draft, beside), &source.path, style, progress);
        let mut pieces = self.collection.pieces(file, *left);
        let (writing, end) = std::thread::scope(|scope| {
            let mut sink = Sink::start(scope, writing, threads)?;
            let end = self.waves(&mut pieces, threads, &mut sink);
            // An error of an earlier wave comes first.
            Ok::<_, Error>((sink.finish()?, end?))
        })?;
        let is_broken = end.is_broken || left.is_some();
        *left = pieces.left();
        let (tally, complete) = writing.end(if is_broken { end.close } else { "" })?;
        written.add(&tally);
        // If the file is the record, as in plain text, they are removed together.
        if let (true, true, Some(path)) = (end.is_record, tally.dropped > 0, path) {
            self.outputs.remove(path);
            return Ok(());
        }
        complete()
    }

    /// Reads and edits the blocks of a file, some at a time.
    fn waves(&self, pieces: &mut Pieces, threads: usize, sink: &mut Sink<'_, '_>) -> Result<End> {
        let mut end = End::default();
        loop {
            let (blocks, damage, done) = next_blocks(pieces, threads)?;
            end.is_broken |= damage.is_some();
            if let Some(block) = blocks.last() {
                let format = &block.plan.format;
                end.close = format.close(block.text());
                end.is_record |= format.file_is_record();
            }
            let is_large = blocks.last().is_some_and(|block| block.large.is_some());
            let _alone = is_large.then(|| self.large.lock());
            let edited = self.edit_all(&blocks, threads);
            if !sink.put((blocks, edited))? || done {
                return Ok(end);
            }
            if is_large {
                sink.drain();
            }
        }
    }

    fn parquet(
        &self,
        file: u32,
        path: Option<&PathBuf>,
        left: &mut Option<u64>,
        written: &mut Written,
    ) -> Result<()> {
        let source = &self.collection.files()[file as usize];
        let Some(path) = path else {
            return Err(Error::of("⟨output=-⟩")
                .problem("Parquet is not written to standard output")
                .hint("name an output file"));
        };
        let draft = self.outputs.create(path)?;
        let plan = parquet::Plan {
            style: &self.options.style,
            marks: self.options.marks,
            limit: *left,
        };
        let edit = |number| (self.edits)(file, number);
        let tally = parquet::rewrite(
            &self.collection.guards()[file as usize],
            self.collection.options(),
            (draft.file()?, path),
            plan,
            self.collection.limits(),
            &edit,
        )?;
        if let Some(left) = left {
            *left = left.saturating_sub(tally.rows);
        }
        written.kept += tally.kept;
        written.dropped += tally.dropped;
        written.cut += tally.cut;
        written.marked += tally.marked;
        written.nulls.add(&tally.nulls);
        (self.progress)(source.bytes)?;
        draft.finish()
    }

    /// Edits some blocks in parallel.
    fn edit_all(&self, blocks: &[Block], threads: usize) -> Vec<Result<Edited>> {
        let one = |block: &Block| self.edit(block);
        if threads < 2 || blocks.len() < 2 {
            return blocks.iter().map(one).collect();
        }
        std::thread::scope(|scope| {
            let started: Vec<_> = blocks
                .iter()
                .map(|block| threads::start(scope, move || one(block)))
                .collect();
            // If the system refuses a thread, this one does its work.
            let blocks = started.into_iter().zip(blocks);
            blocks
                .map(|(thread, block)| thread.map_or_else(|_| one(block), threads::join))
                .collect()
        })
    }

    fn is_standoff(&self) -> bool {
        self.options.marks && self.options.style.place == MarkPlace::Standoff
    }

    /// The edited block.
    fn edit(&self, block: &Block) -> Result<Edited> {
        let mut edited = Edited {
            bytes: self.buffers.take(block.raw.len() + 4096),
            ..Edited::default()
        };
        let Edited {
            bytes: out,
            lead,
            notes,
            tally,
        } = &mut edited;
        let format = &block.plan.format;
        let whole = block.valid_text();
        // Everything before this byte of the block has been written.
        let mut at = 0;
        if block.head && self.options.marks {
            let text = block.head_text(whole)?;
            let patches = format
                .mark_head(text, &self.options.style)
                .map_err(|error| error.at(&block.plan.path))?;
            apply(block, 0, &patches, &mut at, out);
        }
        block.try_each(|number, range| {
            let mut edit = (self.edits)(block.plan.file, number);
            if edit == Edit::Keep && self.options.marks && format.marks_all(&self.options.style) {
                edit = Edit::Mark(Marks::default());
            }
            if lead.is_none() && edit != Edit::Drop {
                // What is not written yet is copied as it is.
                let separator = if number == 1 {
                    Ok(0)
                } else {
                    block
                        .record(range.clone(), whole)
                        .map(|record| format.lead(&record))
                };
                let bytes = block.bytes_of(range.start..range.start + separator.unwrap_or(0));
                *lead = Some(out.len() + bytes.start - at..out.len() + bytes.end - at);
            }
            let patches = match edit {
                Edit::Keep => {
                    tally.kept += 1;
                    return Ok(());
                }
                Edit::Drop => {
                    tally.dropped += 1;
                    vec![Patch::remove(0..range.len())]
                }
                Edit::Cut(cuts) => {
                    tally.cut += 1;
                    block
                        .record(range.clone(), whole)
                        .and_then(|record| format.remove(&record, &cuts))
                        .map_err(|error| block.plan.place(error, number))?
                }
                Edit::Mark(marks) if self.is_standoff() => {
                    tally.marked += 1;
                    let record = block.record(range.clone(), whole);
                    let found = record.and_then(|record| format.standoff(&record, &marks));
                    for note in found.map_err(|error| block.plan.place(error, number))? {
                        // Copies the bytes not written yet.
                        let bytes =
                            block.bytes_of(range.start + note.at.start..range.start + note.at.end);
                        let place = |byte: usize| out.len() + byte - at;
                        notes.push(Note {
                            at: place(bytes.start)..place(bytes.end),
                            ..note
                        });
                    }
                    return Ok(());
                }
                Edit::Mark(marks) => {
                    tally.marked += 1;
                    block
                        .record(range.clone(), whole)
                        .and_then(|record| format.mark(&record, &marks, &self.options.style))
                        .map_err(|error| block.plan.place(error, number))?
                }
                Edit::Change { .. } if self.is_standoff() => {
                    return Err(Error::of("⟨mark_place=standoff⟩")
                        .expected("a run that only marks")
                        .found("one that also removes"));
                }
                Edit::Change { cuts, marks } => {
                    tally.cut += 1;
                    let change = |record: &str| {
                        let left = patched(record, &format.remove(record, &cuts)?);
                        let marks = moved(&**format, record, &left, &cuts, &marks)?;
                        Ok(patched(
                            &left,
                            &format.mark(&left, &marks, &self.options.style)?,
                        ))
                    };
                    let with = block
                        .record(range.clone(), whole)
                        .and_then(|record| change(&record))
                        .map_err(|error| block.plan.place(error, number))?;
                    vec![Patch {
                        at: 0..range.len(),
                        with,
                    }]
                }
            };
            apply(block, range.start, &patches, &mut at, out);
            Ok::<(), Error>(())
        })?;
        out.extend_from_slice(&block.raw[at..]);
        Ok(edited)
    }
}

/// Up to `count` blocks, the broken data after them, and whether the file has ended.
fn next_blocks(pieces: &mut Pieces, count: usize) -> Result<(Vec<Block>, Option<Damage>, bool)> {
    let mut blocks = Vec::with_capacity(count);
    while blocks.len() < count {
        match pieces.next().transpose()? {
            Some(Piece::Block(block)) => {
                let large = block.large.is_some();
                blocks.push(block);
                if large {
                    break;
                }
            }
            // It is not written.
            Some(Piece::Damage(damage)) => return Ok((blocks, Some(damage), false)),
            None => return Ok((blocks, None, true)),
        }
    }
    Ok((blocks, None, false))
}

/// The record with its patches applied.
pub(crate) fn patched(record: &str, patches: &[Patch]) -> String {
    let mut out = String::with_capacity(record.len());
    let mut at = 0;
    for patch in patches {
        out.push_str(record.get(at..patch.at.start).unwrap_or_default());
        out.push_str(&patch.with);
        at = patch.at.end.max(at);
    }
    out.push_str(record.get(at..).unwrap_or_default());
    out
}

/// Copies the block up to each patch and writes the replacement; `base` is the start of the patched
/// record in the text.
fn apply(block: &Block, base: usize, patches: &[Patch], at: &mut usize, out: &mut Vec<u8>) {
    let encoding = block.plan.encoding.encoding;
    for patch in patches {
        let bytes = block.bytes_of(base + patch.at.start..base + patch.at.end);
        out.extend_from_slice(block.raw.get(*at..bytes.start).unwrap_or_default());
        encode(&patch.with, encoding, block.plan.format.escape(), out);
        *at = bytes.end.max(*at);
    }
}

#[cfg(test)]
#[path = "rewrite_tests.rs"]
pub(crate) mod tests;
