//! The step that rescores matches: it checks what the score of a pair does not consider.

use super::verify::Both;
use super::{Match, Search, Text};
use crate::engine::hidden::{Found, hidden_by};
use crate::error::Result;
use crate::evidence::Scoring;

impl Search<'_> {
    /// Whether a match of these texts passes rescoring: its score also reaches the threshold for their
    /// length, their links, amounts and codes agree, and so do enough of their numbers, their characters
    /// and masked parts, as far as the recipe asks for these.
    ///
    /// # Errors
    /// None in practice.
    pub fn passes_rescoring(
        &self,
        of: Match,
        (a, text_a): (Text, &str),
        (b, text_b): (Text, &str),
    ) -> Result<bool> {
        if b.id() < a.id() {
            return self.passes_rescoring(of, (b, text_b), (a, text_a));
        }
        let (both, pair) = (Both::of(a, b), Both::pair((of.in_a, of.in_b)));
        let found = Found {
            texts: (text_a, text_b),
            score: Some(Scoring::of(self.recipe).score(&pair, both.sizes())),
            tokens: a.whole.tokens.min(b.whole.tokens),
        };
        let method = self.method;
        let hidden = hidden_by(
            self.recipe,
            &method.steps.normaliser,
            method.steps.apart().items,
            found,
        )?;
        Ok(hidden.is_none())
    }
}
