//! Options for the evidence folder and the summary.

use super::Declared;
use clap::Args;
use tegula_run::options::EvidenceOptions;

/// Options for the evidence folder and the summary.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Evidence and summary")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) evidence: Declared<EvidenceOptions>,

    /// Print all figures in the summary: other thresholds, large clusters, files and steps
    #[arg(long, short, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
