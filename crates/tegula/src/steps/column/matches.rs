//! Rows of matches, and of how they are settled.

use super::{Column, Field, Id, Whole};
use bytemuck::{Pod, Zeroable};

/// Two texts at or above the threshold, by id, and their overlap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Match {
    ids: [Id; 2],
    places: [Id; 2],
    leaders: [Id; 2],
    /// Shared distinct shingles, covered tokens of the first, or part of the score.
    pub in_a: u32,
    /// Shared distinct shingles, covered tokens of the second, or whole of the score.
    pub in_b: u32,
    /// Whether the first may be removed if the second is kept, and the reverse; whether they are
    /// references; as bits.
    bits: u32,
}

impl Match {
    /// Of texts in order of their ids.
    pub(in crate::steps) fn new(
        of: [Whole; 2],
        (in_a, in_b): (u32, u32),
        removable: (bool, bool),
    ) -> Self {
        let bit = |is_set: bool, at: usize| u32::from(is_set) << at;
        let [a, b] = of;
        Self {
            ids: of.map(|text| text.id),
            places: of.map(|text| text.place),
            leaders: of.map(|text| text.leader),
            in_a,
            in_b,
            bits: bit(removable.0 && !a.is_reference(), 0)
                | bit(removable.1 && !b.is_reference(), 1)
                | bit(a.is_reference(), 2)
                | bit(b.is_reference(), 3),
        }
    }

    /// The ids of the two texts.
    pub fn ids(self) -> (u64, u64) {
        (self.ids[0].into(), self.ids[1].into())
    }

    /// The same overlap, of texts with these ids that equal the first and the second.
    #[must_use]
    pub(in crate::steps) fn with_ids(self, a: u64, b: u64) -> Self {
        Self {
            ids: [a.into(), b.into()],
            ..self
        }
    }

    /// The same, with the second text first and this overlap.
    #[must_use]
    pub(in crate::steps) fn turned(self, (in_a, in_b): (u32, u32)) -> Self {
        let turn = |of: [Id; 2]| [of[1], of[0]];
        Self {
            ids: turn(self.ids),
            places: turn(self.places),
            leaders: turn(self.leaders),
            in_a,
            in_b,
            bits: (self.bits & 0b101) << 1 | (self.bits & 0b1010) >> 1,
        }
    }

    /// The same with another overlap, after which others may be removed.
    #[must_use]
    pub(in crate::steps) fn rescored(
        self,
        (in_a, in_b): (u32, u32),
        removable: (bool, bool),
    ) -> Self {
        let stays = u32::from(removable.0) | u32::from(removable.1) << 1 | 0b1100;
        Self {
            in_a,
            in_b,
            bits: self.bits & stays,
            ..self
        }
    }

    fn bit(self, at: u32) -> bool {
        self.bits >> at & 1 == 1
    }

    /// Whether the first may be removed if the second is kept, and the reverse.
    pub(in crate::steps) fn removable(self) -> (bool, bool) {
        (self.bit(0), self.bit(1))
    }

    /// Whether the two texts are references.
    pub(in crate::steps) fn are_references(self) -> [bool; 2] {
        [self.bit(2), self.bit(3)]
    }

    /// Where the two texts come in keep order.
    pub(in crate::steps) fn leads(self) -> [(u64, u64); 2] {
        [0, 1].map(|at| (self.places[at].into(), self.leaders[at].into()))
    }
}

impl Column for Match {
    const KIND: [u8; 8] = *b"TGPAIR02";
    const FIELDS: &[Field] = &[
        ("a", 2),
        ("b", 2),
        ("place_a", 2),
        ("place_b", 2),
        ("leader_a", 2),
        ("leader_b", 2),
        ("in_a", 1),
        ("in_b", 1),
        ("bits", 1),
    ];
}

/// A match as one of its two texts sees it while it is settled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Tie {
    text: Id,
    other: Id,
    place: Id,
    leader: Id,
    bits: u32,
}

impl Tie {
    /// Of a text that comes `lead` in keep order; whether it may be removed because of the other, and
    /// the other because of it; whether the other precedes it.
    pub(in crate::steps) fn new(
        (text, other): (u64, u64),
        lead: (u64, u64),
        (is_removable, removes, follows): (bool, bool, bool),
    ) -> Self {
        Self {
            text: text.into(),
            other: other.into(),
            place: lead.0.into(),
            leader: lead.1.into(),
            bits: u32::from(is_removable) | u32::from(removes) << 1 | u32::from(follows) << 2,
        }
    }

    /// The id of the text that sees it so.
    pub fn text(self) -> u64 {
        self.text.into()
    }

    /// The id of the other.
    pub(in crate::steps) fn other(self) -> u64 {
        self.other.into()
    }

    /// Where the text comes in keep order.
    pub(in crate::steps) fn lead(self) -> (u64, u64) {
        (self.place.into(), self.leader.into())
    }

    /// Whether the other removes the text if it is kept.
    pub(in crate::steps) fn is_removable(self) -> bool {
        self.bits & 1 == 1
    }

    /// Whether the other removes it, and it does not remove the other.
    pub(in crate::steps) fn is_inside(self) -> bool {
        self.bits & 3 == 1
    }

    /// Whether the text waits until the other is decided on.
    pub(in crate::steps) fn waits(self) -> bool {
        match self.bits & 3 {
            1 => true,
            2 => false,
            _ => self.bits & 4 == 4,
        }
    }
}

impl Column for Tie {
    const KIND: [u8; 8] = *b"TGTIES01";
    const FIELDS: &[Field] = &[
        ("text", 2),
        ("other", 2),
        ("place", 2),
        ("leader", 2),
        ("bits", 1),
    ];
}

/// What a text is told of another that it matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Told {
    text: Id,
    about: Id,
    is_kept: u32,
}

impl Told {
    pub(in crate::steps) fn new(text: u64, about: u64, is_kept: bool) -> Self {
        Self {
            text: text.into(),
            about: about.into(),
            is_kept: is_kept.into(),
        }
    }

    /// The id of the text that is told.
    pub fn text(self) -> u64 {
        self.text.into()
    }

    /// The id of the text that was decided on.
    pub(in crate::steps) fn about(self) -> u64 {
        self.about.into()
    }

    pub(in crate::steps) fn is_kept(self) -> bool {
        self.is_kept != 0
    }
}

impl Column for Told {
    const KIND: [u8; 8] = *b"TGTOLD01";
    const FIELDS: &[Field] = &[("text", 2), ("about", 2), ("is_kept", 1)];
}

/// Two texts of one cluster.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Link {
    text: Id,
    other: Id,
}

impl Link {
    pub(in crate::steps) fn new(text: u64, other: u64) -> Self {
        Self {
            text: text.into(),
            other: other.into(),
        }
    }

    /// The id of the text at which it is looked at.
    pub fn text(self) -> u64 {
        self.text.into()
    }

    /// The id of the other: once clusters are found, the smallest of the cluster.
    pub fn other(self) -> u64 {
        self.other.into()
    }
}

impl Column for Link {
    const KIND: [u8; 8] = *b"TGLINK01";
    const FIELDS: &[Field] = &[("text", 2), ("other", 2)];
}
