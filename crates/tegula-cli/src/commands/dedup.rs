//! `tegula dedup` and `tegula mark`: find, decide, and write the collection without the copies, or
//! with the copies marked.

use crate::args::{Declared, MachineArgs, SummaryArgs};
use crate::summary::tell;
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::dedup::{DedupSpec, MarkSpec, Ran};

/// The exit code of a check that found duplicates.
const DUPLICATES: u8 = 1;

/// Arguments of `tegula dedup`.
#[derive(Debug, Args)]
#[command(mut_arg("check", |arg| arg.conflicts_with_all(["output", "removed"])), after_help = "Examples:
  tegula dedup news.jsonl.gz -o news.clean.jsonl.gz
  tegula dedup shards/ -o clean/ --threshold 0.9 --keep newest:date --run evidence/
  tegula dedup --from evidence/ --threshold 0.95 -o stricter/
  tegula dedup new.jsonl --against old/ --check")]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    spec: Declared<DedupSpec>,

    #[command(flatten)]
    summary: SummaryArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Arguments of `tegula mark`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula mark news.csv -o marked.csv
  tegula mark corpus.vert --unit paragraph -o marked.vert
  tegula mark old.jsonl new.jsonl -o marked/ --mark-prefix tegula_")]
pub(crate) struct MarkArgs {
    #[command(flatten)]
    spec: Declared<MarkSpec>,

    #[command(flatten)]
    summary: SummaryArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula dedup`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn dedup(args: &DedupArgs) -> Result<ExitCode> {
    let ran = run(&*args.spec, &args.summary, &args.machine)?;
    Ok(if args.spec.check && ran.outcome.duplicates() > 0 {
        ExitCode::from(DUPLICATES)
    } else {
        ExitCode::SUCCESS
    })
}

/// Runs `tegula mark`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn mark(args: &MarkArgs) -> Result<ExitCode> {
    run(&*args.spec, &args.summary, &args.machine)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a command that compares texts, and shows its summary.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn run(
    command: &impl Command<Answer = Ran>,
    summary: &SummaryArgs,
    machine: &MachineArgs,
) -> Result<Ran> {
    let host = crate::host::writing(machine.host()?, "--json", summary.json.then_some("-"));
    let ran = command.run(&host)?;
    tell(&ran, summary.asked(machine.quiet))?;
    Ok(ran)
}
