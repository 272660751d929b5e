//! The form in which figures are printed.

use crate::output;
use clap::ValueEnum;
use serde_json::Value;
use tegula::error::{Error, Result};
use tegula::tsv::Formulas;
use tegula_report::render;
use tegula_report::table::Table;

/// The output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Formatted tables
    #[default]
    Table,
    /// The tables as TSV, separated by empty lines
    Tsv,
    /// One JSON object with all figures
    Json,
}

impl Form {
    /// Prints figures in this form; tables for a terminal have this width and at most this many rows,
    /// and `formulas` are those of TSV.
    ///
    /// # Errors
    /// Of `json`, and when standard output cannot be written.
    pub(crate) fn print(
        self,
        json: impl FnOnce() -> Result<Value>,
        tables: &[Table],
        (width, rows): (usize, usize),
        formulas: Formulas,
    ) -> Result<()> {
        let joined = |between: &str, shown: &dyn Fn(&Table) -> String| {
            tables.iter().map(shown).collect::<Vec<_>>().join(between)
        };
        match self {
            Self::Json => output::json(&pretty(&json()?)?),
            Self::Tsv => {
                output::data(joined("\n", &|table| render::tsv(table, formulas)).as_bytes())
            }
            Self::Table => output::show(&joined("\n\n", &|table| {
                render::terminal(table, width, rows)
            })),
        }
    }
}

/// Indented JSON.
pub(crate) fn pretty(value: &Value) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))
}
