//! `tegula pairs`: the table of all pairs at or above the threshold.

use crate::commands::{Asked, Show};
use crate::{output, terminal};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::pairs::PairsSpec;

impl Show for PairsSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let ran = super::dedup::run(asked)?;
        let levels = &ran.outcome.reports()[0].summary.levels;
        let pairs = levels.first().map_or(0, |level| level.pairs);
        let rows = ran.outcome.rows().filter(|rows| *rows < pairs);
        if let Some(rows) = rows.filter(|_| !asked.is_quiet()) {
            output::tell(&format!(
                "{} for {} of units: equal units are a group, and a row stands for equal_a times equal_b pairs; --expand lists every pair\n",
                terminal::plural(rows, "row"),
                terminal::plural(pairs, "pair"),
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
