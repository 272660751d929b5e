//! Options for the evidence folder and the summary.

use clap::Args;
use std::path::PathBuf;
use tegula::field::FieldKey;

/// Options for the evidence folder and the summary.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Evidence and summary")]
pub(crate) struct RunArgs {
    /// Write the evidence to this folder: units, groups, pairs, clusters and verdicts as Parquet,
    /// and run.json [default: none]
    #[arg(long, value_name = "DIR")]
    pub(crate) run: Option<PathBuf>,

    /// Resume from the --run folder, given the same recipe and inputs; start from the beginning if
    /// it holds nothing to resume
    #[arg(long, requires = "run")]
    pub(crate) resume: bool,

    /// Break the summary down by this field: source, or date:year; may be repeated
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: Vec<FieldKey>,

    /// Measure recall: find all matches of N sampled texts with the complete recipe, and report the
    /// share that the keys found
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) check_recall: Option<u32>,

    /// Print all figures in the summary: other thresholds, large clusters, files and steps
    #[arg(long, short, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
