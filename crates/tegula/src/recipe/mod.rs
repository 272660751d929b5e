//! Recipes: a method with all its parameters, as data.
//!
//! A recipe specifies its measure, unit, shingles, threshold and normalisation; the engine does the
//! rest. The built-in ones are TOML files in `recipes/`, with their parameters, paper and
//! guarantee; a user's file starts from one of these and overrides fields.

mod advice;
mod by_length;
mod card;
mod fields;
mod heed;
mod meaning;
mod onion;
mod select;
mod staged;
mod unmasked;
mod weights;

pub use crate::sketch::Keys;
pub use advice::{Advice, Profile};
pub use by_length::ByLength;
pub use card::{Card, Texts, cards};
pub use onion::{Onion, Short, Tokens as OnionTokens};
pub use select::Select;
pub use staged::{Action, Stage, Staged};
pub use unmasked::Unmasked;
pub use weights::{Frequent, Scale, Weights};

use crate::constraint::Constraints;
use crate::error::{Error, Result};
pub use crate::measure::Measure;
use crate::record::Level;
use crate::sketch::bands::Bands;
use crate::sketch::{Estimate, Features};
use crate::text::digest::Digest;
use crate::text::items::{Distinct, Items};
use crate::text::normalise::{Normalisation, Normaliser};
use crate::text::token::Boundaries;
use crate::threshold::Threshold;

/// What identifies a shingle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type", deny_unknown_fields)]
pub enum FingerprintKind {
    /// 64 bits and a 64-bit check of its tokens: scores are the true measure.
    #[default]
    Tokens,
    /// Rabin fingerprints of its characters reduced by a prime (Kupietz §2.5): upper bounds first,
    /// then validated on shingles.
    Rabin {
        /// The prime.
        modulus: u64,
    },
}

/// A method with all its parameters.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The name of the built-in recipe that this one is, or is based on.
    pub recipe: String,
    /// What is compared.
    pub unit: Level,
    /// What a score measures.
    pub measure: Measure,
    /// Tokens in a shingle.
    pub ngram: usize,
    /// The minimum score of a pair.
    pub threshold: Threshold,
    /// Higher thresholds for pairs with a short text.
    #[serde(default, skip_serializing_if = "ByLength::is_none")]
    pub thresholds: ByLength,
    /// Whether broken paragraphs and sentences are rejoined before they are compared: one without
    /// final punctuation is joined with the next, if that begins with a lower-case letter.
    #[serde(default)]
    pub mend: bool,
    /// Whether texts already in the same cluster are assumed similar without being compared
    /// (SimFinder, remark 2).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub transitive: bool,
    /// Keys, or shingles and terms where there are no keys, in more groups of equal units than this
    /// generate no candidates (KOALA, Heintze 1996; Broder's common shingles); 0 for no limit. They
    /// count in scores. A recipe without keys then finds all pairs that share a rarer one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub common: u32,
    /// The minimum number of keys that two texts share to be candidates ("at least m in common",
    /// Broder et al. 1997 and 2000); a text with fewer keys has only equal ones as copies. Keys that
    /// `common` excludes do not count.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub least_keys: u32,
    /// The random seed of keys.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seed: u32,
    /// A file of document frequencies, as `tegula stats` writes it; by default they are counted in
    /// the collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<String>,
    /// What identifies whole units.
    #[serde(default)]
    pub digest: Digest,
    /// How candidates are generated; without it an ordered join finds all pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Keys>,
    /// Which shingles are compared.
    #[serde(default, skip_serializing_if = "Select::is_all")]
    pub select: Select,
    /// The term weighting; set if and only if the measure compares terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// The Levenshtein ratio of the normalised texts that a pair must also reach; without it no
    /// edit distance is computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levenshtein: Option<Threshold>,
    /// The effect of the score without masks; none if there are no masks.
    #[serde(default, skip_serializing_if = "Unmasked::is_default")]
    pub unmasked: Unmasked,
    /// The kinds of items on which the texts of a pair must agree, whatever their score.
    #[serde(default, skip_serializing_if = "Distinct::is_none")]
    pub distinct: Distinct,
    /// What identifies shingles.
    #[serde(default)]
    pub fingerprint: FingerprintKind,
    /// How text becomes tokens.
    pub normalise: Normalisation,
    /// Parameters of Onion; present only for [`Measure::Known`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onion: Option<Onion>,
}

impl Recipe {
    /// The name of the recipe used when none is named.
    pub const DEFAULT: &'static str = "copies";

    /// A built-in recipe.
    ///
    /// # Errors
    /// If there is none with that name; the hint lists the recipes.
    pub fn named(name: &str) -> Result<Self> {
        Card::named(name).map(Card::recipe)
    }

    /// A recipe from TOML: `recipe = "NAME"` to start from, then the fields that differ.
    ///
    /// # Errors
    /// Usage errors naming the field.
    pub fn from_toml(text: &str) -> Result<Self> {
        Card::from_toml(text, "").map(|card| card.recipe())
    }

    /// The recipe that the table names, with the fields that differ.
    fn from_table_over_base(table: toml::Table) -> Result<Self> {
        let mut merged = Card::base(&table)?.recipe().table()?;
        merge(&mut merged, table);
        let recipe = Self::from_table(merged)?;
        recipe.check_heeded()?;
        Ok(recipe)
    }

    /// This recipe with one field set, as by `--set key=value`; `key` may be dotted, `value` is
    /// TOML or a bare word.
    ///
    /// # Errors
    /// Usage errors naming the field.
    pub fn with(&self, key: &str, value: &str) -> Result<Self> {
        let parsed: toml::Value = format!("v = {value}")
            .parse::<toml::Table>()
            .ok()
            .and_then(|mut table| table.remove("v"))
            .unwrap_or_else(|| toml::Value::String(value.to_owned()));
        let change = key.rsplit('.').fold(parsed, |inner, name| {
            let mut table = toml::Table::new();
            table.insert(name.to_owned(), inner);
            toml::Value::Table(table)
        });
        let toml::Value::Table(change) = change else {
            return Err(Error::usage(format!("expected key=value, found '{key}'")));
        };
        let mut merged = self.table()?;
        merge(&mut merged, change);
        Self::from_table(merged).map_err(|e| {
            let (message, advice) = e.marked();
            Error::usage(format!("⟨set⟩ {key}: {message}"))
                .hint(advice.unwrap_or("`tegula recipes NAME` prints a recipe's fields"))
        })
    }

    /// The recipe as TOML, as `tegula recipes NAME` prints it.
    ///
    /// # Errors
    /// None in practice; a recipe is always representable.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self).map_err(unwritable)
    }

    /// Checks rules that types cannot express, and creates the normaliser.
    ///
    /// # Errors
    /// Usage errors naming the field.
    pub fn check(&self) -> Result<Normaliser> {
        card::check_name(&self.recipe)?;
        if !(1..=64).contains(&self.ngram) {
            return Err(Error::usage(format!(
                "ngram: expected 1 to 64 tokens, found {}",
                self.ngram
            )));
        }
        if self.onion.is_some() != (self.measure == Measure::Known) {
            return Err(Error::usage(
                "onion: expected it only with measure = \"known\"",
            ));
        }
        if (self.unit == Level::Passage) != self.measure.is_of_passages() {
            return Err(Error::usage(format!(
                "unit: the recipe {} {}",
                self.recipe,
                if self.unit == Level::Passage {
                    "compares units with each other, and a passage is none before it is found"
                } else {
                    "finds passages, and no other unit"
                }
            ))
            .hint("the unit passage and the recipe passages belong together"));
        }
        self.check_keys()?;
        if self.digest != Digest::Tegula && self.measure != Measure::Equality {
            return Err(Error::usage(
                "digest: expected \"tegula\" for a recipe that compares shingles",
            )
            .hint("other digests identify whole units: use the recipe exact or plain"));
        }
        self.check_second()?;
        Normaliser::new(&self.normalise)
    }

    /// Checks the thresholds of rescoring.
    fn check_second(&self) -> Result<()> {
        let drops = match self.unmasked {
            _ if self.levenshtein.is_some() => "levenshtein",
            _ if !self.thresholds.is_none() => "thresholds",
            _ if !self.distinct.is_none() => "distinct",
            Unmasked::AtLeast(_) if !self.normalise.masks.is_none() => "unmasked",
            _ => return Ok(()),
        };
        if !self.measure.scores_pairs() {
            return Err(Error::usage(format!(
                "{drops}: expected it with a measure of near copies, found one without"
            ))
            .hint("it rescores pairs of near copies: use a recipe such as ssr or messages"));
        }
        if self.transitive {
            return Err(Error::usage(format!(
                "{drops}: expected no second threshold on pairs with transitive=true"
            ))
            .hint("skipped pairs would not be checked: set transitive=false"));
        }
        Ok(())
    }

    /// Whether a pair that reaches the threshold may be hidden by what its score does not consider.
    pub fn may_hide(&self) -> bool {
        self.measure.scores_pairs()
            && (self.levenshtein.is_some()
                || !self.thresholds.is_none()
                || !self.distinct.is_none()
                || (matches!(self.unmasked, Unmasked::AtLeast(_))
                    && !self.normalise.masks.is_none()))
    }

    /// The steps without masks, if texts are also compared without them: with masks and a measure
    /// of near copies. Then units with equal tokens that differ in masked parts are a pair, not one
    /// group.
    pub fn unmasked_steps(&self) -> Option<Normalisation> {
        let compared = self.measure.scores_pairs() && self.unmasked != Unmasked::Ignore;
        (compared && !self.normalise.masks.is_none()).then(|| self.normalise.unmasked())
    }

    /// The items in which texts must agree to be a pair, if there are any. Units with equal tokens
    /// that differ in these are not one group.
    ///
    /// # Errors
    /// None in practice.
    pub fn items(&self) -> Result<Option<Items>> {
        if self.distinct.is_none() || !self.measure.scores_pairs() {
            return Ok(None);
        }
        Items::new(&self.normalise, self.distinct.clone()).map(Some)
    }

    /// The minimum score of a pair whose shorter text has this many tokens.
    pub fn threshold_of(&self, tokens: u32) -> Threshold {
        self.thresholds
            .of(tokens, self.threshold)
            .unwrap_or(self.threshold)
    }

    /// Checks that keys, weights and selection fit the measure.
    fn check_keys(&self) -> Result<()> {
        let measure = self.measure;
        if let Some(keys) = &self.keys {
            keys.check(self.ngram)?;
            let facts = keys.kind().facts();
            if !(1..=1000).contains(&self.least_keys) {
                return Err(Error::usage(format!(
                    "least_keys: expected 1 to 1000, found {}",
                    self.least_keys
                )));
            }
            if measure == Measure::AgreementContainment && facts.follows_threshold {
                return Err(Error::usage(
                    "keys: expected bands that do not follow from the threshold, as a contained text may resemble the other little",
                )
                .hint("set keys.bands=112 and keys.rows=1: texts that agree in one slot are candidates"));
            }
            if self.least_keys > 1 && facts.follows_threshold {
                return Err(Error::usage(
                    "least_keys: expected 1, as the number of keys follows from the threshold so that one in common is enough",
                )
                .hint("set the parameters of the keys that are 0"));
            }
            let fits = match measure {
                Measure::Equality
                | Measure::Known
                | Measure::Passages
                | Measure::RarityContainment
                | Measure::RarityDice
                | Measure::RarityMean => false,
                Measure::Hamming => facts.estimate == Estimate::Bits,
                Measure::Agreement => matches!(facts.estimate, Estimate::Slots(_)),
                Measure::AgreementContainment => matches!(keys, Keys::MinWise(_)),
                _ => true,
            };
            if !fits {
                let bits = Keys::names(|facts| facts.estimate == Estimate::Bits, "");
                let slots = Keys::names(|facts| matches!(facts.estimate, Estimate::Slots(_)), "");
                return Err(Error::usage(
                    "keys: they generate no candidates that this measure could compare",
                )
                .hint(format!(
                    "\"hamming\" needs keys of type {bits}; \"agreement\" {slots}"
                )));
            }
            if facts.features == Features::Terms && !measure.needs_weights() {
                return Err(Error::usage(
                    "keys: terms are selected by weight, and this measure has no weights",
                )
                .hint("use them with measure = \"cosine\" or \"weighted-resemblance\""));
            }
        } else if measure.is_of_signatures() {
            return Err(Error::usage(
                "keys: expected those that make the signatures, found none",
            ));
        }
        let weighs = measure.needs_weights() || measure.needs_rarity();
        if self.weights.is_some() != weighs {
            return Err(Error::usage(if weighs {
                "weights: expected how this measure weighs, found nothing"
            } else {
                "weights: expected none, as this measure does not weigh"
            })
            .hint("those that do are \"cosine\", \"weighted-resemblance\" and \"rarity-mean\", \"-dice\" and \"-containment\""));
        }
        if let Some(weights) = &self.weights {
            weights.check()?;
            if weights.are_of_shingles() != measure.needs_rarity() {
                return Err(Error::usage(if measure.needs_rarity() {
                    "weights.type: expected \"rarity\", as this measure compares shingles"
                } else {
                    "weights.type: expected weights of terms, found \"rarity\", which is for shingles"
                }));
            }
            if measure == Measure::Cosine && matches!(weights, Weights::Classes { .. }) {
                return Err(Error::usage(
                    "weights: expected idf or equal under the cosine, found classes",
                ));
            }
            if !weights.are_of_shingles() && self.ngram != 1 {
                return Err(Error::usage(format!(
                    "ngram: expected 1, as the recipe compares single terms, found {}",
                    self.ngram
                )));
            }
        }
        if measure.needs_rarity() && self.fingerprint != FingerprintKind::Tokens {
            return Err(Error::usage(
                "fingerprint: expected tokens, as shingles are weighted by the hash of their tokens",
            ));
        }
        self.select.check()?;
        if !self.select.is_all()
            && !matches!(
                measure,
                Measure::Resemblance | Measure::ResemblanceContainment
            )
        {
            return Err(Error::usage(
                "select: expected \"all\", as this measure needs every shingle",
            )
            .hint("samples of shingles estimate only resemblance and its containment"));
        }
        if self.transitive
            && (self.keys.is_none() || measure.is_directed() || measure.is_of_signatures())
        {
            return Err(Error::usage(
                "transitive: expected it with keys and a symmetric measure of the texts",
            ));
        }
        Ok(())
    }

    /// Whether term weighting depends on word classes.
    pub fn weighs_by_class(&self) -> bool {
        matches!(self.weights, Some(Weights::Classes { .. }))
    }

    /// Whether document frequencies of terms are needed.
    pub fn needs_statistics(&self) -> bool {
        self.keys.is_some_and(|keys| keys.kind().facts().statistics)
            || self.weights.as_ref().is_some_and(Weights::needs_statistics)
    }

    /// The S-curve: the probability that a pair becomes a candidate, by its score. None if the
    /// score is not a resemblance of the shingles from which the keys are made.
    ///
    /// # Errors
    /// Usage errors if the numbers are incompatible; [`Recipe::check`] names the field.
    pub fn curve(&self) -> Result<Option<Bands>> {
        match self.keys {
            Some(keys) if self.measure == Measure::Resemblance && self.select.is_all() => {
                let bands = keys.kind().bands(self.threshold)?;
                Ok(bands.map(|bands| bands.sharing(self.least_keys)))
            }
            _ => Ok(None),
        }
    }

    /// Whether the keys depend on the threshold, so that another threshold generates other
    /// candidates.
    pub fn keys_follow_threshold(&self) -> bool {
        self.keys
            .is_some_and(|keys| keys.kind().facts().follows_threshold)
    }

    /// A note on counts at thresholds above the recipe's, if a run there would generate other
    /// candidates.
    pub fn note_on_levels(&self) -> Option<String> {
        self.keys_follow_threshold().then(|| {
            format!(
                "among the pairs found: the keys depend on the threshold {}, and a run at another generates other candidates",
                self.threshold
            )
        })
    }

    /// Whether the result at a threshold contains everything that a run at a higher one finds. Not
    /// so for transitive recipes, which skip pairs of one cluster.
    pub fn can_be_cut(&self) -> bool {
        !self.transitive && !self.keys_follow_threshold()
    }

    /// This recipe with the estimate from its signatures as the measure: the share of slots that
    /// agree, or of sampled shingles in common.
    ///
    /// # Errors
    /// If it has no keys that estimate its measure.
    pub fn estimated(&self) -> Result<Self> {
        let mut recipe = self.clone();
        match (
            self.keys.map(|keys| keys.kind().facts().estimate),
            self.measure,
        ) {
            (
                Some(Estimate::Sample { modulus }),
                Measure::Resemblance | Measure::ResemblanceContainment,
            ) => {
                recipe.select = Select::Modulo { modulus };
                recipe.keys = None;
            }
            (Some(Estimate::Slots(_)), Measure::Resemblance) => recipe.measure = Measure::Agreement,
            (Some(Estimate::Slots(_)), Measure::ResemblanceContainment)
                if matches!(self.keys, Some(Keys::MinWise(_))) =>
            {
                recipe.measure = Measure::AgreementContainment;
            }
            (_, Measure::Hamming | Measure::Agreement | Measure::AgreementContainment) => {}
            _ => {
                return Err(Error::usage(format!(
                    "estimate: the recipe {} has no signatures that estimate its measure",
                    self.recipe
                ))
                .hint("use it with sketch, sketch-mod or super-shingle"));
            }
        }
        recipe.check()?;
        Ok(recipe)
    }

    /// Whether it uses the tokens that a format marks, if there are any.
    pub fn counts_own_tokens(&self) -> bool {
        self.onion
            .is_some_and(|onion| onion.tokens == OnionTokens::Own)
    }

    /// Whether each character is a token.
    pub fn counts_characters(&self) -> bool {
        self.normalise.boundaries == Boundaries::Characters
    }

    /// Whether its scores are estimates by definition; results are labelled accordingly.
    pub fn is_estimate(&self) -> bool {
        self.measure.is_of_signatures() || !self.select.is_all()
    }

    /// Refuses constraints that no pair can meet, or that a recipe without pairs cannot apply.
    ///
    /// # Errors
    /// Usage errors naming the option.
    pub fn check_constraints(&self, constraints: &Constraints) -> Result<()> {
        constraints.check()?;
        let option = match constraints {
            _ if !self.measure.is_in_order() => return Ok(()),
            Constraints {
                across: Some(_), ..
            } => "⟨across⟩",
            Constraints {
                window: Some(_), ..
            } => "⟨window⟩",
            _ => return Ok(()),
        };
        Err(Error::usage(format!(
            "{option}: the recipe {} compares a text with all preceding text at once, not with one other",
            self.recipe
        ))
        .hint("use ⟨within⟩ or ⟨against⟩, or a recipe that compares pairs, such as sscr-containment"))
    }

    /// A hash of the recipe, to detect files of different recipes.
    ///
    /// # Errors
    /// None in practice; a recipe is always representable.
    pub fn hash(&self) -> Result<u64> {
        Ok(xxhash_rust::xxh3::xxh3_64(self.to_toml()?.as_bytes()))
    }

    fn table(&self) -> Result<toml::Table> {
        toml::Table::try_from(self).map_err(unwritable)
    }

    /// The recipe in a complete table; normalisation may be the name of a preset.
    fn from_table(mut table: toml::Table) -> Result<Self> {
        if let Some(toml::Value::String(preset)) = table.get("normalise") {
            let steps = toml::Table::try_from(Normalisation::preset(preset)?);
            table.insert("normalise".to_owned(), steps.map_err(unwritable)?.into());
        }
        let recipe: Self = table.try_into().map_err(|e: toml::de::Error| {
            Error::usage(e.to_string().trim_end().replace('\n', "; "))
        })?;
        recipe.check()?;
        Ok(recipe)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn unwritable(error: toml::ser::Error) -> Error {
    Error::usage(format!("the recipe cannot be written as TOML: {error}"))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

/// Merges `change` into `base`, table by table; a table with another `type` replaces the old one.
fn merge(base: &mut toml::Table, change: toml::Table) {
    for (key, value) in change {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => {
                if new.get("type").is_some_and(|t| Some(t) != old.get("type")) {
                    *old = new;
                } else {
                    merge(old, new);
                }
            }
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_survives_a_round_trip_through_toml() {
        for card in cards() {
            let recipe = card.recipe();
            assert_eq!(
                Recipe::from_toml(&recipe.to_toml().unwrap()).unwrap(),
                recipe,
                "{}",
                card.name
            );
        }
    }

    #[test]
    fn fields_can_be_set_and_wrong_ones_are_named() {
        let recipe = Recipe::named("ssr").unwrap();
        assert_eq!(recipe.with("ngram", "3").unwrap().ngram, 3);
        assert_eq!(
            recipe.with("threshold", "0.5").unwrap().threshold,
            "0.5".parse().unwrap()
        );
        let rabin = recipe
            .with("fingerprint", "{ type = 'rabin', modulus = 101 }")
            .unwrap();
        assert_eq!(rabin.fingerprint, FingerprintKind::Rabin { modulus: 101 });
        for (key, value) in [
            ("ngram", "0"),
            ("ngram", "x"),
            ("threshold", "2"),
            ("nrgam", "3"),
            ("unit", "page"),
            ("recipe", "nothing"),
        ] {
            let error = recipe.with(key, value).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Usage);
            assert!(error.message().contains(key), "{error}");
        }
        assert!(
            Recipe::from_toml("recipe = 'nothing'")
                .unwrap_err()
                .advice()
                .unwrap()
                .contains("sscr")
        );
        assert!(
            Recipe::from_toml("colour = 1")
                .unwrap_err()
                .message()
                .contains("colour")
        );
    }
}
