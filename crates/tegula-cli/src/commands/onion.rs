//! `tegula onion`: near-duplicate paragraphs of vertical files, as the original Onion finds them.

use crate::commands::{Asked, Show};
use crate::{machine, output, terminal};
use std::process::ExitCode;
use tegula::error::Result;
use tegula_io::onion::Summary;
use tegula_run::commands::onion::{Done, OnionSpec};

/// The letters of the original's options.
const LETTERS: [(&str, char); 10] = [
    ("ngram", 'n'),
    ("threshold", 't'),
    ("doc_tag", 'd'),
    ("par_tag", 'p'),
    ("strip", 's'),
    ("no_smoothing", 'm'),
    ("max_stub_length", 'l'),
    ("fingerprints", 'f'),
    ("trim_bits", 'T'),
    ("buffer_size", 'b'),
];

impl Show for OnionSpec {
    fn adapt(command: clap::Command) -> clap::Command {
        let command = command.version(env!("CARGO_PKG_VERSION"));
        LETTERS.iter().fold(command, |command, (name, letter)| {
            command.mut_arg(name, |arg| arg.short(*letter))
        })
    }

    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let done = asked.run()?;
        if asked.is_quiet() {
            return Ok(ExitCode::SUCCESS);
        }
        output::tell(&match done {
            Done::Marked { summary, seconds } => closing(&summary, asked.spec.strip, seconds),
            Done::Saved { repeated, all } => format!(
                "{} n-grams that occur more than once, of {} occurrences\n",
                terminal::count(repeated),
                terminal::count(all)
            ),
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// The run summary, in a line or two.
fn closing(summary: &Summary, strip: bool, seconds: f64) -> String {
    let verb = if strip { "removed" } else { "marked" };
    let count = terminal::count;
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let took = machine::took().words();
    let passes = match summary.passes {
        1 => "1 pass",
        _ => "2 passes",
    };
    format!(
        "{verb} {} of {} documents, {} of {} paragraphs ({} by smoothing), {} of {} tokens ({:.1} %)\n\
         {passes}, {} n-grams held, {seconds:.2} s, {took}\n",
        count(summary.documents_removed),
        count(summary.documents),
        count(summary.paragraphs_removed),
        count(summary.paragraphs),
        count(summary.paragraphs_smoothed),
        count(summary.tokens_removed),
        count(summary.tokens),
        percent(summary.tokens_removed, summary.tokens),
        count(summary.ngrams),
    )
}
