//! One output file being written: edited blocks in input order, on a thread of their own if there
//! are several.

use crate::block::Block;
use crate::buffers::Buffer;
use crate::format::{MarkStyle, Note};
use crate::outputs::Packed;
use crate::passed_over::Nulls;
use crate::standoff::Standoff;
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};
use tegula::error::{Error, ErrorKind, Result};
use tegula::threads;

/// Counts of written records.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Written {
    /// Records copied byte for byte.
    pub kept: u64,
    /// Records removed.
    pub dropped: u64,
    /// Records with some text removed.
    pub cut: u64,
    /// Records with marks.
    pub marked: u64,
    /// Bytes of all outputs, before compression; 0 for Parquet.
    pub bytes: u64,
    /// Values that could not be read, and are null.
    pub nulls: Nulls,
}

impl Written {
    /// Adds those of other outputs.
    pub fn add(&mut self, other: &Self) {
        self.kept += other.kept;
        self.dropped += other.dropped;
        self.cut += other.cut;
        self.marked += other.marked;
        self.bytes += other.bytes;
        self.nulls.add(&other.nulls);
    }
}

/// Reports progress in bytes on disk since the last call; an error ends writing.
pub type Progress<'a> = &'a (dyn Fn(u64) -> Result<()> + Sync);

/// An edited block.
#[derive(Default)]
pub(crate) struct Edited {
    pub(crate) bytes: Buffer,
    /// The separator of the first written record from the one before.
    pub(crate) lead: Option<Range<usize>>,
    /// The entries for a file next to the output; offsets count from the block's first byte in the
    /// output.
    pub(crate) notes: Vec<Note>,
    pub(crate) tally: Written,
}

/// Blocks with their edits.
pub(crate) type Wave = (Vec<Block>, Vec<Result<Edited>>);

/// The output of one file.
pub(crate) struct Writing<'a> {
    draft: Packed,
    beside: Option<Standoff>,
    /// The input, for errors.
    input: &'a Path,
    style: &'a MarkStyle,
    progress: Progress<'a>,
    has_first: bool,
    tally: Written,
}

impl<'a> Writing<'a> {
    pub(crate) fn new(
        (draft, beside): (Packed, Option<Standoff>),
        input: &'a Path,
        style: &'a MarkStyle,
        progress: Progress<'a>,
    ) -> Self {
        Self {
            draft,
            beside,
            input,
            style,
            progress,
            has_first: false,
            tally: Written::default(),
        }
    }

    /// Writes some blocks.
    pub(crate) fn put(&mut self, (blocks, edited): Wave) -> Result<()> {
        for (block, edited) in blocks.iter().zip(edited) {
            let mut edited = edited.map_err(|error| match error.path() {
                Some(_) => error,
                None => error.at(self.input),
            })?;
            if let Some(lead) = edited.lead.filter(|_| !self.has_first) {
                self.has_first = true;
                edited.bytes.drain(lead);
            }
            if let Some(beside) = &mut self.beside {
                beside.write(&edited.notes, self.draft.bytes(), self.style)?;
            }
            let bytes = &edited.bytes[..];
            let members = block.plan.format.members(bytes);
            let mut at = 0;
            for member in members.into_iter().filter(|_| !block.is_inside) {
                self.draft.put(&bytes[at..member])?;
                self.draft.begin_member()?;
                at = member;
            }
            self.draft.put(&bytes[at..])?;
            self.tally.add(&edited.tally);
            (self.progress)(block.disk)?;
        }
        Ok(())
    }

    /// Ends the output with these bytes; returns what was written, and how to complete the file.
    pub(crate) fn end(mut self, close: &str) -> Result<(Written, impl FnOnce() -> Result<()>)> {
        self.draft.put(close.as_bytes())?;
        self.tally.bytes = self.draft.bytes();
        let (draft, beside) = (self.draft, self.beside);
        let complete = move || {
            beside.map_or(Ok(()), Standoff::close)?;
            draft.finish()
        };
        Ok((self.tally, complete))
    }
}

/// Where waves go: to the output, or to the thread that writes it.
pub(crate) enum Sink<'scope, 'a> {
    Here(Box<Writing<'a>>),
    Thread {
        waves: SyncSender<Wave>,
        /// A message for each wave that is written; none after an error.
        done: Receiver<()>,
        thread: ScopedJoinHandle<'scope, Result<Writing<'a>>>,
        /// Waves that are not yet known to be written.
        open: usize,
    },
}

impl<'scope, 'a: 'scope> Sink<'scope, 'a> {
    /// A thread that writes while others read and edit, if there are several.
    pub(crate) fn start(
        scope: &'scope Scope<'scope, '_>,
        writing: Writing<'a>,
        threads: usize,
    ) -> Result<Self> {
        if threads < 2 {
            return Ok(Self::Here(Box::new(writing)));
        }
        let (waves, receiver) = sync_channel::<Wave>(1);
        let ((give, given), (written, done)) = (channel::<Writing>(), channel());
        let thread = threads::start(scope, move || {
            let Ok(mut writing) = given.recv() else {
                return Err(stopped());
            };
            for wave in receiver {
                writing.put(wave)?;
                // Nobody may be waiting.
                let _ = written.send(());
            }
            Ok(writing)
        });
        let (thread, sent) = match thread {
            Ok(thread) => (thread, give.send(writing)),
            // If the system refuses a thread, this one does its work.
            Err(_) => return Ok(Self::Here(Box::new(writing))),
        };
        sent.map_err(|_| stopped())?;
        Ok(Self::Thread {
            waves,
            done,
            thread,
            open: 0,
        })
    }
}

impl<'a> Sink<'_, 'a> {
    /// Passes on a wave. Returns false if an earlier one could not be written: [`Sink::finish`] has
    /// the error.
    pub(crate) fn put(&mut self, wave: Wave) -> Result<bool> {
        match self {
            Self::Here(writing) => writing.put(wave).map(|()| true),
            Self::Thread {
                waves, done, open, ..
            } => {
                *open -= done.try_iter().count();
                *open += 1;
                Ok(waves.send(wave).is_ok())
            }
        }
    }

    /// Waits until all waves are written, so that no memory is held for them.
    pub(crate) fn drain(&mut self) {
        if let Self::Thread { done, open, .. } = self {
            while *open > 0 && done.recv().is_ok() {
                *open -= 1;
            }
        }
    }

    /// The output, with all waves written.
    pub(crate) fn finish(self) -> Result<Writing<'a>> {
        match self {
            Self::Here(writing) => Ok(*writing),
            Self::Thread { waves, thread, .. } => {
                drop(waves);
                threads::join(thread)
            }
        }
    }
}

fn stopped() -> Error {
    Error::new(ErrorKind::Io, "the thread that writes stopped early")
}
