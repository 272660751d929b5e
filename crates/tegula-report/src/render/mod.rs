//! Renders tables: on a terminal, as TSV, as LaTeX.

mod latex;
mod terminal;
mod tsv;

pub use latex::{document, latex};
pub use terminal::terminal;
pub use tsv::tsv;

use crate::table::{Cell, Kind, Table};

/// Whether a column is right-aligned.
pub(crate) fn to_the_right(kind: Kind) -> bool {
    kind != Kind::Text
}

/// A cell for display, with thousands separators; a share in a column other than scores is a
/// percentage.
pub(crate) fn shown(table: &Table, column: usize, cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Count(count) => crate::form::count(*count),
        Cell::Share(share)
            if table
                .columns
                .get(column)
                .is_some_and(|column| column.kind == Kind::Score) =>
        {
            format!("{share:.4}")
        }
        Cell::Share(share) => format!("{:.2}", 100.0 * share),
        Cell::Interval(ends) => crate::form::interval(*ends),
        Cell::Text(text) => text.clone(),
    }
}
