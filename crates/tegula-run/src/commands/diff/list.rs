//! The list of units that either of two runs caught.

use std::fmt::Write as _;
use std::path::Path;
use tegula::error::{Error, Result};
use tegula_io::outputs::{Outputs, Packed};
use tegula_io::tables::Formulas;
use tegula_report::diff::Compared;

/// The list of units that either run caught.
pub(super) struct List {
    out: Packed,
    formulas: Formulas,
    line: String,
    rows: u64,
}

impl List {
    pub(super) fn create(outputs: &Outputs, path: &Path, formulas: Formulas) -> Result<Self> {
        let is_tsv = (path.extension()).is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"));
        if path != Path::new("-") && !is_tsv {
            return Err(Error::of("⟨output⟩")
                .expected("a name that ends in .tsv")
                .found(format!("'{}'", path.display())));
        }
        let of_run = |which: &str| {
            ["verdict", "witness", "score", "label"]
                .map(|column| format!("{which}_{column}"))
                .join("\t")
        };
        let mut list = Self {
            out: Packed::create(outputs, path)?,
            formulas,
            line: String::new(),
            rows: 0,
        };
        list.line = format!(
            "id\tfile\trecord\ttokens\tcaught\t{}\t{}\n",
            of_run("first"),
            of_run("second")
        );
        list.out.put(list.line.as_bytes())?;
        Ok(list)
    }

    pub(super) fn push(&mut self, one: &Compared) -> Result<()> {
        self.line.clear();
        self.formulas.write(&one.id, &mut self.line);
        self.line.push('\t');
        self.formulas.write(&one.file, &mut self.line);
        let _ = write!(
            self.line,
            "\t{}\t{}\t{}",
            one.record,
            one.tokens,
            one.caught.name()
        );
        for fate in &one.fates {
            let score = fate.score.map_or_else(String::new, |score| {
                tegula_io::tables::decimals(score, tegula_io::tables::DECIMALS)
            });
            for text in [
                fate.verdict.as_str(),
                fate.witness.as_deref().unwrap_or_default(),
                &score,
                fate.label.as_deref().unwrap_or_default(),
            ] {
                self.line.push('\t');
                self.formulas.write(text, &mut self.line);
            }
        }
        self.line.push('\n');
        self.rows += 1;
        self.out.put(self.line.as_bytes())
    }

    /// Ends the list; how many units it has.
    pub(super) fn finish(self) -> Result<u64> {
        self.out.finish()?;
        Ok(self.rows)
    }
}
