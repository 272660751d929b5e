//! The keys of single texts, as a run computes them: to store them in a table, and to look up other
//! texts there.

use super::reading::Buffers;
use super::sign::{Signer, Work};
use super::terms::Weigher;
use crate::error::{Error, Result};
use crate::recipe::{Keys, Recipe};
use crate::sketch::Written;
use crate::statistics::Statistics;
use crate::text::normalise::Normaliser;

/// What the keys of a recipe depend on besides the text.
pub struct KeyBasis<'a> {
    recipe: &'a Recipe,
    keys: &'a Keys,
    statistics: &'a Statistics,
    weigher: Option<Weigher<'a>>,
}

impl<'a> KeyBasis<'a> {
    /// For a recipe with keys; `statistics` may be empty if the recipe needs none.
    ///
    /// # Errors
    /// A usage error if the recipe has no keys.
    pub fn new(recipe: &'a Recipe, statistics: &'a Statistics) -> Result<Self> {
        let keys = recipe.keys.as_ref().ok_or_else(|| {
            Error::usage(format!("the recipe {} has no keys", recipe.recipe)).hint(
                "use one that has, such as i-match, sketch or simhash: tegula recipes lists them",
            )
        })?;
        let weigher = Weigher::new(recipe, statistics)?;
        Ok(Self {
            recipe,
            keys,
            statistics,
            weigher,
        })
    }
}

/// Computes the keys of texts.
pub struct TextKeys<'a> {
    normaliser: Normaliser,
    signer: Signer<'a>,
    written: Option<Written<'a>>,
    buffers: Buffers,
    work: Work,
}

impl<'a> TextKeys<'a> {
    /// With this basis.
    ///
    /// # Errors
    /// A usage error if parameters of the recipe are incompatible.
    pub fn new(basis: &'a KeyBasis<'a>) -> Result<Self> {
        let KeyBasis {
            recipe,
            keys,
            statistics,
            weigher,
        } = basis;
        let signer = Signer::new(recipe, keys, statistics, weigher.as_ref(), 0)?;
        Ok(Self {
            normaliser: recipe.check()?,
            written: signer.written(recipe, statistics)?,
            signer,
            buffers: Buffers::default(),
            work: Work::default(),
        })
    }

    /// The keys of a text, each with the number of its slot: in the form of the paper if it has one
    /// (the SHA-1 of I-Match, the 64 bits of simhash), else 128 bits as hexadecimal digits. None
    /// for a text without tokens, or with too few features.
    pub fn of(&mut self, text: &str) -> Vec<(usize, String)> {
        let tokens = self.buffers.read(&self.normaliser, text);
        if tokens == 0 {
            return Vec::new();
        }
        let (signer, work) = (&self.signer, &mut self.work);
        if let Some(written) = &self.written {
            return written(
                &signer
                    .unit(&self.normaliser, text, tokens, &self.buffers, work)
                    .0,
            );
        }
        signer.sign(&self.normaliser, text, tokens, &self.buffers, work);
        let keys = work.signature.keys.iter().enumerate();
        keys.map(|(slot, key)| (slot, format!("{:032x}", key.digest())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_equal_texts_are_equal_and_of_others_differ() {
        for (name, keys) in Keys::all() {
            let base = match name {
                "terms" | "grams" => "simfinder",
                "words" => "messages",
                _ => "sketch",
            };
            let mut recipe = Recipe::named(base).unwrap();
            recipe.keys = Some(keys);
            let statistics = Statistics::default();
            let Ok(basis) = KeyBasis::new(&recipe, &statistics) else {
                panic!("{name}");
            };
            let Ok(mut keys) = TextKeys::new(&basis) else {
                continue; // not with this recipe
            };
            let text = "the quick brown fox jumps over the lazy dog and runs away from it";
            let [one, two] = [text, text].map(|text| keys.of(text));
            assert_eq!(one, two, "{name}");
            assert!(keys.of("").is_empty(), "{name}");
        }
    }

    #[test]
    fn a_recipe_without_keys_is_refused() {
        let (recipe, none) = (Recipe::named("copies").unwrap(), Statistics::default());
        let error = KeyBasis::new(&recipe, &none).err().unwrap();
        assert!(error.message().contains("has no keys"));
    }
}
