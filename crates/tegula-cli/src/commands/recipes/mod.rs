//! `tegula recipes`: lists the methods, or prints one as a file to start from.

mod markdown;

use crate::commands::{Asked, Show};
use crate::form;
use crate::{output, terminal};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula::recipe::{Recipe, Staged, cards};
use tegula_run::commands::recipes::RecipesSpec;

impl Show for RecipesSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        if asked.shown.markdown {
            if asked.spec.name.is_some() || asked.shown.json {
                return Err(Error::of("⟨markdown⟩")
                    .expected("neither a recipe nor ⟨json⟩, as the page is on all recipes")
                    .found("both"));
            }
            output::show(&markdown::page()?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let found = asked.run()?;
        match found.toml {
            _ if asked.shown.json => form::json(&found)?,
            // TOML has the escapes of JSON.
            Some(toml) => output::json(&toml)?,
            None => output::show(&list(asked.width())?)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(width: usize) -> Result<String> {
    let mut table = terminal::table(&[], width);
    for (place, card) in cards().enumerate() {
        if place > 0 {
            table.add_row([""]);
        }
        table.add_row([&card.name, &card.texts.title]);
        if card.name == Recipe::DEFAULT {
            table.add_row(["  (default)", ""]);
        }
        let recipe = card.recipe();
        for (label, text) in [
            ("removed", recipe.removal()),
            ("threshold", recipe.levels()),
        ] {
            if let Some(text) = text {
                table.add_row([format!("  {label}"), text]);
            }
        }
        for (label, text) in card.texts.labelled() {
            table.add_row([format!("  {label}"), text.to_owned()]);
        }
    }
    for staged in Staged::built_in()? {
        let stages: Vec<String> = staged
            .stages
            .iter()
            .map(|stage| tegula_run::describe::recipe(&stage.recipe))
            .collect();
        let stages = stages.join("; then ");
        table.add_row([""]);
        table.add_row([&staged.recipe, &staged.texts.title]);
        let [from, rest @ ..] = staged.texts.labelled();
        for (label, text) in [from, ("stages", &stages)]
            .into_iter()
            .chain(rest)
            .filter(|(_, text)| !text.is_empty())
        {
            table.add_row([format!("  {label}"), text.to_owned()]);
        }
    }
    Ok(terminal::show(&table)
        + "\n`tegula recipes NAME` prints a recipe with all its fields; docs/methods.md compares them all.\n")
}
