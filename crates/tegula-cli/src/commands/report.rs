//! `tegula report`: reports on a run, as tables and as a page.

use crate::args::{Declared, MachineArgs};
use crate::form;
use crate::output;
use crate::terminal;
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::report::ReportSpec;

/// Arguments of `tegula report`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula report run/\n  tegula report run/ -o report.html\n  tegula report run/ --tables tables/\n  tegula report run/ --words\n  tegula report run/ -o report.html --root /mnt/archive/corpus"
)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    spec: Declared<ReportSpec>,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,

    #[command(flatten)]
    machine: MachineArgs,
}

/// The exit code of an incomplete report.
const INCOMPLETE: u8 = 2;

/// Reports on a run.
///
/// # Errors
/// When there is no such run, or it made no decisions.
pub(crate) fn report(args: &ReportArgs) -> Result<ExitCode> {
    let found = args.spec.run(&args.machine.host()?)?;
    if let (Some(written), Some(folder)) = (found.written, &args.spec.tables) {
        output::say(&format!(
            "{} written to {}",
            terminal::plural(written, "table"),
            folder.display()
        ));
    }
    if let Some(path) = &args.spec.output {
        output::say(&format!("page written to {}", path.display()));
        for line in &found.missing {
            output::warn(&format!("the page does not show {line}"));
        }
        if !found.missing.is_empty() {
            output::hint(if args.spec.root.is_none() {
                "if the inputs of the run have moved, name the folder that they are in with --root"
            } else {
                "name the folder that has the unchanged inputs of the run with --root"
            });
            return Ok(ExitCode::from(INCOMPLETE));
        }
    } else if args.spec.tables.is_none() {
        form::text(&found, args.width)?;
    }
    Ok(ExitCode::SUCCESS)
}
