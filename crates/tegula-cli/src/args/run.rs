//! What a run leaves besides its output: the evidence folder and the summary.

use clap::Args;
use std::path::PathBuf;
use tegula::field::FieldKey;

/// What a run leaves besides its output.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Evidence and summary")]
pub(crate) struct RunArgs {
    /// Keep the evidence in this folder: units, groups, pairs, clusters and verdicts as Parquet, and run.json [default: none is kept]
    #[arg(long, value_name = "DIR")]
    pub(crate) run: Option<PathBuf>,

    /// Go on from what the --run folder holds of the same recipe and inputs; begin anew where that is nothing
    #[arg(long, requires = "run")]
    pub(crate) resume: bool,

    /// Break the summary down by this field too: source, or date:year; may be repeated
    #[arg(long, value_name = "FIELD")]
    pub(crate) by: Vec<FieldKey>,

    /// Measure what keys missed: find all partners of N texts under the complete recipe as well, and say how many of them were found
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) check_recall: Option<u32>,

    /// Write the summary as JSON to standard output instead
    #[arg(long)]
    pub(crate) json: bool,
}
