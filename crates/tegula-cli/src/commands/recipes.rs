//! `tegula recipes`: what methods there are, and one of them as a file to start from.

use crate::{output, terminal};
use clap::Args;
use serde_json::{Value, json};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula::recipe::{Card, Recipe, Staged, cards};

/// Arguments of `tegula recipes`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tegula recipes\n  tegula recipes sscr > mine.toml    then edit it, and --recipe mine.toml")]
pub(crate) struct RecipesArgs {
    /// Print this recipe as TOML, every field explained: to be saved, edited, and given to --recipe
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,

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
    let mut table = terminal::table(&["recipe", "finds", "from", "guarantee", "cost", "good for"], width);
    for card in cards() {
        table.add_row([""]);
        let name = if card.name == Recipe::DEFAULT { format!("{} (default)", card.name) } else { card.name.to_owned() };
        table.add_row([&name, card.title, card.paper, card.guarantee, card.cost, card.good_for]);
    }
    for staged in Staged::built_in()? {
        let stages: Vec<String> = staged.stages.iter().map(|stage| crate::describe::recipe(&stage.recipe)).collect();
        table.add_row([""]);
        table.add_row([&staged.recipe, &staged.title, &staged.paper, "as its stages", &stages.join("; then "), ""]);
    }
    Ok(terminal::show(table))
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
