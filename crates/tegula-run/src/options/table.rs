//! The destination of a table.

use crate::spec::StdoutForm;
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};
use tegula_io::tables::{Formulas, is_tsv};

tegula::options! {
    /// The destination of a table.
    pub struct TableOptions under "Output" {
        /// Output for the table: a .tsv, .jsonl or .parquet file; `-` is standard output
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "TABLE",

        /// Format of the table on standard output [default: tsv]
        pub form: Option<StdoutForm> => "FORM",
    }
    blocks {
        /// What is done with formulas.
        pub formulas: FormulaOptions,
    }
    besides {}
}

impl TableOptions {
    /// The output, for a command without any other.
    ///
    /// # Errors
    /// If none is given.
    pub fn required(&self) -> Result<&Path> {
        self.output.as_deref().ok_or_else(|| {
            Error::of("⟨output⟩")
                .expected("an output")
                .found("none")
                .hint("name a .tsv, .jsonl or .parquet file, or - for standard output")
        })
    }

    /// The format on standard output.
    pub fn form(&self) -> StdoutForm {
        self.form.unwrap_or_default()
    }

    /// What is done with formulas; `also` are other tables that the command writes.
    ///
    /// # Errors
    /// If an option about TSV is given and no table is TSV.
    pub fn formulas<'a>(&'a self, also: impl IntoIterator<Item = &'a Path>) -> Result<Formulas> {
        let is_text = |path: &Path| match path.to_str() {
            Some("-") => self.form() == StdoutForm::Tsv,
            _ => is_tsv(path),
        };
        let mut tables = self.output.as_deref().into_iter().chain(also);
        self.formulas.of(tables.any(is_text))
    }
}

tegula::options! {
    /// A folder of tables.
    pub struct TablesOptions under "Output" {
        /// Write all tables to this folder, as TSV and LaTeX
        #[serde(with = "tegula_io::path::option")]
        pub tables: Option<PathBuf> => "DIR",

        /// Write tables to a folder that holds other files: those that an earlier command wrote there
        /// are removed, all others are kept
        pub overwrite: bool => "",
    }
    blocks {
        /// What is done with formulas in the tables.
        pub formulas: FormulaOptions,
    }
    besides {}
}

impl TablesOptions {
    /// What is done with formulas; `also` says whether the command writes other TSV.
    ///
    /// # Errors
    /// If an option about tables is given and there are none.
    pub fn checked(&self, also: bool) -> Result<Formulas> {
        if self.overwrite && self.tables.is_none() {
            return Err(Error::of("⟨overwrite⟩")
                .problem("it needs ⟨tables⟩")
                .hint("leave it out"));
        }
        self.formulas.of(also || self.tables.is_some())
    }
}

tegula::options! {
    /// What is done with formulas in TSV.
    pub struct FormulaOptions under "Output" {
        /// TSV: put an apostrophe before cells that a spreadsheet would run as formulas: those that begin
        /// with =, +, - or @ and are not numbers
        pub escape_formulas: bool => "",
    }
}

impl FormulaOptions {
    /// What is done with formulas.
    ///
    /// # Errors
    /// If the option is given and there is no TSV.
    pub fn of(&self, has_tsv: bool) -> Result<Formulas> {
        match (self.escape_formulas, has_tsv) {
            (false, _) => Ok(Formulas::Kept),
            (true, true) => Ok(Formulas::Escaped),
            (true, false) => Err(Error::of("⟨escape_formulas⟩")
                .expected("a table in TSV")
                .found("none")
                .hint("leave it out: only the cells of TSV are run as formulas")),
        }
    }
}
