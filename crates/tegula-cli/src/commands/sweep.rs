//! `tegula sweep`: what would be removed at several n-gram lengths and thresholds.

use crate::commands::{Asked, Show};
use crate::form;
use crate::{output, summary};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_report::render::terminal;
use tegula_report::tables::is_grid;
use tegula_run::commands::sweep::{SweepSpec, tables};

impl Show for SweepSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let found = asked.run()?;
        if asked.shown.json {
            form::json(&found)?;
            return Ok(ExitCode::SUCCESS);
        }
        let width = asked.width();
        let shown = (tables(&found)?.iter())
            .filter(|table| is_grid(table))
            .map(|table| terminal(table, width, usize::MAX))
            .collect::<Vec<_>>()
            .join("\n");
        output::show(&shown)?;
        if !asked.is_quiet() && !found.passed_over.is_empty() {
            output::tell(&summary::passed_over(&found.passed_over));
        }
        Ok(ExitCode::SUCCESS)
    }
}
