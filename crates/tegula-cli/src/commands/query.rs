//! `tegula query`: what in an index resembles texts.

use crate::commands::{Asked, Show};
use crate::terminal::{count, plural};
use crate::{form, output};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::query::QuerySpec;

impl Show for QuerySpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let queried = asked.run()?;
        if asked.spec.explain {
            form::text(&queried, asked.width())?;
        }
        if !asked.is_quiet() {
            output::tell(&format!(
                "{} queried, {} with matches: {} in all\n",
                plural(queried.asked, "text"),
                count(queried.matched),
                count(queried.matches),
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
