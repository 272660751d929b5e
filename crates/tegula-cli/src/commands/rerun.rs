//! `tegula rerun`: repeats a run from its folder.

use crate::args::{Declared, MachineArgs, SummaryArgs};
use crate::output;
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::rerun::RerunSpec;

/// Arguments of `tegula rerun`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula rerun evidence/ -o again.jsonl
  tegula rerun evidence/ -o again.jsonl --run again/
  tegula rerun evidence/ --print > run.json
  tegula rerun run.json -o again.jsonl

A run may be that of somebody else: what it wrote is written again only to places named here, or to new files in
the folder of the run or of FILE.json.")]
pub(crate) struct RerunArgs {
    #[command(flatten)]
    spec: Declared<RerunSpec>,

    /// Print the specification as JSON, without running it
    #[arg(long, help_heading = "Output")]
    print: bool,

    #[command(flatten)]
    summary: SummaryArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula rerun`.
///
/// # Errors
/// When there is no such run, or the new one fails.
pub(crate) fn rerun(args: &RerunArgs) -> Result<ExitCode> {
    if args.print {
        output::json(&format!("{}\n", args.spec.recorded()?.to_json()?))?;
    } else {
        super::dedup::run(&*args.spec, &args.summary, &args.machine)?;
    }
    Ok(ExitCode::SUCCESS)
}
