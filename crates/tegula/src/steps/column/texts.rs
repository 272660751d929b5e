//! Rows of texts: what they are compared by, and what constraints and decisions consider.

use super::{Column, Field, Id};
use crate::constraint::Origin;
use bytemuck::{Pod, Zeroable};

/// A text as the caller gives it.
#[derive(Debug, Clone, Copy)]
pub struct Given<'t> {
    /// What names it in all that follows.
    pub id: u64,
    /// What constraints consider.
    pub origin: Origin,
    /// Its place in keep order: of two texts, the one with the lower place is kept if either may be,
    /// and of equal places the text with the lower id. None where the longest is kept.
    pub place: Option<u64>,
    /// The text.
    pub text: &'t str,
}

/// The fields of rows that begin with whole texts, each with a prefix.
macro_rules! fields {
    ($($prefix:literal),+ $(; $($name:literal $width:literal),+)?) => {
        &[
            $(
                (concat!($prefix, "digest_high"), 2),
                (concat!($prefix, "digest_low"), 2),
                (concat!($prefix, "id"), 2),
                (concat!($prefix, "place"), 2),
                (concat!($prefix, "leader"), 2),
                (concat!($prefix, "within"), 2),
                (concat!($prefix, "across"), 2),
                (concat!($prefix, "day"), 2),
                (concat!($prefix, "tokens"), 1),
                (concat!($prefix, "marks"), 1),
            )+
            $($(($name, $width),)+)?
        ]
    };
}

/// The mark of a reference.
const REFERENCE: u32 = 1;
/// The mark of a text that is not compared with others as short as it is.
const SHORT: u32 = 2;

/// A whole text: what it shares with equal ones, and what constraints and decisions consider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Whole {
    digest: [Id; 2],
    pub(in crate::steps) id: Id,
    pub(in crate::steps) place: Id,
    pub(in crate::steps) leader: Id,
    within: Id,
    across: Id,
    day: Id,
    /// Tokens, at least 1.
    pub tokens: u32,
    marks: u32,
}

impl Whole {
    pub(in crate::steps) fn new(given: &Given, tokens: u32, digest: u128) -> Self {
        let longest_first = u64::from(u32::MAX - tokens);
        Self {
            digest: [((digest >> 64) as u64).into(), (digest as u64).into()],
            id: given.id.into(),
            place: given.place.unwrap_or(longest_first).into(),
            leader: given.id.into(),
            within: given.origin.within.into(),
            across: given.origin.across.into(),
            day: (given.origin.day as u64).into(),
            tokens,
            marks: u32::from(given.origin.is_reference) * REFERENCE
                + u32::from(given.origin.is_short) * SHORT,
        }
    }

    /// A text that is to be compared, with what constraints consider and its number of tokens, where
    /// equal texts and keep orders are considered elsewhere.
    pub fn of(id: u64, origin: Origin, tokens: u32) -> Self {
        let given = Given {
            id,
            origin,
            place: Some(0),
            text: "",
        };
        Self::new(&given, tokens, 0)
    }

    pub(in crate::steps) fn digest(self) -> [u64; 2] {
        self.digest.map(u64::from)
    }

    /// What constraints consider.
    pub fn origin(self) -> Origin {
        Origin {
            is_short: self.marks & SHORT != 0,
            within: self.within.into(),
            across: self.across.into(),
            day: u64::from(self.day) as i64,
            is_reference: self.is_reference(),
        }
    }

    pub(in crate::steps) fn is_reference(self) -> bool {
        self.marks & REFERENCE != 0
    }

    /// The id that the caller gave it.
    pub fn id(self) -> u64 {
        self.id.into()
    }

    /// The same text with the id of one that equals it.
    #[must_use]
    pub fn with_id(self, id: u64) -> Self {
        Self {
            id: id.into(),
            ..self
        }
    }

    /// Where it comes in keep order: the place and id of the first of the texts that it stands for.
    pub(in crate::steps) fn lead(self) -> (u64, u64) {
        (self.place.into(), self.leader.into())
    }

    /// The same, which stands for others of which this one is the first in keep order.
    pub(in crate::steps) fn led_by(self, first: Self) -> Self {
        Self {
            place: first.place,
            leader: first.leader,
            ..self
        }
    }
}

impl Column for Whole {
    const KIND: [u8; 8] = *b"TGWHOL03";
    const FIELDS: &[Field] = fields!("");
}

/// Two equal texts that constraints distinguish, but allow to be compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Twins {
    /// The text with the smaller id.
    pub a: Whole,
    /// The other.
    pub b: Whole,
}

impl Column for Twins {
    const KIND: [u8; 8] = *b"TGTWIN02";
    const FIELDS: &[Field] = fields!("a_", "b_");
}

/// A text that equals another, which stands for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Equal {
    first: Id,
    copy: Id,
    pub(in crate::steps) leader: Id,
    /// Whether they are compared with each other; whether they are references; as bits.
    bits: u32,
}

impl Equal {
    pub(in crate::steps) fn new(first: Whole, copy: u64, is_match: bool) -> Self {
        Self {
            first: first.id,
            copy: copy.into(),
            leader: first.leader,
            bits: u32::from(is_match) | u32::from(first.is_reference()) << 1,
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

    /// The id of the text to keep of all that are equal, if they are compared with each other, or
    /// joined by others, and not references.
    pub(in crate::steps) fn leader(self, are_joined: bool) -> Option<u64> {
        let is_match = self.bits == 1 || (are_joined && self.bits == 0);
        is_match.then(|| self.leader.into())
    }
}

impl Column for Equal {
    const KIND: [u8; 8] = *b"TGEQUA02";
    const FIELDS: &[Field] = &[("first", 2), ("copy", 2), ("leader", 2), ("bits", 1)];
}

/// A text to compare, and the place of its features.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Text {
    /// The text.
    pub whole: Whole,
    total: Id,
    /// The first position of its shingles, without the bits that are always 0, or its number. It
    /// stands for the text until pairs are verified.
    pub start: u32,
    /// Distinct features.
    pub set: u32,
}

impl Text {
    pub(in crate::steps) fn new(whole: Whole, start: u32, set: u32, total: u64) -> Self {
        Self {
            whole,
            total: total.into(),
            start,
            set,
        }
    }

    /// The total weight of its features, if they have weights.
    pub(in crate::steps) fn total(self) -> u64 {
        self.total.into()
    }

    pub(in crate::steps) fn weigh(&mut self, set: u32, total: u64) {
        self.set = set;
        self.total = total.into();
    }

    /// The id that the caller gave it.
    pub fn id(self) -> u64 {
        self.whole.id()
    }

    /// A text that equals this one.
    #[must_use]
    pub fn of_equal(self, whole: Whole) -> Self {
        Self { whole, ..self }
    }
}

impl Column for Text {
    const KIND: [u8; 8] = *b"TGTEXT04";
    const FIELDS: &[Field] = fields!(""; "total" 2, "start" 1, "set" 1);
}
