//! `tegula stats`: document frequencies of a collection, saved for `--statistics`.

use crate::args::{ConstraintArgs, FormulaArgs, InputArgs, MachineArgs, RecipeArgs};
use crate::{output, summary, terminal};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::{describe, statistics};

/// Arguments of `tegula stats`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula stats background.jsonl.zst -o background.tsv.zst
  tegula pairs new.jsonl --recipe i-match --statistics background.tsv.zst -o pairs.tsv
  tegula stats corpus.jsonl --recipe revisions -o shingles.tsv.zst
  tegula stats messages.jsonl --recipe simfinder -o - | sort -t'\t' -k2,2nr | head

A line for each term: in how many documents it occurs, how often, and its word class. For recipes that
weigh shingles by rarity, such as revisions, a line for each shingle in several texts: its hash, and
how many texts have it. A run that uses the file must normalise its texts in the same way: name the
same --recipe or --normalize.")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Output for the frequencies, compressed according to its name; `-` is standard output
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,

    #[command(flatten)]
    formulas: FormulaArgs,

    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula stats`.
///
/// # Errors
/// The error that ended it early.
pub(crate) fn stats(args: &StatsArgs) -> Result<ExitCode> {
    let recipe = args.recipe.recipe()?;
    if recipe.measure.needs_rarity() {
        args.recipe.of_shingles("stats")?;
    } else {
        args.recipe.of_tokens("stats")?;
    }
    let formulas = args.formulas.of(!recipe.measure.needs_rarity())?;
    let host = args.machine.host()?.reading(args.recipe.files());
    let input = args.input.spec(&args.recipe, &ConstraintArgs::default())?;
    let counted = statistics::count(&host, &input, &recipe, formulas, &args.output)?;
    if !args.machine.quiet {
        output::tell(&format!(
            "{} {} of {}\n{}",
            terminal::count(counted.counted),
            if recipe.measure.needs_rarity() {
                "shingles in several"
            } else {
                "terms"
            },
            terminal::plural(counted.units, &describe::name(&recipe.unit)),
            summary::passed_over(&counted.passed_over),
        ));
    }
    Ok(ExitCode::SUCCESS)
}
