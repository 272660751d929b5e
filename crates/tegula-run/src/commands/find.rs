//! The copies among the documents of folders, whatever their formats; nothing is deleted or changed.

use crate::command::{Answer, Command};
use crate::commands::dedup::Ran;
use crate::host::Host;
use crate::opened::claims;
use crate::options::{
    BadRecordPolicy, FormulaOptions, InputOptions, PairOptions, RecipeOptions, Shown,
};
use crate::outcome::{Copy, Outcome};
use crate::spec::{RunKind, RunSpec};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tegula::decide::{Keep, KeepRule};
use tegula::declare::Options as _;
use tegula::error::{ErrorKind, Result};
use tegula::index::Index;
use tegula_io::tables::{
    Copies, CopyRow, Formulas, TableFileWriter, TableInfo, check_table_name, is_tsv,
};

/// The field with the date of a document: its own, otherwise the modification time of its file.
const DATE: &str = "date";

tegula::options! {
    /// A search for copies among documents.
    pub struct FindSpec under "Output" {
        /// Also write the listing as a table: .tsv, .jsonl or .parquet
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "TABLE",
    } under "Which pairs count" {
        /// Also list copies of texts in this index; documents are then compared by its recipe
        #[serde(with = "tegula_io::path::option")]
        pub index: Option<PathBuf> => "INDEX",
    }
    blocks {
        /// What is done with formulas.
        pub formulas: FormulaOptions,
        /// What to read, and how.
        pub input: InputOptions,
        /// How documents are compared.
        pub recipe: RecipeOptions,
    }
    besides {}
}

/// Documents that are copies of each other.
pub struct Found {
    /// Groups of copies, each with its earliest document first.
    pub groups: Vec<Vec<Copy>>,
    /// The run that found them.
    pub outcome: Outcome,
}

impl Found {
    /// The copies: not the document of each group that is the earliest, nor those that only share a
    /// part with others.
    pub fn copies(&self) -> impl Iterator<Item = &Copy> {
        let all = self.groups.iter().flatten();
        all.filter(|copy| !copy.is_kept)
    }
}

impl Answer for Found {
    fn json(&self) -> Result<Value> {
        let mut all = self.outcome.reports()[0].json()?;
        all.insert("groups".into(), json!(self.groups.len()));
        all.insert("copies".into(), json!(self.copies().count()));
        Ok(Value::Object(all))
    }
}

impl Command for FindSpec {
    const NAME: &'static str = "find";
    const ABOUT: &'static str =
        "List the copies among the documents of folders, the earliest first";
    const EXAMPLES: &'static str = "Examples:
  tegula find ~/Documents
  tegula find letters/ archive/ --threshold 0.9 -o copies.tsv
  tegula find ~/Mail ~/Documents --include '*.eml' --include '*.txt' --recipe exact
  tegula find essays/ --index earlier.idx

Text, web pages, mail, corpora and archives are compared with each other, whatever their format; a file of
unknown extension is read if it is text. Data (JSON, CSV, Parquet), hidden files, symbolic links and files that
are not text are skipped and counted. A text without a date (mail, web pages and corpora have one)
gets the date on which its file was last changed. Nothing is deleted or changed.";
    const SHOWN: Shown = Shown::running(&["top"]);
    type Answer = Found;

    fn run(&self, host: &Host) -> Result<Found> {
        if self.input.inputs.is_empty() {
            return Err(ErrorKind::Usage
                .expected("at least one input")
                .found("none")
                .hint("name folders or files"));
        }
        if let Some(path) = &self.output {
            check_table_name(path)?;
        }
        let formulas = self
            .formulas
            .of(self.output.as_deref().is_some_and(is_tsv))?;
        let host = &self.recipe.read_by(host);
        let during = match &self.output {
            Some(path) => host.clone().writing("⟨output⟩", path),
            None => host.clone(),
        };
        let outcome = Ran::new(&during, self.spec(host)?)?.outcome;
        let groups = outcome.copies(DATE);
        if let Some(path) = &self.output {
            self.write(host, (path, formulas), &groups)?;
        }
        Ok(Found { groups, outcome })
    }
}

impl FindSpec {
    /// The run that finds the copies.
    fn spec(&self, host: &Host) -> Result<RunSpec> {
        let recipe = match &self.index {
            Some(path) if self.recipe.given().is_empty() => {
                Index::open(path, &host.context)?.recipe().clone()
            }
            _ => self.recipe.recipe(host.recipes())?,
        };
        let mut spec = RunSpec::new(RunKind::Dedup, recipe, Vec::<PathBuf>::new());
        let pairs = PairOptions {
            against: self.index.iter().cloned().collect(),
            ..PairOptions::default()
        };
        spec.input = self.input.spec(&self.recipe, &pairs)?;
        spec.input.read.needs.documents = true;
        // On any disk some files are damaged.
        (spec.input.records.bad.on_bad_record).get_or_insert(BadRecordPolicy::Skip);
        spec.input.steps_named = self.recipe.steps_named(&spec.recipe);
        spec.policy.keep = Keep::try_from(vec![KeepRule::Oldest(DATE.into())])?;
        Ok(spec)
    }

    /// Writes the listing as a table.
    fn write(
        &self,
        host: &Host,
        (path, formulas): (&Path, Formulas),
        groups: &[Vec<Copy>],
    ) -> Result<()> {
        let inputs = self.input.inputs.iter().map(PathBuf::as_path);
        let outputs = claims::files(host, inputs, &[("⟨output⟩", Some(path))])?;
        let info = TableInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            recipe: String::new(),
            fields: Vec::new(),
        };
        let mut table = TableFileWriter::<Copies>::create(&outputs, path, formulas, &info)?;
        for (group, copies) in (1..).zip(groups) {
            for copy in copies {
                let path = copy.path.to_string_lossy();
                let row = CopyRow {
                    group,
                    path: &path,
                    record: copy.record,
                    id: &copy.id,
                    date: copy.date.as_deref(),
                    bytes: copy.bytes,
                    copy_of: copy.witness.as_deref(),
                    score: copy.score,
                    link_of: None,
                };
                table.push(&row)?;
                for link in &copy.links {
                    let link = link.to_string_lossy();
                    table.push(&CopyRow {
                        path: &link,
                        link_of: Some(&path),
                        ..row
                    })?;
                }
            }
        }
        table.finish()?;
        claims::publish(host, &outputs)
    }
}
