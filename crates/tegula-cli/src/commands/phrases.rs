//! `tegula phrases`: the sequences of tokens that recur, the longest first.

use crate::commands::{Asked, Show};
use crate::terminal::plural;
use crate::{output, summary};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Answer;
use tegula_run::commands::phrases::PhrasesSpec;
use tegula_run::describe;

impl Show for PhrasesSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let found = asked.run()?;
        if asked.shown.json {
            output::json(&format!("{}\n", found.json()?))?;
        } else if !asked.is_quiet() {
            output::tell(&format!(
                "{} in {} of {}, in {:.2} s\n{}",
                match found.counted.phrases {
                    0 => "no phrases".to_owned(),
                    phrases => plural(phrases, "phrase"),
                },
                plural(found.counted.texts, &describe::name(&found.unit)),
                plural(found.counted.tokens, "token"),
                found.seconds,
                summary::passed_over(&found.passed_over),
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
