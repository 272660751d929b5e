//! Evidence: what a method found, in one form for all methods. Only the code that produces it
//! depends on the method.
//!
//! Decisions, clusters, summaries and tables are derived from [`Findings`], whether fresh from a
//! search or read back from a run folder.

mod coverage;
mod notes;
mod pairs;
mod rescored;
mod scored;
mod scoring;
mod spans;
mod units;

pub use coverage::{Coverage, Source};
pub use notes::{Candidates, Hidden, Notes};
pub(crate) use pairs::AT_ONCE;
pub use pairs::{PairSink, Pairs};
pub use rescored::{Millionths, Rescore, Rescored};
pub use scored::{ScoredPairs, Settled};
pub use scoring::{Scoring, reaches};
pub use spans::{Source as SpanSource, Span, Spans};

use crate::constraint::Allowed;
use crate::group::Groups;
use crate::unit::Units;

/// The findings on a collection.
pub struct Findings {
    /// All units.
    pub units: Units,
    /// Equal units.
    pub groups: Groups,
    /// Which units may be compared.
    pub allowed: Allowed,
    /// Why units are duplicates.
    pub evidence: Evidence,
    /// Diagnostics of the search.
    pub notes: Notes,
}

/// Why units are duplicates.
#[expect(clippy::large_enum_variant, reason = "a run has one of it")]
pub enum Evidence {
    /// Pairs of groups, with their scoring.
    Pairs(ScoredPairs),
    /// How much of each unit occurs in preceding units: methods that process the collection in
    /// order have no pairs.
    Coverage(Coverage),
    /// Which passages occur in kept text.
    Spans(Spans),
}

impl Findings {
    /// The pairs; none if the method has none.
    pub fn pairs(&self) -> Option<&ScoredPairs> {
        match &self.evidence {
            Evidence::Pairs(pairs) => Some(pairs),
            Evidence::Coverage(_) | Evidence::Spans(_) => None,
        }
    }

    /// How much of each unit was previously seen; none if the method has pairs.
    pub fn coverage(&self) -> Option<&Coverage> {
        match &self.evidence {
            Evidence::Coverage(coverage) => Some(coverage),
            Evidence::Pairs(_) | Evidence::Spans(_) => None,
        }
    }

    /// The passages that occur in kept text; none if the method compares whole units.
    pub fn spans(&self) -> Option<&Spans> {
        match &self.evidence {
            Evidence::Spans(spans) => Some(spans),
            Evidence::Pairs(_) | Evidence::Coverage(_) => None,
        }
    }
}
