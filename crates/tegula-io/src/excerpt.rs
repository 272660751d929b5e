//! Records cut out of a file at the places where an earlier pass found them.
//!
//! Only the guard's windows that contain wanted records are read, each as a whole so that it can be
//! compared with the first read; short gaps between records are read as well. For uncompressed
//! files of byte formats whose first pass reached their end. Not for records at unknown places.

use crate::block::{Block, Plan};
use crate::collection::Collection;
use crate::guard::{InputGuard, WINDOW};
use crate::limits::Limits;
use crate::store::File;
use crate::stream::SAMPLE;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use tegula::context::make_room;
use tegula::error::{Error, Result};
use tegula::record::{Batch, Chunk, Chunks, Fetched, Place, Places, Source, Wanted};

/// The most windows read for a chunk, as records may be far apart.
const MOST: u64 = 16;

/// How to read wanted records of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// There are none.
    Nothing,
    /// At their positions.
    Parts,
    /// By reading the file whole.
    Whole,
}

/// Wanted records of a collection; each file is read in the way that reads least. Costs two passes
/// over the list of records, and reads the beginning of each file that is read in parts.
///
/// # Errors
/// As [`Source::chunks`].
pub(crate) fn fetch<'a>(collection: &'a Collection, wanted: Wanted<'a>) -> Result<Fetched<'a>> {
    if collection.options().limit.is_some() {
        // A record's file may have been read in part only.
        return Fetched::all(collection);
    }
    let (mut ways, mut bytes) = (Vec::new(), 0);
    for (file, data) in (0..).zip(collection.files()) {
        let extent = Extent::of(wanted.of_file(file), data.bytes);
        let (way, read) = if !extent.any {
            (Way::Nothing, 0)
        } else if collection.can_be_cut(file)
            && collection.guards()[file as usize].knows_all()
            && extent.pays(data.bytes)
        {
            (Way::Parts, extent.windows)
        } else {
            (Way::Whole, data.bytes)
        };
        ways.push(way);
        bytes += read;
    }
    let chunks = (0..).zip(ways).flat_map(move |(file, way)| {
        on(collection, file, way, wanted)
            .unwrap_or_else(|error| Box::new(std::iter::once(Err(error))))
    });
    Ok(Fetched {
        chunks: Box::new(chunks),
        bytes,
    })
}

/// The chunks with the wanted records of one file.
fn on<'a>(
    collection: &'a Collection,
    file: u32,
    way: Way,
    wanted: Wanted<'a>,
) -> Result<Chunks<'a>> {
    Ok(match way {
        Way::Nothing => Box::new(std::iter::empty()),
        Way::Parts => Box::new(Excerpts::open(collection, file, wanted.of_file(file))?),
        Way::Whole => Box::new(collection.file_chunks(file)?),
    })
}

/// What must be read of a file for some of its records.
#[derive(Debug, Default, PartialEq, Eq)]
struct Extent {
    /// Whether there are any.
    any: bool,
    /// Bytes of the records.
    records: u64,
    /// Bytes of the windows that they touch.
    windows: u64,
}

impl Extent {
    /// For these records, in the order of their file, which has this many bytes.
    fn of(places: impl Iterator<Item = Place>, bytes: u64) -> Self {
        let (mut extent, mut next) = (Self::default(), 0);
        for place in places {
            extent.any = true;
            extent.records += place.bytes.end.saturating_sub(place.bytes.start);
            let touched = windows(&place.bytes);
            if next < touched.end {
                let start = touched.start.max(next) * WINDOW as u64;
                let end = touched.end.saturating_mul(WINDOW as u64).min(bytes);
                extent.windows += end.saturating_sub(start);
                next = touched.end;
            }
        }
        extent
    }

    /// Whether it pays to read only these parts of a file of this size: not if most of it is
    /// wanted, as blocks of many records are faster, nor if little would be skipped, as the
    /// beginning of the file must be read as well.
    fn pays(&self, bytes: u64) -> bool {
        self.records <= bytes / 2 && self.windows.saturating_add(SAMPLE as u64) <= bytes + bytes / 8
    }
}

/// The windows that a range touches.
fn windows(bytes: &Range<u64>) -> Range<u64> {
    let window = WINDOW as u64;
    if bytes.is_empty() {
        return 0..0;
    }
    bytes.start / window..(bytes.end - 1) / window + 1
}

/// Iterates over wanted records of one file, as chunks.
struct Excerpts<'a> {
    plan: Arc<Plan>,
    windows: Windows,
    places: Places<'a>,
    /// A record that did not fit in the last chunk.
    ahead: Option<Block>,
    /// Bytes held in a chunk, unless a record is larger.
    size: usize,
    limits: Limits,
    /// Bytes read for the chunks so far.
    passed: u64,
}

impl<'a> Excerpts<'a> {
    /// Reads these records, in the order of their file, whose guard knows all of it.
    fn open(collection: &Collection, file: u32, places: Places<'a>) -> Result<Self> {
        Ok(Self {
            plan: Arc::clone(collection.stream(file)?.plan()),
            windows: Windows::open(&collection.guards()[file as usize])?,
            places,
            ahead: None,
            size: collection.chunk(),
            limits: collection.limits().clone(),
            passed: 0,
        })
    }

    /// The next record.
    fn record(&mut self) -> Result<Option<Block>> {
        if self.ahead.is_some() {
            return Ok(self.ahead.take());
        }
        let Some(place) = self.places.next() else {
            return Ok(None);
        };
        self.limits.check()?;
        let start = place.bytes.start;
        let raw = self.windows.read(place.bytes)?;
        Ok(Some(Block::of_record(&self.plan, place.number, start, raw)))
    }

    /// A large record alone, or several others.
    fn chunk(&mut self) -> Result<Option<Box<dyn Chunk>>> {
        let (mut records, mut held) = (Vec::new(), 0);
        while let Some(mut record) = self.record()? {
            if record.text().len() > self.size || record.is_heavy() {
                if records.is_empty() {
                    record.disk = self.pass();
                    return Ok(Some(record.weighed(&self.limits).into_chunk()));
                }
                self.ahead = Some(record);
                break;
            }
            // For short records, the bookkeeping takes more memory than the text.
            held += record.raw.len() + size_of::<Block>();
            records.push(record);
            let read = self.windows.bytes_read - self.passed;
            if held >= self.size || read >= MOST * WINDOW as u64 {
                break;
            }
        }
        if records.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(Excerpt {
            file: self.plan.file,
            disk: self.pass(),
            records,
        })))
    }

    /// The bytes read since the last chunk.
    fn pass(&mut self) -> u64 {
        let read = self.windows.bytes_read;
        read - std::mem::replace(&mut self.passed, read)
    }
}

impl Iterator for Excerpts<'_> {
    type Item = Result<Box<dyn Chunk>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.chunk().transpose()
    }
}

/// Some records of a file, with others between them that were not wanted.
struct Excerpt {
    file: u32,
    disk: u64,
    /// A block for each.
    records: Vec<Block>,
}

impl Chunk for Excerpt {
    fn file(&self) -> u32 {
        self.file
    }

    fn disk_bytes(&self) -> u64 {
        self.disk
    }

    fn read(&self, batch: &mut Batch) {
        self.read_some(&|_| true, batch);
    }

    fn read_some(&self, wanted: &dyn Fn(u64) -> bool, batch: &mut Batch) {
        self.records
            .iter()
            .for_each(|record| record.read_some(wanted, batch));
    }
}

/// The windows of a file that was read before, each compared when it is read again.
struct Windows {
    file: File,
    guard: Arc<InputGuard>,
    /// The last window read.
    held: Vec<u8>,
    /// The next window, at which the file is positioned.
    next: u64,
    bytes_read: u64,
}

impl Windows {
    fn open(guard: &Arc<InputGuard>) -> Result<Self> {
        Ok(Self {
            file: guard.open()?,
            guard: Arc::clone(guard),
            held: Vec::new(),
            next: 0,
            bytes_read: 0,
        })
    }

    /// The bytes of a range.
    ///
    /// # Errors
    /// If they cannot be read; [`tegula::ErrorKind::Changed`] if they are not those of the first
    /// read.
    fn read(&mut self, bytes: Range<u64>) -> Result<Vec<u8>> {
        if bytes.end > self.guard.bytes() {
            return Err(self.guard.changed("a record lies beyond its end"));
        }
        let len = usize::try_from(bytes.end.saturating_sub(bytes.start)).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        make_room(&mut found, len, "reading").map_err(|error| error.at(self.guard.path()))?;
        for window in windows(&bytes) {
            self.hold(window)?;
            let start = window * WINDOW as u64;
            let from = bytes.start.saturating_sub(start) as usize;
            let to = (bytes.end - start).min(self.held.len() as u64) as usize;
            found.extend_from_slice(&self.held[from..to]);
        }
        Ok(found)
    }

    /// Reads a window, unless it was the last one read.
    fn hold(&mut self, window: u64) -> Result<()> {
        if window + 1 == self.next {
            return Ok(());
        }
        let path = self.guard.path();
        let start = window * WINDOW as u64;
        if window != self.next {
            self.file
                .seek(SeekFrom::Start(start))
                .map_err(|error| Error::io("read", path, error))?;
        }
        let len = (self.guard.bytes() - start).min(WINDOW as u64);
        self.held.resize(len as usize, 0);
        self.file
            .read_exact(&mut self.held)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => self.guard.changed("it ends earlier"),
                _ => Error::io("read", path, error),
            })?;
        self.guard.compare(window, &self.held)?;
        self.next = window + 1;
        self.bytes_read += len;
        Ok(())
    }
}

#[cfg(test)]
#[path = "excerpt_tests.rs"]
mod tests;
