//! `tegula index`: an index of texts, made and changed.

use crate::commands::{Asked, Show};
use crate::{form, output};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Answer as _;
use tegula_run::commands::index::IndexSpec;

impl Show for IndexSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let indexed = asked.run()?;
        if asked.shown.json {
            form::json(&indexed)?;
        } else if asked.spec.info {
            form::text(&indexed, asked.width())?;
        } else if !asked.is_quiet() {
            output::tell(&indexed.text(asked.width(), false).unwrap_or_default());
        }
        Ok(ExitCode::SUCCESS)
    }
}
