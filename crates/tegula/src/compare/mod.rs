//! Compares two texts: every measure exactly as the joins define it, the shared passages, and the
//! rows of a two-column view.
//!
//! ```
//! use tegula::compare::Comparer;
//! use tegula::recipe::Recipe;
//!
//! let comparer = Comparer::new(&Recipe::named("ssr")?)?;
//! let found = comparer.compare("one two three four five six", "zero one two three four five");
//! assert_eq!((found.counts.common, found.counts.set_a, found.counts.set_b), (1, 2, 2));
//! assert_eq!(found.passages.len(), 1);
//! # Ok::<(), tegula::Error>(())
//! ```
//!
//! Tokens are compared as strings, not by hash. A text of fewer than n tokens is a single shingle;
//! a text without tokens counts as one token, its raw text.
//!
//! # Cost
//! O(m log m) for m tokens in both texts if shingles repeat little; at most sixteen occurrences of
//! a shingle are examined per position, so repetitive texts stay close to that.

mod align;
mod count;
mod passages;
mod side;

pub use align::Row;
pub use passages::Passage;
pub use side::Side;

use crate::error::Result;
use crate::measure::Counts;
use crate::recipe::Recipe;
use crate::text::normalise::{Normaliser, Tokens};
use side::Vocabulary;

/// Tokens in a shingle if the recipe compares whole texts and has none.
const NGRAM: usize = 5;

/// Compares texts like a recipe.
#[derive(Debug)]
pub struct Comparer {
    normaliser: Normaliser,
    n: usize,
    ignored: Option<String>,
}

/// What two texts have in common.
#[derive(Debug)]
pub struct Comparison {
    /// The first text.
    pub a: Side,
    /// The second text.
    pub b: Side,
    /// Counts, from which all scores are computed.
    pub counts: Counts,
    /// The covered tokens of the first text with their positions in the second, in the order of the
    /// first.
    pub passages: Vec<Passage>,
    /// The two texts side by side: every token of each in one row, in order.
    pub rows: Vec<Row>,
}

impl Comparer {
    /// A comparer with the normalisation and shingles of `recipe`, or shingles of five tokens if it
    /// compares only whole texts.
    ///
    /// # Errors
    /// Usage errors naming the field of the recipe.
    pub fn new(recipe: &Recipe) -> Result<Self> {
        let n = if recipe.measure.is_equality() {
            NGRAM
        } else {
            recipe.ngram
        };
        Ok(Self {
            normaliser: recipe.check()?,
            n,
            ignored: None,
        })
    }

    /// Ignores the shingles of `text`: passages that both texts take from it, such as an assignment
    /// or a form, are neither common nor covered. Sizes remain those of the whole texts, so that no
    /// score rises.
    #[must_use]
    pub fn ignoring(self, text: &str) -> Self {
        Self {
            ignored: Some(text.to_owned()),
            ..self
        }
    }

    /// Tokens in a shingle.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The normalisation.
    pub fn normaliser(&self) -> &Normaliser {
        &self.normaliser
    }

    /// The counts alone, from which all measures of texts are computed.
    pub fn counts(&self, a: &str, b: &str) -> Counts {
        let (a, b) = self.sides(a, b);
        count::count(&a, &b)
    }

    /// Measures, passages and rows.
    pub fn compare(&self, a: &str, b: &str) -> Comparison {
        let (a, b) = self.sides(a, b);
        let counts = count::count(&a, &b);
        let mut passages = passages::find(&a, &b);
        let rows = align::rows(&a, &b, &mut passages);
        Comparison {
            a,
            b,
            counts,
            passages,
            rows,
        }
    }

    fn sides(&self, a: &str, b: &str) -> (Side, Side) {
        let mut tokens = (Tokens::default(), Tokens::default(), Tokens::default());
        self.normaliser.tokens(a, &mut tokens.0);
        self.normaliser.tokens(b, &mut tokens.1);
        if let Some(ignored) = &self.ignored {
            self.normaliser.tokens(ignored, &mut tokens.2);
        }
        let mut vocabulary = Vocabulary::default();
        let words = (
            vocabulary.number(&tokens.0, a),
            vocabulary.number(&tokens.1, b),
        );
        // An ignored text without tokens has no shingle in common with a text with tokens.
        let ignored = if tokens.2.is_empty() {
            Vec::new()
        } else {
            vocabulary.number(&tokens.2, "")
        };
        let mut shingles =
            side::number_shingles(&[&words.0, &words.1, &ignored], self.n).into_iter();
        let mut next = || shingles.next().unwrap_or_default();
        let mut sides = (
            Side::new(words.0, tokens.0, a, next(), self.n),
            Side::new(words.1, tokens.1, b, next(), self.n),
        );
        if !ignored.is_empty() {
            let ignored = next().into_iter().collect();
            sides.0.ignore(&ignored);
            sides.1.ignore(&ignored);
        }
        sides
    }
}

#[cfg(test)]
mod tests;
