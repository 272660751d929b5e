//! Text for people on a terminal: lines that stay lines, columns that line up.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, presets};
use tegula::printable;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Appends a line to a text for people: values in it are made printable, so that it stays one line.
#[macro_export]
macro_rules! say {
    ($out:expr, $($arg:tt)*) => {{
        let line = format!($($arg)*);
        $out.push_str(&tegula::printable::line(&line));
        $out.push('\n');
    }};
}
pub use say;

/// Columns that a text takes.
pub fn columns(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Columns that a character takes.
pub fn columns_of(c: char) -> usize {
    UnicodeWidthChar::width(c).unwrap_or(0)
}

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

/// A table whose cells are wrapped to the width, except those of the first column. A value that has
/// line ends is still one line.
pub struct Table(comfy_table::Table);

impl Table {
    /// Adds a row.
    pub fn add_row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        self.0.add_row(printables(cells));
    }

    /// Aligns a column to the right.
    pub fn align_right(&mut self, column: usize) {
        if let Some(column) = self.0.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn printables(cells: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let line = |cell: &str| printable::line(cell).into_owned();
    cells.into_iter().map(|cell| line(cell.as_ref())).collect()
}

/// An empty table.
pub fn table(head: &[&str], width: usize) -> Table {
    let mut table = comfy_table::Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    if !head.is_empty() {
        table.set_header(printables(head));
    }
    Table(table)
}

/// The table as text, without white space around its lines.
pub fn show(Table(mut table): Table) -> String {
    if let Some(first) = table.column_mut(0) {
        first
            .set_padding((0, 1))
            .set_constraint(ColumnConstraint::ContentWidth);
    }
    let mut out = String::new();
    for line in table.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
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
