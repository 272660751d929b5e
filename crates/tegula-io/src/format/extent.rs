//! The extent of records: which are complete in a piece of text, and where a longer one ends.

use crate::passed_over::Beside;
use std::ops::Range;

/// The position of a piece of text in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// It is at the beginning of the file.
    pub(crate) head: bool,
    /// It is at the end of the file.
    pub(crate) end: bool,
    /// How many bytes at its beginning are the rest of something that is no record.
    pub(crate) inside: usize,
}

/// The records of a block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Records {
    /// Every line that is not blank; blank ones count in the numbering.
    Lines,
    /// These bytes of the text, numbered consecutively.
    Ranges(Vec<Range<usize>>),
}

/// The complete records at the beginning of a piece of text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Their length in bytes, with everything between them; 0 if none is complete. At the end of a
    /// file, everything.
    pub(crate) len: usize,
    /// The increment of the record number.
    pub(crate) count: u64,
    /// Their positions.
    pub(crate) records: Records,
    /// How many bytes of the file after them belong to no record, and need not be held to be
    /// copied.
    pub(crate) beyond: u64,
    /// What is between them, and what was repaired.
    pub(crate) beside: Vec<Beside>,
}

impl Cut {
    /// No complete record.
    pub(crate) fn nothing() -> Self {
        Self {
            len: 0,
            count: 0,
            records: Records::Ranges(Vec::new()),
            beyond: 0,
            beside: Vec::new(),
        }
    }

    /// Only the first of the records in `text`; an empty one after it, which says that something is
    /// missing there, is kept with it.
    pub(crate) fn first(self, text: &[u8]) -> Self {
        match &self.records {
            Records::Ranges(ranges) if ranges.len() > 1 && !ranges[1].is_empty() => {
                let first = ranges[0].clone();
                Self::ranges(first.end, vec![first]).with(self.beside)
            }
            Records::Lines => {
                let len = memchr::memchr(b'\n', &text[..self.len]).map_or(self.len, |at| at + 1);
                Self {
                    len,
                    count: 1,
                    records: Records::Lines,
                    beyond: 0,
                    beside: Vec::new(),
                }
            }
            Records::Ranges(_) => self,
        }
    }

    /// Without the first record that `is_heavy` and all after it; or that record alone, if it is the
    /// first, and then true.
    pub(crate) fn lightened(self, text: &[u8], is_heavy: impl Fn(&[u8]) -> bool) -> (Self, bool) {
        let Records::Ranges(ranges) = &self.records else {
            return (self, false);
        };
        match ranges.iter().position(|at| is_heavy(&text[at.clone()])) {
            None => (self, false),
            Some(0) => (self.first(text), true),
            Some(heavy) => {
                let ranges = ranges[..heavy].to_vec();
                let len = ranges[heavy - 1].end;
                (Self::ranges(len, ranges).with(self.beside), false)
            }
        }
    }

    /// The whole file as one record, once all of it is there.
    pub(crate) fn of_file(text: &[u8], place: Place) -> Self {
        if place.end && !text.is_empty() {
            Self::ranges(text.len(), std::iter::once(0..text.len()).collect())
        } else {
            Self::nothing()
        }
    }

    /// These records in the first `len` bytes.
    pub(crate) fn ranges(len: usize, ranges: Vec<Range<usize>>) -> Self {
        Self {
            len,
            count: ranges.len() as u64,
            records: Records::Ranges(ranges),
            beyond: 0,
            beside: Vec::new(),
        }
    }

    /// With what is beside the records, as far as it is in the text.
    pub(crate) fn with(mut self, mut beside: Vec<Beside>) -> Self {
        beside.retain(|beside| beside.at < self.len);
        self.beside = beside;
        self
    }
}

/// Scans a record that is too long to be held in memory, piece by piece.
pub(crate) trait PassOver {
    /// Processes the next piece, preceded by the unprocessed rest of the previous one.
    fn next(&mut self, text: &[u8]) -> Passed;
}

/// The extent of a record in a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    /// It ends here.
    Ends(usize),
    /// These bytes belong to it; those after them may too.
    Through(usize),
}

/// A record that is the rest of a line.
pub(crate) struct Line;

impl PassOver for Line {
    fn next(&mut self, text: &[u8]) -> Passed {
        memchr::memchr(b'\n', text).map_or(Passed::Through(text.len()), |at| Passed::Ends(at + 1))
    }
}
