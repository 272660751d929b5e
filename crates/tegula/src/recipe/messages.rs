//! `messages`: short texts that share most of their character n-grams
//!
//! Resemblance of the sets of three consecutive characters, after the disguises of short messages are undone. `Hallo Welt` and
//! `<13:53>Hallo Welt`, the example of the lecture notes on near duplicates that the recipe was made for, share 7 of 14 such shingles: 0.5.

use super::{Card, Measure};

pub(super) const CARD: Card = Card {
    name: "messages",
    title: "short texts that share most of their character n-grams",
    paper: "Broder 1997 (resemblance), over characters; normalisation for short messages",
    guarantee: "complete: every pair at or above the threshold, with its true score",
    cost: "as ssr, with a token for each character: more memory and a longer join than words have",
    good_for: "text messages, titles, names, citations; Chinese; digits and letters in disguise",
    not_for: "long texts, for which words are faster and tell more; messages where one digit makes the difference",
    measure: Measure::Resemblance,
    ngram: 3,
    threshold: (1, 2),
    normalise: "messages",
    keys: None,
    weights: None,
};
