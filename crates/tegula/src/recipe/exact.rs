//! `exact`: texts with equal token sequences
//!
//! Case, punctuation and white space do not count; words and numbers and their order do.

use super::{Card, Measure};

pub(super) const CARD: Card = Card {
    name: "exact",
    title: "texts with equal token sequences",
    paper: "Near Duplicate Algorithms (Wikipedia), exact matching",
    guarantee: "complete: all texts equal after normalisation",
    cost: "one pass over the text, 128 bits per unit",
    good_for: "a first, cheap pass over anything",
    not_for: "edited copies",
    measure: Measure::Equality,
    ngram: 1,
    threshold: (1, 1),
    normalise: "default",
    keys: None,
    weights: None,
};
