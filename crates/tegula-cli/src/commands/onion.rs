//! `tegula onion`: near-duplicate paragraphs of vertical files, as the original Onion finds them.

use crate::args::{MachineArgs, NGRAM, TagArgs};
use crate::{machine, output, terminal};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tegula::error::{Error, Result};
use tegula::onion::{Rules, single_precision};
use tegula::threshold::Threshold;
use tegula_io::onion::{self, Options, Summary};
use tegula_run::Host;
use tegula_run::opened::claims;

/// Arguments of `tegula onion`.
#[derive(Debug, Args)]
#[command(
    version,
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
    /// A vertical file, optionally compressed; several for --save-fingerprints [default: -,
    /// standard input]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Tokens in an n-gram [default: 7, or that of the saved fingerprints]
    #[arg(short = 'n', long, value_name = "NUM", value_parser = clap::value_parser!(u16).range(1..))]
    ngram: Option<u16>,

    /// Remove a paragraph if more than this share of its tokens was previously seen
    #[arg(short = 't', long, value_name = "NUM", default_value = "0.5", value_parser = threshold)]
    threshold: Threshold,

    #[command(flatten)]
    tags: TagArgs,

    /// Write only the kept text, without marks
    #[arg(short = 's', long)]
    strip: bool,

    /// No smoothing: short runs of kept paragraphs are kept whatever surrounds them
    #[arg(short = 'm', long)]
    no_smoothing: bool,

    /// Smoothing: maximum length, in tokens, of a run of paragraphs that is removed together with
    /// its surroundings
    #[arg(short = 'l', long, value_name = "NUM", default_value_t = 20)]
    max_stub_length: u32,

    /// Fingerprints of repeated n-grams, saved by --save-fingerprints: one pass, with only these in
    /// memory
    #[arg(short = 'f', long, value_name = "FILE", conflicts_with = "one_pass")]
    fingerprints: Option<PathBuf>,

    /// Mark nothing, but write the n-grams that occur more than once in all files together to this
    /// file, for runs with -f on these files, together or one by one, at any threshold and level,
    /// with the same n and document tag
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fingerprints", "strip", "one_pass", "output"])]
    save_fingerprints: Option<PathBuf>,

    /// Read the input once, keep no copy of a stream, and hold every n-gram; fail if they do not fit
    /// [default: read it twice, and hold those that occur more than once]
    #[arg(long)]
    one_pass: bool,

    /// Output file, compressed according to its name [default: standard output]
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Accepted for compatibility, without effect: n-grams are not trimmed
    #[arg(short = 'T', long, value_name = "NUM")]
    trim_bits: Option<u64>,

    /// Accepted for compatibility, without effect: --memory is the ceiling
    #[arg(short = 'b', long, value_name = "NUM")]
    buffer_size: Option<u64>,

    #[command(flatten)]
    machine: MachineArgs,
}

fn threshold(text: &str) -> Result<Threshold, String> {
    single_precision(text)
        .map_err(|error| error.message().trim_start_matches("threshold: ").to_owned())
}

/// Runs `tegula onion`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn onion(args: &OnionArgs) -> Result<ExitCode> {
    let options = options(args)?;
    let host = args.machine.host()?;
    if let Some(output) = &args.save_fingerprints {
        return save(args, &host, output, &options);
    }
    let clock = Instant::now();
    let input = match &*args.files {
        [] => Path::new("-"),
        [file] => file,
        [_, second, ..] => {
            return Err(Error::usage(format!(
                "expected one file, found a second, {}",
                second.display()
            ))
            .hint("run once per file, or clean them together with `tegula dedup --recipe onion`"));
        }
    };
    let target = args.output.as_deref().unwrap_or(Path::new("-"));
    let read = [input].into_iter().chain(args.fingerprints.as_deref());
    let outputs = claims::files(&host, read, &[("-o", Some(target))])?;
    let summary = onion::deduplicate(
        &host.context,
        input,
        (&outputs, args.output.as_deref()),
        &options,
    )?;
    claims::publish(&host, &outputs)?;
    if !args.machine.quiet {
        if summary.tokens == 0 {
            output::warn("there are no tokens in the input");
        }
        output::tell(&closing(
            &summary,
            args.strip,
            clock.elapsed().as_secs_f64(),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Saves the n-grams that occur more than once.
fn save(args: &OnionArgs, host: &Host, output: &Path, options: &Options) -> Result<ExitCode> {
    let stdin = [PathBuf::from("-")];
    let inputs = if args.files.is_empty() {
        &stdin
    } else {
        &*args.files
    };
    let outputs = claims::files(
        host,
        inputs.iter().map(PathBuf::as_path),
        &[("--save-fingerprints", Some(output))],
    )?;
    let (repeated, all) =
        onion::save_fingerprints(&host.context, inputs, (&outputs, output), options)?;
    claims::publish(host, &outputs)?;
    if !args.machine.quiet {
        let (repeated, all) = (terminal::count(repeated), terminal::count(all));
        output::tell(&format!(
            "{repeated} n-grams that occur more than once, of {all} occurrences\n"
        ));
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
        rules: Rules {
            ngram,
            threshold: args.threshold,
            smooth,
        },
        tags: args.tags.tags()?,
        whole: args.tags.whole(),
        strip: args.strip,
        once: args.one_pass,
        saved: args.fingerprints.clone(),
    })
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
