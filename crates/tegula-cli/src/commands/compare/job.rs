//! What is to be compared: the options of the command, and what they open.

use super::texts::Texts;
use crate::args::{FormulaArgs, InputArgs, MachineArgs, RecipeArgs};
use clap::Args;
use std::path::PathBuf;
use tegula::compare::Comparer;
use tegula::recipe::Recipe;
use tegula_run::describe;
use tegula_run::opened::Opened;

/// Arguments of `tegula compare`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula compare draft.txt print.txt
  tegula compare draft.txt print.txt -o both.html
  tegula compare essays/ -o essays.html --ignore assignment.txt
  tegula compare essays/ --threshold 0.3 -o pairs.tsv")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,

    /// Output of the comparison: an HTML page; for a folder, also its pairs (.tsv, .jsonl,
    /// .parquet)
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,

    /// A text whose shingles are ignored, such as the assignment that all texts answer
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) ignore: Option<PathBuf>,

    /// Show long passages in full
    #[arg(long, help_heading = "Output")]
    pub(super) full: bool,

    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS", help_heading = "Output")]
    pub(super) width: Option<usize>,

    #[command(flatten)]
    pub(super) formulas: FormulaArgs,

    #[command(flatten)]
    pub(super) recipe: RecipeArgs,

    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// What is to be compared.
pub(super) struct Job<'a> {
    pub(super) args: &'a CompareArgs,
    pub(super) opened: &'a Opened<'a>,
    pub(super) comparer: Comparer,
    pub(super) texts: Texts,
    pub(super) recipe: &'a Recipe,
}

impl Job<'_> {
    /// The method of comparison, in a line.
    pub(super) fn method(&self) -> String {
        let tokens = crate::terminal::plural(self.comparer.n() as u64, "token");
        format!(
            "Shingles of {tokens}; {}.",
            describe::normalisation(self.recipe)
        )
    }

    /// The name of what is ignored.
    pub(super) fn ignored(&self) -> Option<String> {
        let path = self.args.ignore.as_ref()?;
        Some(path.file_name().map_or_else(
            || path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        ))
    }
}
