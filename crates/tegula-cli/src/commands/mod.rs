//! One module for each command: its arguments and what it does.

pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod dedup;
pub(crate) mod diff;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod fingerprints;
pub(crate) mod onion;
pub(crate) mod pairs;
pub(crate) mod plan;
pub(crate) mod recipes;
pub(crate) mod report;
pub(crate) mod rerun;
pub(crate) mod stats;
pub(crate) mod study;
pub(crate) mod sweep;
pub(crate) mod tokens;

use crate::cli::Command;
use crate::{machine, output};
use std::process::ExitCode;
use tegula::Result;

/// Runs a command.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn run(command: Command) -> Result<ExitCode> {
    let ended = match command {
        Command::Dedup(args) => dedup::dedup(&args),
        Command::Mark(args) => dedup::mark(&args),
        Command::Pairs(args) => pairs::run(&args),
        Command::Cluster(args) => cluster::cluster(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Diff(args) => diff::diff(&args),
        Command::Evaluate(args) => evaluate::evaluate(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Onion(args) => onion::onion(&args),
        Command::Fingerprints(args) => fingerprints::fingerprints(&args),
        Command::Plan(args) => plan::plan(&args),
        Command::Recipes(args) => recipes::recipes(&args),
        Command::Report(args) => report::report(&args),
        Command::Rerun(args) => rerun::rerun(&args),
        Command::Stats(args) => stats::stats(&args),
        Command::Study(args) => study::study(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Tokens(args) => tokens::tokens(&args),
    };
    if let Some(beyond) = machine::took().beyond() {
        output::warn(&beyond);
    }
    ended
}
