//! Text for people on a terminal: lines that stay lines, columns that line up.

use crate::grid::{Form, Grid};
use tegula::printable;

/// Appends a line to a text for people: values in it are made printable, so that it stays one line.
#[macro_export]
macro_rules! say {
    ($out:expr, $($arg:tt)*) => {{
        let line = format!($($arg)*);
        $out.push_str(&tegula::printable::line(&line));
        $out.push('\n');
    }};
}
pub use crate::width::{columns, columns_of};
pub use say;

/// A text of a collection on one line of at most this many characters; its end is kept.
pub fn clipped(text: &str, most: usize) -> String {
    let words: Vec<_> = text.split_whitespace().map(printable::line).collect();
    let text = words.join(" ");
    let length = text.chars().count();
    if length <= most {
        return text;
    }
    let start: String = text.chars().take(most * 2 / 3).collect();
    let end: String = text.chars().skip(length - most / 3).collect();
    format!("{start} ... {end}")
}

/// A table fitted to a width. A value that has line ends is still one line.
pub struct Table {
    grid: Grid,
    width: usize,
}

impl Table {
    /// Adds a row.
    pub fn add_row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        self.grid.add_row(printables(cells));
    }

    /// Aligns a column of numbers to the right.
    pub fn align_right(&mut self, column: usize) {
        self.grid.set(column, Form::Number);
    }

    /// Says that a column has names, which are cut where they do not fit.
    pub fn names(&mut self, column: usize) {
        self.grid.set(column, Form::Name);
    }
}

fn printables(cells: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let line = |cell: &str| printable::line(cell).into_owned();
    cells.into_iter().map(|cell| line(cell.as_ref())).collect()
}

/// An empty table. Its first column has names if it has a head, otherwise labels.
pub fn table(head: &[&str], width: usize) -> Table {
    let mut grid = Grid::new(printables(head));
    let is_named = head.first().is_some_and(|name| !name.is_empty());
    grid.set(0, if is_named { Form::Name } else { Form::Label });
    Table { grid, width }
}

/// The table as text.
pub fn show(table: &Table) -> String {
    table.grid.show(table.width)
}

/// Bytes in the unit that suits them.
pub fn size(bytes: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.iter().find(|(shift, _)| bytes >> shift > 0) {
        Some((shift, unit)) => format!("{:.1} {unit}", bytes as f64 / (1_u64 << shift) as f64),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        assert_eq!(
            [0, 1023, 1536, 3 << 30].map(size),
            ["0 B", "1023 B", "1.5 KiB", "3.0 GiB"]
        );
    }
}
