//! Verdicts: what is removed and why, and the contents of marks.

use super::{Outcome, Place};
use crate::decide::Fate;
use crate::threshold::Score;
use std::fmt;
use std::ops::Range;

/// Why a unit is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// It is a copy of its witness, which is kept: their score reaches the threshold.
    Copy,
    /// It has a copy, and none is kept (`keep("none")`): there is no witness, and the score is its
    /// best.
    NoneKept,
    /// It is in a cluster with a kept text, but was not compared with it (recipes with
    /// `transitive`): there is no witness, and the score is the lowest of the cluster.
    Chained,
    /// A larger share of it than the threshold was previously seen (`onion`): the score is that
    /// share. There is no witness, as the share may come from many texts.
    SeenBefore,
    /// It is short, and between or next to removed parts (smoothing, `onion`): the score is the
    /// share of it that was previously seen.
    Smoothed,
}

/// The text because of which another is removed: its index among the texts, if the recipe has
/// witnesses. Shown as that number, or as `no kept text`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Witness(Option<usize>);

impl Witness {
    /// Its index among the texts, from 0; none if the recipe or the policy has no witnesses
    /// ([`Reason`]).
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

/// A removed text or part.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// The text, counted from 0.
    pub index: usize,
    /// Bytes of the text: the whole text if texts are compared.
    pub range: Range<usize>,
    /// The bytes removed with it, including the separator before the next unit.
    pub cut: Range<usize>,
    /// The kept text that it is a copy of; for a reference, its index among the references.
    pub witness: Witness,
    /// Bytes of the unit in the witness.
    pub witness_range: Option<Range<usize>>,
    /// Under `onion`, the text in which most of it was first seen: not a witness, as that may be
    /// little.
    pub source: Option<usize>,
    /// Whether the witness, or the source, is a reference.
    pub by_reference: bool,
    /// The score of the two, which reaches the threshold; without a witness, see [`Reason`].
    pub score: Score,
    /// Why it is removed.
    pub reason: Reason,
}

impl Removed {
    /// The verdict on a removed unit; none for a kept one.
    pub(super) fn new(outcome: &Outcome, unit: u32) -> Option<Self> {
        let (mut witness, mut source) = (None, None);
        let (reason, score) = match outcome.fate(unit) {
            Fate::Kept => return None,
            Fate::Duplicate {
                witness: other,
                score,
            } => {
                witness = Some(outcome.place(other));
                (Reason::Copy, score)
            }
            Fate::Unwitnessed { score } => (Reason::NoneKept, score),
            Fate::Chained { .. } => (Reason::Chained, outcome.lowest(unit)),
            Fate::PreviouslySeen {
                source: other,
                score,
                smoothed,
            } => {
                source = other.map(|other| outcome.place(other));
                (
                    if smoothed {
                        Reason::Smoothed
                    } else {
                        Reason::SeenBefore
                    },
                    score,
                )
            }
        };
        let Place { index, range, .. } = outcome.place(unit);
        Some(Self {
            index,
            range,
            cut: outcome.cut(unit),
            by_reference: witness
                .as_ref()
                .or(source.as_ref())
                .is_some_and(|place| place.is_reference),
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
            (Reason::Chained, _) => write!(f, "{index} is in a cluster with a kept text"),
            (Reason::SeenBefore, _) => write!(f, "{score} of {index} was previously seen"),
            (Reason::Smoothed, _) => write!(f, "{index} is short and next to removed parts"),
            (Reason::Copy, Some(witness)) => {
                let reference = if self.by_reference { "reference " } else { "" };
                write!(f, "{index} is a copy of {reference}{witness} ({score})")
            }
            (Reason::Copy, None) => write!(f, "{index} is a copy ({score})"),
        }
    }
}

/// The contents of a mark on a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mark {
    /// The text, counted from 0.
    pub index: usize,
    /// Bytes of the text: the whole text if texts are compared.
    pub range: Range<usize>,
    /// Its removal, if it is a copy; none for a kept unit.
    pub removed: Option<Removed>,
    /// The index of its cluster in [`Outcome::clusters`]; none if it matches nothing.
    pub cluster: Option<usize>,
}

impl Mark {
    pub(super) fn new(outcome: &Outcome, unit: u32) -> Self {
        let Place { index, range, .. } = outcome.place(unit);
        Self {
            index,
            range,
            removed: Removed::new(outcome, unit),
            cluster: outcome.cluster(unit),
        }
    }
}
