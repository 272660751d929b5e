//! What the run may take of the machine, and what it says meanwhile.

use super::values::{Memory, ScratchPlace};
use clap::{Args, ValueEnum};

/// What the run may take of the machine, and what it says meanwhile.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineArgs {
    /// Memory ceiling: bytes, with K, M or G, or a share of what is free [default: 70%]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,

    /// Worker threads at most, fewer where --memory has no room for them; results never depend on it [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Folder for temporary files, and how much of it [default: the system's, all of it]
    #[arg(long, value_name = "DIR[:SIZE]")]
    pub(crate) scratch: Option<ScratchPlace>,

    /// Progress on standard error: bars on a terminal and a line a minute off it, lines only, or nothing
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub(crate) progress: ProgressMode,

    /// No progress and no summary; warnings and errors remain
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// Bars on a terminal, a line a minute off it
    #[default]
    Auto,
    /// A line a minute
    Log,
    /// Nothing
    None,
}
