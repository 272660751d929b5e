//! What a search has to say of itself, besides what it found.

use crate::pair::Validation;
use std::time::Duration;

/// What a search has to say of itself. No decision depends on it.
#[derive(Debug, Default)]
pub struct Notes {
    /// The pairs that keys generated, where the recipe has keys.
    pub candidates: Option<Candidates>,
    /// How far the upper bounds of Rabin fingerprints were off.
    pub validation: Option<Validation>,
    /// How long each step took.
    pub timings: Vec<(&'static str, Duration)>,
}

/// What became of the pairs that keys generated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Candidates {
    /// Pairs of groups that share a key.
    pub candidates: u64,
    /// Those that were compared.
    pub compared: u64,
    /// Those that were not, being in one cluster already.
    pub skipped: u64,
}
