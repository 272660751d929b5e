//! Rows of features: where they occur, in how many texts, and which texts meet there.

use super::{Column, Field, Id};
use crate::chains::Member;
use crate::error::{ErrorKind, Result};
use crate::hash::Fingerprint;
use bytemuck::{Pod, Zeroable};

/// How often a term occurs in some texts, with one class of word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Count {
    term: Id,
    /// The number of the class.
    pub(in crate::steps) class: u32,
    /// Texts in which it has this class and no smaller one.
    pub(in crate::steps) texts: u32,
    /// Occurrences with this class.
    pub(in crate::steps) occurrences: u32,
}

impl Count {
    pub(in crate::steps) fn new(term: u64, class: u32, (texts, occurrences): (u32, u32)) -> Self {
        Self {
            term: term.into(),
            class,
            texts,
            occurrences,
        }
    }

    /// The fingerprint of the term.
    pub fn term(self) -> u64 {
        self.term.into()
    }
}

impl Column for Count {
    const KIND: [u8; 8] = *b"TGCOUN01";
    const FIELDS: &[Field] = &[("term", 2), ("class", 1), ("texts", 1), ("occurrences", 1)];
}

/// The occurrences of the shingles of a partition: as much of each hash as tells apart those of a
/// collection of this size, and the position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Numbers of a row: 2 or 3.
    pub(in crate::steps) width: u32,
    pub(in crate::steps) numbers: Vec<u32>,
}

impl Rows {
    /// As [`Column::KIND`].
    pub const KIND: [u8; 8] = *b"TGROWS02";

    /// The number of 32-bit numbers in a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The numbers of all rows.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Rows of such numbers.
    ///
    /// # Errors
    /// If there are no rows of this width, or the last is not whole.
    pub fn from_numbers(width: u32, numbers: Vec<u32>) -> Result<Self> {
        if (2..=3).contains(&width) && numbers.len().is_multiple_of(width as usize) {
            return Ok(Self { width, numbers });
        }
        Err(ErrorKind::Data.expected("whole rows").found("part of one"))
    }

    /// Adds other rows of the same search.
    ///
    /// # Errors
    /// If they are those of a search of another size.
    pub fn extend(&mut self, other: &Self) -> Result<()> {
        if self.numbers.is_empty() {
            self.width = other.width;
        }
        if self.width != other.width && !other.numbers.is_empty() {
            return Err(ErrorKind::Data
                .expected("rows of one search")
                .found("those of searches of different sizes"));
        }
        self.numbers.extend_from_slice(&other.numbers);
        Ok(())
    }
}

/// A position in a stretch of a batch whose shingle occurs elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Shared(pub(in crate::steps) Member);

impl Column for Shared {
    const KIND: [u8; 8] = *b"TGMEMB03";
    const FIELDS: &[Field] = &[("first", 1), ("place", 1), ("signature", 1)];
}

impl Column for crate::chains::Feature {
    const KIND: [u8; 8] = *b"TGRUNS01";
    const FIELDS: &[Field] = &[("chain", 1), ("start", 1), ("at", 1), ("length", 1)];
}

/// An occurrence of a feature or key that is known by its fingerprint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Occurrence {
    id: Id,
    check: Id,
    /// The [start](super::Text::start) of the text.
    pub start: u32,
    /// Its position in tokens, its weight, or how often it counts.
    pub(in crate::steps) number: u32,
}

impl Occurrence {
    pub(in crate::steps) fn new(feature: Fingerprint, start: u32, number: u32) -> Self {
        Self {
            id: feature.id.into(),
            check: feature.check.into(),
            start,
            number,
        }
    }

    pub(in crate::steps) fn feature(self) -> Fingerprint {
        Fingerprint {
            id: self.id.into(),
            check: self.check.into(),
        }
    }
}

impl Column for Occurrence {
    const KIND: [u8; 8] = *b"TGOCCU02";
    const FIELDS: &[Field] = &[("id", 2), ("check", 2), ("start", 1), ("number", 1)];
}

/// How much less some of a text's features weigh than if no other text had them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Lighter {
    /// The [start](super::Text::start) of the text.
    pub start: u32,
    by: [u32; 2],
}

impl Lighter {
    pub(in crate::steps) fn new(start: u32, by: u64) -> Self {
        Self {
            start,
            by: [by as u32, (by >> 32) as u32],
        }
    }

    pub(in crate::steps) fn by(self) -> u64 {
        u64::from(self.by[0]) | u64::from(self.by[1]) << 32
    }
}

impl Column for Lighter {
    const KIND: [u8; 8] = *b"TGLIGH01";
    const FIELDS: &[Field] = &[("start", 1), ("by", 2)];
}

/// The occurrence of a ranked feature in a text: the text's start, the rank, then the numbers that a
/// block stores with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Ranked(pub(in crate::steps) [u32; 4]);

impl Ranked {
    /// The start of the text.
    pub fn start(self) -> u32 {
        self.0[0]
    }
}

impl Column for Ranked {
    const KIND: [u8; 8] = *b"TGRANK01";
    const FIELDS: &[Field] = &[("start", 1), ("rank", 1), ("at", 1), ("amount", 1)];
}

/// A text that contains a feature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Posting {
    /// The rank of the feature.
    pub rank: u32,
    /// The rank of the text's feature before it, or [`Posting::NONE`].
    pub(in crate::steps) before: u32,
    pub(in crate::steps) start: u32,
    pub(in crate::steps) size: u32,
    pub(in crate::steps) suffix: u32,
}

impl Posting {
    /// Stands for the feature before a text's first.
    pub(in crate::steps) const NONE: u32 = u32::MAX;
}

impl Column for Posting {
    const KIND: [u8; 8] = *b"TGPOST02";
    const FIELDS: &[Field] = &[
        ("rank", 1),
        ("before", 1),
        ("start", 1),
        ("size", 1),
        ("suffix", 1),
    ];
}

/// Two texts that may reach the threshold, by their [starts](super::Text::start).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Candidate {
    /// The text of more features, or of equally many the one with the later start.
    pub larger: u32,
    /// The other, which is the one to send where both are needed.
    pub smaller: u32,
}

impl Column for Candidate {
    const KIND: [u8; 8] = *b"TGCAND01";
    const FIELDS: &[Field] = &[("larger", 1), ("smaller", 1)];
}
