//! `tegula phrases`: the sequences of tokens that recur, the longest first.

use crate::args::{Declared, MachineArgs};
use crate::terminal::plural;
use crate::{output, summary};
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::{Answer, Command};
use tegula_run::describe;
use tegula_run::phrases::PhrasesSpec;

/// Arguments of `tegula phrases`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula phrases laws.jsonl -o phrases.tsv
  tegula phrases news/ --min-tokens 6 --min-texts 10 --by source -o phrases.parquet
  tegula phrases letters.jsonl --by date:year --date-format %d.%m.%Y --top 100 -o - | less -S

A phrase is a sequence of tokens that is not part of a longer one with the same number of occurrences: if a
sentence is always copied whole, only the sentence is listed; a part of it is listed if it also occurs elsewhere.
The longest come first; of equally long ones the most frequent comes first, then the earliest. `dp` is Gries'
deviation of proportions (0: spread evenly), `association` the binary logarithm of the occurrences over those
expected if the tokens were independent.")]
pub(crate) struct PhrasesArgs {
    #[command(flatten)]
    spec: Declared<PhrasesSpec>,

    /// Print the summary as JSON on standard output
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula phrases`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn phrases(args: &PhrasesArgs) -> Result<ExitCode> {
    let host = crate::host::writing(args.machine.host()?, "--json", args.json.then_some("-"));
    let found = args.spec.run(&host)?;
    if args.json {
        output::json(&format!("{}\n", found.json()?))?;
    } else if !args.machine.quiet {
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
