//! Resource limits and progress.

use super::Declared;
use clap::{Args, ValueEnum};
use std::ops::Deref;
use tegula_run::options::MachineOptions;

/// Resource limits and progress.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MachineArgs {
    #[command(flatten)]
    pub(crate) limits: Declared<MachineOptions>,

    #[command(flatten)]
    pub(crate) shown: ProgressArgs,
}

impl Deref for MachineArgs {
    type Target = ProgressArgs;

    fn deref(&self) -> &ProgressArgs {
        &self.shown
    }
}

/// What is shown besides the result.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct ProgressArgs {
    /// Progress on standard error: bars on a terminal and otherwise a line per minute, lines only,
    /// or none
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub(crate) progress: ProgressMode,

    /// Print no progress and no summary, only warnings and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
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
