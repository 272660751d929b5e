//! Tables as TSV, with plain numbers.

use crate::table::{Cell, Kind, Table};
use std::fmt::Write as _;
use tegula_io::tables::escape_tsv;

/// A line of column names, then a line for each row. Numbers have no separators, percentages four
/// decimals, scores six; tabs, line ends and backslashes in a cell are `\t`, `\n`, `\r`, `\\`, as
/// in the tables of the run folder.
pub fn tsv(table: &Table) -> String {
    let mut out = String::new();
    for (place, column) in table.columns.iter().enumerate() {
        if place > 0 {
            out.push('\t');
        }
        escape_tsv(&column.name, &mut out);
    }
    out.push('\n');
    for row in &table.rows {
        for (place, cell) in row.iter().enumerate() {
            if place > 0 {
                out.push('\t');
            }
            let score = table
                .columns
                .get(place)
                .is_some_and(|column| column.kind == Kind::Score);
            let _ = match cell {
                Cell::Empty => Ok(()),
                Cell::Count(count) => write!(out, "{count}"),
                Cell::Share(share) if score => write!(out, "{share:.6}"),
                Cell::Share(share) => write!(out, "{:.4}", 100.0 * share),
                Cell::Text(text) => {
                    escape_tsv(text, &mut out);
                    Ok(())
                }
            };
        }
        out.push('\n');
    }
    out
}
