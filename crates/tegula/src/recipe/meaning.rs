//! Explains what a removal under a recipe means.

use super::{Measure, Recipe, Select};
use crate::text::token::Boundaries;

impl Recipe {
    /// Which scores reach the threshold, in words.
    pub fn bound(&self) -> String {
        let threshold = self.threshold;
        let short = if self.thresholds.is_none() {
            String::new()
        } else {
            format!(", for short texts {} tokens", self.thresholds)
        };
        if self.measure.is_of_passages() {
            format!("of {} tokens and more", self.ngram)
        } else if self.measure.is_strict() {
            format!("above {threshold}{short}")
        } else {
            format!("at or above {threshold}{short}")
        }
    }

    /// Which texts are removed, if one line can say it: if the share of a text contained in another
    /// decides.
    pub fn removal(&self) -> Option<String> {
        (self.measure == Measure::ResemblanceContainment && self.select == Select::All).then(|| {
            let threshold = self.threshold;
            let (part, whole) = (threshold.numerator(), threshold.denominator());
            let share = match (1000 * part / whole, 1000 * part % whole) {
                (thousandths, 0) => format!("{} %", thousandths as f64 / 10.0),
                _ => threshold.to_string(),
            };
            let parts = match (self.ngram, self.normalise.boundaries) {
                (1, Boundaries::Sentences) => "sentences".to_owned(),
                (1, _) => format!("{}s", self.token()),
                (n, _) => format!("{n}-{} shingles", self.token()),
            };
            format!(
                "texts of which at least {share} (distinct {parts}) also occur in one other text"
            )
        })
    }

    /// What a removed unit is, of its witness.
    pub fn copy(&self) -> &'static str {
        if self.measure == Measure::Equality {
            "a copy"
        } else if !self.missing_numbers.is_none() {
            "a version"
        } else {
            "a near copy"
        }
    }

    /// What a token is called.
    pub fn token(&self) -> &'static str {
        match self.normalise.boundaries {
            Boundaries::Characters => "character",
            Boundaries::Letters => "letter",
            _ => "token",
        }
    }

    /// Advice if many units are short, with marks of options.
    pub(crate) fn for_short_units(&self) -> &'static str {
        match self.normalise.boundaries {
            Boundaries::Characters | Boundaries::Letters => {
                "use a smaller ⟨ngram⟩, or ⟨recipe=exact⟩"
            }
            _ if self.recipe == "messages" => {
                "use a smaller ⟨ngram⟩, ⟨normalize=messages⟩, or ⟨recipe=exact⟩"
            }
            _ => "use ⟨recipe=messages⟩, which compares characters, or ⟨recipe=exact⟩",
        }
    }

    /// How many edits thresholds allow, for the same recipes, if edits are evenly spread: a changed
    /// token changes `ngram` shingles.
    pub fn levels(&self) -> Option<String> {
        self.removal()?;
        if self.normalise.boundaries == Boundaries::Sentences {
            return None;
        }
        let one_in = |threshold: f64| 1.0 / (1.0 - threshold.powf(1.0 / self.ngram as f64));
        let [high, middle, low] = [0.9, 0.75, 0.6].map(one_in);
        Some(format!(
            "a copy may have about one token in {high:.0} changed at 0.9, one in {middle:.0} at 0.75, one in {low:.0} at 0.6"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containment_says_what_a_removal_means() {
        let recipe = Recipe::named("copies").unwrap();
        assert_eq!(
            recipe.removal().unwrap(),
            "texts of which at least 75 % (distinct 5-token shingles) also occur in one other text"
        );
        let levels = "a copy may have about one token in 48 changed at 0.9, one in 18 at 0.75, one in 10 at 0.6";
        assert_eq!(recipe.levels().unwrap(), levels);
        let cops = Recipe::named("cops").unwrap();
        assert_eq!(
            cops.removal().unwrap(),
            "texts of which at least 60 % (distinct sentences) also occur in one other text"
        );
        assert_eq!(cops.levels(), None);
        assert_eq!(Recipe::named("sscr").unwrap().removal(), None);
    }
}
