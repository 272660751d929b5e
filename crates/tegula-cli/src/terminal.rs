//! The terminal that data is shown on: its width, and its colours.

pub(crate) use tegula_report::form::{count, plural};
pub(crate) use tegula_report::screen::{clipped, columns, say, show, size, table};

use std::io::IsTerminal;

/// The number of columns if it is unknown.
const COLUMNS: usize = 100;

/// Columns of standard output: as requested, otherwise the terminal's, otherwise a hundred.
pub(crate) fn width(asked: Option<usize>) -> usize {
    let terminal = || {
        terminal_size::terminal_size()
            .map(|(terminal_size::Width(columns), _)| usize::from(columns))
    };
    let stdout = std::io::stdout().is_terminal();
    asked
        .or_else(|| if stdout { terminal() } else { None })
        .unwrap_or(COLUMNS)
        .max(20)
}

/// Whether data on standard output may carry colours.
pub(crate) fn colours() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && std::io::stdout().is_terminal()
}
