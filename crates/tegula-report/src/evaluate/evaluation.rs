//! The evaluation of a result, as it is shown and written.

use super::classes::Classes;
use super::found::Listed;
use super::options::Half;
use super::removals::Removals;
use super::resample::{Interval, ScoreIntervals};
use super::sides::PairScores;
use super::sweep::{Point, Sweep};
use super::tally::DocumentScores;
use serde::Serialize;

/// Facts about the gold standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GoldFacts {
    /// Whether it has groups rather than labelled pairs.
    pub groups: bool,
    /// Documents: those of the gold standard, and if it has pairs also those of the result; or only
    /// those in labelled pairs, if only these are judged.
    pub documents: u64,
    /// Pairs of copies.
    pub positives: u64,
    /// Pairs labelled as different.
    pub negatives: u64,
}

/// Facts about the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResultFacts {
    /// Distinct pairs; for clusters, those of each member with the first.
    pub pairs: u64,
    /// What it lists.
    pub of: Listed,
    /// Whether ids of paragraphs or sentences were replaced by their documents.
    pub rolled_up: bool,
    /// Whether the scores of such documents are the shares of their tokens in matching parts, as
    /// recorded by a run.
    pub by_share: bool,
    /// Whether its pairs have scores.
    pub scored: bool,
    /// Ids that are not in the gold standard.
    pub unknown_ids: u64,
    /// One of them.
    pub unknown_id: Option<String>,
    /// Rows of an id with itself, which are ignored.
    pub loops: u64,
}

/// The share of a label's pairs that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelCount {
    /// The label.
    pub label: String,
    /// Whether it means copies.
    pub positive: bool,
    /// The number of its pairs.
    pub pairs: u64,
    /// The number of these that were found.
    pub found: u64,
}

/// All measures of one result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measures {
    /// By pair.
    pub pairs: PairScores,
    /// By document: one with any copy and any partner counts as correct.
    pub documents: DocumentScores,
    /// By document: only one with all its copies among its partners counts as correct (the rule of
    /// the CORE benchmark).
    pub documents_whole: DocumentScores,
    /// The adjusted Rand index of the clusters.
    pub ari: f64,
}

/// 95 % confidence intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Intervals {
    /// The resamples that they are from.
    pub resamples: u32,
    /// Of the figures by pair.
    pub pairs: ScoreIntervals,
    /// Of the adjusted Rand index.
    pub ari: Option<Interval>,
    /// Of those by removal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removals: Option<ScoreIntervals>,
    /// Of those by document, of the class of duplicates.
    pub documents: ScoreIntervals,
    /// The same, by the rule of the CORE benchmark.
    pub documents_whole: ScoreIntervals,
    /// Of macro F1 by document.
    pub macro_f1: Option<Interval>,
    /// The same, by the rule of the CORE benchmark.
    pub macro_f1_whole: Option<Interval>,
}

/// A threshold chosen on one half and judged by the other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuned {
    /// The threshold, and its figures on half a, where it is the best.
    pub chosen: Point,
    /// Its figures on half b.
    pub reported: Measures,
    /// The best possible figures on half b, with a threshold chosen there.
    pub possible: Point,
}

/// The evaluation of a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// What gold holds.
    pub gold: GoldFacts,
    /// What the result holds.
    pub result: ResultFacts,
    /// The threshold used.
    pub threshold: Option<f64>,
    /// See [`Options::transitive`](super::Options::transitive); always true for clusters.
    pub transitive: bool,
    /// See [`Options::judged_only`](super::Options::judged_only).
    pub judged_only: bool,
    /// See [`Options::half`](super::Options::half).
    pub half: Option<Half>,
    /// The removals of the run, if it made a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removals: Option<Removals>,
    /// The measures.
    #[serde(flatten)]
    pub measures: Measures,
    /// Confidence intervals, if the groups were resampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// By label, if the gold standard has pairs with few distinct labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelCount>,
    /// By classes of documents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Classes>,
    /// At every threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// With a threshold chosen on half a.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuned: Option<Tuned>,
}
