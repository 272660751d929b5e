//! The grids of a sweep over shingle lengths and thresholds (Benko 2013, §3.2 and §3.3).

use super::counts::class_name;
use crate::form::{capital, count, share};
use crate::html::heat::{Heat, heat};
use crate::html::table::table;
use crate::html::{Page, Section, clean};
use crate::run;
use crate::table::{Cell, Kind, Table};
use maud::html;
use tegula::error::{Error, Result};
use tegula_run::sweep::{Sweep, SweepCell};

/// Creates the grids of units and of tokens, and the length classes for each n.
///
/// # Errors
/// If the results do not fill the grid.
pub fn tables(sweep: &Sweep) -> Result<Vec<Table>> {
    let (expected, found) = (
        sweep.ngrams.len() * sweep.thresholds.len(),
        sweep.cells.len(),
    );
    if expected != found {
        return Err(Error::usage(format!(
            "expected {expected} results of a sweep, found {found}"
        )));
    }
    let grids = Grids(sweep);
    let mut tables = vec![grids.grid(false), grids.grid(true)];
    for (place, n) in sweep.ngrams.iter().enumerate() {
        tables.extend(grids.lengths(place, *n));
    }
    Ok(tables)
}

/// The page of a sweep: what is removed as heat maps, and all tables. `method` describes the recipe.
///
/// # Errors
/// If the results do not fill the grid.
pub fn page(sweep: &Sweep, method: &str) -> Result<String> {
    let tables = tables(sweep)?;
    let units = run::plural(sweep.level);
    let map = |what: &str, of: fn(&SweepCell) -> u64, all: u64| Heat {
        title: format!("{} removed, of {}", capital(what), count(all)),
        corner: "threshold".to_owned(),
        columns: sweep.ngrams.iter().map(|n| format!("{n}-grams")).collect(),
        rows: (0..)
            .zip(&sweep.thresholds)
            .map(|(row, threshold)| {
                let cells = (0..sweep.ngrams.len()).filter_map(|n| sweep.cell(n, row));
                let shares = cells.map(|cell| share(of(cell), all)).collect();
                (threshold.to_string(), shares)
            })
            .collect(),
    };
    let maps = [
        map(units, |cell| cell.units, sweep.units),
        map("tokens", |cell| cell.tokens, sweep.tokens),
    ];
    let sections = vec![
        Section::new(
            "maps",
            "What would be removed",
            html! { @for map in &maps { (heat(map)) } },
        ),
        Section::new(
            "tables",
            "Tables",
            html! { @for made in &tables { (table(made)) } },
        ),
    ];
    Ok(Page {
        title: "Sweep over n-grams and thresholds".to_owned(),
        lead: html! { p { "Recipe: " (clean(method)) "." } },
        sections,
    }
    .render())
}

struct Grids<'a>(&'a Sweep);

impl Grids<'_> {
    /// Thresholds as rows, shingle lengths as columns: numbers, then percentages.
    fn grid(&self, tokens: bool) -> Table {
        let units = run::plural(self.0.level);
        let (name, what, all) = if tokens {
            ("sweep-tokens", "tokens", self.0.tokens)
        } else {
            ("sweep-units", units, self.0.units)
        };
        let heads: Vec<String> = self.0.ngrams.iter().map(|n| format!("{n}-grams")).collect();
        let shares: Vec<String> = heads.iter().map(|head| format!("{head} %")).collect();
        let mut columns = vec![("Threshold", Kind::Text)];
        columns.extend(heads.iter().map(|head| (head.as_str(), Kind::Count)));
        columns.extend(shares.iter().map(|head| (head.as_str(), Kind::Percent)));
        let title = format!(
            "{} removed by threshold and n-gram length, by {}",
            capital(what),
            run::noun(self.0.level)
        );
        let mut table = Table::new(name, &title, &columns);
        table.note = format!("Percentages are of all {what}: {}.", count(all));
        for (row, threshold) in self.0.thresholds.iter().enumerate() {
            let values: Vec<u64> = (0..self.0.ngrams.len())
                .filter_map(|n| self.0.cell(n, row))
                .map(|cell| if tokens { cell.tokens } else { cell.units })
                .collect();
            let counts = values.iter().map(|value| Cell::Count(*value));
            let shares = values.iter().map(|value| Cell::Share(share(*value, all)));
            table.rows.push(
                std::iter::once(Cell::Text(threshold.to_string()))
                    .chain(counts)
                    .chain(shares)
                    .collect(),
            );
        }
        table
    }

    /// Length classes as rows, thresholds as columns: removed tokens, then percentages of all
    /// tokens.
    fn lengths(&self, place: usize, n: usize) -> Option<Table> {
        let cells: Vec<&SweepCell> = (0..self.0.thresholds.len())
            .filter_map(|threshold| self.0.cell(place, threshold))
            .collect();
        let classes = cells
            .iter()
            .map(|cell| cell.tokens_by_class.len())
            .max()
            .filter(|classes| *classes > 0)?;
        let heads: Vec<String> = self.0.thresholds.iter().map(ToString::to_string).collect();
        let shares: Vec<String> = heads.iter().map(|head| format!("{head} %")).collect();
        let mut columns = vec![("Length", Kind::Count)];
        columns.extend(heads.iter().map(|head| (head.as_str(), Kind::Count)));
        columns.extend(shares.iter().map(|head| (head.as_str(), Kind::Percent)));
        let noun = run::noun(self.0.level);
        let title =
            format!("Tokens removed by {n}-grams at each threshold, by length of the {noun}");
        let mut table = Table::new(
            &format!("sweep-length-classes-tokens-{n}"),
            &title,
            &columns,
        );
        table.note = format!(
            "Length in tokens: class 4 has 4 to 7, and so on. Percentages are of all tokens: {}.",
            count(self.0.tokens)
        );
        let mut row = |head: Cell, values: Vec<u64>| {
            let shares: Vec<Cell> = values
                .iter()
                .map(|value| Cell::Share(share(*value, self.0.tokens)))
                .collect();
            table.rows.push(
                std::iter::once(head)
                    .chain(values.into_iter().map(Cell::Count))
                    .chain(shares)
                    .collect(),
            );
        };
        let of =
            |cell: &SweepCell, class: usize| cell.tokens_by_class.get(class).copied().unwrap_or(0);
        let first = (0..classes)
            .find(|class| cells.iter().any(|cell| of(cell, *class) > 0))
            .unwrap_or(0);
        for class in first..classes {
            row(
                Cell::Count(class_name(class)),
                cells.iter().map(|cell| of(cell, class)).collect(),
            );
        }
        row(
            Cell::Text("Total".to_owned()),
            cells.iter().map(|cell| cell.tokens).collect(),
        );
        table.total = true;
        Some(table)
    }
}
