//! `tegula dedup` and `tegula mark`: find, decide, and write the collection without the copies, or
//! with the copies marked.

use crate::args::WriteArgs;
use crate::summary::{Asked, tell};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_run::{OutputSpec, RunKind, RunSpec};

/// The exit code of a check that found duplicates.
const DUPLICATES: u8 = 1;

/// Arguments of `tegula dedup`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula dedup news.jsonl.gz -o news.clean.jsonl.gz
  tegula dedup shards/ -o clean/ --threshold 0.9 --keep newest:date --run evidence/
  tegula dedup --from evidence/ --threshold 0.95 -o stricter/
  tegula dedup new.jsonl --against old/ --check")]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    write: WriteArgs,

    /// Write the removed records, each with its witness and score, to this file or folder
    #[arg(long, value_name = "OUTPUT", help_heading = "Output")]
    removed: Option<PathBuf>,

    /// Write nothing, and exit with code 1 if there are duplicates
    #[arg(long, help_heading = "Output", conflicts_with_all = ["output", "removed"])]
    check: bool,
}

/// Arguments of `tegula mark`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula mark news.csv -o marked.csv
  tegula mark corpus.vert --unit paragraph -o marked.vert
  tegula mark old.jsonl new.jsonl -o marked/ --mark-prefix tegula_")]
pub(crate) struct MarkArgs {
    #[command(flatten)]
    write: WriteArgs,
}

/// Runs `tegula dedup`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn dedup(args: &DedupArgs) -> Result<ExitCode> {
    let spec = spec(
        RunKind::Dedup,
        &args.write,
        args.removed.as_deref(),
        args.check,
    )?;
    let duplicates = run(&args.write, &spec)?;
    Ok(if args.check && duplicates > 0 {
        ExitCode::from(DUPLICATES)
    } else {
        ExitCode::SUCCESS
    })
}

/// Runs `tegula mark`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn mark(args: &MarkArgs) -> Result<ExitCode> {
    let spec = spec(RunKind::Mark, &args.write, None, false)?;
    run(&args.write, &spec).map(|_| ExitCode::SUCCESS)
}

fn run(args: &WriteArgs, spec: &RunSpec) -> Result<u64> {
    let host = args.machine.host()?.reading(args.recipe.files());
    let host = crate::host::writing(host, "--json", args.run.json.then_some("-"));
    let outcome = crate::host::run(&host, spec)?;
    let asked = Asked::of(args.run.json, args.run.verbose, args.machine.quiet);
    tell(spec, &outcome, asked)?;
    Ok(outcome.duplicates())
}

/// What the arguments mean.
fn spec(
    command: RunKind,
    args: &WriteArgs,
    removed: Option<&Path>,
    check: bool,
) -> Result<RunSpec> {
    let mut output = OutputSpec::default();
    output.path.clone_from(&args.output);
    output.removed = removed.map(Path::to_path_buf);
    output.overwrite = args.overwrite;
    output.lists = args.list.iter().map(|list| list.0.clone()).collect();
    output.fingerprints.clone_from(&args.fingerprints);
    output.mark_prefix.clone_from(&args.mark_prefix);
    output.mark_place = args.mark_place.unwrap_or_default();
    let asked = [
        output.path.is_some(),
        removed.is_some(),
        !output.lists.is_empty(),
        args.run.evidence.run.is_some(),
    ];
    if !asked.contains(&true) && output.fingerprints.is_none() && !check {
        let check = if command == RunKind::Mark {
            ""
        } else {
            ", or --check to write nothing"
        };
        return Err(
            Error::usage("-o: expected an output, found none").hint(format!(
                "name a file or folder, or - for standard output; or use --list or --run{check}"
            )),
        );
    }
    if args.from.is_none() {
        args.input.check_any()?;
    }
    let policy = args.keep.policy()?;
    let mut spec = match &args.from {
        Some(run) => from_run(command, args, run)?,
        None => searched(command, args)?,
    };
    let in_order = spec
        .recipe
        .stages
        .iter()
        .find(|stage| stage.recipe.onion.is_some());
    if let Some(stage) = in_order {
        policy.check_order_decides()?;
        if !args.keep.keep.is_empty() && !policy.keep.is_first() {
            return Err(Error::usage(format!(
                "--keep: it has no effect in the recipe {}: the first text is always kept",
                stage.recipe.recipe
            ))
            .hint("sort the input, or use a recipe that compares pairs"));
        }
    }
    spec.policy = policy;
    spec.output = output;
    spec.evidence = args.run.evidence.spec();
    spec.evidence.pairs = args.evidence.unwrap_or_default();
    Ok(spec)
}

/// A search of the inputs.
fn searched(command: RunKind, args: &WriteArgs) -> Result<RunSpec> {
    let constraints = &args.constraints;
    let asked = args
        .recipe
        .advised(&args.input, constraints, &args.machine, true)?;
    let recipe = asked.staged(command.action())?;
    let mut spec = RunSpec::new(command, recipe, Vec::<PathBuf>::new());
    spec.input = args.input.spec(&asked, constraints)?;
    spec.input.steps_named = asked.steps_named(&spec.recipe);
    spec.constraints = constraints.constraints();
    Ok(spec)
}

/// Options that --from accepts, or refuses.
const ANEW: [&str; 4] = ["--threshold", "--date-format", "--run", "--by"];

/// A new decision on what an earlier run found.
fn from_run(command: RunKind, args: &WriteArgs, run: &Path) -> Result<RunSpec> {
    let constraints = &args.constraints;
    let mut all = (args.input.given().into_iter())
        .chain(args.recipe.given())
        .chain(constraints.given())
        .chain(args.run.evidence.given());
    if let Some(option) = all.find(|option| !ANEW.contains(&option.as_str())) {
        return Err(
            Error::usage(format!("{option}: it is determined by the run of --from"))
                .hint("only --threshold, the --keep options and the output can be changed"),
        );
    }
    let mut spec = RunSpec::from_run(command, run, args.root.as_deref())?;
    if let Some(threshold) = args.recipe.threshold {
        spec.recipe.stages[0].recipe.threshold = threshold;
    }
    if !constraints.date_format.is_empty() {
        spec.input.read.date_formats = args
            .input
            .spec(&args.recipe, constraints)?
            .read
            .date_formats;
    }
    Ok(spec)
}
