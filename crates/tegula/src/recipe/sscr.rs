//! `sscr`: texts most of whose tokens lie in shared shingles
//!
//! The ratio of coverage by shared shingles: tokens of both texts that lie in a common shingle, over all tokens of both.

use super::{Card, Measure};

pub(super) const CARD: Card = Card {
    name: "sscr",
    title: "texts most of whose tokens lie in shared shingles",
    paper: "Kupietz 2005, §2.4 (shared shingle coverage ratio)",
    guarantee: "complete: every pair at or above the threshold, with its true score",
    cost: "one pass over the text, one more over the texts of candidates, a join of shared runs; grows with the number of near copies",
    good_for: "near copies with scattered edits, changed digits, added boilerplate",
    not_for: "texts shorter than two shingles, which match only their equals; texts that repeat their own words, which match too much",
    measure: Measure::Coverage,
    ngram: 5,
    threshold: (4, 5),
    normalise: "default",
    keys: None,
    weights: None,
};
