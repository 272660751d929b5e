//! `tegula stats`: document frequencies of a collection, saved for `--statistics`.

use crate::args::{Declared, MachineArgs};
use crate::{output, summary, terminal};
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::describe;
use tegula_run::statistics::StatsSpec;

/// Arguments of `tegula stats`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula stats background.jsonl.zst -o background.tsv.zst
  tegula pairs new.jsonl --recipe i-match --statistics background.tsv.zst -o pairs.tsv
  tegula stats corpus.jsonl --recipe revisions -o shingles.tsv.zst
  tegula stats messages.jsonl --recipe simfinder -o - | sort -t'\t' -k2,2nr | head

A line for each term: in how many documents it occurs, how often, and its word class. For recipes that
weigh shingles by rarity, such as revisions, a line for each shingle in several texts: its hash, and
how many texts have it. A run that uses the file must normalise its texts in the same way: name the
same --recipe or --normalize.")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    spec: Declared<StatsSpec>,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula stats`.
///
/// # Errors
/// The error that ended it early.
pub(crate) fn stats(args: &StatsArgs) -> Result<ExitCode> {
    let counted = args.spec.run(&args.machine.host()?)?;
    if !args.machine.quiet {
        output::tell(&format!(
            "{} {} of {}\n{}",
            terminal::count(counted.counted),
            if counted.is_of_shingles {
                "shingles in several"
            } else {
                "terms"
            },
            terminal::plural(counted.units, &describe::name(&counted.unit)),
            summary::passed_over(&counted.passed_over),
        ));
    }
    Ok(ExitCode::SUCCESS)
}
