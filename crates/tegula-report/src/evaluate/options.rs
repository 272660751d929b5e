//! What is asked of an evaluation: how lists are read, and how a result is judged.

use super::positive::Positive;
use super::sorter::By;
use tegula::tsv::Formulas;

/// Options for reading the lists.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The column of the id, if the gold standard has groups.
    pub id_key: String,
    /// The column of the group.
    pub group_key: String,
    /// The column of the label, if the gold standard has pairs; by default `label`, if it exists.
    pub label: Option<String>,
    /// Which labels mean copies.
    pub positive: Positive,
    /// Whether a gold standard without a header has groups.
    pub groups: bool,
    /// The column of the score in the result.
    pub score: String,
    /// For a run, judge its clusters instead of its pairs.
    pub clusters: bool,
    /// Replace the ids of paragraphs or sentences in the result by those of their documents;
    /// without it, only ids not in the gold standard are replaced.
    pub roll_up: bool,
    /// Also judge classes of documents by these.
    pub by: Vec<By>,
    /// What was done with formulas in lists in TSV.
    pub formulas: Formulas,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            id_key: "id".to_owned(),
            group_key: "group".to_owned(),
            label: None,
            positive: Positive::Customary,
            groups: false,
            score: "score".to_owned(),
            clusters: false,
            roll_up: false,
            by: Vec::new(),
            formulas: Formulas::Kept,
        }
    }
}

tegula::choices! {
    /// A half of the documents, with all copies of each: to choose a threshold on one half and judge
    /// it by the other.
    pub enum Half {
        /// The first half
        A = "a",
        /// The second half
        B = "b",
    }
}

/// How to judge a result.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "options that can be combined freely"
)]
pub struct Options {
    /// Count only pairs at or above this; all if not set.
    pub threshold: Option<f64>,
    /// Count any two documents of one cluster as a found pair.
    pub transitive: bool,
    /// Judge only labelled pairs.
    pub judged_only: bool,
    /// Judge only these documents.
    pub half: Option<Half>,
    /// Also judge the result at every threshold.
    pub sweep: bool,
    /// Choose the threshold with the best F1 on half a, and judge half b by it.
    pub tune: bool,
    /// Resamples of the groups for confidence intervals; 0 for no intervals.
    pub resamples: u32,
}

/// The usual number of resamples.
pub const RESAMPLES: u32 = 1_000;

impl Default for Options {
    fn default() -> Self {
        Self {
            threshold: None,
            transitive: false,
            judged_only: false,
            half: None,
            sweep: false,
            tune: false,
            resamples: RESAMPLES,
        }
    }
}
