//! What the score of two texts loses for numbers that one of them lacks, with the numbers.

use crate::recipe::{Missing, MissingNumbers, Recipe};
use crate::text::digits::Digits;
use crate::text::normalise::Normaliser;
use crate::text::numbers::Spelled;
use crate::threshold::Score;

/// What the score of two texts loses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// In billionths of a score of 1.
    pub billionths: u32,
    /// The tokens at the beginning whose numbers count on their own.
    pub first_tokens: u32,
    /// The numbers among these.
    pub first: Missing,
    /// All numbers.
    pub all: Missing,
    /// The missing ones, sorted as text.
    pub numbers: Vec<String>,
}

impl Loss {
    /// What the score of two texts loses under a recipe, the shorter of which has so many tokens; none
    /// if the recipe lowers no score.
    pub fn of(
        recipe: &Recipe,
        normaliser: &Normaliser,
        (a, b): (&str, &str),
        tokens: u32,
    ) -> Option<Self> {
        let rule = recipe.missing_numbers;
        if rule.is_none() {
            return None;
        }
        let mut digits = Digits::default();
        let [a, b] = [a, b].map(|text| Spelled::of(normaliser, &mut digits, text, rule.first()));
        let (a, b) = (a.borrowed(), b.borrowed());
        Some(Self {
            billionths: rule.loss(a, b, tokens),
            first_tokens: rule.first(),
            first: a.missing_first(b),
            all: a.missing(b),
            numbers: a.missing_ones(b),
        })
    }

    /// A score after the loss.
    pub fn lower(&self, score: Score) -> Score {
        let Score { part, whole } = score;
        let lost =
            u128::from(whole) * u128::from(self.billionths) / u128::from(MissingNumbers::ALL);
        Score {
            part: part.saturating_sub(lost as u64),
            whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_lowered_by_what_is_missing() {
        let recipe = Recipe::named("revisions").unwrap();
        let recipe = recipe
            .with(
                "missing_numbers",
                "'0.5 for all of first 4, 0.1 for 1 in 10'",
            )
            .unwrap();
        let normaliser = recipe.check().unwrap();
        let texts = ("no 7 of 9 and 3 is x y z", "no 7 of 8 and 4 is x y z");
        let loss = Loss::of(&recipe, &normaliser, texts, 10).unwrap();
        assert_eq!(
            (loss.first, loss.all),
            (Missing { missing: 1, of: 2 }, Missing { missing: 2, of: 3 })
        );
        assert_eq!(
            (loss.billionths, &loss.numbers[..]),
            (450_000_000, &["3".to_owned(), "9".to_owned()][..])
        );
        let of = |part| Score {
            part,
            whole: 2_000_000_000,
        };
        assert_eq!(loss.lower(of(1_900_000_000)).part, 1_000_000_000);
        assert_eq!(loss.lower(of(800_000_000)).part, 0);
        let none = recipe.with("missing_numbers", "'none'").unwrap();
        assert_eq!(Loss::of(&none, &normaliser, texts, 10), None);
    }
}
