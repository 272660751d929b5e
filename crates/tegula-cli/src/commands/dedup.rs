//! `tegula dedup`, `tegula mark` and others that compare texts: the summary of the run.

use crate::commands::{Asked, Show};
use crate::summary;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::commands::dedup::{DedupSpec, MarkSpec, Ran};

/// The exit code of a check that found duplicates.
const DUPLICATES: u8 = 1;

impl Show for DedupSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let ran = run(asked)?;
        Ok(if asked.spec.check && ran.outcome.duplicates() > 0 {
            ExitCode::from(DUPLICATES)
        } else {
            ExitCode::SUCCESS
        })
    }
}

impl Show for MarkSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        run(asked)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Runs a command that compares texts, and shows its summary.
///
/// # Errors
/// When the run fails or is interrupted.
pub(super) fn run<C: Command<Answer = Ran>>(asked: &Asked<C>) -> Result<Ran> {
    let ran = asked.run()?;
    summary::tell(&ran, &asked.shown)?;
    Ok(ran)
}
