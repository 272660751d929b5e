//! `tegula compare`: two texts by every measure and side by side, or all texts of a folder with
//! each other.

use crate::commands::{Asked, Show};
use crate::output;
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_run::commands::compare::CompareSpec;

impl Show for CompareSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        if asked.shown.json && asked.spec.output.is_some() {
            return Err(Error::of("⟨json⟩")
                .expected("no ⟨output⟩, as the result is printed")
                .found("both"));
        }
        let found = asked.run()?;
        if asked.spec.output.is_none() {
            asked.print(&found)?;
        } else if let Some(summary) = found.summary().filter(|_| !asked.is_quiet()) {
            output::tell(&summary);
        }
        Ok(ExitCode::SUCCESS)
    }
}
