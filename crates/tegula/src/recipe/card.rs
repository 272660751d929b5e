//! What a recipe says of itself.

use super::{FingerprintKind, Keys, Measure, Onion, Recipe, Select, Unmasked, Weights};
use crate::record::Level;
use crate::text::digest::Digest;
use crate::text::normalise::Normalisation;
use crate::threshold::Threshold;

/// A built-in recipe: its defaults and what people should know of it.
#[derive(Debug, Clone)]
pub struct Card {
    /// Its name.
    pub name: &'static str,
    /// In one line, what it finds.
    pub title: &'static str,
    /// Where it is from: paper and section.
    pub paper: &'static str,
    /// What is sure about its results.
    pub guarantee: &'static str,
    /// What it costs.
    pub cost: &'static str,
    /// What it is good for.
    pub good_for: &'static str,
    /// What it is not good for.
    pub not_for: &'static str,
    pub(super) measure: Measure,
    pub(super) ngram: usize,
    /// Numerator and denominator.
    pub(super) threshold: (u32, u32),
    /// The preset of normalisation steps.
    pub(super) normalise: &'static str,
    /// What nominates pairs.
    pub(super) keys: Option<Keys>,
    /// How terms are weighed.
    pub(super) weights: Option<Weights>,
}

impl Card {
    /// The recipe with its defaults.
    pub fn recipe(&self) -> Recipe {
        let (numerator, denominator) = self.threshold;
        let normalise = Normalisation::preset(self.normalise).unwrap_or_default();
        Recipe {
            recipe: self.name.to_owned(),
            unit: Level::Document,
            measure: self.measure,
            ngram: self.ngram,
            threshold: Threshold::new(numerator, denominator)
                .unwrap_or_else(|_| unreachable!("a card's threshold is a proper fraction")),
            mend: false,
            transitive: false,
            common: 0,
            seed: 0,
            statistics: None,
            digest: Digest::default(),
            keys: self.keys,
            select: Select::All,
            weights: self.weights.clone(),
            fingerprint: FingerprintKind::Tokens,
            onion: (self.measure == Measure::Known).then(Onion::default),
            levenshtein: None,
            // What weighs terms may be transitive, and then drops no pair by another measure.
            unmasked: if self.measure.needs_weights() { Unmasked::Show } else { Unmasked::for_steps(&normalise) },
            normalise,
        }
    }
}
