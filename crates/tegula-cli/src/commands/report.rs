//! `tegula report`: reports on a run, as tables and as a page.

use crate::commands::{Asked, Show};
use crate::form;
use crate::output;
use crate::terminal;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::report::ReportSpec;

/// The exit code of an incomplete report.
const INCOMPLETE: u8 = 2;

impl Show for ReportSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let found = asked.run()?;
        if let (Some(written), Some(folder)) = (found.written, &asked.spec.folder.tables) {
            output::say(&format!(
                "{} written to {}",
                terminal::plural(written, "table"),
                folder.display()
            ));
        }
        if let Some(path) = &asked.spec.output {
            output::say(&format!("page written to {}", path.display()));
            for line in &found.missing {
                output::warn(&format!("the page does not show {line}"));
            }
            if !found.missing.is_empty() {
                output::hint(if asked.spec.root.is_none() {
                    "if the inputs of the run have moved, name the folder that they are in with --root"
                } else {
                    "name the folder that has the unchanged inputs of the run with --root"
                });
                return Ok(ExitCode::from(INCOMPLETE));
            }
        } else if asked.spec.folder.tables.is_none() {
            form::text(&found, asked.width())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
