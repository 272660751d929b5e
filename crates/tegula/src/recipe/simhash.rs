//! `simhash`: texts whose 64-bit signatures differ in few bits
//!
//! Each pair of tokens adds its hash, bit by bit, as often as it occurs; the signs are the signature. Single tokens would make long texts
//! alike that only have their most frequent words in common.

use super::{Card, Counting, Keys, Measure};

pub(super) const CARD: Card = Card {
    name: "simhash",
    title: "texts whose simhash signatures differ in at most 3 of 64 bits",
    paper: "Charikar 2002; Manku et al. 2007, §3; Flamming 2009 (simhash)",
    guarantee: "complete for the Hamming distance that the threshold allows (61/64: 3 bits); an estimate, no measure of the texts",
    cost: "two passes over the text, 8 bytes per text and 24 for each of its blocks",
    good_for: "comparison with tools that use it; long texts with few changes",
    not_for: "short texts, and proof: unlike texts can have like signatures",
    measure: Measure::Hamming,
    ngram: 2,
    threshold: (61, 64),
    normalise: "default",
    keys: Some(Keys::Simhash { weights: Counting::Tf }),
    weights: None,
};
