//! `ssr-containment`: texts most of whose shingles occur in a longer one
//!
//! Shared distinct shingles over those of the text that has fewer.

use super::{Card, Measure};

pub(super) const CARD: Card = Card {
    name: "ssr-containment",
    title: "texts most of whose shingles occur in a longer one",
    paper: "Kupietz 2005, footnote 2; Broder 1997 (containment)",
    guarantee: "complete: every pair at or above the threshold, with its true score; only the contained text may go",
    cost: "as ssr, with a full index of the longer texts",
    good_for: "excerpts, quotations of whole texts, collections that repeat single works",
    not_for: "texts that resemble each other without one holding the other",
    measure: Measure::ResemblanceContainment,
    ngram: 5,
    threshold: (4, 5),
    normalise: "default",
    keys: None,
    weights: None,
};
