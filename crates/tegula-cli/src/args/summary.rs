//! How the summary of a run is shown.

use crate::summary::Asked;
use clap::Args;

/// How the summary of a run is shown.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Evidence and summary")]
pub(crate) struct SummaryArgs {
    /// Print all figures in the summary: other thresholds, large clusters, files and steps
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,

    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

impl SummaryArgs {
    /// The level of detail.
    pub(crate) fn asked(&self, quiet: bool) -> Asked {
        match (self.json, self.verbose, quiet) {
            (true, ..) => Asked::Json,
            (_, true, _) => Asked::All,
            (.., true) => Asked::Nothing,
            _ => Asked::Brief,
        }
    }
}
