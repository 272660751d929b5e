//! Which fields have an effect in a recipe; one without effect is refused, with the reason.

use super::{FingerprintKind, Measure, Recipe};
use crate::error::{Error, Result};
use crate::record::Level;
use crate::sketch::Features;

/// The fields that some recipes ignore.
const PARTIAL: [&str; 17] = [
    "ngram",
    "threshold",
    "thresholds",
    "lengths",
    "rejoin",
    "transitive",
    "common",
    "least_keys",
    "seed",
    "statistics",
    "digest",
    "select",
    "levenshtein",
    "unmasked",
    "distinct",
    "missing_numbers",
    "fingerprint",
];

impl Recipe {
    /// Why a field has no effect in this recipe; none if it may have one. Fields inside a table
    /// count as the table.
    pub fn no_effect_reason(&self, field: &str) -> Option<&'static str> {
        let measure = self.measure;
        let whole = "equal texts are compared as a whole, and score 1";
        let unseen = "texts are compared with all preceding text at once, not in pairs";
        let shingled = measure.needs_shingles();
        if field == "normalise.dense" && !self.normalise.boundaries.are_characters() {
            return Some("its tokens are not characters");
        }
        match field.split('.').next().unwrap_or_default() {
            "ngram" | "threshold" | "thresholds" | "lengths" | "levenshtein" | "unmasked"
            | "distinct" | "missing_numbers" | "fingerprint"
                if measure == Measure::Equality =>
            {
                Some(whole)
            }
            "ngram" if measure == Measure::Agreement && !self.keys_are_of(Features::Shingles) => {
                Some("digests are computed for single terms")
            }
            "rejoin" if self.unit == Level::Line => Some(
                "lines are compared as they stand, and only paragraphs and sentences are rejoined",
            ),
            "rejoin" if matches!(self.unit, Level::Document | Level::Passage) => {
                Some("whole documents are compared, and only parts of them can be broken")
            }
            "transitive" if self.keys.is_none() => Some("it has no keys, so it skips no pairs"),
            "common" if measure == Measure::Equality => Some(whole),
            "common" if measure.is_in_order() || measure.is_of_passages() => Some(unseen),
            "common" if measure.needs_rarity() => Some(
                "shingles in many texts weigh little already, and weights of type \"uncommon\" leave them out",
            ),
            "least_keys" if self.keys.is_none() => Some("it has no keys"),
            "seed" if !self.is_random() => Some("nothing in it is random"),
            "statistics" if measure.needs_rarity() => None,
            "statistics" if !self.needs_statistics() => Some("it has no term weighting"),
            "digest" if measure != Measure::Equality => {
                Some("parts of texts are compared, not whole texts by their digest")
            }
            "select"
                if !matches!(
                    measure,
                    Measure::Resemblance | Measure::ResemblanceContainment
                ) =>
            {
                Some("its measure needs every shingle, or none")
            }
            "select" if self.fingerprint != FingerprintKind::Tokens => {
                Some("Rabin fingerprints are computed for every shingle")
            }
            "thresholds" | "lengths" | "distinct" if measure.is_of_passages() => Some(unseen),
            "thresholds" | "lengths" | "levenshtein" | "unmasked" | "distinct"
                if measure.is_in_order() =>
            {
                Some(unseen)
            }
            "missing_numbers" if !measure.needs_rarity() => {
                Some("only a score of weights can be lowered: use revisions")
            }
            "threshold" if measure.is_of_passages() => Some("passages are equal, token by token"),
            "unmasked" if self.normalise.masks.is_none() => Some("nothing is masked"),
            "fingerprint" if measure.is_in_order() => Some("n-grams have their own fingerprints"),
            "fingerprint" if measure.needs_rarity() => {
                Some("the texts that have a shingle are counted by the hash of its tokens")
            }
            "fingerprint" if !shingled => Some("it compares terms or signatures, not shingles"),
            "fingerprint" if self.keys.is_some() => {
                Some("its keys are based on hashes; only a complete join validates others")
            }
            _ => None,
        }
    }

    /// Whether it makes random choices.
    fn is_random(&self) -> bool {
        // A transitive recipe samples skipped pairs at random, to check them.
        self.transitive || self.keys.is_some_and(|keys| keys.kind().facts().seed)
    }

    /// Whether keys are made from these features.
    pub fn keys_are_of(&self, features: Features) -> bool {
        self.keys
            .is_some_and(|keys| keys.kind().facts().features == features)
    }

    /// Refuses a field without effect.
    ///
    /// # Errors
    /// Names the field and the reason.
    pub fn check_effect(&self, field: &str) -> Result<()> {
        let Some(reason) = self.no_effect_reason(field) else {
            return Ok(());
        };
        Err(Error::of(field)
            .problem(format!(
                "it has no effect in the recipe {}: {reason}",
                self.recipe
            ))
            .hint("leave it out, or choose another recipe: tegula recipes lists them"))
    }

    /// Refuses fields without effect that differ from those of the base recipe. Not part of
    /// [`Recipe::check`]: when a run derives a recipe from another, fields may lose their effect.
    ///
    /// # Errors
    /// Names the field and the reason.
    pub fn check_effects(&self) -> Result<()> {
        let base = Self::named(&self.recipe)?.table()?;
        let own = self.table()?;
        PARTIAL
            .iter()
            .filter(|field| base.get(**field) != own.get(**field))
            .try_for_each(|field| self.check_effect(field))
    }

    /// The fields without effect in this recipe, with the reasons.
    pub(super) fn without_effect(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        PARTIAL
            .iter()
            .filter_map(|field| Some((*field, self.no_effect_reason(field)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::cards;
    use super::*;

    /// Recipes of every measure, with every kind of key that a built-in one has.
    const RECIPES: &str = "copies sscr ssr sscr-containment ssr-containment messages exact plain onion cosine sketch sketch-mod \
                           super-shingle simhash i-match simfinder revisions";

    /// For each field a value that no recipe has by default, and the recipes in which it has an
    /// effect.
    const TABLE: [(&str, &str, &str); 16] = [
        (
            "ngram",
            "4",
            "copies sscr ssr sscr-containment ssr-containment messages onion sketch sketch-mod super-shingle simhash revisions",
        ),
        (
            "threshold",
            "0.77",
            "copies sscr ssr sscr-containment ssr-containment messages onion cosine sketch sketch-mod super-shingle simhash i-match simfinder revisions",
        ),
        ("rejoin", "true", ""),
        (
            "transitive",
            "true",
            "sketch sketch-mod super-shingle simfinder",
        ),
        (
            "common",
            "50",
            "copies sscr ssr sscr-containment ssr-containment messages cosine sketch sketch-mod super-shingle simhash i-match simfinder",
        ),
        (
            "least_keys",
            "2",
            "sketch-mod super-shingle simhash i-match",
        ),
        ("seed", "7", "sketch super-shingle i-match"),
        ("statistics", "df.tsv", "cosine i-match simfinder revisions"),
        ("digest", "md5", "exact plain"),
        (
            "select",
            "{ type = 'every', nth = 3 }",
            "copies ssr ssr-containment messages sketch sketch-mod super-shingle",
        ),
        (
            "levenshtein",
            "0.9",
            "copies sscr ssr sscr-containment ssr-containment messages cosine sketch sketch-mod super-shingle simhash i-match simfinder revisions",
        ),
        ("unmasked", "0.7", "messages simfinder"),
        (
            "thresholds",
            "0.9 up to 20",
            "copies sscr ssr sscr-containment ssr-containment messages cosine sketch sketch-mod super-shingle simhash i-match simfinder revisions",
        ),
        (
            "lengths",
            "up to 90 bytes",
            "copies sscr ssr sscr-containment ssr-containment messages cosine sketch sketch-mod super-shingle simhash i-match simfinder revisions",
        ),
        (
            "distinct",
            "all",
            "copies sscr ssr sscr-containment ssr-containment messages cosine sketch sketch-mod super-shingle simhash i-match simfinder revisions",
        ),
        ("missing_numbers", "0.5 for all of first 7", "revisions"),
    ];

    /// The result of a recipe file with this field.
    fn set(name: &str, field: &str, value: &str) -> Result<Recipe> {
        let value = if value.starts_with('{') || value.parse::<u32>().is_ok() || value == "true" {
            value.into()
        } else {
            format!("'{value}'")
        };
        let recipe = Recipe::from_toml(&format!("recipe = '{name}'\n{field} = {value}"))?;
        recipe.check_effect(field)?;
        Ok(recipe)
    }

    #[test]
    fn every_field_has_an_effect_or_is_refused_in_every_recipe() {
        for (field, value, with_effect) in TABLE {
            let with_effect: Vec<&str> = with_effect.split_whitespace().collect();
            for name in RECIPES.split_whitespace() {
                let set = set(name, field, value);
                assert_eq!(
                    set.is_ok(),
                    with_effect.contains(&name),
                    "{field} of {name}: {:?}",
                    set.as_ref().err()
                );
                assert!(
                    set.err()
                        .is_none_or(|error| error.message().contains(field))
                );
            }
        }
        for card in cards() {
            if card.recipe().measure.is_of_passages() {
                continue;
            }
            let paragraphs = card
                .recipe()
                .with("unit", "paragraph")
                .and_then(|recipe| recipe.with("rejoin", "true"));
            assert!(paragraphs.unwrap().check_effects().is_ok(), "{}", card.name);
            assert!(card.recipe().check_effects().is_ok(), "{}", card.name);
        }
    }

    #[test]
    fn rabin_fingerprints_need_a_complete_join_over_all_shingles() {
        let rabin = "{ type = 'rabin', modulus = 101 }";
        let with_effect = [
            "copies",
            "sscr",
            "ssr",
            "sscr-containment",
            "ssr-containment",
            "messages",
        ];
        for name in RECIPES.split_whitespace() {
            let set = set(name, "fingerprint", rabin);
            assert_eq!(
                set.is_ok(),
                with_effect.contains(&name),
                "{name}: {:?}",
                set.err()
            );
        }
        let rabin = Recipe::named("ssr")
            .unwrap()
            .with("fingerprint", rabin)
            .unwrap();
        let both = rabin.with("select", "{ type = 'every', nth = 3 }").unwrap();
        assert!(
            both.check_effects()
                .unwrap_err()
                .message()
                .contains("Rabin")
        );
    }

    #[test]
    fn what_a_named_recipe_has_is_no_choice_of_the_user() {
        // The threshold without masks comes from the recipe; if there are no masks, it has no
        // effect and is not an error.
        let bare = Recipe::named("messages")
            .unwrap()
            .with("normalise.masks", "none")
            .unwrap();
        assert!(bare.check_effects().is_ok());
        assert!(
            bare.with("unmasked", "0.9")
                .unwrap()
                .check_effects()
                .is_err()
        );
    }
}
