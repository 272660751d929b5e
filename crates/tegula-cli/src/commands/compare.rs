//! `tegula compare`: two texts by every measure and side by side, or all texts of a folder with
//! each other.

use crate::args::{Declared, MachineArgs};
use crate::form;
use crate::output;
use clap::Args;
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_run::command::Command;
use tegula_run::compare::CompareSpec;

/// Arguments of `tegula compare`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula compare draft.txt print.txt
  tegula compare draft.txt print.txt -o both.html
  tegula compare essays/ -o essays.html --ignore assignment.txt
  tegula compare essays/ --threshold 0.3 -o pairs.tsv")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    spec: Declared<CompareSpec>,

    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS", help_heading = "Output")]
    width: Option<usize>,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Compares texts.
///
/// # Errors
/// Wrong options, what the inputs give, or an output that cannot be written.
pub(crate) fn compare(args: &CompareArgs) -> Result<ExitCode> {
    if args.json && args.spec.output.is_some() {
        return Err(Error::usage(
            "--json: expected no -o, as the result is printed, found both",
        ));
    }
    let found = args.spec.run(&args.machine.host()?)?;
    if args.json {
        form::json(&found)?;
    } else if args.spec.output.is_none() {
        form::text(&found, args.width)?;
    } else if let Some(summary) = found.summary().filter(|_| !args.machine.quiet) {
        output::tell(&summary);
    }
    Ok(ExitCode::SUCCESS)
}
