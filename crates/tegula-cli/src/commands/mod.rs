//! The command line as a whole, and its commands: each has a module with its arguments and what it prints, and a line in the table.

pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod dedup;
pub(crate) mod diff;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod filter;
pub(crate) mod find;
pub(crate) mod judge;
pub(crate) mod onion;
pub(crate) mod pairs;
pub(crate) mod passages;
pub(crate) mod phrases;
pub(crate) mod plan;
pub(crate) mod recipes;
pub(crate) mod report;
pub(crate) mod rerun;
pub(crate) mod stats;
pub(crate) mod stories;
pub(crate) mod sweep;
pub(crate) mod templates;
pub(crate) mod tokens;

use crate::{invocation, machine, output};
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
        Dedup(dedup::DedupArgs) = "dedup": dedup::dedup,
        /// Write the collection back with its copies marked
        Mark(dedup::MarkArgs) = "mark": dedup::mark,
        /// Write a stream of hits without near copies of those before them
        Filter(filter::FilterArgs) = "filter": filter::filter,
        /// Mark near-duplicate paragraphs in a vertical file: a drop-in for Onion, decision for
        /// decision
        Onion(onion::OnionArgs) = "onion": onion::onion,
    }
    "Look" {
        /// Explain why a text was kept or removed, and show what it shares with its witness
        Explain(explain::ExplainArgs) = "explain": explain::explain,
        /// Report on a run: as tables, as TSV and LaTeX, or as a page
        Report(report::ReportArgs) = "report": report::report,
        /// Compare two texts by every measure, side by side, or all texts in a folder
        Compare(compare::CompareArgs) = "compare": compare::compare,
        /// List the copies among the documents of folders, the earliest first
        Find(find::FindArgs) = "find": find::find,
        /// Show what the matcher sees after normalisation
        Tokens(tokens::TokensArgs) = "tokens": tokens::tokens,
    }
    "List" {
        /// List the pairs at or above the threshold
        Pairs(pairs::PairsArgs) = "pairs": pairs::run,
        /// Cluster stored pairs at another threshold
        Cluster(cluster::ClusterArgs) = "cluster": cluster::cluster,
        /// List the passages that texts share: quotations, reused and moved text
        Passages(passages::PassagesArgs) = "passages": passages::passages,
        /// List the phrases that recur, the longest first
        Phrases(phrases::PhrasesArgs) = "phrases": phrases::phrases,
        /// List the templates from which texts were filled in, with their slots and what fills them
        Templates(templates::TemplatesArgs) = "templates": templates::templates,
        /// List clusters of similar texts in chronological order: their duration, sources and first source
        Stories(stories::StoriesArgs) = "stories": stories::stories,
    }
    "Measure" {
        /// Evaluate results against labelled pairs or groups, and compare them: precision, recall, F1
        /// and the adjusted Rand index
        Evaluate(evaluate::EvaluateArgs) = "evaluate": evaluate::evaluate,
        /// Judge a sample of a run's pairs by hand, and estimate its precision and recall
        Judge(judge::JudgeArgs) = "judge": judge::judge,
        /// Show what would be removed at several n-gram lengths and thresholds
        Sweep(sweep::SweepArgs) = "sweep": sweep::sweep,
        /// Compare two runs on the same inputs: which copies each found
        Diff(diff::DiffArgs) = "diff": diff::diff,
    }
    "More" {
        /// Show what a run would read, and estimate the memory, disk and time it needs
        Plan(plan::PlanArgs) = "plan": plan::plan,
        /// Repeat a run from its folder
        Rerun(rerun::RerunArgs) = "rerun": rerun::rerun,
        /// List the recipes, or print one as TOML
        Recipes(recipes::RecipesArgs) = "recipes": recipes::recipes,
        /// Count in how many texts each term or shingle occurs, for --statistics
        Stats(stats::StatsArgs) = "stats": stats::stats,
        /// Print completions for a shell
        Completions(completions::CompletionsArgs) = "completions": |args| completions::completions(args, Cli::command()),
        /// Write the manual pages
        Man(completions::ManArgs) = "man": |args| completions::man(args, Cli::command()),
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
