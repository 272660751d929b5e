//! `tegula recipes`: what methods there are, and one of them as a file to start from.

mod markdown;

use crate::{output, terminal};
use clap::Args;
use serde_json::{Value, json};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula::recipe::{Card, Recipe, Staged, cards};

/// Arguments of `tegula recipes`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula recipes\n  tegula recipes copies > mine.toml    then edit it, and --recipe mine.toml"
)]
pub(crate) struct RecipesArgs {
    /// Print this recipe as TOML, every field explained: to be saved, edited, and given to --recipe
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Print a page on all methods in Markdown: docs/methods.md
    #[arg(long, conflicts_with_all = ["name", "json", "width"])]
    markdown: bool,

    /// Columns of the table [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// Lists the recipes, or prints one.
///
/// # Errors
/// Where there is no recipe of that name.
pub(crate) fn recipes(args: &RecipesArgs) -> Result<ExitCode> {
    let text = match &args.name {
        None if args.json => {
            let staged = Staged::built_in()?;
            pretty(&cards().iter().map(describe).chain(staged.iter().map(describe_staged)).collect::<Result<Value>>()?)?
        }
        None if args.markdown => markdown::page()?,
        None => list(terminal::width(args.width))?,
        Some(name) if Staged::named(name).is_some() => {
            let toml = Staged::named(name).unwrap_or_default();
            if args.json { pretty(&describe_staged(&Staged::from_toml(toml, name)?)?)? } else { toml.to_owned() }
        }
        Some(name) => {
            let recipe = Recipe::named(name)?;
            match cards().iter().find(|card| card.name == name) {
                Some(card) if args.json => pretty(&describe(card)?)?,
                _ => recipe.to_commented_toml()?,
            }
        }
    };
    output::data(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn list(width: usize) -> Result<String> {
    let mut table = terminal::table(&[], width);
    for (place, card) in cards().iter().enumerate() {
        if place > 0 {
            table.add_row([""]);
        }
        table.add_row([card.name, card.title]);
        if card.name == Recipe::DEFAULT {
            table.add_row(["  (default)", ""]);
        }
        let recipe = card.recipe();
        for (label, text) in [("removed", recipe.removal()), ("threshold", recipe.levels())] {
            if let Some(text) = text {
                table.add_row([format!("  {label}"), text]);
            }
        }
        let [from, guarantee, cost] = [("from", card.paper), ("guarantee", card.guarantee), ("cost", card.cost)];
        for (label, text) in [from, guarantee, cost, ("good for", card.good_for), ("not for", card.not_for)] {
            table.add_row([format!("  {label}"), text.to_owned()]);
        }
    }
    for staged in Staged::built_in()? {
        let stages: Vec<String> = staged.stages.iter().map(|stage| crate::describe::recipe(&stage.recipe)).collect();
        table.add_row([""]);
        table.add_row([&staged.recipe, &staged.title]);
        for (label, text) in [("from", &staged.paper), ("stages", &stages.join("; then "))] {
            table.add_row([format!("  {label}"), text.clone()]);
        }
    }
    Ok(terminal::show(table)
        + "\n`tegula recipes NAME` prints a recipe with all its fields; docs/methods.md has them side by side.\n")
}

fn describe_staged(staged: &Staged) -> Result<Value> {
    let fields = serde_json::to_value(staged).map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))?;
    Ok(json!({"name": staged.recipe, "title": staged.title, "paper": staged.paper, "fields": fields}))
}

fn describe(card: &Card) -> Result<Value> {
    let recipe = serde_json::to_value(card.recipe()).map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))?;
    Ok(json!({
        "name": card.name,
        "title": card.title,
        "paper": card.paper,
        "guarantee": card.guarantee,
        "cost": card.cost,
        "good_for": card.good_for,
        "not_for": card.not_for,
        "default": card.name == Recipe::DEFAULT,
        "fields": recipe,
    }))
}

/// JSON for people and programs.
pub(crate) fn pretty(value: &Value) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))
}
