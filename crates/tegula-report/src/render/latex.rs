//! Tables as LaTeX, in the style of booktabs.

use super::{shown, to_the_right};
use crate::table::{Cell, Column, Kind, Table};
use std::fmt::Write as _;
use tegula::printable;

/// The maximum number of rows of a LaTeX table, as a page has no room for more.
const ROWS: usize = 40;
/// Length in characters from which a text column is wrapped.
const WIDE: usize = 24;
/// Number of columns from which a table is set smaller.
const MANY: usize = 8;

/// A floating table with caption and label `tab:NAME`. It needs the package `booktabs`; of more
/// than forty rows only the first are included, and the total.
pub fn latex(table: &Table) -> String {
    let mut out = String::new();
    let last = if table.total {
        table.rows.len().checked_sub(1)
    } else {
        None
    };
    let body = last.unwrap_or(table.rows.len());
    let _ = writeln!(out, "% {}; needs \\usepackage{{booktabs}}", table.name);
    if body > ROWS {
        let _ = writeln!(
            out,
            "% the first {ROWS} of {body} rows; {}.tsv has all",
            table.name
        );
    }
    out.push_str("\\begin{table}[htbp]\n\\centering\n");
    let many = table.columns.len() >= MANY;
    out.push_str(if many {
        "\\footnotesize\n\\setlength{\\tabcolsep}{3pt}\n"
    } else {
        "\\small\n"
    });
    let _ = writeln!(
        out,
        "\\caption{{{}}}\n\\label{{tab:{}}}",
        escaped(&table.title),
        table.name
    );
    let _ = writeln!(out, "\\begin{{tabular}}{{{}}}\n\\toprule", shape(table));
    let heads: Vec<String> = table.columns.iter().map(head).collect();
    let _ = writeln!(out, "{} \\\\\n\\midrule", heads.join(" & "));
    for row in table.rows.iter().take(body.min(ROWS)) {
        push_row(table, row, &mut out);
    }
    if let Some(row) = last.and_then(|last| table.rows.get(last)) {
        out.push_str("\\midrule\n");
        push_row(table, row, &mut out);
    }
    out.push_str("\\bottomrule\n\\end{tabular}\n");
    if !table.note.is_empty() {
        let _ = writeln!(
            out,
            "\n\\smallskip\n\\begin{{minipage}}{{\\linewidth}}\\footnotesize {}\\end{{minipage}}",
            escaped(&table.note)
        );
    }
    out.push_str("\\end{table}\n");
    out
}

/// A document with the tables of these names, whose files are in the same folder.
pub fn document(names: &[&str]) -> String {
    let mut out = String::from(
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage{booktabs}\n\
         \\usepackage[margin=2cm]{geometry}\n\\begin{document}\n",
    );
    for (place, name) in names.iter().enumerate() {
        // Pending floats are kept in memory, and LaTeX has room for few.
        let clear = if place > 0 && place % 10 == 0 {
            "\\clearpage\n"
        } else {
            ""
        };
        let _ = writeln!(out, "{clear}\\input{{{name}.tex}}");
    }
    out.push_str("\\end{document}\n");
    out
}

fn push_row(table: &Table, row: &[Cell], out: &mut String) {
    let cells: Vec<String> = row
        .iter()
        .enumerate()
        .map(|(place, cell)| escaped(&shown(table, place, cell)))
        .collect();
    let _ = writeln!(out, "{} \\\\", cells.join(" & "));
}

/// The head of a column, with one word per line: heads are longer than the numbers below them. A
/// long word is broken at its hyphens.
fn head(column: &Column) -> String {
    const LONG: usize = 14;
    let side = if to_the_right(column.kind) { 'r' } else { 'l' };
    let name = column.head().replace(" %", "\u{a0}%");
    let lines: Vec<String> = name
        .split(' ')
        .flat_map(|word| {
            if word.chars().count() > LONG {
                word.split_inclusive('-').collect()
            } else {
                vec![word]
            }
        })
        .map(|line| escaped(line).replace('\u{a0}', "~"))
        .collect();
    match &lines[..] {
        [line] => format!("\\multicolumn{{1}}{{{side}}}{{{line}}}"),
        lines => format!(
            "\\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{}\\end{{tabular}}",
            lines.join(" \\\\ ")
        ),
    }
}

/// A letter for each column; columns of long texts are wrapped.
fn shape(table: &Table) -> String {
    let longest = |cell: &Cell| {
        if let Cell::Text(text) = cell {
            text.chars().count()
        } else {
            0
        }
    };
    let is_wide = |place: usize| {
        table
            .rows
            .iter()
            .take(ROWS)
            .filter_map(|row| row.get(place))
            .map(longest)
            .max()
            > Some(WIDE)
    };
    let wide = (0..table.columns.len())
        .filter(|place| is_wide(*place))
        .count();
    let room = match wide {
        0 | 1 => "p{6cm}",
        2 => "p{4cm}",
        _ => "p{3cm}",
    };
    let letter = |(place, column): (usize, &Column)| match column.kind {
        Kind::Text if is_wide(place) => room,
        Kind::Text => "l",
        _ => "r",
    };
    table.columns.iter().enumerate().map(letter).collect()
}

/// The text with LaTeX's special characters escaped, on one line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable::line(text).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            '[' => out.push_str("{[}"),
            ']' => out.push_str("{]}"),
            c => out.push(c),
        }
    }
    out
}
