//! `cosine`: texts with the same weighty words
//!
//! Terms count tf · idf. By `weights.present = 5` those in more than a twentieth of the units are taken to be in every unit (Kołcz's rule):
//! for long texts alone, as what is in every unit outweighs a short one.

use super::{Card, Measure, Weights};

pub(super) const CARD: Card = Card {
    name: "cosine",
    title: "texts with the same weighty words, in any order",
    paper: "Wikipedia page on near duplicates (similarity measures); Kołcz et al. 2004 (terms in more than 5 % of the texts)",
    guarantee: "complete: every pair at or above the threshold that shares a term outside the common ones; scores depend on the collection",
    cost: "three passes over the text, one table of terms in memory, an ordered join with prefixes by weight",
    good_for: "texts whose sentences were moved or rewritten, and records of a few words",
    not_for: "telling a copy from a text on the same subject; comparing scores across collections",
    measure: Measure::Cosine,
    ngram: 1,
    threshold: (4, 5),
    normalise: "default",
    keys: None,
    weights: Some(Weights::Idf { present: 100 }),
};
