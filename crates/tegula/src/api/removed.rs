//! Verdicts: what goes and because of what, and what a mark would say.

use super::{Outcome, Place};
use crate::decide::Fate;
use crate::threshold::Score;
use std::fmt;
use std::ops::Range;

/// Why something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// It is a copy of its witness, which stays: their score reaches the threshold.
    Copy,
    /// It has a copy, and none is kept (`keep("none")`): there is no witness, and the score is its best.
    NoneKept,
    /// It is in one cluster with a text that stays, and was not compared with it (recipes with `transitive`): there is no witness, and the
    /// score is the lowest of the cluster.
    Chained,
    /// More of it than the threshold was seen before (`onion`): the score is that share. There is no witness, as it may be put together
    /// from many texts.
    SeenBefore,
    /// It is short, and stands between parts that go or beside one (smoothing, `onion`): the score is the share of it that was seen before.
    Smoothed,
}

/// The text because of which one is removed: its place among the texts, where the recipe has witnesses. Shown as that number, or as
/// `no kept text`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Witness(Option<usize>);

impl Witness {
    /// Its place among the texts, counted from 0; none where the recipe or the policy has no witnesses ([`Reason`]).
    pub fn index(self) -> Option<usize> {
        self.0
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(index) => write!(f, "{index}"),
            None => f.write_str("no kept text"),
        }
    }
}

/// A text that goes, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// The text, counted from 0.
    pub index: usize,
    /// Bytes of the text that are the unit: all of them where whole texts are compared.
    pub range: Range<usize>,
    /// Bytes of the text that go with it: what parts it from the next unit, too.
    pub cut: Range<usize>,
    /// The text that it is a copy of, which is kept; of a reference its place among the references.
    pub witness: Witness,
    /// Bytes of the witness that are the unit.
    pub witness_range: Option<Range<usize>>,
    /// Where most of it was seen first, under `onion`: no witness, as that may be little.
    pub source: Option<usize>,
    /// Whether the witness, or the source, is a reference.
    pub by_reference: bool,
    /// The score of the two, which reaches the threshold; without a witness what [`Reason`] says.
    pub score: Score,
    /// Why it goes.
    pub reason: Reason,
}

impl Removed {
    /// What is to be said of a unit that goes; none of one that stays.
    pub(super) fn new(outcome: &Outcome, unit: u32) -> Option<Self> {
        let (mut witness, mut source) = (None, None);
        let (reason, score) = match outcome.fate(unit) {
            Fate::Kept => return None,
            Fate::Duplicate { witness: other, score } => {
                witness = Some(outcome.place(other));
                (Reason::Copy, score)
            }
            Fate::Unwitnessed { score } => (Reason::NoneKept, score),
            Fate::Chained { .. } => (Reason::Chained, outcome.lowest(unit)),
            Fate::Known { source: other, score, smoothed } => {
                source = other.map(|other| outcome.place(other));
                (if smoothed { Reason::Smoothed } else { Reason::SeenBefore }, score)
            }
        };
        let Place { index, range, .. } = outcome.place(unit);
        Some(Self {
            index,
            range,
            cut: outcome.cut(unit),
            by_reference: witness.as_ref().or(source.as_ref()).is_some_and(|place| place.is_reference),
            source: source.map(|place| place.index),
            witness: Witness(witness.as_ref().map(|place| place.index)),
            witness_range: witness.map(|place| place.range),
            score,
            reason,
        })
    }
}

/// As in `3 is a copy of 1 (0.9523)`.
impl fmt::Display for Removed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, score, .. } = self;
        match (self.reason, self.witness.index()) {
            (Reason::NoneKept, _) => write!(f, "{index} has a copy ({score}), and none is kept"),
            (Reason::Chained, _) => write!(f, "{index} is in one cluster with a text that stays"),
            (Reason::SeenBefore, _) => write!(f, "{score} of {index} was seen before"),
            (Reason::Smoothed, _) => write!(f, "{index} is short and stands beside what goes"),
            (Reason::Copy, Some(witness)) => {
                let reference = if self.by_reference { "reference " } else { "" };
                write!(f, "{index} is a copy of {reference}{witness} ({score})")
            }
            (Reason::Copy, None) => write!(f, "{index} is a copy ({score})"),
        }
    }
}

/// What a mark on a unit would say.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mark {
    /// The text, counted from 0.
    pub index: usize,
    /// Bytes of the text that are the unit: all of them where whole texts are compared.
    pub range: Range<usize>,
    /// What is said of it, if it is a copy; none of what stays.
    pub removed: Option<Removed>,
    /// Its cluster, as a place in [`Outcome::clusters`]; none where it matches nothing.
    pub cluster: Option<usize>,
}

impl Mark {
    pub(super) fn new(outcome: &Outcome, unit: u32) -> Self {
        let Place { index, range, .. } = outcome.place(unit);
        Self { index, range, removed: Removed::new(outcome, unit), cluster: outcome.cluster(unit) }
    }
}
