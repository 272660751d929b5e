//! Rules for recipes that types cannot express.

use super::{FingerprintKind, Keys, Measure, Recipe, Weights, card};
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::record::Level;
use crate::sketch::{Estimate, Features};
use crate::text::digest::Digest;
use crate::text::normalise::Normaliser;

impl Recipe {
    /// Checks rules that types cannot express, and creates the normaliser.
    ///
    /// # Errors
    /// Usage errors naming the field.
    pub fn check(&self) -> Result<Normaliser> {
        card::check_name(&self.recipe)?;
        if !(1..=64).contains(&self.ngram) {
            return Err(Error::of("ngram")
                .expected("1 to 64 tokens")
                .found(self.ngram));
        }
        if self.onion.is_some() != (self.measure == Measure::PreviouslySeen) {
            return Err(Error::of("onion").expected("it only with measure = \"previously-seen\""));
        }
        if (self.unit == Level::Passage) != self.measure.is_of_passages() {
            return Err(Error::of("unit")
                .problem(format!("the recipe {} {}", self.recipe, if self.unit == Level::Passage {
                    "compares units with each other, and a passage is not a unit until it is found"
                } else {
                    "finds passages, and no other unit"
                }))
            .hint("the unit passage and the recipe passages belong together"));
        }
        if !self.lengths.are_all() && (self.unit != Level::Document || self.transitive) {
            return Err(Error::of("lengths").expected("documents as units, and transitive=false")
            .hint("leave it out: parts of documents, and clusters, are compared whatever their length"));
        }
        self.check_keys()?;
        if self.digest != Digest::Tegula && self.measure != Measure::Equality {
            return Err(Error::of("digest")
                .expected("\"tegula\" for a recipe that compares shingles")
                .hint("other digests identify whole units: use the recipe exact or plain"));
        }
        self.check_second()?;
        Normaliser::new(&self.normalise)
    }

    /// Checks the thresholds of rescoring.
    fn check_second(&self) -> Result<()> {
        let Some(drops) = self.hides_by() else {
            return Ok(());
        };
        if !self.measure.scores_pairs() {
            return Err(Error::of(drops)
                .expected("it with a measure of near copies")
                .found("one without")
                .hint("it rescores pairs of near copies: use a recipe such as ssr or messages"));
        }
        if self.transitive {
            return Err(Error::of(drops)
                .expected("no second threshold on pairs with transitive=true")
                .hint("skipped pairs would not be checked: set transitive=false"));
        }
        Ok(())
    }

    /// Checks that keys, weights and selection fit the measure.
    fn check_keys(&self) -> Result<()> {
        let measure = self.measure;
        if let Some(keys) = &self.keys {
            keys.check(self.ngram)?;
            let facts = keys.kind().facts();
            if !(1..=1000).contains(&self.least_keys) {
                return Err(Error::of("least_keys")
                    .expected("1 to 1000")
                    .found(self.least_keys));
            }
            if measure == Measure::AgreementContainment && facts.follows_threshold {
                return Err(Error::of("keys")
                    .expected("bands that do not follow from the threshold, as a contained text may have a low resemblance to the other")
                .hint("set keys.bands=112 and keys.rows=1: texts that agree in one slot are candidates"));
            }
            if self.least_keys > 1 && facts.follows_threshold {
                return Err(Error::of("least_keys")
                    .expected("1, as the number of keys follows from the threshold so that one in common is enough")
                .hint("set the parameters of the keys that are 0"));
            }
            let fits = match measure {
                Measure::Equality
                | Measure::PreviouslySeen
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
                return Err(Error::of("keys")
                    .problem("they generate no candidates that this measure could compare")
                    .hint(format!(
                        "\"hamming\" needs keys of type {bits}; \"agreement\" {slots}"
                    )));
            }
            if facts.features == Features::Terms && !measure.needs_weights() {
                return Err(Error::of("keys")
                    .problem("terms are selected by weight, and this measure has no weights")
                    .hint("use them with measure = \"cosine\" or \"weighted-resemblance\""));
            }
        } else if measure.is_of_signatures() {
            return Err(Error::of("keys")
                .expected("those that make the signatures")
                .found("none"));
        }
        let weighs = measure.needs_weights() || measure.needs_rarity();
        if self.weights.is_some() != weighs {
            return Err(Error::of("weights").problem(if weighs {
                "this measure needs a weighting; none is set"
            } else {
                "this measure uses no weighting, but one is set"
            })
            .hint("measures with weights are \"cosine\", \"weighted-resemblance\" and \"rarity-mean\", \"-dice\" and \"-containment\""));
        }
        if let Some(weights) = &self.weights {
            weights.check()?;
            if weights.are_of_shingles() != measure.needs_rarity() {
                let error = Error::of("weights.type");
                return Err(if measure.needs_rarity() {
                    error.expected("\"rarity\" or \"uncommon\", as this measure compares shingles")
                } else {
                    error
                        .expected("weights of terms")
                        .found("those of shingles")
                });
            }
            if measure == Measure::Cosine && matches!(weights, Weights::Classes { .. }) {
                return Err(Error::of("weights")
                    .expected("idf or equal under the cosine")
                    .found("classes"));
            }
            if !weights.are_of_shingles() && self.ngram != 1 {
                return Err(Error::of("ngram")
                    .expected("1, as the recipe compares single terms")
                    .found(self.ngram));
            }
        }
        if measure.needs_rarity() && self.fingerprint != FingerprintKind::Tokens {
            return Err(Error::of("fingerprint")
                .expected("tokens, as shingles are weighted by the hash of their tokens"));
        }
        self.select.check()?;
        if !self.select.is_all()
            && !matches!(
                measure,
                Measure::Resemblance | Measure::ResemblanceContainment
            )
        {
            return Err(Error::of("select")
                .expected("\"all\", as this measure needs every shingle")
                .hint("samples of shingles estimate only resemblance and its containment"));
        }
        if self.transitive
            && (self.keys.is_none() || measure.is_directed() || measure.is_of_signatures())
        {
            return Err(Error::of("transitive")
                .expected("it with keys and a symmetric measure of the texts"));
        }
        Ok(())
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
        Err(Error::of(option)
            .problem(format!("the recipe {} compares a text with all preceding text at once, not with one other", self.recipe))
        .hint("use ⟨within⟩ or ⟨against⟩, or a recipe that compares pairs, such as sscr-containment"))
    }
}
