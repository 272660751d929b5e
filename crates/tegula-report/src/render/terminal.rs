//! Tables on a terminal.

use super::{shown, to_the_right};
use crate::table::{Cell, Kind, Table};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table as Grid, presets};
use std::fmt::Write as _;
use tegula::printable;
use unicode_width::UnicodeWidthStr;

/// The table with its title and note, at most `width` columns wide if its cells allow it; of more
/// than `rows` rows only the first are shown, and the total. An interval is below its score.
pub fn terminal(table: &Table, width: usize, rows: usize) -> String {
    let mut grid = Grid::new();
    grid.load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    grid.set_width(u16::try_from(width).unwrap_or(u16::MAX));
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
    grid.set_header(columns.iter().map(|place| {
        let column = &table.columns[*place];
        head(&printable::line(&column.name), column.kind)
    }));
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
    for (place, at) in columns.iter().enumerate() {
        let column = &table.columns[*at];
        if let Some(shape) = grid.column_mut(place) {
            if place == 0 {
                shape.set_padding((0, 1));
            }
            if to_the_right(column.kind) {
                shape.set_constraint(ColumnConstraint::ContentWidth);
                shape.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    let mut out = format!("{}\n\n", printable::line(&table.title));
    if table.rows.is_empty() {
        out.push_str("(none)\n");
    }
    for line in grid.lines().filter(|_| !table.rows.is_empty()) {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if body > rows {
        let _ = writeln!(
            out,
            "({} more rows)",
            crate::form::count((body - rows) as u64)
        );
    }
    if !table.note.is_empty() {
        out.push('\n');
        wrap(&table.note, width, &mut out);
    }
    out
}

/// The head of a column; above numbers, which are short, a long head is wrapped at each word.
fn head(name: &str, kind: Kind) -> String {
    if to_the_right(kind) && UnicodeWidthStr::width(name) > 10 {
        name.replace(' ', "\n").replace("\n%", " %")
    } else {
        name.to_owned()
    }
}

/// Wraps a text at spaces into lines of at most `width` columns.
fn wrap(text: &str, width: usize, out: &mut String) {
    let mut at = 0;
    for word in text.split_whitespace().map(printable::line) {
        let columns = UnicodeWidthStr::width(&*word);
        if at > 0 && at + 1 + columns > width {
            out.push('\n');
            at = 0;
        } else if at > 0 {
            out.push(' ');
            at += 1;
        }
        out.push_str(&word);
        at += columns;
    }
    out.push('\n');
}
