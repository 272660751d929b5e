//! Which rule hides a pair that reaches the recipe's threshold: what its score does not consider.
//!
//! The rules and their order are those of a run, which counts hidden pairs by rule
//! ([`Hidden`](crate::evidence::Hidden)).

use super::loss::Loss;
use super::rescore::{levenshtein_ratio, unmasked_score};
use crate::error::Result;
use crate::evidence::Hidden;
use crate::recipe::{Recipe, Unmasked};
use crate::text::items::{ItemKind, Items, differences};
use crate::text::normalise::Normaliser;
use crate::threshold::{Score, Threshold};
use std::fmt;

/// The rule that hides a pair, with the value that decided and its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HiddenBy {
    /// The score is below the threshold of the shorter text's length.
    Thresholds {
        /// The score.
        score: Score,
        /// The threshold.
        least: Threshold,
        /// The tokens of the shorter text.
        tokens: u32,
    },
    /// Items that must agree differ.
    Distinct(Vec<ItemKind>),
    /// The score is too low after what it loses for numbers that one text lacks.
    MissingNumbers {
        /// What is left of the score.
        score: Score,
        /// The minimum.
        least: Threshold,
    },
    /// The Levenshtein ratio is too low.
    Levenshtein {
        /// The ratio.
        score: Score,
        /// The minimum.
        least: Threshold,
    },
    /// The score without masks is too low.
    Unmasked {
        /// The score without masks.
        score: Score,
        /// The minimum.
        least: Threshold,
    },
}

/// The texts of a pair that reaches the recipe's threshold.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The two texts.
    pub texts: (&'a str, &'a str),
    /// Their score before it loses anything; none if unknown: then neither a threshold of their length
    /// nor missing numbers hide them.
    pub score: Option<Score>,
    /// What it loses for missing numbers.
    pub loss: Option<&'a Loss>,
    /// The tokens of the shorter text.
    pub tokens: u32,
}

/// The first rule of a recipe that hides a pair; none if the pair counts. `items` are those of the
/// recipe. Cost: the edit distance, or the shingles of both texts without masks, if the recipe
/// compares these.
///
/// # Errors
/// Usage errors naming the field of the recipe.
pub fn hidden_by(
    recipe: &Recipe,
    normaliser: &Normaliser,
    items: Option<&Items>,
    found: Found,
) -> Result<Option<HiddenBy>> {
    let Found {
        texts: (a, b),
        score,
        loss,
        tokens,
    } = found;
    let least = recipe.threshold_of(tokens);
    if let Some(score) = score.filter(|score| !recipe.measure.admits(least, *score)) {
        return Ok(Some(HiddenBy::Thresholds {
            score,
            least,
            tokens,
        }));
    }
    if let Some(items) = items.filter(|items| items.hash(a) != items.hash(b)) {
        let differing = differences(&items.of(a), &items.of(b))
            .into_iter()
            .map(|(kind, ..)| kind)
            .collect();
        return Ok(Some(HiddenBy::Distinct(differing)));
    }
    let left = score.zip(loss).map(|(score, loss)| loss.lower(score));
    if let Some(score) = left.filter(|score| !recipe.measure.admits(least, *score)) {
        return Ok(Some(HiddenBy::MissingNumbers { score, least }));
    }
    let misses = |least: Threshold, score: &Score| !least.admits(score.part, score.whole);
    if let Some(least) = recipe.levenshtein {
        let score = levenshtein_ratio(normaliser, a, b);
        if misses(least, &score) {
            return Ok(Some(HiddenBy::Levenshtein { score, least }));
        }
    }
    let Unmasked::AtLeast(least) = recipe.unmasked else {
        return Ok(None);
    };
    if !normaliser.masks(a) && !normaliser.masks(b) {
        return Ok(None);
    }
    Ok(unmasked_score(recipe, a, b)?
        .filter(|score| misses(recipe.measure.comparable(least), score))
        .map(|score| HiddenBy::Unmasked { score, least }))
}

impl HiddenBy {
    /// The field of the recipe.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Thresholds { .. } => "thresholds",
            Self::Distinct(_) => "distinct",
            Self::MissingNumbers { .. } => "missing_numbers",
            Self::Levenshtein { .. } => "levenshtein",
            Self::Unmasked { .. } => "unmasked",
        }
    }

    /// Counts a pair that it hides.
    pub fn count(&self, hidden: &mut Hidden) {
        let count = match self {
            Self::Thresholds { .. } => &mut hidden.thresholds,
            Self::Distinct(_) => &mut hidden.distinct,
            Self::MissingNumbers { .. } => &mut hidden.missing_numbers,
            Self::Levenshtein { .. } => &mut hidden.levenshtein,
            Self::Unmasked { .. } => &mut hidden.unmasked,
        };
        *count += 1;
    }

    /// The value and its limit, if the rule has a threshold.
    pub fn score(&self) -> Option<(Score, Threshold)> {
        match self {
            Self::Thresholds { score, least, .. }
            | Self::MissingNumbers { score, least }
            | Self::Levenshtein { score, least }
            | Self::Unmasked { score, least } => Some((*score, *least)),
            Self::Distinct(_) => None,
        }
    }
}

impl fmt::Display for HiddenBy {
    /// The value, the limit and the rule: `score 0.7059 (36 of 51) without masks, below 0.8
    /// (unmasked)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |score: &Score| {
            let Score { part, whole } = score;
            format!("{:.4} ({part} of {whole})", score.as_f64())
        };
        match self {
            Self::Thresholds {
                score,
                least,
                tokens,
            } => {
                let of = of(score);
                write!(f, "score {of}, below {least} for a text of {tokens} tokens")
            }
            Self::Distinct(kinds) => {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                write!(f, "{} differ", names.join(", "))
            }
            Self::MissingNumbers { score, least } => {
                let left = score.as_f64();
                write!(
                    f,
                    "score {left:.4} after what it loses for missing numbers, below {least}"
                )
            }
            Self::Levenshtein { score, least } => {
                write!(f, "Levenshtein ratio {}, below {least}", of(score))
            }
            Self::Unmasked { score, least } => {
                write!(f, "score {} without masks, below {least}", of(score))
            }
        }?;
        write!(f, " ({})", self.rule())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Comparer;

    fn said(settings: &[(&str, &str)], texts: (&str, &str)) -> Option<String> {
        let mut recipe = Recipe::named("messages").unwrap();
        recipe = recipe.with("threshold", "0.5").unwrap();
        for (field, value) in settings {
            recipe = recipe.with(field, value).unwrap();
        }
        let comparer = Comparer::new(&recipe).unwrap();
        let counts = comparer.counts(texts.0, texts.1);
        let found = Found {
            texts,
            score: recipe.measure.rules().of_texts(&counts),
            loss: None,
            tokens: 12,
        };
        let items = recipe.items().unwrap();
        hidden_by(&recipe, comparer.normaliser(), items.as_ref(), found)
            .unwrap()
            .map(|rule| rule.to_string())
    }

    #[test]
    fn the_first_rule_is_named_with_its_value_and_limit() {
        let texts = (
            "pay $5 at http://a.example/x now",
            "pay $7 at http://b.example/longer/path now",
        );
        let starts = |settings: &[(&str, &str)], start: &str, end: &str| {
            let said = said(settings, texts).unwrap();
            assert!(said.starts_with(start) && said.ends_with(end), "{said}");
        };
        assert_eq!(said(&[("unmasked", "\"show\"")], texts), None);
        let unmasked = ("unmasked", "0.95");
        starts(
            &[unmasked],
            "score 0.",
            " without masks, below 0.95 (unmasked)",
        );
        let levenshtein = ("levenshtein", "0.99");
        starts(
            &[unmasked, levenshtein],
            "Levenshtein ratio 0.",
            "), below 0.99 (levenshtein)",
        );
        let distinct = ("distinct", "[\"links\", \"amounts\", \"codes\"]");
        starts(
            &[unmasked, levenshtein, distinct],
            "links, amounts differ (distinct)",
            "",
        );
        let thresholds = ("thresholds", "\"0.99 up to 12\"");
        starts(
            &[unmasked, levenshtein, distinct, thresholds],
            "score 0.",
            "), below 0.99 for a text of 12 tokens (thresholds)",
        );
        let other = ("thresholds", "\"0.99 up to 11\"");
        starts(&[distinct, other], "links, amounts differ", "");
    }

    #[test]
    fn where_nothing_is_masked_the_recipe_has_decided() {
        let texts = ("pay now at the old desk", "pay now at the new desk");
        assert_eq!(said(&[("unmasked", "0.99")], texts), None);
    }
}
