//! Evidence: what a method found, complete in itself. Left of here methods differ; right of here nothing knows which one ran.
//!
//! Decisions, clusters, summaries and tables are made from [`Findings`], whether a search has just made them or they were read back from a
//! run folder.

mod coverage;
mod notes;
mod pairs;
mod rescored;
mod scored;
mod scoring;
mod units;

pub use coverage::{Coverage, Source};
pub use notes::{Candidates, Notes};
pub use pairs::{PairSink, Pairs};
pub use rescored::{Millionths, Rescore, Rescored};
pub use scored::{ScoredPairs, Settled};
pub use scoring::{Scoring, reaches};

use crate::constraint::Allowed;
use crate::group::Groups;
use crate::unit::Units;

/// What was found of a collection.
pub struct Findings {
    /// All units.
    pub units: Units,
    /// Equal units.
    pub groups: Groups,
    /// Which units may be compared.
    pub allowed: Allowed,
    /// What makes units duplicates.
    pub evidence: Evidence,
    /// What the search has to say of itself.
    pub notes: Notes,
}

/// What makes units duplicates.
#[expect(clippy::large_enum_variant, reason = "a run has one of it")]
pub enum Evidence {
    /// Pairs of groups, with their scoring.
    Pairs(ScoredPairs),
    /// How much of each unit was in the units before it: methods that take the collection in order know no pairs.
    Coverage(Coverage),
}

impl Findings {
    /// The pairs; none where the method knows none.
    pub fn pairs(&self) -> Option<&ScoredPairs> {
        match &self.evidence {
            Evidence::Pairs(pairs) => Some(pairs),
            Evidence::Coverage(_) => None,
        }
    }

    /// How much of each unit was seen before, where the method judges by that.
    pub fn coverage(&self) -> Option<&Coverage> {
        match &self.evidence {
            Evidence::Coverage(coverage) => Some(coverage),
            Evidence::Pairs(_) => None,
        }
    }
}
