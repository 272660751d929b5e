//! Resource limits and progress.

use super::values::{Memory, ScratchPlace};
use clap::{Args, ValueEnum};
use tegula::machine::{Limits, free_memory};

/// Resource limits and progress.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineArgs {
    /// Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,

    /// Maximum number of worker threads; a small --memory may allow fewer. Results never depend on
    /// it [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,

    /// Folder for temporary files, and its ceiling [default: the system's, all its free space]
    #[arg(long, value_name = "DIR[:SIZE]")]
    pub(crate) scratch: Option<ScratchPlace>,

    /// Progress on standard error: bars on a terminal and otherwise a line per minute, lines only,
    /// or none
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub(crate) progress: ProgressMode,

    /// Print no progress and no summary, only warnings and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl MachineArgs {
    /// The resource limits of a run.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.memory = self.memory.map(|memory| match memory {
            Memory::Bytes(bytes) => bytes,
            Memory::Percent(share) => free_memory() / 100 * share,
        });
        limits.threads = self.threads;
        limits.scratch = self.scratch.as_ref().map(|place| place.folder.clone());
        limits.scratch_bytes = self.scratch.as_ref().and_then(|place| place.ceiling);
        limits
    }
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// Bars on a terminal, otherwise a line per minute
    #[default]
    Auto,
    /// A line per minute
    Log,
    /// Nothing
    None,
}
