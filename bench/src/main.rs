//! The bench's command line.

use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::Result;
use tegula::threshold::Threshold;
use tegula_bench::cut::Lengths;
use tegula_bench::found::Means;
use tegula_bench::gold::{self, Terms};
use tegula_bench::make::{self, Order};
use tegula_bench::peer;
use tegula_bench::prose;
use tegula_bench::source::Source;
use tegula_bench::speed::{self, Speed};

/// Corpora with planted copies, exact truth, and checks against listed pairs.
#[derive(Debug, Parser)]
struct Bench {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a corpus with planted copies from real texts, and FILE.plants.tsv beside it.
    Corpus {
        /// A file or folder; PATH@30 takes about 30 million characters of it.
        #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
        source: Vec<Source>,
        /// The corpus to write.
        #[arg(long, value_name = "FILE.jsonl")]
        out: PathBuf,
        /// Megabytes of text, with the copies.
        #[arg(long, value_name = "MB")]
        target_mb: u64,
        /// Another number makes another corpus.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Documents in a hundred that get copies, one to four each; more of them make more of
        /// little text.
        #[arg(long, default_value_t = 20, value_name = "PERCENT")]
        copied: usize,
    },
    /// Write texts of made-up words, a source for a corpus if no real texts are available.
    ///
    /// They have few of the properties of real texts: use them to measure changes to Tegula, not
    /// differences between programs.
    Prose {
        /// The file to write.
        #[arg(long, value_name = "FILE.jsonl")]
        out: PathBuf,
        /// Megabytes of text.
        #[arg(long, value_name = "MB")]
        target_mb: u64,
        /// A different number makes different texts.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Check that ssr reproduces the pairs that another program listed.
    Gold {
        /// The listing: id1, id2, and as many of `j5_word`, n1, n2, common as there are.
        pairs: PathBuf,
        /// The texts.
        docs: PathBuf,
        /// The lowest resemblance listed, in percent; without it by the file's name (-j50), else
        /// 10.
        #[arg(long, value_name = "PERCENT")]
        floor: Option<u64>,
        /// Texts of fewer words are not listed.
        #[arg(long, default_value_t = 0, value_name = "N")]
        least_words: usize,
        #[command(flatten)]
        means: Means,
    },
    /// Count all pairs of a corpus at or above a threshold.
    Truth {
        /// The texts.
        corpus: PathBuf,
        /// The resemblance.
        #[arg(long, default_value = "0.8")]
        threshold: Threshold,
        /// Also list the pairs.
        #[arg(long, value_name = "FILE.tsv")]
        list: Option<PathBuf>,
        #[command(flatten)]
        means: Means,
    },
    /// Hold the pairs that another program found against all pairs.
    Recall {
        /// Two ids a line.
        found: PathBuf,
        /// The texts.
        corpus: PathBuf,
        /// The resemblance.
        #[arg(long, default_value = "0.8")]
        threshold: Threshold,
        #[command(flatten)]
        means: Means,
    },
    /// Measure Tegula and its peers: whole runs that take turns, with their answers checked.
    Speed(Speed),
}

/// Differences that are printed at most.
const SHOWN: usize = 50;

/// The lines to print, and whether all is well.
fn run(command: Command) -> Result<(Vec<String>, bool)> {
    match command {
        Command::Corpus {
            source,
            out,
            target_mb,
            seed,
            copied,
        } => {
            let order = Order {
                sources: source,
                bytes: target_mb * 1_000_000,
                seed,
                lengths: Lengths::default(),
                copied,
            };
            let made = make::make(&order, &out)?;
            let mut lines = vec![format!(
                "{}: {} documents, {} of them planted copies, {} bytes of text, {} bytes, xxh3 {}",
                out.display(),
                made.documents,
                made.planted,
                made.text_bytes,
                made.file_bytes,
                made.xxh3
            )];
            if !made.enough {
                lines.push("the sources ran out before the corpus was full".to_owned());
            }
            Ok((lines, true))
        }
        Command::Prose {
            out,
            target_mb,
            seed,
        } => {
            let texts = prose::write(&out, target_mb * 1_000_000, seed)?;
            Ok((vec![format!("{}: {texts} texts", out.display())], true))
        }
        Command::Gold {
            pairs,
            docs,
            floor,
            least_words,
            means,
        } => {
            let terms = Terms {
                floor: floor.map(|percent| percent * 100),
                least_words,
            };
            let report = gold::check(&pairs, &docs, terms, means)?;
            let mut lines = vec![format!("{}: {report}", pairs.display())];
            // What is unexplained comes first.
            let (odd, known): (Vec<_>, Vec<_>) = report
                .differences
                .iter()
                .partition(|difference| difference.why.is_err());
            lines.extend(
                odd.into_iter()
                    .chain(known)
                    .take(SHOWN)
                    .map(ToString::to_string),
            );
            Ok((lines, report.unexplained() == 0))
        }
        Command::Truth {
            corpus,
            threshold,
            list,
            means,
        } => {
            let truth = peer::truth(&corpus, threshold, list.as_deref(), means)?;
            Ok((
                vec![format!("{} at {threshold}: {truth}", corpus.display())],
                true,
            ))
        }
        Command::Recall {
            found,
            corpus,
            threshold,
            means,
        } => {
            let recall = peer::recall(&found, &corpus, threshold, means)?;
            Ok((
                vec![format!("{} at {threshold}: {recall}", found.display())],
                true,
            ))
        }
        Command::Speed(asked) => Ok((speed::run(&asked)?, true)),
    }
}

fn main() -> ExitCode {
    let (lines, well) = match run(Bench::parse().command) {
        Ok(outcome) => outcome,
        Err(error) => {
            let hint = error
                .advice()
                .map_or_else(String::new, |hint| format!("\nhint: {hint}"));
            // If standard error is closed, nothing can be reported.
            let _ = writeln!(std::io::stderr(), "error: {error}{hint}");
            return ExitCode::from(2);
        }
    };
    for line in lines {
        if writeln!(std::io::stdout(), "{line}").is_err() {
            break;
        }
    }
    if well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
