//! `tegula diff`: compares what two runs on the same inputs caught.

use crate::commands::{Asked, Show};
use crate::output;
use crate::terminal::count;
use std::path::Path;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::diff::DiffSpec;

impl Show for DiffSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let found = asked.run()?;
        let output = asked.spec.output.as_deref();
        if output == Some(Path::new("-")) {
            return Ok(ExitCode::SUCCESS);
        }
        if let (Some(rows), Some(path)) = (found.listed, output) {
            output::say(&format!("{} listed in {}", count(rows), path.display()));
        }
        asked.print(&found)?;
        Ok(ExitCode::SUCCESS)
    }
}
