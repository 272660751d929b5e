//! The arithmetic of evaluations: scores from counts of pairs.

use serde::Serialize;

/// Precision, recall and their harmonic mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scores {
    /// The share of found items that are true; none if nothing was found.
    pub precision: Option<f64>,
    /// The share of true items that were found; none if there are none.
    pub recall: Option<f64>,
    /// Their harmonic mean, as 2 hits / (found + true); none if there is neither.
    pub f1: Option<f64>,
}

impl Scores {
    /// From counts.
    pub fn of(hits: u64, found: u64, positives: u64) -> Self {
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        Self {
            precision: share(hits, found),
            recall: share(hits, positives),
            f1: share(2 * hits, found + positives),
        }
    }
}

/// The adjusted Rand index (Hubert and Arabie 1985) from counts of pairs: in one cluster and one
/// group, in one cluster, in one group, all. Equal partitions have 1, unrelated ones about 0. All
/// sums are integers; the single division comes last.
pub fn adjusted_rand(both: u64, clusters: u64, groups: u64, all: u64) -> f64 {
    let [both, clusters, groups, all] = [both, clusters, groups, all].map(i128::from);
    let above = 2 * (both * all - clusters * groups);
    let below = (clusters + groups) * all - 2 * clusters * groups;
    // Both partitions are singletons, or both one cluster: they are equal.
    if below == 0 {
        1.0
    } else {
        above as f64 / below as f64
    }
}
