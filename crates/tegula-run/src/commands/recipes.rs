//! The recipes, as data.

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::options::{Named, Shown, card, stages};
use serde_json::{Value, json};
use tegula::error::{Error, Result};
use tegula::recipe::{Card, Recipe, Staged, cards};

tegula::options! {
    /// The recipes, or one of them.
    pub struct RecipesSpec under "" {
        /// Print this recipe, built-in or from a file, as TOML with every field explained: save it,
        /// edit it, and pass it to ⟨recipe⟩
        pub name: Option<String> => "NAME|FILE.toml",
    }
}

/// A recipe, or all of them.
pub struct Recipes {
    json: Value,
    /// One as TOML, with every field explained.
    pub toml: Option<String>,
}

impl Answer for Recipes {
    fn json(&self) -> Result<Value> {
        Ok(self.json.clone())
    }
}

impl Command for RecipesSpec {
    const NAME: &'static str = "recipes";
    const ABOUT: &'static str = "List the recipes, or print one as TOML";
    const EXAMPLES: &'static str = "Examples:
  tegula recipes
  tegula recipes copies > mine.toml    then edit it, and --recipe mine.toml
  tegula recipes mine.toml             print it resolved";
    const SHOWN: Shown = Shown::only(&["json", "markdown", "width"]);
    type Answer = Recipes;

    fn run(&self, host: &Host) -> Result<Recipes> {
        if let Some(name) = &self.name {
            return one(name, host.recipes());
        }
        let staged = Staged::built_in()?;
        let all = cards().map(describe);
        Ok(Recipes {
            json: all
                .chain(staged.iter().map(describe_staged))
                .collect::<Result<_>>()?,
            toml: None,
        })
    }
}

/// A built-in recipe, or one from a file.
fn one(name: &str, named: &Named) -> Result<Recipes> {
    if let Some((staged, toml)) = stages(name, named)? {
        return Ok(Recipes {
            json: describe_staged(&staged)?,
            toml: Some(toml),
        });
    }
    let file = card(name, named)?;
    let card = match &file {
        Some(card) => card,
        None => Card::named(name)?,
    };
    Ok(Recipes {
        json: describe(card)?,
        toml: Some(card.to_commented_toml()?),
    })
}

fn describe_staged(staged: &Staged) -> Result<Value> {
    let fields = serde_json::to_value(staged)
        .map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))?;
    Ok(
        json!({"name": staged.recipe, "title": staged.texts.title, "paper": staged.texts.paper, "fields": fields}),
    )
}

fn describe(card: &Card) -> Result<Value> {
    let recipe = serde_json::to_value(card.recipe())
        .map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))?;
    let texts = &card.texts;
    Ok(json!({
        "name": card.name,
        "title": texts.title,
        "paper": texts.paper,
        "guarantee": texts.guarantee,
        "cost": texts.cost,
        "good_for": texts.good_for,
        "not_for": texts.not_for,
        "default": card == Card::named(Recipe::DEFAULT)?,
        "fields": recipe,
    }))
}
