//! Recipes of several stages, each of which reads the units kept by the previous one.

use super::card::{self, BUILT_IN};
use super::{Recipe, Texts};
use crate::error::{Error, Result};
use crate::record::Level;

/// The action on duplicates that a stage finds. In either case the next stage does not see them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// They are removed from the output.
    Remove,
    /// They are kept in the output, and marked.
    Mark,
}

impl Action {
    /// The action as a participle: `removed` or `marked`.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Remove => "removed",
            Self::Mark => "marked",
        }
    }
}

/// A stage: a recipe and an action.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stage {
    /// Its unique name.
    pub name: String,
    /// The action on duplicates.
    pub action: Action,
    /// The method.
    #[serde(flatten)]
    pub recipe: Recipe,
}

/// A recipe of one or more stages.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Staged {
    /// Its name.
    pub recipe: String,
    /// Its description.
    #[serde(flatten)]
    pub texts: Texts,
    /// The stages, in order.
    #[serde(rename = "stage")]
    pub stages: Vec<Stage>,
}

impl Staged {
    /// The built-in recipes of several stages.
    ///
    /// # Errors
    /// None in practice: a test reads them all.
    pub fn built_in() -> Result<Vec<Self>> {
        staged_files()
            .map(|(name, toml)| Self::from_toml(toml, name))
            .collect()
    }

    /// The TOML of a built-in recipe of several stages, with its comments.
    pub fn named(name: &str) -> Option<&'static str> {
        staged_files()
            .find(|(known, _)| *known == name)
            .map(|(_, toml)| *toml)
    }

    /// One stage.
    pub fn single(recipe: Recipe, action: Action) -> Self {
        let name = recipe.recipe.clone();
        let stage = Stage {
            name: name.clone(),
            action,
            recipe,
        };
        Self {
            recipe: name,
            texts: Texts::default(),
            stages: vec![stage],
        }
    }

    /// Whether a recipe in TOML has stages.
    pub fn is_in(text: &str) -> bool {
        text.parse::<toml::Table>()
            .is_ok_and(|table| table.contains_key("stage"))
    }

    /// A recipe of several stages from TOML; `name` is its name if the file has none.
    ///
    /// # Errors
    /// Usage errors naming the stage and the field.
    pub fn from_toml(text: &str, name: &str) -> Result<Self> {
        let mut table = card::parse(text)?;
        let recipe = card::take_string(&mut table, "recipe")?.unwrap_or_else(|| name.to_owned());
        let texts = Texts::default().replaced_by(&mut table)?;
        let Some(toml::Value::Array(tables)) = table.remove("stage") else {
            return Err(Error::of("stage").expected("tables, as in [[stage]]"));
        };
        if let Some(key) = table.keys().next() {
            return Err(Error::of(key).problem("a recipe of several stages has no such field")
                .hint("its fields are recipe, title, paper, guarantee, cost, good_for, not_for and [[stage]]; other fields belong in a stage"));
        }
        let stages = (1..)
            .zip(tables)
            .map(|(number, table)| stage(number, table))
            .collect::<Result<_>>()?;
        let staged = Self {
            recipe,
            texts,
            stages,
        };
        staged.check()?;
        Ok(staged)
    }

    /// This recipe with a field of a stage set, as by `--set STAGE.KEY=VALUE`.
    ///
    /// # Errors
    /// Usage errors naming the stage or the field.
    pub fn with(self, key: &str, value: &str) -> Result<Self> {
        self.with_all([(key, value)])
    }

    /// This recipe with some fields of stages set together, as in [`Recipe::with_all`].
    ///
    /// # Errors
    /// Usage errors naming the stage or the field.
    pub fn with_all<'a>(
        mut self,
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self> {
        let mut of_stage: Vec<Vec<(&str, &str)>> = vec![Vec::new(); self.stages.len()];
        for (key, value) in settings {
            let (at, field) = self.stage_of(key)?;
            if field == "action" {
                self.stages[at].action = match value {
                    "remove" => Action::Remove,
                    "mark" => Action::Mark,
                    _ => {
                        return Err(Error::of(format!("⟨set⟩ {key}"))
                            .expected("remove or mark")
                            .found(format!("'{value}'")));
                    }
                };
            } else {
                of_stage[at].push((field, value));
            }
        }
        for (stage, settings) in self.stages.iter_mut().zip(of_stage) {
            if !settings.is_empty() {
                stage.recipe = stage.recipe.with_all(settings).map_err(|error| {
                    error.about(|subject| {
                        let field = subject.unwrap_or_default().trim_start_matches("⟨set⟩ ");
                        format!("⟨set⟩ {}.{field}", stage.name)
                    })
                })?;
            }
        }
        self.check()?;
        Ok(self)
    }

    /// The stage that a key names, and the field in it.
    fn stage_of<'a>(&self, key: &'a str) -> Result<(usize, &'a str)> {
        let names: Vec<&str> = self
            .stages
            .iter()
            .map(|stage| stage.name.as_str())
            .collect();
        let found = key.split_once('.').and_then(|(name, field)| {
            let at = names.iter().position(|known| *known == name)?;
            Some((at, field))
        });
        found.ok_or_else(|| {
            Error::of(format!("⟨set⟩ {key}"))
                .expected(format!(
                    "a stage before the field, as in {}.threshold",
                    names.join("|")
                ))
                .hint(format!(
                    "the stages of {} are {}",
                    self.recipe,
                    names.join(", ")
                ))
        })
    }

    /// A hash, equal for equal recipes. For a single stage it is that of its recipe.
    ///
    /// # Errors
    /// None in practice; a recipe is always representable.
    pub fn hash(&self) -> Result<u64> {
        if let [stage] = &self.stages[..] {
            return stage.recipe.hash();
        }
        // Title and paper have always been part of the hash; the rest of the description is not.
        let Texts { title, paper, .. } = self.texts.clone();
        let hashed = Self {
            texts: Texts {
                title,
                paper,
                ..Texts::default()
            },
            ..self.clone()
        };
        Ok(xxhash_rust::xxh3::xxh3_64(hashed.to_toml()?.as_bytes()))
    }

    /// The recipe as TOML, all fields resolved.
    ///
    /// # Errors
    /// None in practice; a recipe is always representable.
    pub fn to_toml(&self) -> Result<String> {
        let table = toml::Table::try_from(self).map_err(super::written::unwritable)?;
        Ok(table.to_string())
    }

    fn check(&self) -> Result<()> {
        if self.stages.is_empty() {
            return Err(Error::of("stage").expected("at least one").found("none"));
        }
        for (at, stage) in self.stages.iter().enumerate() {
            if self.stages[..at]
                .iter()
                .any(|other| other.name == stage.name)
            {
                return Err(Error::of(format!("stage {}", at + 1))
                    .expected("a unique name")
                    .found(format!("'{}' again", stage.name)));
            }
            let larger = |level: Level| stage.recipe.unit < level;
            if let Some(other) = self.stages[..at]
                .iter()
                .find(|other| larger(other.recipe.unit))
            {
                return Err(Error::of(format!("stage {}", stage.name))
                    .problem(format!("its units are larger than those of {}", other.name))
                    .hint(
                        "removed units would be part of them: put the stages of larger units first",
                    ));
            }
        }
        Ok(())
    }
}

/// The built-in recipes of several stages: name and TOML.
fn staged_files() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    BUILT_IN.iter().filter(|(_, toml)| card::has_stages(toml))
}

/// A stage from its table.
fn stage(number: usize, value: toml::Value) -> Result<Stage> {
    let toml::Value::Table(mut table) = value else {
        return Err(Error::of(format!("stage {number}"))
            .expected("a table")
            .found(value.type_str()));
    };
    let name = match table.remove("name") {
        Some(toml::Value::String(name)) if is_name(&name) => name,
        Some(other) => {
            return Err(Error::of(format!("stage {number}: name"))
                .expected("letters, digits and hyphens")
                .found(other));
        }
        None => format!("stage-{number}"),
    };
    let action = match table.remove("action") {
        None => Action::Remove,
        Some(toml::Value::String(action)) if action == "remove" => Action::Remove,
        Some(toml::Value::String(action)) if action == "mark" => Action::Mark,
        Some(other) => {
            return Err(Error::of(format!("stage {name}: action"))
                .expected("\"remove\" or \"mark\"")
                .found(other));
        }
    };
    let recipe = Recipe::from_table_over_base(table).map_err(|error| {
        error.about(|subject| match subject {
            Some(subject) => format!("stage {name}: {subject}"),
            None => format!("stage {name}"),
        })
    })?;
    Ok(Stage {
        name,
        action,
        recipe,
    })
}

/// Whether a text is a valid name of a stage and a folder.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn benko() -> Staged {
        Staged::from_toml(Staged::named("benko").unwrap(), "benko").unwrap()
    }

    #[test]
    fn the_built_in_ones_can_be_read_and_written() {
        for staged in Staged::built_in().unwrap() {
            assert_eq!(
                Staged::from_toml(&staged.to_toml().unwrap(), "x").unwrap(),
                staged
            );
            assert!(Staged::is_in(Staged::named(&staged.recipe).unwrap()));
            assert!(Recipe::named(&staged.recipe).is_err());
        }
        let benko = benko();
        let units: Vec<Level> = benko.stages.iter().map(|stage| stage.recipe.unit).collect();
        assert_eq!(units, [Level::Document, Level::Paragraph, Level::Sentence]);
        assert_eq!(benko.stages[0].recipe.threshold, "0.95".parse().unwrap());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, wrong) in [
            ("stage = 3", "stage"),
            ("stage = []", "at least one"),
            ("ngram = 3\n[[stage]]", "ngram"),
            ("[[stage]]\nname = 'a'\n[[stage]]\nname = 'a'", "'a' again"),
            ("[[stage]]\nname = '../a'", "name"),
            ("[[stage]]\naction = 'eat'", "stage stage-1: action"),
            ("[[stage]]\nname = 'a'\nngram = 0", "stage a: ngram"),
            (
                "[[stage]]\nunit = 'sentence'\n[[stage]]\nname = 'b'\nunit = 'paragraph'",
                "stage b: its units are larger",
            ),
        ] {
            let error = Staged::from_toml(text, "x").unwrap_err();
            assert!(error.message().contains(wrong), "{text}: {error}");
        }
    }

    #[test]
    fn fields_of_stages_can_be_set() {
        assert_eq!(
            benko().with("documents.ngram", "5").unwrap().stages[0]
                .recipe
                .ngram,
            5
        );
        assert_eq!(
            benko().with("sentences.action", "remove").unwrap().stages[2].action,
            Action::Remove
        );
        for key in ["ngram", "pages.ngram", "documents.nrgam"] {
            assert!(
                benko()
                    .with(key, "5")
                    .unwrap_err()
                    .message()
                    .contains(key.rsplit('.').next().unwrap())
            );
        }
        assert!(benko().with("documents.unit", "sentence").is_err());
    }
}
