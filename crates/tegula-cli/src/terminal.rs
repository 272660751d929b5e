//! The terminal that data is shown on: its width, and its colours.

pub(crate) use tegula_report::form::{count, plural};
pub(crate) use tegula_report::screen::{clipped, columns, say, show, size, table};

use std::io::IsTerminal;

/// The number of columns if it is unknown.
const COLUMNS: usize = 100;

/// Columns of standard output: as requested, otherwise the terminal's, otherwise a hundred.
pub(crate) fn width(asked: Option<usize>) -> usize {
    room(asked).unwrap_or(COLUMNS).max(20)
}

/// The columns that were asked for, or else those of the terminal; none in a file or a pipe.
pub(crate) fn room(asked: Option<usize>) -> Option<usize> {
    asked.or_else(|| {
        let (terminal_size::Width(columns), _) = std::io::stdout()
            .is_terminal()
            .then(terminal_size::terminal_size)
            .flatten()?;
        Some(columns.into())
    })
}

/// Whether data on standard output may carry colours.
pub(crate) fn colours() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && std::io::stdout().is_terminal()
}
