//! `tegula recipes`: lists the methods, or prints one as a file to start from.

mod markdown;

use crate::args::Declared;
use crate::form;
use crate::{output, terminal};
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula::recipe::{Recipe, Staged, cards};
use tegula_run::command::Command;
use tegula_run::recipes::RecipesSpec;

/// Arguments of `tegula recipes`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula recipes\n  tegula recipes copies > mine.toml    then edit it, and --recipe mine.toml\n  tegula recipes mine.toml             print it resolved"
)]
pub(crate) struct RecipesArgs {
    #[command(flatten)]
    spec: Declared<RecipesSpec>,

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
    if args.markdown {
        output::show(&markdown::page()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let found = args.spec.run(&crate::host::usual(true)?)?;
    match found.toml {
        _ if args.json => form::json(&found)?,
        // TOML has the escapes of JSON.
        Some(toml) => output::json(&toml)?,
        None => output::show(&list(terminal::width(args.width))?)?,
    }
    Ok(ExitCode::SUCCESS)
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
