//! The step that rescores matches: it checks what the score of a pair does not consider.

use super::verify::Both;
use super::{Match, Search, Text};
use crate::engine::hidden::{Found, HiddenBy, hidden_by};
use crate::engine::rescore::{levenshtein_ratio, unmasked_score};
use crate::error::Result;
use crate::evidence::{Millionths, Scoring};

/// What rescoring says of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rescoring {
    /// It is hidden.
    Hidden(HiddenBy),
    /// It counts, with further scores if the recipe asks for them.
    Passes {
        /// The Levenshtein ratio.
        levenshtein: Option<Millionths>,
        /// The score without masks.
        unmasked: Option<Millionths>,
    },
}

impl Search<'_> {
    /// Whether a match of these texts passes rescoring: its score also reaches the threshold for their
    /// length, their links, amounts and codes agree, and so do enough of their numbers, their characters
    /// and masked parts, as far as the recipe asks for these.
    ///
    /// # Errors
    /// None in practice.
    pub fn passes_rescoring(&self, of: Match, a: (Text, &str), b: (Text, &str)) -> Result<bool> {
        Ok(self.hidden_by(of, a, b)?.is_none())
    }

    /// The same, with the scores that it computes.
    ///
    /// # Errors
    /// None in practice.
    pub fn rescored(&self, of: Match, a: (Text, &str), b: (Text, &str)) -> Result<Rescoring> {
        if let Some(by) = self.hidden_by(of, a, b)? {
            return Ok(Rescoring::Hidden(by));
        }
        let (recipe, normaliser) = (self.recipe, &self.method.steps.normaliser);
        let ratio = |_| Millionths::of(levenshtein_ratio(normaliser, a.1, b.1));
        Ok(Rescoring::Passes {
            levenshtein: recipe.levenshtein.map(ratio),
            unmasked: unmasked_score(recipe, a.1, b.1)?.map(Millionths::of),
        })
    }

    fn hidden_by(
        &self,
        of: Match,
        (a, text_a): (Text, &str),
        (b, text_b): (Text, &str),
    ) -> Result<Option<HiddenBy>> {
        if b.id() < a.id() {
            return self.hidden_by(of, (b, text_b), (a, text_a));
        }
        let (both, pair) = (Both::of(a, b), Both::pair((of.in_a, of.in_b)));
        let found = Found {
            texts: (text_a, text_b),
            score: Some(Scoring::of(self.recipe).score(&pair, both.sizes())),
            tokens: a.whole.tokens.min(b.whole.tokens),
        };
        let method = self.method;
        hidden_by(
            self.recipe,
            &method.steps.normaliser,
            method.steps.apart().items,
            found,
        )
    }
}
