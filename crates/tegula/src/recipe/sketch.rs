//! `sketch`: resemblance on the pairs that share a band of their min-wise sketches
//!
//! Each permutation of all shingles gives its least one; bands of these nominate, the shingles themselves decide.

use super::{Card, Keys, Measure};

pub(super) const CARD: Card = Card {
    name: "sketch",
    title: "texts that share most of their shingles, nominated by min-wise sketches",
    paper: "Broder 1997; Flamming 2009 (sketches, four phases)",
    guarantee: "probabilistic: a pair of resemblance s is nominated with 1 − (1 − s^rows)^bands, which is 0.95 or more at the threshold where bands and rows follow from it; its score is the true one",
    cost: "three passes over the text, bands × 24 bytes per text, a comparison for each nominated pair",
    good_for: "collections so large, or thresholds so low, that few pairs can be looked at",
    not_for: "being sure that nothing is missed: ssr is",
    measure: Measure::Resemblance,
    ngram: 5,
    threshold: (4, 5),
    normalise: "default",
    keys: Some(Keys::MinWise { minima: 112, bands: 0, rows: 0 }),
    weights: None,
};
