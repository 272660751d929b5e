//! The destination of a table.

use super::declared::any;
use clap::Args;
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};
use tegula_io::tables::{Formulas, is_tsv};
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

    #[command(flatten)]
    formulas: FormulaArgs,
}

impl TableArgs {
    /// The output, for a command without any other.
    pub(crate) fn required(&self) -> Result<PathBuf> {
        self.output.clone().ok_or_else(|| {
            Error::usage("-o: expected an output, found none")
                .hint("name a .tsv, .jsonl or .parquet file, or - for standard output")
        })
    }

    /// What is done with formulas; `also` is another table that the command writes.
    pub(crate) fn formulas(&self, also: Option<&Path>) -> Result<Formulas> {
        let is_text = |path: &Path| match path.to_str() {
            Some("-") => self.form.unwrap_or_default() == StdoutForm::Tsv,
            _ => is_tsv(path),
        };
        let mut tables = self.output.as_deref().into_iter().chain(also);
        self.formulas.of(tables.any(is_text))
    }
}

/// What is done with formulas in TSV.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct FormulaArgs {
    /// TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin
    /// with =, +, - or @ and are not numbers
    #[arg(long)]
    escape_formulas: bool,
}

impl FormulaArgs {
    /// What is done with formulas; refused if there is no TSV.
    pub(crate) fn of(self, has_tsv: bool) -> Result<Formulas> {
        match (self.escape_formulas, has_tsv) {
            (false, _) => Ok(Formulas::Kept),
            (true, true) => Ok(Formulas::Escaped),
            (true, false) => Err(Error::usage(
                "--escape-formulas: expected a table in TSV, found none",
            )
            .hint("leave it out: only the cells of TSV are run as formulas")),
        }
    }
}
