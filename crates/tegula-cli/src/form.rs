//! The form in which figures are printed.

use crate::{output, terminal};
use serde_json::Value;
use tegula::error::{Error, Result};
use tegula::tsv::Formulas;
use tegula_report::render;
use tegula_report::table::Table;
use tegula_run::command::Answer;
use tegula_run::options::Form;

/// Prints figures in a form; tables for a terminal have this width and at most this many rows, and
/// `formulas` are those of TSV.
///
/// # Errors
/// Of `json`, and when standard output cannot be written.
pub(crate) fn print(
    form: Form,
    json: impl FnOnce() -> Result<Value>,
    tables: &[Table],
    (width, rows): (usize, usize),
    formulas: Formulas,
) -> Result<()> {
    let joined = |between: &str, shown: &dyn Fn(&Table) -> String| {
        tables.iter().map(shown).collect::<Vec<_>>().join(between)
    };
    match form {
        Form::Json => indented(&json()?),
        Form::Tsv => output::data(joined("\n", &|table| render::tsv(table, formulas)).as_bytes()),
        Form::Table => output::show(&joined("\n\n", &|table| {
            render::terminal(table, width, rows)
        })),
    }
}

/// Prints the figures of an answer, as indented JSON.
///
/// # Errors
/// When the figures cannot be read, or standard output cannot be written.
pub(crate) fn json(found: &impl Answer) -> Result<()> {
    indented(&found.json()?)
}

/// Prints an answer for people, in lines of at most `width` columns.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn text(found: &impl Answer, width: usize) -> Result<()> {
    output::show(&found.text(width, terminal::colours()).unwrap_or_default())
}

fn indented(value: &Value) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))?;
    output::json(&(text + "\n"))
}
