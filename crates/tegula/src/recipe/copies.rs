//! `copies`: texts most of which are in another text
//!
//! Shared distinct shingles over those of the text that has fewer, at three quarters: a removal then says that the text is elsewhere.

use super::{Card, Measure};

pub(super) const CARD: Card = Card {
    name: "copies",
    title: "texts at least three quarters of which are in another text",
    paper: "Kupietz 2005, footnote 2; Broder 1997 (containment)",
    guarantee: "complete: every pair at or above the threshold, with its true score; only a text most of which is in the other is \
                removed",
    cost: "one pass over the text, one more over the texts of candidates, a join of shared runs with a full index of the longer texts",
    good_for: "copies with edits, earlier and partial versions, excerpts, added boilerplate; the default",
    not_for: "texts shorter than two shingles, which match only their equals; series in which every sentence differs in an amount",
    measure: Measure::ResemblanceContainment,
    ngram: 5,
    threshold: (3, 4),
    normalise: "default",
    keys: None,
    weights: None,
};
