//! Recipes: a method with all its parameters, as data.
//!
//! A recipe specifies its measure, unit, shingles, threshold and normalisation; the engine does the
//! rest. The built-in ones are TOML files in `recipes/`, with their parameters, paper and
//! guarantee; a user's file starts from one of these and overrides fields.

mod advice;
mod by_length;
mod card;
mod check;
mod effect;
mod fields;
mod meaning;
mod missing_numbers;
mod onion;
mod select;
mod shape;
mod staged;
mod unmasked;
mod weights;
mod written;

pub use crate::lengths::Lengths;
pub use crate::sketch::Keys;
pub use crate::text::numbers::Missing;
pub use advice::{Advice, Profile};
pub use by_length::ByLength;
pub use card::{Card, Texts, cards, is_built_in, synonym};
pub use missing_numbers::MissingNumbers;
pub use onion::{Onion, Short, Tokens as OnionTokens};
pub use select::Select;
pub use staged::{Action, Stage, Staged};
pub use unmasked::Unmasked;
pub use weights::{Frequent, Scale, Weights};

use crate::error::{Error, Result};
pub use crate::measure::Measure;
use crate::rarity::ShingleWeights;
use crate::record::Level;
use crate::sketch::Estimate;
use crate::sketch::bands::Bands;
use crate::text::digest::Digest;
use crate::text::items::{Distinct, Items};
use crate::text::normalise::{Dense, Normalisation};
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
        #[serde(with = "large_number")]
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
    #[serde(
        default,
        skip_serializing_if = "ByLength::is_none",
        with = "crate::as_text"
    )]
    pub thresholds: ByLength,
    /// Which pairs are compared, by the lengths of their texts.
    #[serde(
        default,
        skip_serializing_if = "Lengths::are_all",
        with = "crate::as_text"
    )]
    pub lengths: Lengths,
    /// Whether broken paragraphs and sentences are rejoined before they are compared: one without
    /// final punctuation is joined with the next, if that begins with a lower-case letter.
    #[serde(default)]
    pub rejoin: bool,
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
    /// What a score loses for numbers that one text of a pair lacks.
    #[serde(
        default,
        skip_serializing_if = "MissingNumbers::is_none",
        with = "crate::as_text"
    )]
    pub missing_numbers: MissingNumbers,
    /// What identifies shingles.
    #[serde(default)]
    pub fingerprint: FingerprintKind,
    /// How text becomes tokens.
    pub normalise: Normalisation,
    /// Parameters of Onion; present only for [`Measure::PreviouslySeen`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onion: Option<Onion>,
}

impl Recipe {
    /// The name of the recipe used when none is named.
    pub const DEFAULT: &'static str = "copies";

    /// The recipe without all that hides pairs that reach its threshold: it finds these and more.
    #[must_use]
    pub fn that_hides_nothing(&self) -> Self {
        Self {
            thresholds: ByLength::default(),
            lengths: Lengths::default(),
            levenshtein: None,
            unmasked: Unmasked::Ignore,
            distinct: Distinct::default(),
            missing_numbers: MissingNumbers::default(),
            ..self.clone()
        }
    }

    /// Whether a pair that reaches the threshold may be hidden by what its score does not consider.
    pub fn may_hide(&self) -> bool {
        self.measure.scores_pairs() && self.hides_by().is_some()
    }

    /// The first field by which pairs that reach the threshold may be hidden.
    fn hides_by(&self) -> Option<&'static str> {
        match self.unmasked {
            _ if self.levenshtein.is_some() => Some("levenshtein"),
            _ if !self.thresholds.is_none() => Some("thresholds"),
            _ if !self.distinct.is_none() => Some("distinct"),
            _ if !self.missing_numbers.is_none() => Some("missing_numbers"),
            Unmasked::AtLeast(_) if !self.normalise.masks.is_none() => Some("unmasked"),
            _ => None,
        }
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

    /// Whether term weighting depends on word classes.
    pub fn weighs_by_class(&self) -> bool {
        matches!(self.weights, Some(Weights::Classes { .. }))
    }

    /// Whether the shingles of two texts alone determine their score.
    pub fn is_of_two_texts(&self) -> bool {
        let measure = self.measure;
        !measure.is_ratio() && !measure.needs_rarity() && !self.is_estimate()
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
                "among the pairs found: the keys depend on the threshold {}, and a run at another threshold generates other candidates",
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
                return Err(Error::of("estimate")
                    .problem(format!(
                        "the recipe {} has no signatures that estimate its measure",
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

    /// Whether balances count the tokens of a text with those that are dropped, as only whole texts
    /// are compared (Benko 2013 §2.2 counts the tokens of the corpus).
    pub fn counts_dropped_tokens(&self) -> bool {
        self.measure.is_equality() && self.normalise.drops_words()
    }

    /// The steps whose tokens balances count, if these are not those that are compared: without what
    /// drops tokens ([`Recipe::counts_dropped_tokens`]), and with each character once.
    pub(crate) fn balance_steps(&self) -> Option<Normalisation> {
        if self.counts_dropped_tokens() {
            return Some(Normalisation::default());
        }
        let is_twice = self.normalise.dense == Dense::Twice && self.counts_characters();
        is_twice.then(|| Normalisation {
            dense: Dense::Once,
            ..self.normalise.clone()
        })
    }

    /// The words that a part of a text needs to say more than many others do: those of a shingle, but
    /// no fewer than the default recipe has in one.
    pub fn shortest_text(&self) -> u32 {
        const LEAST: u32 = 5;
        u32::try_from(self.ngram).map_or(u32::MAX, |ngram| ngram.max(LEAST))
    }

    /// How its shingles weigh.
    pub(crate) fn shingle_weights(&self) -> ShingleWeights {
        (self.weights.as_ref()).map_or_else(ShingleWeights::default, Weights::shingle_weights)
    }

    /// Whether each character is a token.
    pub fn counts_characters(&self) -> bool {
        self.normalise.boundaries.are_characters()
    }

    /// Whether each character of a long text is a token, so that a long record takes more memory: a
    /// recipe for short documents cuts no long ones.
    pub fn counts_characters_of_long_texts(&self) -> bool {
        let is_of_short = matches!(self.lengths, Lengths::UpTo(_)) && self.unit == Level::Document;
        self.counts_characters() && !is_of_short
    }

    /// Whether its scores are estimates by definition; results are labelled accordingly.
    pub fn is_estimate(&self) -> bool {
        self.measure.is_of_signatures() || !self.select.is_all()
    }
}

/// Numbers beyond the integers of TOML, which are written as text.
mod large_number {
    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;
    use std::fmt;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    pub(super) fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(*number) {
            Ok(number) => to.serialize_i64(number),
            Err(_) => to.collect_str(number),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = u64;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
                Ok(number)
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<u64, E> {
                u64::try_from(number).map_err(E::custom)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
                text.parse().map_err(E::custom)
            }
        }
        from.deserialize_any(Number)
    }
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
