//! `tegula rerun`: repeats a run from its folder.

use crate::args::MachineArgs;
use crate::output;
use crate::summary::{Asked, tell};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_io::tables::check_table_name;
use tegula_run::{Command, RunSpec};

/// Arguments of `tegula rerun`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula rerun evidence/
  tegula rerun evidence/ -o again.jsonl --run again/
  tegula rerun evidence/ --print > run.json
  tegula rerun run.json")]
pub(crate) struct RerunArgs {
    /// The folder of a run, or a specification file as printed by --print
    #[arg(value_name = "RUN|FILE.json")]
    run: PathBuf,

    /// Output of the new run, instead of the recorded one
    #[arg(long, short, value_name = "OUTPUT")]
    output: Option<PathBuf>,

    /// Evidence folder of the new run, instead of the recorded one
    #[arg(long = "run", value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Print the specification as JSON, without running it
    #[arg(long)]
    print: bool,

    /// Print all figures in the summary: other thresholds, large clusters, files and steps
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,

    /// Print the summary as JSON on standard output
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula rerun`.
///
/// # Errors
/// When there is no such run, or the new one fails.
pub(crate) fn rerun(args: &RerunArgs) -> Result<ExitCode> {
    let mut spec = if is_json(&args.run) {
        from_file(&args.run)?
    } else {
        RunSpec::of_run(&args.run)?
    };
    if let Some(path) = &args.output {
        if spec.command == Command::Pairs && path.as_os_str() != "-" {
            check_table_name(path)?;
        }
        spec.output.path = Some(path.clone());
    }
    if let Some(folder) = &args.folder {
        spec.evidence.folder = Some(folder.clone());
    }
    if args.print {
        output::data(format!("{}\n", spec.to_json()?).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let host = args
        .machine
        .host()?
        .reading([&args.run].into_iter().filter(|path| path.is_file()));
    let host = crate::host::writing(host, "--json", args.json.then_some("-"));
    let outcome = crate::host::run(&host, &spec)?;
    let asked = Asked::of(args.json, args.verbose, args.machine.quiet);
    tell(&spec, &outcome, asked)?;
    Ok(ExitCode::SUCCESS)
}

fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
        && !path.is_dir()
}

/// A specification, possibly written by hand.
fn from_file(path: &Path) -> Result<RunSpec> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
    RunSpec::from_json(&text).map_err(|error| error.at(path))
}
