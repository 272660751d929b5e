//! All tables of a run as files.

use crate::render::{document, latex, tsv};
use crate::run::Run;
use crate::table::Table;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use tegula::error::{Error, Result};
use tegula_io::tables::Aside;

/// Writes every table of a run as `NAME.tsv` and `NAME.tex` to a folder, which is made where it is missing, with `README.md`, which
/// lists them, and `all.tex`, which shows them. Returns the tables.
///
/// # Errors
/// When the run decided nothing or cannot be read, or the folder cannot be written.
pub fn write_all(run: &Run, folder: &Path) -> Result<Vec<Table>> {
    write_with(run, Vec::new(), folder)
}

/// The same, with tables of the run that others made behind them, such as [`crate::words::tables`].
///
/// # Errors
/// As [`write_all`].
pub fn write_with(run: &Run, more: Vec<Table>, folder: &Path) -> Result<Vec<Table>> {
    let mut tables = super::of_run(run)?;
    tables.extend(more);
    let methods: Vec<String> = run.stages().iter().map(crate::run::Stage::method).collect();
    write_tables(&tables, &format!("the run {}: {}", run.name(), methods.join("; then ")), folder)?;
    Ok(tables)
}

/// Writes tables in the same way; `of` says what they are tables of.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_tables(tables: &[Table], of: &str, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
    let mut index = format!(
        "# Tables\n\nOf {of}.\n\nEach is there as NAME.tsv, with plain numbers, and as NAME.tex, which needs the LaTeX package \
         booktabs; all.tex shows all of them (pdflatex all.tex; lualatex for scripts other than Latin).\n"
    );
    for table in tables {
        write(&folder.join(format!("{}.tsv", table.name)), &tsv(table))?;
        write(&folder.join(format!("{}.tex", table.name)), &latex(table))?;
        let _ = write!(index, "\n## {}\n\n{}.", table.name, table.title);
        if !table.note.is_empty() {
            let _ = write!(index, " {}", table.note);
        }
        index.push('\n');
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    write(&folder.join("all.tex"), &document(&names))?;
    write(&folder.join("README.md"), &index)
}

fn write(path: &Path, text: &str) -> Result<()> {
    let mut aside = Aside::create(path)?;
    aside.write_all(text.as_bytes()).map_err(|error| Error::io("write", path, error))?;
    aside.commit()
}
