//! `tegula cluster`: clusters stored pairs at another threshold.

use crate::args::Declared;
use crate::terminal::{count, plural, say};
use crate::{host, output};
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::cluster::{ClusterSpec, Clustered};
use tegula_run::command::Command;

/// Arguments of `tegula cluster`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula cluster pairs.parquet -o clusters.parquet --threshold 0.9\n  tegula cluster run/ -o clusters.tsv\n\nAny table with the columns id_a, id_b and score is accepted."
)]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    spec: Declared<ClusterSpec>,

    /// Print no summary
    #[arg(long, short)]
    quiet: bool,
}

/// Groups stored pairs into clusters.
///
/// # Errors
/// When the pairs cannot be read or the clusters cannot be written.
pub(crate) fn cluster(args: &ClusterArgs) -> Result<ExitCode> {
    let found = args.spec.run(&host::usual(args.quiet)?)?;
    if !args.quiet {
        output::tell(&summary(args, &found));
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(args: &ClusterArgs, found: &Clustered) -> String {
    let beyond = if found.strict { "above" } else { "at or above" };
    let threshold = args.spec.threshold;
    let from = threshold.map_or_else(String::new, |threshold| format!(" {beyond} {threshold}"));
    let mut out = match found.pairs {
        0 => format!("no pairs{from}\n"),
        pairs => format!(
            "{}{from} in {} of {}\n",
            plural(pairs, "pair"),
            plural(found.clusters, "cluster"),
            plural(found.units, "unit")
        ),
    };
    if let Some(largest) = &found.largest {
        say!(
            out,
            "largest: {} with {} units, lowest score {:.4}, density {:.4}",
            largest.id,
            count(largest.units),
            largest.min_edge,
            largest.density
        );
    }
    if found.loops > 0 {
        say!(
            out,
            "ignored, as they pair an id with itself: {}",
            plural(found.loops, "pair")
        );
    }
    out
}
