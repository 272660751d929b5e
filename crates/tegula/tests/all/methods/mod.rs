//! What each method promises, against oracles that share no code with it, and known answers from
//! the papers.

mod keys;
mod weights;

use crate::common::{Memory, edited, run, settings};
use proptest::prelude::*;
use tegula::constraint::Constraints;
use tegula::evidence::Findings;
use tegula::recipe::Recipe;

pub(crate) fn find(texts: &[String], recipe: &Recipe) -> Findings {
    run(
        &Memory::new(texts, 7),
        recipe,
        &Constraints::default(),
        settings()[0],
    )
}

pub(crate) fn with(name: &str, fields: &[(&str, &str)]) -> Recipe {
    fields
        .iter()
        .fold(Recipe::named(name).unwrap(), |recipe, (key, value)| {
            recipe.with(key, value).unwrap()
        })
}

/// Texts of which many share much: words drawn from `words`, edits, and everything twice in another
/// order.
pub(crate) fn texts(words: Vec<&'static str>) -> impl Strategy<Value = Vec<String>> {
    edited(
        (words, 1..14),
        1..10,
        (0..4, 0..30),
        |kind, at, copy| match kind {
            0 => copy[at] = "window",
            1 => copy.insert(at, "never"),
            2 => copy.rotate_left(at),
            _ => copy.truncate(at.max(1)),
        },
    )
}

pub(crate) const WORDS: [&str; 16] = [
    "the",
    "and",
    "rose",
    "is",
    "garden",
    "he",
    "two",
    "very",
    "ärger",
    "of",
    "blue",
    "house",
    "seventeen",
    "mine",
    "quickly",
    "x",
];

pub(crate) fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}
