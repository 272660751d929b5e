//! `tegula tokens`: what the matcher sees.

use crate::commands::{Asked, Show};
use crate::{output, terminal};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::tokens::TokensSpec;

impl Show for TokensSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let listed = asked.run()?;
        if listed.without > 0 && !asked.is_quiet() {
            let what = if asked.spec.keys {
                "units without keys, too short for any"
            } else {
                "units without tokens, compared by their raw text, or by the bytes of a record without any"
            };
            output::tell(&format!("{what}: {}\n", terminal::count(listed.without)));
        }
        Ok(ExitCode::SUCCESS)
    }
}
