//! `tegula report`: what a run comes to, as tables.

use crate::output;
use crate::terminal;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_report::run::Run;
use tegula_report::{render, tables};

/// Arguments of `tegula report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tegula report run/\n  tegula report run/ --tables tables/")]
pub(crate) struct ReportArgs {
    /// The folder of a run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Write every table to this folder, as TSV and as LaTeX
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Columns [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// Rows of a table on the terminal.
const ROWS: usize = 40;

/// Reports on a run.
///
/// # Errors
/// When there is no such run, or it decided nothing.
pub(crate) fn report(args: &ReportArgs) -> Result<ExitCode> {
    let run = Run::open(&args.run)?;
    if !run.info().done {
        output::warn("the run did not come to its end; what it left is shown");
    }
    if let Some(folder) = &args.tables {
        let written = tables::write_all(&run, folder)?;
        output::tell(&format!("{} written to {}\n", terminal::plural(written.len() as u64, "table"), folder.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let width = terminal::width(args.width);
    let main: Vec<String> = tables::of_run(&run)?
        .iter()
        .filter(|table| tables::is_main(table))
        .map(|table| render::terminal(table, width, ROWS))
        .collect();
    output::data(main.join("\n\n").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
