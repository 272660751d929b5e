//! `tegula serve`: an index over HTTP.

use crate::commands::{Asked, Show};
use crate::{form, interrupt, output};
use std::process::ExitCode;
use std::time::Duration;
use tegula::error::Result;
use tegula_run::command::Answer as _;
use tegula_run::commands::serve::ServeSpec;

/// How long the server may take to finish what it has begun.
const PATIENCE: Duration = Duration::from_secs(60);

impl Show for ServeSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        interrupt::wait_up_to(PATIENCE);
        let stopped = asked.run()?;
        if asked.shown.json {
            form::json(&stopped)?;
        } else if !asked.is_quiet() {
            output::tell(&stopped.text(asked.width(), false).unwrap_or_default());
        }
        Ok(ExitCode::SUCCESS)
    }
}
