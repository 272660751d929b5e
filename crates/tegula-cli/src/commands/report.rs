//! `tegula report`: what a run comes to, as tables.

use crate::args::MachineArgs;
use crate::output;
use crate::terminal;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_report::run::Run;
use tegula_report::{render, tables, words};

/// Arguments of `tegula report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tegula report run/\n  tegula report run/ --tables tables/\n  tegula report run/ --words")]
pub(crate) struct ReportArgs {
    /// The folder of a run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Write every table to this folder, as TSV and as LaTeX
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// List the words, and runs of up to four words, whose frequency drops most; reads the inputs again
    #[arg(long)]
    words: bool,

    /// Columns [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Rows of a table on the terminal.
const ROWS: usize = 40;
/// Rows of a table of words.
const WORDS: usize = 15;

/// Reports on a run.
///
/// # Errors
/// When there is no such run, or it decided nothing.
pub(crate) fn report(args: &ReportArgs) -> Result<ExitCode> {
    let run = Run::open(&args.run)?;
    if !run.info().done {
        output::warn("the run did not come to its end; what it left is shown");
    }
    let dropped =
        if args.words { words::tables(&run, &words::Options::default(), &args.machine.context()?)? } else { Vec::new() };
    if let Some(folder) = &args.tables {
        let written = tables::write_with(&run, dropped, folder)?;
        output::tell(&format!("{} written to {}\n", terminal::plural(written.len() as u64, "table"), folder.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let width = terminal::width(args.width);
    let main: Vec<String> = tables::of_run(&run)?
        .iter()
        .filter(|table| tables::is_main(table))
        .map(|table| render::terminal(table, width, ROWS))
        .chain(dropped.iter().map(|table| render::terminal(table, width, WORDS)))
        .collect();
    output::data(main.join("\n\n").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
