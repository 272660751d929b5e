//! `tegula diff`: compares what two runs on the same inputs caught.

use crate::args::Declared;
use crate::form;
use crate::output;
use crate::terminal::count;
use clap::Args;
use std::path::Path;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::diff::DiffSpec;

/// Arguments of `tegula diff`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula diff plain/ onion/\n  tegula diff plain/ onion/ --examples 20 -o caught.html\n  tegula diff plain/ onion/ --tables tables/\n\nThe runs must have the same inputs. If one splits texts into smaller units, those are compared: a paragraph is caught with its document."
)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    spec: Declared<DiffSpec>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// Compares two runs.
///
/// # Errors
/// When there is no such run, the runs have different inputs, or the list cannot be written.
pub(crate) fn diff(args: &DiffArgs) -> Result<ExitCode> {
    let found = args.spec.run(&crate::host::usual(false)?)?;
    let output = args.spec.output.as_deref();
    if output == Some(Path::new("-")) {
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(rows), Some(path)) = (found.listed, output) {
        output::say(&format!("{} listed in {}", count(rows), path.display()));
    }
    if args.json {
        form::json(&found)?;
    } else {
        form::text(&found, args.width)?;
    }
    Ok(ExitCode::SUCCESS)
}
