//! Recipes in TOML: read, written, and with other fields.

use super::{Card, Recipe, shape};
use crate::error::{Error, ErrorKind, Result};
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
        merge(&mut merged, table, |old, new| old != new);
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
        self.with_all([(key, value)])
    }

    /// This recipe with some fields set together, so that some of them may need others; of two
    /// values of one field the last counts.
    ///
    /// # Errors
    /// Usage errors naming the field.
    pub fn with_all<'a>(
        &self,
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self> {
        let (mut change, mut keys) = (toml::Table::new(), Vec::new());
        for (key, value) in settings {
            let toml::Value::Table(one) = nested(key, parsed(value)) else {
                return Err(ErrorKind::Usage
                    .expected("key=value")
                    .found(format!("'{key}'")));
            };
            // A type belongs to the parameters set before it, whatever the order.
            merge(&mut change, one, |old, new| old.is_some() && old != new);
            keys.push(key);
        }
        let mut merged = self.table()?;
        merge(&mut merged, change, |old, new| old != new);
        Self::from_table(merged).map_err(|error| in_settings(&keys, error))
    }

    /// The recipe as TOML, as `tegula recipes NAME` prints it.
    ///
    /// # Errors
    /// None in practice; a recipe is always representable.
    pub fn to_toml(&self) -> Result<String> {
        Ok(self.table()?.to_string())
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
            let named = Normalisation::preset(preset).map_err(|error| {
                Error::of("normalise")
                    .problem(format!("there is no preset '{preset}'"))
                    .hint(error.advice().unwrap_or_default())
            })?;
            let steps = toml::Table::try_from(named);
            table.insert("normalise".to_owned(), steps.map_err(unwritable)?.into());
        }
        let recipe: Self = match table.clone().try_into() {
            Ok(recipe) => recipe,
            Err(error) => {
                shape::check(&table)?;
                // All fields are as they should be by themselves.
                let error: toml::de::Error = error;
                return Err(ErrorKind::Usage.expected("a recipe").found(format!(
                    "fields that do not fit: {}",
                    printable::joined(error.message())
                )));
            }
        };
        recipe.check()?;
        Ok(recipe)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
pub(super) fn unwritable(error: toml::ser::Error) -> Error {
    Error::usage(format!("the recipe cannot be written as TOML: {error}"))
}

/// A value as TOML, or a bare word.
fn parsed(value: &str) -> toml::Value {
    format!("v = {value}")
        .parse::<toml::Table>()
        .ok()
        .and_then(|mut table| table.remove("v"))
        .unwrap_or_else(|| toml::Value::String(value.to_owned()))
}

/// The tables of a dotted key around its value.
fn nested(key: &str, value: toml::Value) -> toml::Value {
    key.rsplit('.').fold(value, |inner, name| {
        let mut table = toml::Table::new();
        table.insert(name.to_owned(), inner);
        toml::Value::Table(table)
    })
}

/// The error about the settings at fault: those of its field, or else all.
fn in_settings(keys: &[&str], error: Error) -> Error {
    let field = error.option().unwrap_or_default().to_owned();
    let top = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
    let is_part = |key: &&&str| key.rsplit('.').next() == Some(&field);
    let has_advice = error.advice().is_some();
    let error = error.about(|subject| {
        let subject = subject.unwrap_or_default();
        if keys.iter().any(|key| top(key) == top(&field)) {
            format!("⟨set⟩ {subject}")
        } else if let Some(key) = keys.iter().find(is_part) {
            format!("⟨set⟩ {key}")
        } else if subject.is_empty() {
            format!("⟨set⟩ {}", keys.join(", "))
        } else {
            format!("⟨set⟩ {}: {subject}", keys.join(", "))
        }
    });
    if has_advice {
        return error;
    }
    error.hint("`tegula recipes NAME` prints a recipe's fields")
}

/// Merges `change` into `base`, table by table; a table with a type replaces the old one if the two
/// types are `other`.
fn merge(
    base: &mut toml::Table,
    change: toml::Table,
    other: fn(Option<&toml::Value>, Option<&toml::Value>) -> bool,
) {
    for (key, value) in change {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => {
                if new.contains_key("type") && other(old.get("type"), new.get("type")) {
                    *old = new;
                } else {
                    merge(old, new, other);
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
