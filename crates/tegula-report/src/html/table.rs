//! A table on a page.

use maud::{Markup, html};

use super::{clean, name};
use crate::form::{count, decimal, interval, percent};
use crate::table::{Cell, Column, Kind, Table};

/// Rows from which a table gets a scrolling box.
const TALL: usize = 24;
/// Columns from which rows become lists on a phone.
const STACKED: usize = 4;

/// The table, with its title as caption and its note below; in a scrolling box if it is too wide or
/// too long.
pub fn table(table: &Table) -> Markup {
    let last = if table.total {
        table.rows.len().checked_sub(1)
    } else {
        None
    };
    html! {
        div.box.tall[table.rows.len() > TALL] tabindex="0" role="group" aria-label=(clean(&table.title)) {
            table.stack[table.columns.len() >= STACKED] id={ "table-" (table.name) } {
                caption { (clean(&table.title)) }
                thead { tr { @for column in &table.columns { (head(column)) } } }
                tbody {
                    @for (number, row) in table.rows.iter().enumerate() {
                        tr.total[last == Some(number)] {
                            @for (place, (cell, column)) in row.iter().zip(&table.columns).enumerate() {
                                @if place == 0 && column.kind == Kind::Text { th scope="row" dir="auto" { (value(cell, column.kind)) } }
                                @else if place == 0 { th.n scope="row" data-head=(written(column)) { (shown(cell, column.kind)) } }
                                @else if column.kind == Kind::Text { td.t dir="auto" data-head=(written(column)) { (value(cell, column.kind)) } }
                                @else { td.n data-head=(written(column)) { (shown(cell, column.kind)) } }
                            }
                        }
                    }
                }
            }
        }
        @if !table.note.is_empty() { p.note { (clean(&table.note)) } }
    }
}

/// The table, folded under its title: for figures that a picture shows.
pub fn folded(made: &Table) -> Markup {
    html! { details { summary { (clean(&made.title)) } div.inside { (table(made)) } } }
}

/// A cell that may be a name.
fn value(cell: &Cell, kind: Kind) -> Markup {
    match cell {
        // Spaces are where text may be wrapped.
        Cell::Text(text) if !text.contains(char::is_whitespace) => name::plain(text),
        _ => html! { (clean(&shown(cell, kind))) },
    }
}

/// The head of a column; one that has none is no heading.
fn head(column: &Column) -> Markup {
    html! {
        @if column.head().is_empty() { td {} }
        @else { th.n[column.kind != Kind::Text] scope="col" { (written(column)) } }
    }
}

/// A head as it is written: no line begins with a sign of percent or ends with "in".
fn written(column: &Column) -> String {
    let head = clean(column.head()).replace(" %", "\u{a0}%");
    head.replace(" in ", " in\u{a0}")
}

/// A cell for display.
fn shown(cell: &Cell, kind: Kind) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Count(number) => count(*number),
        Cell::Share(share) if kind == Kind::Score => decimal(*share),
        Cell::Share(share) => percent(*share),
        Cell::Interval(ends) => interval(*ends),
        Cell::Text(text) => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_escaped_and_the_total_is_marked() {
        let columns = [
            ("file", Kind::Text),
            ("units", Kind::Count),
            ("share", Kind::Percent),
            ("score", Kind::Score),
        ];
        let mut made = Table::new("files", "Files & more", &columns);
        made.rows.push(vec![
            Cell::Text("<script>".into()),
            Cell::Count(1234),
            Cell::Share(0.5),
            Cell::Share(0.5),
        ]);
        made.rows.push(vec![
            Cell::Text("all".into()),
            Cell::Count(1),
            Cell::Empty,
            Cell::Empty,
        ]);
        made.total = true;
        let page = table(&made).into_string();
        assert!(
            page.contains("&lt;script&gt;") && !page.contains("<script>"),
            "{page}"
        );
        assert!(page.contains("1,234") && page.contains("50.00 %") && page.contains("0.5000"));
        assert_eq!(page.matches("class=\"total\"").count(), 1);
        assert!(page.contains("<caption>Files &amp; more</caption>"));
    }
}
