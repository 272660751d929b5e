//! The destination of a table.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tegula::error::{Error, Result};

/// The destination of a table.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct TableArgs {
    /// Output for the table: a .tsv, .jsonl or .parquet file; `-` is standard output
    #[arg(long, short, value_name = "TABLE")]
    pub(crate) output: Option<PathBuf>,

    /// Format of the table on standard output
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) form: FormArg,
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

/// The format of a table on standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormArg {
    /// Tab-separated cells with a header
    #[default]
    Tsv,
    /// One JSON object per line
    Jsonl,
}

impl From<FormArg> for tegula_run::StdoutForm {
    fn from(form: FormArg) -> Self {
        match form {
            FormArg::Tsv => Self::Tsv,
            FormArg::Jsonl => Self::Jsonl,
        }
    }
}
