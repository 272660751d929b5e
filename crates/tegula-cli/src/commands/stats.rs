//! `tegula stats`: document frequencies of a collection, saved for `--statistics`.

use crate::commands::{Asked, Show};
use crate::{output, summary, terminal};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::statistics::StatsSpec;
use tegula_run::describe;

impl Show for StatsSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let counted = asked.run()?;
        if !asked.is_quiet() {
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
}
