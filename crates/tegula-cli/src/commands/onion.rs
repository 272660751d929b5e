//! `tegula onion`: near-duplicate paragraphs of vertical files, as the original Onion finds them.

use crate::args::{MachineArgs, NGRAM, TagArgs};
use crate::{machine, output, terminal};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tegula::error::Result;
use tegula::onion::{Rules, single_precision};
use tegula::threshold::Threshold;
use tegula_io::onion::{self, Options, Passes, Summary};
use tegula_run::claims;

/// Arguments of `tegula onion`.
#[derive(Debug, Args)]
#[command(
    version,
    after_help = "Every line is written back behind 0 and a tab if it stays, behind 1 and a tab if it goes. A
paragraph goes if more than the threshold of its tokens lie in n-grams that were seen before:
earlier in its document, or in a kept paragraph of an earlier document. A line that begins with
< is structure, any other line is a token, all of it, in whatever encoding.

Examples:
  tegula onion corpus.vert > marked.vert
  tegula onion -n 5 -t 0.9 -s corpus.vert.gz -o clean.vert.zst
  zcat corpus.vert.gz | tegula onion -sm -d text -q > clean.vert
  tegula fingerprints corpus.vert -o corpus.ngrams
  tegula onion -t 0.7 -f corpus.ngrams corpus.vert > marked.vert"
)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct OnionArgs {
    /// A vertical file, also compressed; `-` or nothing is standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Tokens in an n-gram [default: 7, or that of the saved fingerprints]
    #[arg(short = 'n', long, value_name = "NUM", value_parser = clap::value_parser!(u16).range(1..))]
    ngram: Option<u16>,

    /// A paragraph goes if more than this share of its tokens was seen before
    #[arg(short = 't', long, value_name = "NUM", default_value = "0.5", value_parser = threshold)]
    threshold: Threshold,

    #[command(flatten)]
    tags: TagArgs,

    /// Write only what stays, without marks
    #[arg(short = 's', long)]
    strip: bool,

    /// Do not smooth: short runs of paragraphs stay whatever surrounds them
    #[arg(short = 'm', long)]
    no_smoothing: bool,

    /// The most tokens that a run of paragraphs has that goes with what surrounds it
    #[arg(short = 'l', long, value_name = "NUM", default_value_t = 20)]
    max_stub_length: u32,

    /// Fingerprints of repeated n-grams, saved by `tegula fingerprints`: one pass that holds no others
    #[arg(short = 'f', long, value_name = "FILE", conflicts_with_all = ["one_pass", "two_pass"])]
    fingerprints: Option<PathBuf>,

    /// Count n-grams on scratch first, and hold only those that occur more than once
    #[arg(long)]
    two_pass: bool,

    /// Hold all n-grams, and end in an error if they do not fit [default: two passes then]
    #[arg(long, conflicts_with = "two_pass")]
    one_pass: bool,

    /// Where the result is written to, compressed as the name says [default: standard output]
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Taken for the sake of old scripts, without effect: n-grams are not trimmed
    #[arg(short = 'T', long, value_name = "NUM")]
    trim_bits: Option<u64>,

    /// Taken for the sake of old scripts, without effect: --memory is the ceiling
    #[arg(short = 'b', long, value_name = "NUM")]
    buffer_size: Option<u64>,

    #[command(flatten)]
    machine: MachineArgs,
}

fn threshold(text: &str) -> Result<Threshold, String> {
    single_precision(text).map_err(|error| error.message().trim_start_matches("threshold: ").to_owned())
}

/// Runs `tegula onion`.
///
/// # Errors
/// What ended it before its time.
pub(crate) fn onion(args: &OnionArgs) -> Result<ExitCode> {
    let options = options(args)?;
    let host = args.machine.host()?;
    let clock = Instant::now();
    let input = args.file.as_deref().unwrap_or(Path::new("-"));
    let target = args.output.as_deref().unwrap_or(Path::new("-"));
    let read = [input].into_iter().chain(args.fingerprints.as_deref());
    let outputs = claims::files(&host, read, &[("-o", Some(target))])?;
    let summary = onion::deduplicate(&host.context, input, (&outputs, args.output.as_deref()), &options)?;
    claims::publish(&host, &outputs)?;
    if !args.machine.quiet {
        if summary.tokens == 0 {
            output::warn("there are no tokens in the input");
        }
        output::tell(&closing(&summary, args.strip, clock.elapsed().as_secs_f64()));
    }
    Ok(ExitCode::SUCCESS)
}

fn options(args: &OnionArgs) -> Result<Options> {
    let ngram = match (args.ngram, &args.fingerprints) {
        (Some(ngram), _) => usize::from(ngram),
        (None, Some(path)) => onion::facts(path)?.ngram,
        (None, None) => NGRAM,
    };
    let smooth = (!args.no_smoothing).then_some(args.max_stub_length);
    Ok(Options {
        rules: Rules { ngram, threshold: args.threshold, smooth },
        tags: args.tags.tags()?,
        whole: args.tags.whole(),
        strip: args.strip,
        passes: match (args.one_pass, args.two_pass) {
            (true, _) => Passes::One,
            (_, true) => Passes::Two,
            _ => Passes::Auto,
        },
        saved: args.fingerprints.clone(),
    })
}

/// What the run came to, in a line or two.
fn closing(summary: &Summary, strip: bool, seconds: f64) -> String {
    let verb = if strip { "removed" } else { "marked" };
    let count = terminal::count;
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let took = machine::took().words();
    let passes = match (summary.passes, summary.restarted) {
        (_, true) => "2 passes after 1 that met the memory ceiling",
        (1, _) => "1 pass",
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
