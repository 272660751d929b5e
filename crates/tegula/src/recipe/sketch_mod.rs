//! `sketch-mod`: resemblance on the pairs that share a sampled shingle
//!
//! Every shingle whose fingerprint 25 divides is in the sketch; texts that share one are compared.

use super::{Card, Keys, Measure};

pub(super) const CARD: Card = Card {
    name: "sketch-mod",
    title: "texts that share most of their shingles, nominated by one shingle in 25",
    paper: "Broder et al. 1997 (mod m; phases 1 to 4); Flamming 2009",
    guarantee: "probabilistic: a pair with s shared shingles is nominated with 1 − (1 − 1/m)^s, and by its least shingle where a text has no sampled one; its score is the true one",
    cost: "three passes over the text, 24 bytes per sampled shingle, a comparison for each nominated pair",
    good_for: "long texts, and containment, which bands of minima do not nominate",
    not_for: "texts of fewer than a hundred shingles: their samples are too small",
    measure: Measure::Resemblance,
    ngram: 5,
    threshold: (4, 5),
    normalise: "default",
    keys: Some(Keys::Modulo { modulus: 25 }),
    weights: None,
};
