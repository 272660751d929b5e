//! Tables on a terminal.

use super::{shown, to_the_right};
use crate::grid::{Form, Grid, wrapped};
use crate::table::{Cell, Kind, Table};
use crate::width;
use std::fmt::Write as _;
use tegula::printable;

/// The table with its title and note, at most `width` columns wide if its cells allow it; of more
/// than `rows` rows only the first are shown, and the total. An interval is below its score.
pub fn terminal(table: &Table, width: usize, rows: usize) -> String {
    let columns: Vec<usize> = (0..table.columns.len())
        .filter(|place| table.columns[*place].kind != Kind::Interval)
        .collect();
    let cells = |row: &[Cell]| -> Vec<String> {
        let cell = |place: &usize| {
            let value = row.get(*place).map_or_else(String::new, |cell| {
                printable::line(&shown(table, *place, cell)).into_owned()
            });
            match row.get(place + 1) {
                Some(ends @ Cell::Interval(_)) => {
                    format!("{value}\n{}", shown(table, place + 1, ends))
                }
                _ => value,
            }
        };
        columns.iter().map(cell).collect()
    };
    let heads = columns.iter().map(|place| {
        let column = &table.columns[*place];
        head(&printable::line(&column.name), column.kind)
    });
    let mut grid = Grid::new(heads.collect());
    for (place, at) in columns.iter().enumerate() {
        if to_the_right(table.columns[*at].kind) {
            grid.set(place, Form::Number);
        }
    }
    let last = if table.total {
        table.rows.len().checked_sub(1)
    } else {
        None
    };
    let body = last.unwrap_or(table.rows.len());
    for row in table.rows.iter().take(body.min(rows)) {
        grid.add_row(cells(row));
    }
    if let Some(row) = last.and_then(|last| table.rows.get(last)) {
        grid.add_row(cells(row));
    }
    let mut out = format!("{}\n\n", printable::line(&table.title));
    if table.rows.is_empty() {
        out.push_str("(none)\n");
    } else {
        out.push_str(&grid.show(width));
    }
    if body > rows {
        let _ = writeln!(
            out,
            "({} more rows)",
            crate::form::count((body - rows) as u64)
        );
    }
    if !table.note.is_empty() {
        let words: Vec<_> = table.note.split_whitespace().map(printable::line).collect();
        for line in wrapped(&words.join(" "), width) {
            let _ = write!(out, "\n{line}");
        }
        out.push('\n');
    }
    out
}

/// The head of a column; above numbers, which are short, a long head is wrapped at each word.
fn head(name: &str, kind: Kind) -> String {
    if to_the_right(kind) && width::columns(name) > 10 {
        name.replace(' ', "\n").replace("\n%", " %")
    } else {
        name.to_owned()
    }
}
