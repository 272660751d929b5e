//! The result: pairs with their scores, or clusters.

use serde::Serialize;
use tegula::evidence::reaches;
use tegula::threshold::Threshold;

/// A pair that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// The lower number of its ids.
    pub(super) a: u32,
    /// The higher number of its ids.
    pub(super) b: u32,
    /// Its score.
    pub(super) score: f64,
}

/// The result.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is independent of the others"
)]
pub(super) struct Found {
    /// Distinct pairs sorted by (a, b), each with its best score; for clusters, the pairs of each
    /// member with the first.
    pub(super) pairs: Vec<Pair>,
    /// What the result lists.
    pub(super) of: Listed,
    /// Whether the pairs have scores.
    pub(super) scored: bool,
    /// The lowest threshold at which a run kept pairs by score: the minimum over its stages.
    pub(super) least: Option<Threshold>,
    /// Whether any id is in the gold standard.
    pub(super) met: bool,
    /// Whether a score must be strictly above a threshold, as in the run; for several stages, as in
    /// the first.
    pub(super) strict: Option<bool>,
    /// Whether another stage differs in this.
    pub(super) mixed: bool,
    /// Ids that are not in the gold standard.
    pub(super) unknown: u64,
    /// One of them.
    pub(super) example: Option<String>,
    /// Rows of an id with itself.
    pub(super) loops: u64,
    /// The units that the run removed or marked, if it made a decision.
    pub(super) removals: Option<Vec<Removal>>,
    /// Whether ids of paragraphs or sentences were replaced by their documents.
    pub(super) rolled_up: bool,
    /// Whether the scores of pairs of such documents are shares of their tokens.
    pub(super) by_share: bool,
}

impl Found {
    /// Whether a score reaches a threshold.
    pub(super) fn reaches(&self, threshold: f64, score: f64) -> bool {
        reaches(self.strict.unwrap_or(false), threshold, score)
    }
}

/// The kind of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Listed {
    /// Pairs.
    #[default]
    Pairs,
    /// Clusters: all pairs in one count as found.
    Clusters,
    /// Removed units with their witnesses, of a run that kept no other pairs.
    Verdicts,
}

/// A unit that a run removed or marked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Removal {
    /// The number of its id, or of its document.
    pub(super) id: u32,
    /// The number of its witness, if it has one.
    pub(super) witness: Option<u32>,
    /// The score of the two.
    pub(super) score: Option<f64>,
}
