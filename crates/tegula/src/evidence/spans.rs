//! Passages that occur in kept text, and where.

use std::ops::Range;

/// A passage and the kept one that it repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The passage: a unit.
    pub unit: u32,
    /// Its code points in its record's text.
    pub chars: Range<u32>,
    /// The kept one; none if no copy is kept.
    pub source: Option<Source>,
}

/// Where a passage occurs in kept text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The unit that contains it.
    pub unit: u32,
    /// Its code points in that unit's record's text.
    pub chars: Range<u32>,
}

/// The passages of a collection that occur in kept text, by unit.
#[derive(Debug, Default)]
pub struct Spans {
    /// The passages, ascending by unit; all other units are kept.
    pub list: Vec<Span>,
}
