//! Diagnostics of a search.

use crate::pair::Validation;
use std::time::Duration;

/// Diagnostics of a search. No decision depends on them.
#[derive(Debug, Default)]
pub struct Notes {
    /// The pairs generated from keys, if the recipe has keys.
    pub candidates: Option<Candidates>,
    /// The error of the upper bounds of Rabin fingerprints.
    pub validation: Option<Validation>,
    /// The pairs that reached the recipe's threshold and were hidden; none if nothing can hide them, or
    /// pairs are not listed.
    pub hidden: Option<Hidden>,
    /// How often all texts were read for their shingles: more than once if neither memory nor
    /// scratch had room for them; 0 if no shingles were joined.
    pub passes: u32,
    /// The duration of each step.
    pub timings: Vec<(&'static str, Duration)>,
}

/// Counts of the pairs that reached the recipe's threshold but were hidden: pairs of distinct
/// texts, each counted under the first reason that applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Hidden {
    /// Below the threshold of their length.
    pub thresholds: u64,
    /// With items that differ.
    pub distinct: u64,
    /// Lowered too far by numbers that one text lacks.
    #[serde(default)]
    pub missing_numbers: u64,
    /// Below the Levenshtein ratio.
    pub levenshtein: u64,
    /// Below the score without masks.
    pub unmasked: u64,
}

impl Hidden {
    /// Adds others.
    pub fn add(&mut self, others: Self) {
        self.thresholds += others.thresholds;
        self.distinct += others.distinct;
        self.missing_numbers += others.missing_numbers;
        self.levenshtein += others.levenshtein;
        self.unmasked += others.unmasked;
    }
}

/// Counts of the pairs generated from keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Candidates {
    /// Pairs of groups that share a key.
    pub generated: u64,
    /// The pairs that were compared.
    pub compared: u64,
    /// The pairs skipped because they were already in one cluster.
    pub skipped: u64,
}
