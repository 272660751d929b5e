//! An index as it was when it was opened: the segments it consisted of, and what was removed.

use super::blocks::{LEVEL, Records};
use super::description::{Description, Entry};
use super::folder::Folder;
use super::pages::damaged;
use super::primer::Primer;
use super::removed::Removed;
use super::segment::Segment;
use crate::error::{Error, ErrorKind, Result};
use std::io;
use std::sync::Arc;

/// A segment with its removed records.
#[derive(Clone)]
pub(super) struct Live {
    pub(super) segment: Arc<Segment>,
    pub(super) removed: Arc<Removed>,
}

/// The index at one time.
#[derive(Clone)]
pub(super) struct View {
    pub(super) description: Description,
    pub(super) segments: Vec<Live>,
    /// With what blocks are compressed.
    pub(super) primer: Option<Arc<Primer>>,
}

/// How often a view is opened again because files have just been replaced.
const TRIES: usize = 20;

impl View {
    /// Opens the index as it is now; segments of an earlier view are not opened again.
    ///
    /// # Errors
    /// If it is damaged, or cannot be opened.
    pub(super) fn open(folder: &Folder, earlier: Option<&Self>) -> Result<Self> {
        let mut tries = 0;
        loop {
            let description = folder.description()?;
            match Self::of(folder, description, earlier) {
                // A writer may have merged segments since the description was read.
                Err(error) if tries < TRIES && is_gone(&error) => tries += 1,
                result => return result,
            }
        }
    }

    /// Opens the segments of a description.
    pub(super) fn of(
        folder: &Folder,
        description: Description,
        earlier: Option<&Self>,
    ) -> Result<Self> {
        let known = |entry: &Entry| {
            let earlier = earlier?;
            let entries = earlier.description.segments.iter().zip(&earlier.segments);
            let mut same = entries.filter(|(known, _)| known.file == entry.file);
            same.next()
        };
        let kind = description.kind();
        let same = earlier.filter(|earlier| earlier.description.primer == description.primer);
        let primer = match (same, &description.primer) {
            (Some(earlier), _) => earlier.primer.clone(),
            (None, None) => None,
            (None, Some(known)) => {
                let read = Primer::read(&folder.file(known.file), known, LEVEL)?;
                Some(Arc::new(read))
            }
        };
        let open = |entry: &Entry| {
            let known = known(entry);
            let segment = if let Some((_, live)) = known {
                Arc::clone(&live.segment)
            } else {
                let path = folder.file(entry.file);
                let primer = primer.clone().filter(|_| entry.primed);
                if entry.primed && primer.is_none() {
                    return Err(damaged(&path, "a compression dictionary", "none"));
                }
                Arc::new(Segment::open(path, entry.bytes, kind, primer)?)
            };
            let amount = segment.amount;
            if (amount.records, amount.units) != (entry.records, entry.units) {
                let expected = format!("{} records", entry.records);
                return Err(segment.pages.damaged(expected, amount.records));
            }
            let removed = match (known, entry.removed_file) {
                (Some((known, live)), file) if known.removed_file == file => {
                    Arc::clone(&live.removed)
                }
                (_, Some(file)) => Arc::new(Removed::read(&folder.file(file), entry.records)?),
                (_, None) => Arc::new(Removed::none(entry.records)),
            };
            Ok(Live { segment, removed })
        };
        let segments = description.segments.iter().map(open);
        Ok(Self {
            segments: segments.collect::<Result<_>>()?,
            primer,
            description,
        })
    }

    /// The record with an id that is not removed: its segment, and its number there.
    pub(super) fn find(&self, id: &str, room: &mut Records) -> Result<Option<(usize, u32)>> {
        for (at, live) in self.segments.iter().enumerate().rev() {
            let found = live.segment.with_id(id, room)?;
            if let Some(record) = found.into_iter().rfind(|record| !live.removed.has(*record)) {
                return Ok(Some((at, record)));
            }
        }
        Ok(None)
    }
}

/// Whether a file of the index is no longer there.
fn is_gone(error: &Error) -> bool {
    use std::error::Error as _;
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    error.kind() == ErrorKind::Io
        && cause.is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound)
}
