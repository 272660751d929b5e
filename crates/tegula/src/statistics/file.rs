//! The lines of a statistics file: a head that says what was counted, then a row for each feature.

use crate::error::{Error, Result};
use crate::tsv::Formulas;
use std::io::{BufRead, Write};

const MAGIC: &str = "tegula statistics 1";
const COUNTED: &str = "counted ";
const ESCAPED: &str = "formulas escaped";
const END: &str = "end ";

/// Writes the head: the number of units, how they were normalised, and what was counted if that is
/// not terms.
pub(super) fn write_head(
    out: &mut dyn Write,
    documents: u64,
    normalise: &str,
    counted: Option<&str>,
) -> std::io::Result<()> {
    writeln!(
        out,
        "# {MAGIC}\n# documents {documents}\n# normalise {normalise}"
    )?;
    counted.map_or(Ok(()), |counted| writeln!(out, "# {COUNTED}{counted}"))
}

/// Ends the head of a file of terms: how they are written, if not as they are.
pub(super) fn write_formulas(out: &mut dyn Write, formulas: Formulas) -> std::io::Result<()> {
    match formulas {
        Formulas::Kept => Ok(()),
        Formulas::Escaped => writeln!(out, "# {ESCAPED}"),
    }
}

/// Writes the last line, after so many rows: without it a file that was cut would pass for a whole one.
pub(super) fn write_end(out: &mut dyn Write, rows: u64) -> std::io::Result<()> {
    writeln!(out, "# {END}{rows}")
}

/// The lines that are left of a file.
pub(super) struct Lines<R> {
    input: std::io::Lines<R>,
    /// The number of the last line, from 1.
    number: u64,
    /// The rows read.
    rows: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: input.lines(),
            number: 0,
            rows: 0,
        }
    }

    /// The next row, if there is one; after the last, the file must end.
    pub(super) fn row(&mut self) -> Result<Option<String>> {
        let line = self.next()?.unwrap_or_default();
        let Some(rows) = line
            .strip_prefix("# ")
            .and_then(|line| line.strip_prefix(END))
        else {
            if line.is_empty() {
                let found = format!("the end of the file after {} rows", self.rows);
                return Err(self.wrong(&format!("'# {END}' and the number of rows"), &found));
            }
            self.rows += 1;
            return Ok(Some(line));
        };
        if rows != self.rows.to_string() {
            return Err(self.wrong(&format!("{} rows", self.rows), &line));
        }
        match self.next()? {
            Some(more) => Err(self.wrong("the end of the file", &more)),
            None => Ok(None),
        }
    }

    /// The next line, if there is one.
    fn next(&mut self) -> Result<Option<String>> {
        let Some(line) = self.input.next() else {
            return Ok(None);
        };
        self.number += 1;
        line.map(Some).map_err(|error| {
            Error::data(format!(
                "line {}: expected UTF-8 text: {error}",
                self.number
            ))
            .hint("create it again with tegula stats")
        })
    }

    /// What is wrong with the last line, which is this one.
    pub(super) fn wrong(&self, expected: &str, found: &str) -> Error {
        let found: String = found.chars().take(60).collect();
        Error::data(format!(
            "line {}: expected {expected}, found '{found}'",
            self.number.max(1)
        ))
        .hint("create it again with tegula stats")
    }

    /// Reads the head, as far as every file has it: the number of units.
    pub(super) fn head(&mut self, normalise: &str) -> Result<u64> {
        self.field(MAGIC)?;
        let documents = self.field("documents")?;
        let documents = documents
            .parse::<u32>()
            .map_err(|_| self.wrong("a number of documents below 4,294,967,296", &documents))?;
        let steps = self.field("normalise")?;
        if steps != normalise {
            return Err(Error::of("statistics")
                .problem(format!("their terms were normalised with {steps}, those of the recipe with {normalise}"))
            .hint("create statistics with the recipe's normalisation: tegula stats ⟨normalize⟩ or ⟨recipe⟩"));
        }
        Ok(documents.into())
    }

    /// What was counted if that is not terms, and the next line.
    pub(super) fn counted(&mut self) -> Result<(Option<String>, Option<String>)> {
        let line = self.next()?;
        let counted = line
            .as_deref()
            .and_then(|line| line.strip_prefix("# ")?.strip_prefix(COUNTED));
        match counted {
            Some(counted) => Ok((Some(counted.to_owned()), self.next()?)),
            None => Ok((None, line)),
        }
    }

    /// How terms are written, and the line after the head; `line` may be that line.
    pub(super) fn formulas(&mut self, line: Option<String>) -> Result<(Formulas, Option<String>)> {
        match line.as_deref().and_then(|line| line.strip_prefix("# ")) {
            Some(ESCAPED) => Ok((Formulas::Escaped, self.next()?)),
            _ => Ok((Formulas::Kept, line)),
        }
    }

    fn field(&mut self, name: &str) -> Result<String> {
        let line = self.next()?.unwrap_or_default();
        let value = line
            .strip_prefix("# ")
            .and_then(|line| line.strip_prefix(name));
        match value {
            Some(value) => Ok(value.trim().to_owned()),
            None => Err(self.wrong(&format!("'# {name}'"), &line)),
        }
    }
}
