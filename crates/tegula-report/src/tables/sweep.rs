//! The grids of a sweep over shingle lengths and thresholds (Benko 2013, §3.2 and §3.3).

use super::{capital, class_name};
use crate::form::share;
use crate::run;
use crate::table::{Cell, Kind, Table};
use serde::{Deserialize, Serialize};
use tegula::error::{Error, Result};
use tegula::record::Level;
use tegula::threshold::Threshold;

/// What a sweep found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// What was compared.
    pub level: Level,
    /// Tokens in a shingle, in the order of the columns.
    pub ngrams: Vec<usize>,
    /// Thresholds, in the order of the rows.
    pub thresholds: Vec<Threshold>,
    /// Results: all thresholds of the first n, then those of the second, and so on.
    pub cells: Vec<SweepCell>,
    /// Units in all.
    pub units: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// What goes at one n and one threshold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepCell {
    /// Units.
    pub units: u64,
    /// Their tokens.
    pub tokens: u64,
    /// The tokens by class of length of their units ([`super::class_of`]); classes without tokens may be left out at the end. Empty
    /// where they were not counted.
    pub tokens_by_class: Vec<u64>,
}

impl Sweep {
    /// The result at one n and one threshold, by their places.
    pub fn cell(&self, ngram: usize, threshold: usize) -> Option<&SweepCell> {
        if threshold >= self.thresholds.len() {
            return None;
        }
        self.cells.get(ngram * self.thresholds.len() + threshold)
    }

    /// Makes the grids of units and of tokens, and the classes of length for each n.
    ///
    /// # Errors
    /// When the results do not fill the grid.
    pub fn tables(&self) -> Result<Vec<Table>> {
        let (expected, found) = (self.ngrams.len() * self.thresholds.len(), self.cells.len());
        if expected != found {
            return Err(Error::usage(format!("expected {expected} results of a sweep, found {found}")));
        }
        let mut tables = vec![self.grid(false), self.grid(true)];
        for (place, n) in self.ngrams.iter().enumerate() {
            tables.extend(self.lengths(place, *n));
        }
        Ok(tables)
    }

    /// Thresholds down, shingle lengths across: numbers, then shares of all.
    fn grid(&self, tokens: bool) -> Table {
        let units = run::plural(self.level);
        let (name, what, all) = if tokens { ("sweep-tokens", "tokens", self.tokens) } else { ("sweep-units", units, self.units) };
        let heads: Vec<String> = self.ngrams.iter().map(|n| format!("{n}-grams")).collect();
        let shares: Vec<String> = heads.iter().map(|head| format!("{head} %")).collect();
        let mut columns = vec![("Threshold", Kind::Text)];
        columns.extend(heads.iter().map(|head| (head.as_str(), Kind::Count)));
        columns.extend(shares.iter().map(|head| (head.as_str(), Kind::Percent)));
        let title = format!("{} removed by threshold and length of the n-grams, by {}", capital(what), run::noun(self.level));
        let mut table = Table::new(name, &title, &columns);
        table.note = format!("Percentages are of all {what}: {}.", crate::form::count(all));
        for (row, threshold) in self.thresholds.iter().enumerate() {
            let values: Vec<u64> = (0..self.ngrams.len())
                .filter_map(|n| self.cell(n, row))
                .map(|cell| if tokens { cell.tokens } else { cell.units })
                .collect();
            let counts = values.iter().map(|value| Cell::Count(*value));
            let shares = values.iter().map(|value| Cell::Share(share(*value, all)));
            table.rows.push(std::iter::once(Cell::Text(threshold.to_string())).chain(counts).chain(shares).collect());
        }
        table
    }

    /// Classes of length down, thresholds across: removed tokens, then shares of all tokens.
    fn lengths(&self, place: usize, n: usize) -> Option<Table> {
        let cells: Vec<&SweepCell> = (0..self.thresholds.len()).filter_map(|threshold| self.cell(place, threshold)).collect();
        let classes = cells.iter().map(|cell| cell.tokens_by_class.len()).max().filter(|classes| *classes > 0)?;
        let heads: Vec<String> = self.thresholds.iter().map(ToString::to_string).collect();
        let shares: Vec<String> = heads.iter().map(|head| format!("{head} %")).collect();
        let mut columns = vec![("Length", Kind::Count)];
        columns.extend(heads.iter().map(|head| (head.as_str(), Kind::Count)));
        columns.extend(shares.iter().map(|head| (head.as_str(), Kind::Percent)));
        let noun = run::noun(self.level);
        let title = format!("Tokens removed by {n}-grams at each threshold, by length of the {noun}");
        let mut table = Table::new(&format!("sweep-length-classes-tokens-{n}"), &title, &columns);
        table.note = format!(
            "Length in tokens: class 4 has 4 to 7, and so on. Percentages are of all tokens: {}.",
            crate::form::count(self.tokens)
        );
        let mut row = |head: Cell, values: Vec<u64>| {
            let shares: Vec<Cell> = values.iter().map(|value| Cell::Share(share(*value, self.tokens))).collect();
            table.rows.push(std::iter::once(head).chain(values.into_iter().map(Cell::Count)).chain(shares).collect());
        };
        let of = |cell: &SweepCell, class: usize| cell.tokens_by_class.get(class).copied().unwrap_or(0);
        let first = (0..classes).find(|class| cells.iter().any(|cell| of(cell, *class) > 0)).unwrap_or(0);
        for class in first..classes {
            row(Cell::Count(class_name(class)), cells.iter().map(|cell| of(cell, class)).collect());
        }
        row(Cell::Text("Total".to_owned()), cells.iter().map(|cell| cell.tokens).collect());
        table.total = true;
        Some(table)
    }
}
