//! `tegula sweep`: what would be removed at several n-gram lengths and thresholds.

use crate::args::{Declared, MachineArgs};
use crate::form;
use crate::{output, summary};
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_report::render::terminal;
use tegula_report::tables::is_grid;
use tegula_run::command::Command;
use tegula_run::sweep::{SweepSpec, tables};

/// Arguments of `tegula sweep`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula sweep corpus.vert --unit paragraph
  tegula sweep news.jsonl --ngrams 5,7 --thresholds 0.5,0.8,0.95 -o grid.html
  tegula sweep laws/ --recipe ssr --ngrams 3,5 --thresholds 0.6,0.7,0.8,0.9")]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    spec: Declared<SweepSpec>,

    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Reports what would be removed, and writes nothing.
///
/// # Errors
/// Wrong options, or what the inputs, the memory ceiling or scratch give.
pub(crate) fn sweep(args: &SweepArgs) -> Result<ExitCode> {
    let found = args.spec.run(&args.machine.host()?)?;
    if args.json {
        form::json(&found)?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = crate::terminal::width(None);
    let shown = (tables(&found)?.iter())
        .filter(|table| is_grid(table))
        .map(|table| terminal(table, width, usize::MAX))
        .collect::<Vec<_>>()
        .join("\n");
    output::show(&shown)?;
    if !args.machine.quiet && !found.passed_over.is_empty() {
        output::tell(&summary::passed_over(&found.passed_over));
    }
    Ok(ExitCode::SUCCESS)
}
