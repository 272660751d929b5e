//! A table in memory, independent of how it is rendered: on a terminal, as TSV, as LaTeX, or in a
//! page.

use serde::Serialize;

/// The kind of a column, which determines alignment and formatting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Text, left-aligned.
    Text,
    /// A number, right-aligned; integers with thousands separators.
    Count,
    /// A percentage, right-aligned.
    Percent,
    /// A score from 0 to 1.
    Score,
    /// The 95 % interval of the score that the column is named after.
    Interval,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its head.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
}

impl Column {
    /// Its head for people: that of an interval does not repeat the score's.
    pub fn head(&self) -> &str {
        if self.kind == Kind::Interval {
            "95 %"
        } else {
            &self.name
        }
    }
}

impl From<(&str, Kind)> for Column {
    fn from((name, kind): (&str, Kind)) -> Self {
        Self {
            name: name.to_owned(),
            kind,
        }
    }
}

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// An integer.
    Count(u64),
    /// A share, 0 to 1; of [`Kind::Percent`] or [`Kind::Score`].
    Share(f64),
    /// An interval of scores or of their differences.
    Interval([f64; 2]),
    /// Words.
    Text(String),
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// The stem of its file name: lower-case words separated by hyphens, such as
    /// `length-classes-tokens`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Explanations for the reader; may be empty.
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
        let columns = columns.iter().copied().map(Column::from).collect();
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            note: String::new(),
            columns,
            rows: Vec::new(),
            total: false,
        }
    }
}
