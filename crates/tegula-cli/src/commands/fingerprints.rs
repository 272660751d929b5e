//! `tegula fingerprints`: the n-grams of vertical files that occur more than once, saved for `tegula onion -f`.

use crate::args::{MachineArgs, NGRAM, TagArgs};
use crate::{output, terminal};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::error::Result;
use tegula::onion::Rules;
use tegula_io::onion::{self, Options, Passes};
use tegula_run::claims;

/// Arguments of `tegula fingerprints`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula fingerprints corpus.vert -o corpus.ngrams
  tegula onion -f corpus.ngrams -t 0.5 corpus.vert > half.vert
  tegula onion -f corpus.ngrams -t 0.9 -p doc corpus.vert > documents.vert

The file holds the n-grams that occur more than once in all inputs together. Use it for runs on
these inputs, together or one by one, at any threshold and level, with the same n and document tag.")]
pub(crate) struct FingerprintsArgs {
    /// Vertical files, optionally compressed; `-` is standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Tokens in an n-gram
    #[arg(short = 'n', long, value_name = "NUM", default_value_t = NGRAM as u16, value_parser = clap::value_parser!(u16).range(1..))]
    ngram: u16,

    #[command(flatten)]
    tags: TagArgs,

    /// File to write the fingerprints to
    #[arg(short = 'o', long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula fingerprints`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn fingerprints(args: &FingerprintsArgs) -> Result<ExitCode> {
    let options = Options {
        // The threshold and smoothing play no part in counting.
        rules: Rules { ngram: usize::from(args.ngram), ..Rules::onion()? },
        tags: args.tags.tags()?,
        whole: args.tags.whole(),
        strip: false,
        passes: Passes::Two,
        saved: None,
    };
    let host = args.machine.host()?;
    let outputs = claims::files(&host, args.inputs.iter().map(PathBuf::as_path), &[("-o", Some(&args.output))])?;
    let (repeated, all) = onion::save_fingerprints(&host.context, &args.inputs, (&outputs, &args.output), &options)?;
    claims::publish(&host, &outputs)?;
    if !args.machine.quiet {
        output::tell(&format!(
            "{} n-grams that occur more than once, of {} occurrences\n",
            terminal::count(repeated),
            terminal::count(all)
        ));
    }
    Ok(ExitCode::SUCCESS)
}
