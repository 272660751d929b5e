//! What is to be measured.

use clap::Args;
use std::path::PathBuf;

/// What is measured, and how often.
#[derive(Debug, Args)]
pub struct Speed {
    /// The texts: JSONL with id and text, as `corpus` makes it.
    pub(super) corpus: PathBuf,
    /// The program to measure.
    #[arg(long, value_name = "PROGRAM", default_value = "target/release/tegula")]
    pub(super) tegula: PathBuf,
    /// Recipes, all with their own thresholds.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_values_t =
        ["copies", "ssr", "sscr", "cosine", "simhash", "sketch", "onion", "exact", "plain"].map(str::to_owned))]
    pub(super) recipes: Vec<String>,
    /// Run each recipe with these numbers of threads.
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "1,2"
    )]
    pub(super) threads: Vec<usize>,
    /// Other libraries: gaoya, datasketch. Ratios are to the first.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(super) peers: Vec<String>,
    /// The Python that has them.
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub(super) python: PathBuf,
    /// The script that drives them.
    #[arg(
        long,
        value_name = "FILE.py",
        default_value = "bench/peers/run_peer.py"
    )]
    pub(super) driver: PathBuf,
    /// How often everything is run.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) rounds: u32,
    /// A sentence about the corpus, for the table.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(super) note: String,
    /// A folder for the tables, the plot, and what runs write.
    #[arg(long, short, value_name = "FOLDER")]
    pub(super) output: PathBuf,
}
