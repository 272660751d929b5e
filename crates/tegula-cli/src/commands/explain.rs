//! `tegula explain`: why a text was kept or removed, and what it shares with its witness.

use crate::args::Declared;
use crate::form;
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::explain::ExplainSpec;

/// Arguments of `tegula explain`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula explain run/ T03/JUL.31966\n  tegula explain run/ news.jsonl:17 news.jsonl:4 --full"
)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    spec: Declared<ExplainSpec>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// Explains a decision.
///
/// # Errors
/// When there is no such run or unit, or the inputs have changed since the run.
pub(crate) fn explain(args: &ExplainArgs) -> Result<ExitCode> {
    let found = args.spec.run(&crate::host::usual(true)?)?;
    if args.json {
        form::json(&found)?;
    } else {
        form::text(&found, args.width)?;
    }
    Ok(ExitCode::SUCCESS)
}
