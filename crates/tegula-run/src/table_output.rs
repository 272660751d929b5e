//! A table as output: a file, or lines on standard output.

use crate::spec::StdoutForm;
use std::io::Write;
use std::path::Path;
use tegula::error::{Error, Result};
use tegula_io::outputs::{AtomicFile, Outputs};
use tegula_io::tables::{Form, Formulas, Table, TableFileWriter, TableInfo};

/// Writes rows, and counts them.
pub(crate) struct TableOutput<T: Table> {
    to: To<T>,
    /// Rows written so far.
    pub(crate) rows: u64,
}

/// A file, or standard output.
enum To<T: Table> {
    File(Box<TableFileWriter<T>>),
    Stdout {
        form: Form,
        lines: String,
        out: AtomicFile,
    },
}

/// Bytes written to standard output at a time.
const PIECE: usize = 1 << 16;

impl<T: Table> TableOutput<T> {
    /// A table in a file, or on standard output in one of its forms; `formulas` are those of TSV.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn create(
        outputs: &Outputs,
        path: &Path,
        (form, formulas): (StdoutForm, Formulas),
        info: &TableInfo,
    ) -> Result<Self> {
        if path.as_os_str() != "-" {
            return Ok(Self {
                to: To::File(Box::new(TableFileWriter::create(
                    outputs, path, formulas, info,
                )?)),
                rows: 0,
            });
        }
        let (form, lines) = match form {
            StdoutForm::Jsonl => (Form::Json, String::new()),
            StdoutForm::Tsv => {
                let names: Vec<&str> = T::columns().iter().map(|column| column.name).collect();
                (Form::Tsv(formulas), names.join("\t") + "\n")
            }
        };
        Ok(Self {
            to: To::Stdout {
                form,
                lines,
                out: outputs.stdout(),
            },
            rows: 0,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn push(&mut self, row: &T::Row<'_>) -> Result<()> {
        self.rows += 1;
        match &mut self.to {
            To::File(writer) => writer.push(row),
            To::Stdout { form, lines, out } => {
                T::show(row, *form, lines);
                lines.push('\n');
                if lines.len() >= PIECE {
                    put(out, lines)?;
                    lines.clear();
                }
                Ok(())
            }
        }
    }

    /// Writes the remaining rows.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn finish(self) -> Result<()> {
        match self.to {
            To::File(writer) => writer.finish().map(drop),
            To::Stdout { lines, mut out, .. } => {
                put(&mut out, &lines)?;
                out.finish()
            }
        }
    }
}

fn put(out: &mut AtomicFile, lines: &str) -> Result<()> {
    out.write_all(lines.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Error::io("write", Path::new("-"), error))
}
