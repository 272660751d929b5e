//! The destination of a table.

use super::declared::any;
use clap::Args;
use std::path::PathBuf;
use tegula::error::{Error, Result};
use tegula_run::StdoutForm;

/// The destination of a table.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct TableArgs {
    /// Output for the table: a .tsv, .jsonl or .parquet file; `-` is standard output
    #[arg(long, short, value_name = "TABLE")]
    pub(crate) output: Option<PathBuf>,

    /// Format of the table on standard output [default: tsv]
    #[arg(long, value_name = "FORM", value_parser = any::<StdoutForm>())]
    pub(crate) form: Option<StdoutForm>,
}

impl TableArgs {
    /// The output, for a command without any other.
    pub(crate) fn required(&self) -> Result<PathBuf> {
        self.output.clone().ok_or_else(|| {
            Error::usage("-o: expected an output, found none")
                .hint("name a .tsv, .jsonl or .parquet file, or - for standard output")
        })
    }
}
