//! `tegula pairs`: the table of all pairs at or above the threshold.

use crate::args::{Declared, MachineArgs, SummaryArgs};
use crate::{output, terminal};
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::pairs::PairsSpec;

/// Arguments of `tegula pairs`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula pairs news.jsonl -o pairs.parquet
  tegula pairs laws/ --recipe ssr --threshold 0.5 -o pairs.tsv
  tegula pairs old.jsonl new.jsonl -o - | head")]
pub(crate) struct PairsArgs {
    #[command(flatten)]
    spec: Declared<PairsSpec>,

    #[command(flatten)]
    summary: SummaryArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula pairs`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn run(args: &PairsArgs) -> Result<ExitCode> {
    let ran = super::dedup::run(&*args.spec, &args.summary, &args.machine)?;
    let levels = &ran.outcome.reports()[0].summary.levels;
    let pairs = levels.first().map_or(0, |level| level.pairs);
    let rows = ran.outcome.rows().filter(|rows| *rows < pairs);
    if let Some(rows) = rows.filter(|_| !args.machine.quiet) {
        output::tell(&format!(
            "{} for {} of units: equal units are a group, and a row stands for equal_a times equal_b pairs; --expand lists every pair\n",
            terminal::plural(rows, "row"),
            terminal::plural(pairs, "pair"),
        ));
    }
    Ok(ExitCode::SUCCESS)
}
