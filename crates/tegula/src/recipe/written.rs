//! Recipes in TOML: read, written, and with other fields.

use super::{Card, Recipe};
use crate::error::{Error, Result};
use crate::printable;
use crate::text::normalise::Normalisation;

impl Recipe {
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
    pub(super) fn from_table_over_base(table: toml::Table) -> Result<Self> {
        let mut merged = Card::base(&table)?.recipe().table()?;
        merge(&mut merged, table);
        let recipe = Self::from_table(merged)?;
        recipe.check_effects()?;
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

    /// A hash of the recipe, to detect files of different recipes.
    ///
    /// # Errors
    /// None in practice; a recipe is always representable.
    pub fn hash(&self) -> Result<u64> {
        Ok(xxhash_rust::xxh3::xxh3_64(self.to_toml()?.as_bytes()))
    }

    pub(super) fn table(&self) -> Result<toml::Table> {
        toml::Table::try_from(self).map_err(unwritable)
    }

    /// The recipe in a complete table; normalisation may be the name of a preset.
    pub(super) fn from_table(mut table: toml::Table) -> Result<Self> {
        if let Some(toml::Value::String(preset)) = table.get("normalise") {
            let steps = toml::Table::try_from(Normalisation::preset(preset)?);
            table.insert("normalise".to_owned(), steps.map_err(unwritable)?.into());
        }
        let recipe: Self = table
            .try_into()
            .map_err(|e: toml::de::Error| Error::usage(printable::joined(&e.to_string())))?;
        recipe.check()?;
        Ok(recipe)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
pub(super) fn unwritable(error: toml::ser::Error) -> Error {
    Error::usage(format!("the recipe cannot be written as TOML: {error}"))
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
    use crate::recipe::{FingerprintKind, cards};

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
