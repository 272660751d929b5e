//! `plain`: texts that are equal without digits and symbols
//!
//! Plain fingerprints: what differs only in numbers, punctuation or special signs is the same.

use super::{Card, Measure};

pub(super) const CARD: Card = Card {
    name: "plain",
    title: "texts that are equal without digits and symbols",
    paper: "Benko 2013, §2 (plain fingerprints)",
    guarantee: "complete: all texts equal after normalisation",
    cost: "one pass over the text, 128 bits per unit",
    good_for: "headings, programme announcements, tables: paragraphs and sentences that recur with other numbers",
    not_for: "texts in which numbers carry the meaning",
    measure: Measure::Equality,
    ngram: 1,
    threshold: (1, 1),
    normalise: "plain",
    keys: None,
    weights: None,
};
