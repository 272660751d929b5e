//! `tegula onion`: near-duplicate paragraphs of vertical files, as the original Onion finds them.

use crate::args::{Declared, MachineArgs};
use crate::{machine, output, terminal};
use clap::Args;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_io::onion::Summary;
use tegula_run::command::Command;
use tegula_run::onion::{Done, OnionSpec};

/// Arguments of `tegula onion`.
#[derive(Debug, Args)]
#[command(
    version,
    mut_arg("ngram", |arg| arg.short('n')),
    mut_arg("threshold", |arg| arg.short('t')),
    mut_arg("doc_tag", |arg| arg.short('d')),
    mut_arg("par_tag", |arg| arg.short('p')),
    mut_arg("strip", |arg| arg.short('s')),
    mut_arg("no_smoothing", |arg| arg.short('m')),
    mut_arg("max_stub_length", |arg| arg.short('l')),
    mut_arg("fingerprints", |arg| arg.short('f')),
    mut_arg("trim_bits", |arg| arg.short('T')),
    mut_arg("buffer_size", |arg| arg.short('b')),
    after_help = "Every line is written with a prefix: 0 and a tab if it is kept, 1 and a tab if it is removed. A
paragraph is removed if the share of its tokens in previously seen n-grams exceeds the threshold:
n-grams earlier in its document, or in a kept paragraph of an earlier document. A line that starts
with < is structure; any other whole line is a token, in whatever encoding.

Examples:
  tegula onion corpus.vert > marked.vert
  tegula onion -n 5 -t 0.9 -s corpus.vert.gz -o clean.vert.zst
  zcat corpus.vert.gz | tegula onion -sm -d text -q > clean.vert
  tegula onion corpus.vert --save-fingerprints corpus.ngrams
  tegula onion -t 0.7 -f corpus.ngrams corpus.vert > marked.vert"
)]
pub(crate) struct OnionArgs {
    #[command(flatten)]
    spec: Declared<OnionSpec>,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula onion`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn onion(args: &OnionArgs) -> Result<ExitCode> {
    let done = args.spec.run(&args.machine.host()?)?;
    if args.machine.quiet {
        return Ok(ExitCode::SUCCESS);
    }
    output::tell(&match done {
        Done::Marked { summary, seconds } => closing(&summary, args.spec.strip, seconds),
        Done::Saved { repeated, all } => format!(
            "{} n-grams that occur more than once, of {} occurrences\n",
            terminal::count(repeated),
            terminal::count(all)
        ),
    });
    Ok(ExitCode::SUCCESS)
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
