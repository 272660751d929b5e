//! `tegula rerun`: repeats a run from its folder.

use crate::commands::{Asked, Show};
use crate::output;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::rerun::RerunSpec;

impl Show for RerunSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        if asked.shown.print {
            output::json(&format!("{}\n", asked.spec.recorded()?.to_json()?))?;
        } else {
            super::dedup::run(asked)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
