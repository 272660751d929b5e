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

/// Declares the commands, each once: its group, its line of help, its arguments, its name, and the
/// function that runs it.
macro_rules! commands {
    ($($group:literal {
        $($(#[doc = $help:literal])+ $Name:ident($Args:ty) = $name:literal: $run:expr,)+
    })+) => {
        /// What to do.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($($(#[doc = $help])+ $Name(Box<$Args>),)+)+
        }

        impl Command {
            fn perform(self) -> Result<ExitCode> {
                match self {
                    $($(Self::$Name(args) => ($run)(&args),)+)+
                }
            }
        }

        /// The commands by purpose.
        pub(crate) const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$($name),+])),+];
    };
}

commands! {
    "Clean" {
        /// Write the collection back without its copies
        Dedup(DedupArgs) = "dedup": commands::dedup::dedup,
        /// Write the collection back with its copies marked
        Mark(MarkArgs) = "mark": commands::dedup::mark,
        /// Write a stream of hits without near copies of those before them
        Filter(FilterArgs) = "filter": commands::filter::filter,
        /// Mark near-duplicate paragraphs in a vertical file: a drop-in for Onion, decision for
        /// decision
        Onion(OnionArgs) = "onion": commands::onion::onion,
    }
    "Look" {
        /// Explain why a text was kept or removed, and show what it shares with its witness
        Explain(ExplainArgs) = "explain": commands::explain::explain,
        /// Report on a run: as tables, as TSV and LaTeX, or as a page
        Report(ReportArgs) = "report": commands::report::report,
        /// Compare two texts by every measure, side by side, or all texts in a folder
        Compare(CompareArgs) = "compare": commands::compare::compare,
        /// List the copies among the documents of folders, the earliest first
        Find(FindArgs) = "find": commands::find::find,
        /// Show what the matcher sees after normalisation
        Tokens(TokensArgs) = "tokens": commands::tokens::tokens,
    }
    "List" {
        /// List the pairs at or above the threshold
        Pairs(PairsArgs) = "pairs": commands::pairs::run,
        /// Cluster stored pairs at another threshold
        Cluster(ClusterArgs) = "cluster": commands::cluster::cluster,
        /// List the passages that texts share: quotations, reused and moved text
        Passages(PassagesArgs) = "passages": commands::passages::passages,
        /// List the phrases that recur, the longest first
        Phrases(PhrasesArgs) = "phrases": commands::phrases::phrases,
        /// List the templates from which texts were filled in, with their slots and what fills them
        Templates(TemplatesArgs) = "templates": commands::templates::templates,
        /// List clusters of similar texts in chronological order: their duration, sources and first source
        Stories(StoriesArgs) = "stories": commands::stories::stories,
    }
    "Measure" {
        /// Evaluate results against labelled pairs or groups, and compare them: precision, recall, F1
        /// and the adjusted Rand index
        Evaluate(EvaluateArgs) = "evaluate": commands::evaluate::evaluate,
        /// Judge a sample of a run's pairs by hand, and estimate its precision and recall
        Judge(JudgeArgs) = "judge": commands::judge::judge,
        /// Show what would be removed at several n-gram lengths and thresholds
        Sweep(SweepArgs) = "sweep": commands::sweep::sweep,
        /// Compare two runs on the same inputs: which copies each found
        Diff(DiffArgs) = "diff": commands::diff::diff,
    }
    "More" {
        /// Show what a run would read, and estimate the memory, disk and time it needs
        Plan(PlanArgs) = "plan": commands::plan::plan,
        /// Repeat a run from its folder
        Rerun(RerunArgs) = "rerun": commands::rerun::rerun,
        /// List the recipes, or print one as TOML
        Recipes(RecipesArgs) = "recipes": commands::recipes::recipes,
        /// Count in how many texts each term or shingle occurs, for --statistics
        Stats(StatsArgs) = "stats": commands::stats::stats,
        /// Print completions for a shell
        Completions(CompletionsArgs) = "completions": |args| commands::completions::completions(args, Cli::command()),
        /// Write the manual pages
        Man(ManArgs) = "man": |args| commands::completions::man(args, Cli::command()),
    }
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
        let ended = self.perform();
        if let Some(beyond) = machine::took().beyond() {
            output::warn(&beyond);
        }
        ended
    }
}
