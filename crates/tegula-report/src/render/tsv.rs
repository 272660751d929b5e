//! Tables as TSV, with plain numbers.

use crate::table::{Cell, Kind, Table};
use std::fmt::Write as _;
use tegula_io::tables::Formulas;

/// A line of column names, then a line for each row. Numbers have no separators, percentages four
/// decimals, scores six; an interval has a column for each end. Tabs, line ends and backslashes in a
/// cell are `\t`, `\n`, `\r`, `\\`, as in the tables of the run folder.
pub fn tsv(table: &Table, formulas: Formulas) -> String {
    let mut out = String::new();
    for (place, column) in table.columns.iter().enumerate() {
        if place > 0 {
            out.push('\t');
        }
        formulas.write(&column.name, &mut out);
        if column.kind == Kind::Interval {
            out.push_str(" from\t");
            formulas.write(&column.name, &mut out);
            out.push_str(" to");
        }
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
                Cell::Empty
                    if table
                        .columns
                        .get(place)
                        .is_some_and(|column| column.kind == Kind::Interval) =>
                {
                    out.push('\t');
                    Ok(())
                }
                Cell::Empty => Ok(()),
                Cell::Interval([low, high]) => write!(out, "{low:.6}\t{high:.6}"),
                Cell::Count(count) => write!(out, "{count}"),
                Cell::Share(share) if score => write!(out, "{share:.6}"),
                Cell::Share(share) => write!(out, "{:.4}", 100.0 * share),
                Cell::Text(text) => {
                    formulas.write(text, &mut out);
                    Ok(())
                }
            };
        }
        out.push('\n');
    }
    out
}
