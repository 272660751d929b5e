//! The rows that steps pass on, as bytes.

use crate::columns;
use crate::error::{Error, Result};
use crate::hash::Fingerprint;
use bytemuck::{Pod, Zeroable};

/// A row of 32-bit numbers.
pub trait Column: Pod {
    /// What the rows are, with the version of their layout.
    const KIND: [u8; 8];
}

/// Rows as bytes, the same on every machine.
pub fn to_bytes<T: Column>(rows: &[T]) -> Vec<u8> {
    columns::to_bytes(T::KIND, [bytemuck::cast_slice(rows)])
}

/// Rows from [`to_bytes`].
///
/// # Errors
/// If the bytes are damaged, or are other rows.
pub fn from_bytes<T: Column>(bytes: &[u8]) -> Result<Vec<T>> {
    let [words] = columns::from_bytes(T::KIND, bytes)?;
    let rows = bytemuck::try_cast_slice(&words)
        .map_err(|_| Error::data("expected whole rows, found part of one"))?;
    Ok(rows.to_vec())
}

/// A number of 64 bits, the lower half first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Id {
    low: u32,
    high: u32,
}

impl From<u64> for Id {
    fn from(id: u64) -> Self {
        Self {
            low: id as u32,
            high: (id >> 32) as u32,
        }
    }
}

impl From<Id> for u64 {
    fn from(id: Id) -> Self {
        Self::from(id.high) << 32 | Self::from(id.low)
    }
}

/// An occurrence of a shingle: part of its hash, and its position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Row(pub(super) Id);

impl Column for Row {
    const KIND: [u8; 8] = *b"TGROWS01";
}

/// An occurrence of a feature or key that is known by its fingerprint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Occurrence {
    id: Id,
    check: Id,
    text: Id,
    /// Its position in tokens, or its weight.
    pub(super) number: u32,
}

impl Occurrence {
    pub(super) fn new(feature: Fingerprint, text: u64, number: u32) -> Self {
        Self {
            id: feature.id.into(),
            check: feature.check.into(),
            text: text.into(),
            number,
        }
    }

    pub(super) fn feature(self) -> Fingerprint {
        Fingerprint {
            id: self.id.into(),
            check: self.check.into(),
        }
    }

    pub(super) fn text(self) -> u64 {
        self.text.into()
    }
}

impl Column for Occurrence {
    const KIND: [u8; 8] = *b"TGOCCU01";
}

/// How often a term occurs in some texts, with one class of word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Count {
    term: Id,
    /// The number of the class.
    pub(super) class: u32,
    /// Texts in which it has this class and no smaller one.
    pub(super) texts: u32,
    /// Occurrences with this class.
    pub(super) occurrences: u32,
}

impl Count {
    pub(super) fn new(term: u64, class: u32, (texts, occurrences): (u32, u32)) -> Self {
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
}

/// A text, and the place of its features.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Text {
    id: Id,
    /// The first position of its shingles, without the bits that are always 0, or its number. It
    /// stands for the text until pairs are verified.
    pub start: u32,
    /// Tokens, at least 1.
    pub tokens: u32,
    /// Distinct features.
    pub set: u32,
    total: Id,
}

impl Text {
    pub(super) fn new(id: u64, start: u32, (tokens, set): (u32, u32), total: u64) -> Self {
        Self {
            id: id.into(),
            start,
            tokens,
            set,
            total: total.into(),
        }
    }

    /// The total weight of its features, if they have weights.
    pub(super) fn total(self) -> u64 {
        self.total.into()
    }

    /// The id that the caller gave it.
    pub fn id(self) -> u64 {
        self.id.into()
    }
}

impl Column for Text {
    const KIND: [u8; 8] = *b"TGTEXT02";
}

/// The occurrence of a ranked feature in a text: the text's start, the rank, then the numbers that a
/// block stores with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Ranked(pub(super) [u32; 4]);

impl Ranked {
    /// The start of the text.
    pub fn start(self) -> u32 {
        self.0[0]
    }
}

impl Column for Ranked {
    const KIND: [u8; 8] = *b"TGRANK01";
}

/// A text that contains a feature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Posting {
    /// The rank of the feature.
    pub rank: u32,
    pub(super) text: Id,
    pub(super) size: u32,
    pub(super) suffix: u32,
}

impl Column for Posting {
    const KIND: [u8; 8] = *b"TGPOST01";
}

/// Two texts at or above the threshold, by id, and their overlap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Match {
    a: Id,
    b: Id,
    /// Shared distinct shingles, covered tokens of the first, or part of the score.
    pub in_a: u32,
    /// Shared distinct shingles, covered tokens of the second, or whole of the score.
    pub in_b: u32,
    /// Whether the first may be removed if the second is kept, and the reverse, as bits.
    pub(super) may_go: u32,
}

impl Match {
    pub(super) fn new((a, b): (u64, u64), (in_a, in_b): (u32, u32), may_go: (bool, bool)) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
            in_a,
            in_b,
            may_go: u32::from(may_go.0) | u32::from(may_go.1) << 1,
        }
    }

    /// The ids of the two texts.
    pub fn ids(self) -> (u64, u64) {
        (self.a.into(), self.b.into())
    }
}

impl Column for Match {
    const KIND: [u8; 8] = *b"TGPAIR01";
}

impl Column for crate::runs::Member {
    const KIND: [u8; 8] = *b"TGMEMB01";
}

impl Column for crate::runs::Feature {
    const KIND: [u8; 8] = *b"TGRUNS01";
}
