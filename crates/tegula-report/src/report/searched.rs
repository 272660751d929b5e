//! What a second search of the inputs found, for a page.

/// A pair below the threshold, found by searching the inputs again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The earlier unit.
    pub a: u64,
    /// The later unit.
    pub b: u64,
    /// Its score.
    pub score: f64,
}

/// Results that are not in the run folder, for one stage.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Searched {
    /// Pairs below the threshold, sorted by score, descending.
    pub near: Vec<Near>,
    /// The threshold of that search, for display.
    pub from: String,
}
