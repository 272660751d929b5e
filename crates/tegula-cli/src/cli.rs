//! The commands.

use crate::commands::cluster::ClusterArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::completions::{CompletionsArgs, ManArgs};
use crate::commands::dedup::{DedupArgs, MarkArgs};
use crate::commands::diff::DiffArgs;
use crate::commands::evaluate::EvaluateArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::filter::FilterArgs;
use crate::commands::find::FindArgs;
use crate::commands::judge::JudgeArgs;
use crate::commands::onion::OnionArgs;
use crate::commands::pairs::PairsArgs;
use crate::commands::passages::PassagesArgs;
use crate::commands::phrases::PhrasesArgs;
use crate::commands::plan::PlanArgs;
use crate::commands::recipes::RecipesArgs;
use crate::commands::report::ReportArgs;
use crate::commands::rerun::RerunArgs;
use crate::commands::stats::StatsArgs;
use crate::commands::stories::StoriesArgs;
use crate::commands::sweep::SweepArgs;
use crate::commands::templates::TemplatesArgs;
use crate::commands::tokens::TokensArgs;
use crate::{commands, invocation, machine, output};
use clap::{CommandFactory, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::Result;

/// Finds exact and near duplicates in text collections, and proves each one
#[derive(Debug, Parser)]
#[command(
    name = "tegula",
    version,
    long_version = crate::version::version(),
    max_term_width = 110,
    infer_subcommands = false
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Configuration file: options by command, and recipes by name [default: tegula.toml in this
    /// folder or the nearest one above]
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        help_heading = "Configuration"
    )]
    config: Option<PathBuf>,

    /// Look for no configuration file
    #[arg(
        long,
        global = true,
        conflicts_with = "config",
        help_heading = "Configuration"
    )]
    no_config: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the collection back without its copies
    Dedup(Box<DedupArgs>),
    /// Write the collection back with its copies marked
    Mark(Box<MarkArgs>),
    /// List the pairs at or above the threshold
    Pairs(Box<PairsArgs>),
    /// List the copies among the documents of folders, the earliest first
    Find(Box<FindArgs>),
    /// List the passages that texts share: quotations, reused and moved text
    Passages(Box<PassagesArgs>),
    /// List the phrases that recur, the longest first
    Phrases(Box<PhrasesArgs>),
    /// List clusters of similar texts in chronological order: their duration, sources and first source
    Stories(Box<StoriesArgs>),
    /// List the templates from which texts were filled in, with their slots and what fills them
    Templates(Box<TemplatesArgs>),
    /// Write a stream of hits without near copies of those before them
    Filter(Box<FilterArgs>),
    /// Cluster stored pairs at another threshold
    Cluster(ClusterArgs),
    /// Explain why a text was kept or removed, and show what it shares with its witness
    Explain(ExplainArgs),
    /// Compare two texts by every measure, side by side, or all texts in a folder
    Compare(Box<CompareArgs>),
    /// Compare two runs on the same inputs: which copies each found
    Diff(DiffArgs),
    /// Evaluate results against labelled pairs or groups, and compare them: precision, recall, F1
    /// and the adjusted Rand index
    Evaluate(Box<EvaluateArgs>),
    /// Judge a sample of a run's pairs by hand, and estimate its precision and recall
    Judge(Box<JudgeArgs>),
    /// Show what would be removed at several n-gram lengths and thresholds
    Sweep(Box<SweepArgs>),
    /// Mark near-duplicate paragraphs in a vertical file: a drop-in for Onion, decision for
    /// decision
    Onion(Box<OnionArgs>),
    /// Repeat a run from its folder
    Rerun(Box<RerunArgs>),
    /// Show what a run would read, and estimate the memory, disk and time it needs
    Plan(Box<PlanArgs>),
    /// List the recipes, or print one as TOML
    Recipes(RecipesArgs),
    /// Report on a run: as tables, as TSV and LaTeX, or as a page
    Report(ReportArgs),
    /// Count in how many texts each term or shingle occurs, for --statistics
    Stats(Box<StatsArgs>),
    /// Show what the matcher sees after normalisation
    Tokens(Box<TokensArgs>),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

impl Command {
    /// Runs it.
    ///
    /// # Errors
    /// The error that ended it early.
    pub(crate) fn run(self) -> Result<ExitCode> {
        if let Some(config) = invocation::config() {
            config.tell();
        }
        let ended = match self {
            Self::Dedup(args) => commands::dedup::dedup(&args),
            Self::Mark(args) => commands::dedup::mark(&args),
            Self::Pairs(args) => commands::pairs::run(&args),
            Self::Find(args) => commands::find::find(&args),
            Self::Filter(args) => commands::filter::filter(&args),
            Self::Phrases(args) => commands::phrases::phrases(&args),
            Self::Cluster(args) => commands::cluster::cluster(&args),
            Self::Compare(args) => commands::compare::compare(&args),
            Self::Diff(args) => commands::diff::diff(&args),
            Self::Evaluate(args) => commands::evaluate::evaluate(&args),
            Self::Judge(args) => commands::judge::judge(&args),
            Self::Explain(args) => commands::explain::explain(&args),
            Self::Onion(args) => commands::onion::onion(&args),
            Self::Passages(args) => commands::passages::passages(&args),
            Self::Plan(args) => commands::plan::plan(&args),
            Self::Recipes(args) => commands::recipes::recipes(&args),
            Self::Report(args) => commands::report::report(&args),
            Self::Rerun(args) => commands::rerun::rerun(&args),
            Self::Stats(args) => commands::stats::stats(&args),
            Self::Sweep(args) => commands::sweep::sweep(&args),
            Self::Stories(args) => commands::stories::stories(&args),
            Self::Templates(args) => commands::templates::templates(&args),
            Self::Tokens(args) => commands::tokens::tokens(&args),
            Self::Completions(args) => commands::completions::completions(&args, Cli::command()),
            Self::Man(args) => commands::completions::man(&args, Cli::command()),
        };
        if let Some(beyond) = machine::took().beyond() {
            output::warn(&beyond);
        }
        ended
    }
}
