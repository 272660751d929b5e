//! The commands.

use crate::commands::dedup::{DedupArgs, MarkArgs};
use clap::{Parser, Subcommand};

/// Finds exact and near duplicates in text collections, and proves each one
#[derive(Debug, Parser)]
#[command(name = "tegula", version, max_term_width = 110, disable_help_subcommand = true, infer_subcommands = false)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the collection back without its copies
    Dedup(Box<DedupArgs>),
    /// Write the collection back with its copies marked
    Mark(Box<MarkArgs>),
}
