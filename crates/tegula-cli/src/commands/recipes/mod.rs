//! `tegula recipes`: lists the methods, or prints one as a file to start from.

mod markdown;

use crate::form::pretty;
use crate::{invocation, output, terminal};
use clap::Args;
use serde_json::{Value, json};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula::recipe::{Card, Recipe, Staged, cards};
use tegula_run::options;

/// Arguments of `tegula recipes`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula recipes\n  tegula recipes copies > mine.toml    then edit it, and --recipe mine.toml\n  tegula recipes mine.toml             print it resolved"
)]
pub(crate) struct RecipesArgs {
    /// Print this recipe, built-in or from a file, as TOML with every field explained: save it,
    /// edit it, and pass it to --recipe
    #[arg(value_name = "NAME|FILE.toml")]
    name: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Print a page on all methods in Markdown: docs/methods.md
    #[arg(long, conflicts_with_all = ["name", "json", "width"])]
    markdown: bool,

    /// Width of the table in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// Lists the recipes, or prints one.
///
/// # Errors
/// When there is no recipe of that name.
pub(crate) fn recipes(args: &RecipesArgs) -> Result<ExitCode> {
    match &args.name {
        None if args.json => {
            let staged = Staged::built_in()?;
            let all = cards()
                .iter()
                .map(describe)
                .chain(staged.iter().map(describe_staged))
                .collect::<Result<Value>>()?;
            output::json(&pretty(&all)?)?;
        }
        None if args.markdown => output::show(&markdown::page()?)?,
        None => output::show(&list(terminal::width(args.width))?)?,
        // TOML has the escapes of JSON.
        Some(name) => output::json(&one(name, args.json)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A built-in recipe, or one from a file.
fn one(name: &str, json: bool) -> Result<String> {
    if let Some((staged, toml)) = options::stages(name, &invocation::recipes())? {
        return if json {
            pretty(&describe_staged(&staged)?)
        } else {
            Ok(toml)
        };
    }
    let file = options::card(name, &invocation::recipes())?;
    let card = match &file {
        Some(card) => card,
        None => Card::named(name)?,
    };
    if json {
        pretty(&describe(card)?)
    } else {
        card.to_commented_toml()
    }
}

fn list(width: usize) -> Result<String> {
    let mut table = terminal::table(&[], width);
    for (place, card) in cards().iter().enumerate() {
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
    Ok(terminal::show(table)
        + "\n`tegula recipes NAME` prints a recipe with all its fields; docs/methods.md compares them all.\n")
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
