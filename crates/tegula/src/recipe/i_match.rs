//! `i-match`: texts with the same significant words
//!
//! Terms that are neither very rare nor very common are hashed in Unicode order, once with all and ten times with a random lexicon.

use super::{Card, Keys, Measure};

pub(super) const CARD: Card = Card {
    name: "i-match",
    title: "texts with the same significant words",
    paper: "Chowdhury et al. 2002; Kołcz et al. 2004 (random lexicons); Wikipedia page on near duplicates",
    guarantee: "none: texts with a digest in common are a pair, and the score is the share of digests in common",
    cost: "two passes over the text (three with frequencies of its own), 24 bytes per digest",
    good_for: "a first look at a large collection; new texts against a fixed vocabulary (--statistics)",
    not_for: "proof: it compares chosen words, not texts; add measure = \"resemblance\" for that",
    measure: Measure::Agreement,
    ngram: 1,
    threshold: (1, 11),
    normalise: "default",
    keys: Some(Keys::IMatch { low: 10, high: 90, lexicons: 10, keep: 67, least: 4 }),
    weights: None,
};
