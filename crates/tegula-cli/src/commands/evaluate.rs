//! `tegula evaluate`: evaluates a result against labelled pairs or groups.

use crate::commands::{Asked, Show};
use crate::form;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::commands::evaluate::EvaluateSpec;
use tegula_run::options::Form;

/// Rows of a table.
const ROWS: usize = 40;

impl Show for EvaluateSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let form = asked.shown.form.unwrap_or_default();
        let spec = EvaluateSpec {
            prints_tsv: form == Form::Tsv,
            ..asked.spec.clone()
        };
        let found = spec.run(&asked.host()?)?;
        let size = (asked.width(), ROWS);
        let formulas = spec.formulas.of(true)?;
        form::print(form, || found.json(), &found.tables(), size, formulas)?;
        Ok(ExitCode::SUCCESS)
    }
}
