//! Tables as TSV, with plain numbers.

use crate::table::{Cell, Kind, Table};
use std::fmt::Write as _;

/// A line of column names, then a line for each row. Numbers have no separators, percentages four decimals, scores six; tabs, line ends
/// and backslashes in a cell are `\t`, `\n`, `\r`, `\\`, as in the tables of the run folder.
pub fn tsv(table: &Table) -> String {
    let mut out = String::new();
    for (place, column) in table.columns.iter().enumerate() {
        if place > 0 {
            out.push('\t');
        }
        tsv_text(&column.name, &mut out);
    }
    out.push('\n');
    for row in &table.rows {
        for (place, cell) in row.iter().enumerate() {
            if place > 0 {
                out.push('\t');
            }
            let score = table.columns.get(place).is_some_and(|column| column.kind == Kind::Score);
            let _ = match cell {
                Cell::Empty => Ok(()),
                Cell::Count(count) => write!(out, "{count}"),
                Cell::Share(share) if score => write!(out, "{share:.6}"),
                Cell::Share(share) => write!(out, "{:.4}", 100.0 * share),
                Cell::Text(text) => {
                    tsv_text(text, &mut out);
                    Ok(())
                }
            };
        }
        out.push('\n');
    }
    out
}

/// Appends a text as a cell: tabs, line ends and backslashes are spelled out.
pub fn tsv_text(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            c => out.push(c),
        }
    }
}
