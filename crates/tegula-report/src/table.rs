//! A table as people read it, before it is known where it is shown: on a terminal, as TSV, as LaTeX, or in a page.

use serde::Serialize;

/// What a column holds; it decides alignment and form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Words, to the left.
    Text,
    /// A whole number, to the right, thousands parted.
    Count,
    /// A share in percent, to the right.
    Percent,
    /// A score from 0 to 1.
    Score,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its head.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A whole number.
    Count(u64),
    /// A share, 0 to 1; of [`Kind::Percent`] or [`Kind::Score`].
    Share(f64),
    /// Words.
    Text(String),
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// The stem of its file's name: lower case, words parted by hyphens, such as `length-classes-tokens`.
    pub name: String,
    /// What it shows, in a line.
    pub title: String,
    /// What a reader must know to read it; may be empty.
    pub note: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows; each has a cell for every column.
    pub rows: Vec<Vec<Cell>>,
    /// Whether the last row is the total.
    pub total: bool,
}

impl Table {
    /// A table without rows.
    pub fn new(name: &str, title: &str, columns: &[(&str, Kind)]) -> Self {
        let columns = columns.iter().map(|(name, kind)| Column { name: (*name).to_owned(), kind: *kind }).collect();
        Self { name: name.to_owned(), title: title.to_owned(), note: String::new(), columns, rows: Vec::new(), total: false }
    }
}
