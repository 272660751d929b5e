//! `super-shingle`: resemblance on the pairs that share a shingle of shingles
//!
//! Minima of a sketch are hashed in runs of 14; one hash in common makes a pair.

use super::{Card, Keys, Measure};

pub(super) const CARD: Card = Card {
    name: "super-shingle",
    title: "texts that share most of their shingles, nominated by super shingles",
    paper: "Broder et al. 1997 (DSC-SS); Flamming 2009 (super shingles)",
    guarantee: "probabilistic: a pair of resemblance s is nominated with 1 − (1 − s^14)^6, but a text of fewer than 14 distinct shingles only with one of the same set; its score is the true one",
    cost: "three passes over the text, 6 × 24 bytes per text, very few comparisons",
    good_for: "copies with next to no change, in very large collections",
    not_for: "short texts, and copies with more than a few changed words",
    measure: Measure::Resemblance,
    ngram: 5,
    threshold: (4, 5),
    normalise: "default",
    keys: Some(Keys::SuperShingle { minima: 84, size: 14 }),
    weights: None,
};
