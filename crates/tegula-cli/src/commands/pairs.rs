//! `tegula pairs`: the similarity matrix above the threshold.

use crate::args::{ConstraintArgs, InputArgs, MachineArgs, RecipeArgs, RunArgs, TableArgs};
use crate::summary::{Asked, tell};
use crate::{output, terminal};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_io::tables::check_table_name;
use tegula_run::{PairsKept, RunKind, RunSpec};

/// Arguments of `tegula pairs`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula pairs news.jsonl -o pairs.parquet
  tegula pairs laws/ --recipe ssr --threshold 0.5 -o pairs.tsv
  tegula pairs old.jsonl new.jsonl -o - | head")]
pub(crate) struct PairsArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    table: TableArgs,

    /// List every pair of units, not one pair for every two groups of equal units
    ///
    /// Without it, a row stands for equal_a times equal_b pairs, and each unit of a group except
    /// the first has a row with the first.
    #[arg(long, help_heading = "Output")]
    expand: bool,

    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    constraints: ConstraintArgs,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula pairs`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn run(args: &PairsArgs) -> Result<ExitCode> {
    let spec = spec(args)?;
    let host = args.machine.host()?.reading(args.recipe.files());
    let host = crate::host::writing(host, "--json", args.run.json.then_some("-"));
    let outcome = crate::host::run(&host, &spec)?;
    let asked = Asked::of(args.run.json, args.run.verbose, args.machine.quiet);
    tell(&spec, &outcome, asked)?;
    let pairs = outcome.reports()[0]
        .summary
        .levels
        .first()
        .map_or(0, |level| level.pairs);
    if let Some(rows) = outcome
        .rows()
        .filter(|rows| *rows < pairs && !args.machine.quiet)
    {
        output::tell(&format!(
            "{} for {} of units: equal units are a group, and a row stands for equal_a times equal_b pairs; --expand lists every pair\n",
            terminal::plural(rows, "row"),
            terminal::plural(pairs, "pair"),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Interprets the arguments; refuses contradictory ones.
fn spec(args: &PairsArgs) -> Result<RunSpec> {
    args.input.check_any()?;
    match &args.table.output {
        None if args.run.evidence.run.is_none() => {
            return Err(Error::usage("-o: expected an output, found none").hint(
                "name a .parquet, .tsv or .jsonl file, or - for standard output; or use --run",
            ));
        }
        Some(path) if path.as_os_str() != "-" => check_table_name(path)?,
        _ => {}
    }
    let asked = args
        .recipe
        .advised(&args.input, &args.constraints, &args.machine, false)?;
    let recipe = asked.recipe()?;
    let mut spec = RunSpec::new(RunKind::Pairs, recipe, Vec::<PathBuf>::new());
    spec.input = args.input.spec(&asked, &args.constraints)?;
    spec.input.steps_named = asked.steps_named(&spec.recipe);
    spec.constraints = args.constraints.constraints();
    spec.output.path.clone_from(&args.table.output);
    spec.output.expand = args.expand;
    spec.output.form = args.table.form.unwrap_or_default();
    spec.output.formulas = args.table.formulas(None)?;
    spec.evidence = args.run.evidence.spec();
    spec.evidence.pairs = PairsKept::All;
    Ok(spec)
}
