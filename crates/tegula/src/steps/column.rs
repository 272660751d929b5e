//! The rows that steps pass on, as bytes.

use crate::chains::Member;
use crate::columns;
use crate::constraint::Origin;
use crate::error::{ErrorKind, Result};
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
        .map_err(|_| ErrorKind::Data.expected("whole rows").found("part of one"))?;
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

/// The occurrences of the shingles of a partition: as much of each hash as tells apart those of a
/// collection of this size, and the position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Numbers of a row: 2 or 3.
    pub(super) width: u32,
    pub(super) numbers: Vec<u32>,
}

impl Rows {
    const KIND: [u8; 8] = *b"TGROWS02";

    /// As [`to_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        columns::to_bytes(Self::KIND, [&[self.width], &self.numbers])
    }

    /// As [`from_bytes`].
    ///
    /// # Errors
    /// If the bytes are damaged, or are other rows.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let [width, numbers] = columns::from_bytes(Self::KIND, bytes)?;
        match width[..] {
            [width @ (2 | 3)] if numbers.len().is_multiple_of(width as usize) => {
                Ok(Self { width, numbers })
            }
            _ => Err(ErrorKind::Data.expected("whole rows").found("part of one")),
        }
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

/// A position in a batch whose shingle occurs elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Shared {
    /// The block of positions in the batch.
    pub(super) block: u32,
    pub(super) member: Member,
}

impl Column for Shared {
    const KIND: [u8; 8] = *b"TGMEMB02";
}

/// A whole text: what it shares with equal ones, and what constraints consider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Whole {
    digest: [Id; 2],
    id: Id,
    /// Tokens, at least 1.
    pub tokens: u32,
    is_reference: u32,
    within: Id,
    across: Id,
    day: Id,
}

impl Whole {
    pub(super) fn new(id: u64, tokens: u32, digest: u128, origin: Origin) -> Self {
        Self {
            digest: [((digest >> 64) as u64).into(), (digest as u64).into()],
            id: id.into(),
            tokens,
            is_reference: origin.is_reference.into(),
            within: origin.within.into(),
            across: origin.across.into(),
            day: (origin.day as u64).into(),
        }
    }

    pub(super) fn digest(self) -> [u64; 2] {
        self.digest.map(u64::from)
    }

    /// What constraints consider.
    pub fn origin(self) -> Origin {
        Origin {
            is_short: false,
            within: self.within.into(),
            across: self.across.into(),
            day: u64::from(self.day) as i64,
            is_reference: self.is_reference != 0,
        }
    }

    /// The id that the caller gave it.
    pub fn id(self) -> u64 {
        self.id.into()
    }
}

impl Column for Whole {
    const KIND: [u8; 8] = *b"TGWHOL01";
}

/// A text that equals another, which stands for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Equal {
    first: Id,
    copy: Id,
}

impl Equal {
    pub(super) fn new(first: u64, copy: u64) -> Self {
        Self {
            first: first.into(),
            copy: copy.into(),
        }
    }

    /// The id of the text that stands for both.
    pub fn first(self) -> u64 {
        self.first.into()
    }

    /// The id of the other.
    pub fn copy(self) -> u64 {
        self.copy.into()
    }
}

impl Column for Equal {
    const KIND: [u8; 8] = *b"TGEQUA01";
}

/// How much less some of a text's features weigh than if no other text had them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Lighter {
    /// The [start](Text::start) of the text.
    pub start: u32,
    by: [u32; 2],
}

impl Lighter {
    pub(super) fn new(start: u32, by: u64) -> Self {
        Self {
            start,
            by: [by as u32, (by >> 32) as u32],
        }
    }

    pub(super) fn by(self) -> u64 {
        u64::from(self.by[0]) | u64::from(self.by[1]) << 32
    }
}

impl Column for Lighter {
    const KIND: [u8; 8] = *b"TGLIGH01";
}

/// The place of a text in keep order: of two, the one with the lower place is kept if either may be,
/// and of equal places the text with the lower id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    id: Id,
    place: Id,
}

impl Place {
    /// Of the text with this id.
    pub fn new(id: u64, place: u64) -> Self {
        Self {
            id: id.into(),
            place: place.into(),
        }
    }

    /// The place where the longest text is kept, which is the default.
    pub fn longest(text: &Whole) -> Self {
        Self::new(text.id(), u64::from(u32::MAX - text.tokens))
    }

    pub(super) fn parts(self) -> (u64, u64) {
        (self.id.into(), self.place.into())
    }
}

impl Column for Place {
    const KIND: [u8; 8] = *b"TGPLAC01";
}

/// An occurrence of a feature or key that is known by its fingerprint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Occurrence {
    id: Id,
    check: Id,
    text: Id,
    /// Its position in tokens, its weight, or how often it counts.
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

    pub(super) fn weigh(&mut self, set: u32, total: u64) {
        self.set = set;
        self.total = total.into();
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
    pub(super) removable: u32,
}

impl Match {
    pub(super) fn new(
        (a, b): (u64, u64),
        (in_a, in_b): (u32, u32),
        removable: (bool, bool),
    ) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
            in_a,
            in_b,
            removable: u32::from(removable.0) | u32::from(removable.1) << 1,
        }
    }

    /// The ids of the two texts.
    pub fn ids(self) -> (u64, u64) {
        (self.a.into(), self.b.into())
    }

    pub(super) fn removable(self) -> (bool, bool) {
        (self.removable & 1 == 1, self.removable & 2 == 2)
    }

    /// The same, but texts that are references must be kept.
    #[must_use]
    pub fn with_references(self, a: bool, b: bool) -> Self {
        let (a_is_removable, b_is_removable) = self.removable();
        let ids = self.ids();
        Self::new(
            ids,
            (self.in_a, self.in_b),
            (a_is_removable && !a, b_is_removable && !b),
        )
    }
}

impl Column for Match {
    const KIND: [u8; 8] = *b"TGPAIR01";
}

impl Column for crate::chains::Feature {
    const KIND: [u8; 8] = *b"TGRUNS01";
}
