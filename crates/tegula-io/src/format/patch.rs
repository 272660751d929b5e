//! What an edit changes: bytes of a record, or a file next to the output.

use std::ops::Range;

/// A change to a record: replaces these bytes by that text. If a record has a character for each
/// byte, these are positions in its [`bytes`](super::bytes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch {
    /// Bytes of the record.
    pub(crate) at: Range<usize>,
    /// The replacement.
    pub(crate) with: String,
}

impl Patch {
    /// Removes bytes.
    pub(crate) fn remove(at: Range<usize>) -> Self {
        Self {
            at,
            with: String::new(),
        }
    }

    /// Inserts text at an offset.
    pub(crate) fn insert(at: usize, with: String) -> Self {
        Self { at: at..at, with }
    }
}

/// The marks of one element, for a file next to the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// Bytes of the element in its record.
    pub(crate) at: Range<usize>,
    /// Its id.
    pub(crate) id: Option<String>,
    /// Names and values.
    pub(crate) values: Vec<(String, String)>,
}
