//! The step that rescores matches: it checks what the score of a pair does not consider.

use super::verify::Both;
use super::{Match, Search, Text};
use crate::engine::hidden::{Found, HiddenBy, hidden_by};
use crate::engine::loss::Loss;
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
        /// The match, with what is left of its score.
        of: Match,
        /// The Levenshtein ratio.
        levenshtein: Option<Millionths>,
        /// The score without masks.
        unmasked: Option<Millionths>,
    },
}

impl Search<'_> {
    /// Whether a match of these texts passes rescoring: its score also reaches the threshold for their
    /// length, their links, amounts and codes agree, the score is enough after what it loses for missing
    /// numbers, and so are their characters and masked parts, as far as the recipe asks for these.
    ///
    /// # Errors
    /// None in practice.
    pub fn rescored(&self, of: Match, a: (Text, &str), b: (Text, &str)) -> Result<Rescoring> {
        if b.0.id() < a.0.id() {
            return self.rescored(of, b, a);
        }
        let (recipe, normaliser) = (self.recipe, &self.method.steps.normaliser);
        let tokens = a.0.whole.tokens.min(b.0.whole.tokens);
        let loss = Loss::of(recipe, normaliser, (a.1, b.1), tokens);
        let (scoring, both) = (Scoring::of(recipe), Both::of(a.0, b.0));
        let pair = Both::pair((of.in_a, of.in_b));
        let found = Found {
            texts: (a.1, b.1),
            score: Some(scoring.score(&pair, both.sizes())),
            loss: loss.as_ref(),
            tokens,
        };
        let items = self.method.steps.apart().items;
        if let Some(by) = hidden_by(recipe, normaliser, items, found)? {
            return Ok(Rescoring::Hidden(by));
        }
        let of = loss.map_or(of, |loss| {
            let left = pair.lowered(loss.billionths);
            let removable = scoring.removable(&left, both.sizes(), recipe.threshold);
            of.rescored((left.in_a, left.in_b), removable)
        });
        let ratio = |_| Millionths::of(levenshtein_ratio(normaliser, a.1, b.1));
        Ok(Rescoring::Passes {
            of,
            levenshtein: recipe.levenshtein.map(ratio),
            unmasked: unmasked_score(recipe, a.1, b.1)?.map(Millionths::of),
        })
    }
}
