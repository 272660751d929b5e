//! How much of each unit was in the units before it, and where.

use crate::onion::Fate;
use crate::threshold::Score;
use crate::unit::Units;

/// What was seen before of each unit, and what follows from it.
#[derive(Debug, Default)]
pub struct Coverage {
    /// Tokens of each unit in n-grams that were known.
    pub tokens: Vec<u32>,
    /// What becomes of each unit.
    pub fates: Vec<Fate>,
    /// Where known n-grams of the units that go were seen first, by unit, the source of the most tokens first.
    pub sources: Vec<Source>,
}

/// A unit that accounts for known tokens of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The unit whose tokens were known.
    pub unit: u32,
    /// The unit in which they were seen first.
    pub source: u32,
    /// How many they are.
    pub tokens: u32,
}

impl Coverage {
    /// How verdicts on this evidence are labelled.
    pub const LABEL: &'static str = "onion";

    /// The sources of a unit, the one of the most tokens first.
    pub fn sources_of(&self, unit: u32) -> &[Source] {
        let from = self.sources.partition_point(|source| source.unit < unit);
        let to = from + self.sources[from..].partition_point(|source| source.unit == unit);
        &self.sources[from..to]
    }

    /// Known tokens of a unit over all of them; 0 of 1 for a unit without tokens.
    pub fn share(&self, units: &Units, unit: u32) -> Score {
        let at = unit as usize;
        Score { part: u64::from(self.tokens[at]), whole: u64::from(units.tokens[at].max(1)) }
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> u64 {
        (self.tokens.capacity() * 4 + self.fates.capacity() + self.sources.capacity() * size_of::<Source>()) as u64
    }
}
