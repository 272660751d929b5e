//! All tables of a run as files.

use crate::render::{document, latex, tsv};
use crate::run::Run;
use crate::table::Table;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tegula::error::Result;
use tegula_io::outputs::{Outputs, Role};
use tegula_io::tables::Formulas;

/// Writes every table of a run as `NAME.tsv` and `NAME.tex` to a folder, which is created if
/// missing, with `README.md`, which lists them, and `all.tex`, which shows them. Returns the
/// tables. The files are renamed into place when the outputs are published.
///
/// # Errors
/// If the run made no decision or cannot be read, or the folder cannot be written.
pub fn write_all(outputs: &Outputs, run: &Run, folder: &Path) -> Result<Vec<Table>> {
    write_with(outputs, run, Vec::new(), Formulas::Kept, folder)
}

/// The same, followed by further tables of the run, such as those of [`crate::words::tables`].
///
/// # Errors
/// As [`write_all`].
pub fn write_with(
    outputs: &Outputs,
    run: &Run,
    more: Vec<Table>,
    formulas: Formulas,
    folder: &Path,
) -> Result<Vec<Table>> {
    let mut tables = super::of_run(run)?;
    tables.extend(more);
    let methods: Vec<String> = run.stages().iter().map(crate::run::Stage::method).collect();
    write_tables(
        outputs,
        &tables,
        &format!("the run {}: {}", run.name(), methods.join("; then ")),
        formulas,
        folder,
    )?;
    Ok(tables)
}

/// Writes tables in the same way; `of` describes their source, and `formulas` are those of TSV.
///
/// # Errors
/// If the folder cannot be written.
pub fn write_tables(
    outputs: &Outputs,
    tables: &[Table],
    of: &str,
    formulas: Formulas,
    folder: &Path,
) -> Result<()> {
    let files = tables.iter().flat_map(|table| {
        ["tsv", "tex"].map(|ending| PathBuf::from(format!("{}.{ending}", table.name)))
    });
    outputs.claim("⟨tables⟩", folder, Role::Folder)?;
    outputs.claim_names(folder, files.chain(["all.tex".into(), "README.md".into()]))?;
    outputs.begin()?;
    let mut index = format!(
        "# Tables\n\nOf {of}.\n\nEach is there as NAME.tsv, with plain numbers, and as NAME.tex, which needs the LaTeX package \
         booktabs; all.tex shows all of them (pdflatex all.tex; lualatex for scripts other than Latin).\n"
    );
    for table in tables {
        outputs.write(
            &folder.join(format!("{}.tsv", table.name)),
            tsv(table, formulas).as_bytes(),
        )?;
        outputs.write(
            &folder.join(format!("{}.tex", table.name)),
            latex(table).as_bytes(),
        )?;
        let _ = write!(index, "\n## {}\n\n{}.", table.name, table.title);
        if !table.note.is_empty() {
            let _ = write!(index, " {}", table.note);
        }
        index.push('\n');
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    outputs.write(&folder.join("all.tex"), document(&names).as_bytes())?;
    outputs.write(&folder.join("README.md"), index.as_bytes())
}
