//! How an index is asked about texts, and what is shown of the answers.

use super::{Index, Match, Question};
use crate::compare::{Comparer, Comparison, Passage};
use crate::error::{Error, Result};
use crate::record::Level;
use crate::threshold::Threshold;
use std::ops::Range;

/// How an index is asked about texts.
pub struct Asking {
    /// What is asked about each.
    pub question: Question,
    /// The names of the fields of a match.
    pub fields: Vec<String>,
    /// What the units of the index are.
    pub level: Level,
    /// Compares a text with its matches, if passages are wanted.
    comparer: Option<Comparer>,
}

/// A passage that a text (a) and a match (b) share, by code points from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Span {
    /// The first of it in the text.
    pub start_a: usize,
    /// The one after the last.
    pub end_a: usize,
    /// The first of it in the match.
    pub start_b: usize,
    /// The one after the last.
    pub end_b: usize,
    /// Its tokens.
    pub tokens: usize,
}

impl Asking {
    /// At a threshold, that of the index if none is given and no ranked list is wanted, for so many matches
    /// at most. `compares` is the option for which texts are compared, if there is one.
    ///
    /// # Errors
    /// If texts are to be compared, and the index keeps none; or if no match is wanted.
    pub fn new(
        index: &Index,
        threshold: Option<Threshold>,
        top: Option<usize>,
        compares: Option<&str>,
    ) -> Result<Self> {
        if top == Some(0) {
            return Err(Error::of("top").expected("at least 1").found(0));
        }
        let description = index.description();
        if let (Some(option), false) = (compares, description.texts) {
            return Err(Error::of(option)
                .expected("an index that keeps its texts")
                .found("one made with ⟨no_texts⟩")
                .at(index.path())
                .hint("leave it out, or make another index"));
        }
        let recipe = index.recipe();
        Ok(Self {
            question: Question {
                threshold: match (threshold, top) {
                    (None, None) => Some(recipe.threshold),
                    (threshold, _) => threshold,
                },
                top,
                of_asked: false,
            },
            fields: description.fields,
            level: recipe.unit,
            comparer: compares.map(|_| Comparer::new(recipe)).transpose()?,
        })
    }

    /// The text beside a match, if texts are compared.
    pub fn compare<'f>(&self, text: &str, found: &'f Match) -> Option<(Comparison, &'f str)> {
        let (comparer, other) = (self.comparer.as_ref()?, found.text.as_deref()?);
        Some((comparer.compare(text, other), other))
    }

    /// The passages that the text shares with a match, if texts are compared, in the order of the text.
    pub fn passages(&self, text: &str, found: &Match) -> Option<Vec<Span>> {
        let (comparison, other) = self.compare(text, found)?;
        let ends = |of: &dyn Fn(&Passage) -> Range<usize>| -> Vec<usize> {
            let ranges = comparison.passages.iter().map(of);
            ranges.flat_map(|range| [range.start, range.end]).collect()
        };
        let in_a = code_points(text, &ends(&|one| comparison.a.bytes(one.a.clone())));
        let in_b = code_points(other, &ends(&|one| comparison.b.bytes(one.b.clone())));
        let passages = comparison.passages.iter().enumerate();
        let spans = passages.map(|(at, passage)| Span {
            start_a: in_a[2 * at],
            end_a: in_a[2 * at + 1],
            start_b: in_b[2 * at],
            end_b: in_b[2 * at + 1],
            tokens: passage.a.len(),
        });
        Some(spans.collect())
    }
}

/// The code points before each of these bytes, which begin one or end the text.
fn code_points(text: &str, bytes: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bytes.len()).collect();
    order.sort_unstable_by_key(|at| bytes[*at]);
    let mut points = vec![0; bytes.len()];
    let (mut byte, mut before) = (0, 0);
    for at in order {
        before += text[byte..bytes[at]].chars().count();
        byte = bytes[at];
        points[at] = before;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_are_counted_in_any_order() {
        let text = "aä😀b";
        assert_eq!(code_points(text, &[8, 0, 3, 3, 1, 7]), [4, 0, 2, 2, 1, 3]);
        assert!(code_points(text, &[]).is_empty());
    }
}
