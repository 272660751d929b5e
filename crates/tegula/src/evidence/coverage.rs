//! How much of each unit occurs in preceding units, and where.

use crate::onion::Fate;
use crate::threshold::Score;
use crate::unit::Units;

/// The previously seen tokens of each unit, and the resulting verdicts.
#[derive(Debug, Default)]
pub struct Coverage {
    /// Tokens of each unit in previously seen n-grams.
    pub tokens: Vec<u32>,
    /// The verdict on each unit.
    pub fates: Vec<Fate>,
    /// Where the previously seen n-grams of removed units were first seen: sorted by unit, then by
    /// number of tokens, descending.
    pub sources: Vec<Source>,
}

/// A unit in which tokens of another were previously seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The unit with the tokens.
    pub unit: u32,
    /// The unit in which they were first seen.
    pub source: u32,
    /// The number of tokens.
    pub tokens: u32,
}

impl Coverage {
    /// The label of verdicts on this evidence.
    pub const LABEL: &'static str = "onion";

    /// The sources of a unit, by number of tokens, descending.
    pub fn sources_of(&self, unit: u32) -> &[Source] {
        let from = self.sources.partition_point(|source| source.unit < unit);
        let to = from + self.sources[from..].partition_point(|source| source.unit == unit);
        &self.sources[from..to]
    }

    /// Previously seen tokens of a unit over all its tokens; 0 of 1 for a unit without tokens.
    pub fn share(&self, units: &Units, unit: u32) -> Score {
        let at = unit as usize;
        Score {
            part: u64::from(self.tokens[at]),
            whole: u64::from(units.tokens[at].max(1)),
        }
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        (self.tokens.capacity() * 4
            + self.fates.capacity()
            + self.sources.capacity() * size_of::<Source>()) as u64
    }
}
