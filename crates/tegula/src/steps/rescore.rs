//! The step that rescores matches: it checks what the score of a pair does not consider.

use super::verify::Both;
use super::{Match, Search, Text};
use crate::engine::rescore;
use crate::error::Result;
use crate::evidence::Scoring;
use crate::recipe::Unmasked;
use crate::text::normalise::Tokens;
use crate::text::numbers::Spelled;
use crate::threshold::Score;

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
        let (recipe, scoring) = (self.recipe, Scoring::of(self.recipe));
        let (both, pair) = (Both::of(a, b), Both::pair((of.in_a, of.in_b)));
        let sizes = both.sizes();
        let threshold = scoring.threshold_of(&pair, sizes, recipe.threshold);
        if !scoring.admits(threshold, scoring.score(&pair, sizes)) {
            return Ok(false);
        }
        if let Some(items) = &self.method.items
            && items.hash(text_a) != items.hash(text_b)
        {
            return Ok(false);
        }
        let normaliser = &self.method.normaliser;
        let numbers = recipe.shared_numbers;
        if !numbers.is_none() {
            let mut tokens = Tokens::default();
            let mut spell = |text| Spelled::of(normaliser, text, numbers.first(), &mut tokens);
            let (spelled_a, spelled_b) = (spell(text_a), spell(text_b));
            if !numbers.admits(spelled_a.borrowed(), spelled_b.borrowed()) {
                return Ok(false);
            }
        }
        if let Some(least) = recipe.levenshtein {
            let ratio = rescore::levenshtein_ratio(normaliser, text_a, text_b);
            if !least.admits(ratio.part, ratio.whole) {
                return Ok(false);
            }
        }
        let Unmasked::AtLeast(least) = recipe.unmasked else {
            return Ok(true);
        };
        if !normaliser.masks(text_a) && !normaliser.masks(text_b) {
            return Ok(true);
        }
        let score = rescore::unmasked_score(recipe, text_a, text_b)?;
        Ok(score.is_none_or(|Score { part, whole }| least.admits(part, whole)))
    }
}
