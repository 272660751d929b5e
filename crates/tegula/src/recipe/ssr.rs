//! `ssr`: texts that share most of their distinct shingles
//!
//! The resemblance: shared distinct shingles over all distinct shingles of both texts.

use super::{Card, Measure};

pub(super) const CARD: Card = Card {
    name: "ssr",
    title: "texts that share most of their distinct shingles",
    paper: "Kupietz 2005, §2.3; Broder 1997 (resemblance)",
    guarantee: "complete: every pair at or above the threshold, with its true score",
    cost: "one pass over the text, one more over the texts of candidates, a join of shared runs with short prefixes",
    good_for: "comparison with MinHash tools, whose estimate this is the true value of",
    not_for: "lightly edited short texts: one word in twenty changed already takes 5-gram resemblance below 0.8",
    measure: Measure::Resemblance,
    ngram: 5,
    threshold: (4, 5),
    normalise: "default",
    keys: None,
    weights: None,
};
