//! `sscr-containment`: texts most of whose tokens are covered by a longer one
//!
//! Tokens of the shorter text that lie in a shared shingle, over all its tokens.

use super::{Card, Measure};

pub(super) const CARD: Card = Card {
    name: "sscr-containment",
    title: "texts most of whose tokens are covered by a longer one",
    paper: "Kupietz 2005, footnote 2",
    guarantee: "complete: every pair at or above the threshold, with its true score; only the contained text may go",
    cost: "as sscr, with a full index of the longer texts",
    good_for: "excerpts with small edits, texts inside frames of boilerplate",
    not_for: "texts that resemble each other without one holding the other",
    measure: Measure::CoverageContainment,
    ngram: 5,
    threshold: (4, 5),
    normalise: "default",
    keys: None,
    weights: None,
};
