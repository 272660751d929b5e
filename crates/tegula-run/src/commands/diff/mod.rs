//! What two runs on the same inputs caught.

mod list;
mod text;

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::opened::claims;
use crate::options::{Shown, TablesOptions, is_page};
use list::List;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};
use tegula_report::diff::{Caught, Diff};
use tegula_report::run::{self, Run};
use tegula_report::tables::write_tables;

tegula::options! {
    /// A comparison of two runs.
    pub struct DiffSpec under "" {
        /// The folder of a run
        #[serde(with = "tegula_io::path")]
        pub first: PathBuf => "RUN",

        /// The folder of another run on the same inputs
        #[serde(with = "tegula_io::path")]
        pub second: PathBuf => "RUN",
    } under "Options" {
        /// Write a page of what each run caught (.html), or list the units that either run caught (.tsv,
        /// - for standard output)
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE",

        /// Number of units of each kind to show with their texts [default: 3]
        pub examples: Option<usize> => "N",

        /// New location of the inputs of the runs, if they have moved
        #[serde(with = "tegula_io::path::option")]
        pub root: Option<PathBuf> => "DIR",
    }
    blocks {
        /// A folder of tables.
        pub folder: TablesOptions,
    }
    besides {}
}

/// Units shown of each kind.
const EXAMPLES: usize = 3;

/// How two runs differ.
pub struct Differences {
    /// The figures and examples.
    pub diff: Diff,
    /// The number of units listed in a file or on standard output.
    pub listed: Option<u64>,
}

impl Command for DiffSpec {
    const NAME: &'static str = "diff";
    const ABOUT: &'static str = "Compare two runs on the same inputs: which copies each found";
    const EXAMPLES: &'static str = "Examples:
  tegula diff plain/ onion/
  tegula diff plain/ onion/ --examples 20 -o caught.html
  tegula diff plain/ onion/ --tables tables/

The runs must have the same inputs. If one splits texts into smaller units, those are compared: a paragraph is caught with its document.";
    const SHOWN: Shown = Shown::only(&["json", "width"]);
    type Answer = Differences;

    fn run(&self, host: &Host) -> Result<Differences> {
        let output = self.output.as_deref();
        let (page, listed) = match output {
            Some(path) if is_page(path) => (Some(path), None),
            path => (None, path),
        };
        let formulas = self.folder.checked(listed.is_some())?;
        let read = [self.first.as_path(), self.second.as_path()];
        let outputs = claims::with_tables(host, &self.folder, read, &[("⟨output⟩", output)])?;
        let open = |run: &Path| Run::open_moved(run, self.root.as_deref(), host.tables());
        let (first, second) = (open(&self.first)?, open(&self.second)?);
        for input in first.inputs().iter().chain(second.inputs()) {
            outputs.protect(&input.path)?;
        }
        outputs.begin()?;
        let runs = [&first, &second];
        for run in runs.iter().filter(|run| !run.info().done) {
            host.warn(&format!(
                "{}: the run is incomplete; its partial results are compared",
                run.path().display()
            ));
        }
        let mut list = listed
            .map(|path| List::create(&outputs, path, formulas))
            .transpose()?;
        let examples = self.examples.unwrap_or(EXAMPLES);
        let mut diff = Diff::of(runs, examples, &mut |one| {
            list.as_mut().map_or(Ok(()), |list| list.push(one))
        })?;
        let rows = list.map(List::finish).transpose()?;
        if let Some(folder) = &self.folder.tables {
            let of = format!(
                "two runs side by side: {} and {}",
                diff.names[0], diff.names[1]
            );
            write_tables(&outputs, &diff.tables(), &of, formulas, folder)?;
        }
        if output != Some(Path::new("-"))
            && let Err(error) = diff.fetch(runs)
        {
            host.warn(&format!("examples are without their texts: {error}"));
        }
        if let Some(path) = page {
            outputs.write(path, diff.page().as_bytes())?;
        }
        claims::publish(host, &outputs)?;
        Ok(Differences { diff, listed: rows })
    }
}

impl Answer for Differences {
    fn json(&self) -> Result<Value> {
        let diff = &self.diff;
        let failed = |error| Error::data(format!("cannot write as JSON: {error}"));
        let kinds = |amounts: &[tegula::summary::Amounts; 4]| {
            Caught::ALL
                .into_iter()
                .map(|caught| (caught.name().to_owned(), json!(amounts[caught as usize])))
                .collect::<serde_json::Map<_, _>>()
        };
        let classes = diff.classes.iter().enumerate().map(|(class, amounts)| {
            let mut kinds = kinds(amounts);
            kinds.insert(
                "length".into(),
                tegula_report::tables::class_name(class).into(),
            );
            kinds
        });
        Ok(json!({
            "runs": diff.names,
            "methods": diff.methods,
            "unit": run::noun(diff.level),
            "units_of": diff.names[diff.units_of],
            "caught": kinds(&diff.total),
            "unmatched": diff.unmatched,
            "agreement": diff.agreement(),
            "kappa": diff.kappa(),
            "overlap": diff.overlap(),
            "by_length": classes.collect::<Vec<_>>(),
            "examples": serde_json::to_value(&diff.examples).map_err(failed)?,
        }))
    }

    fn text(&self, width: usize, _: bool) -> Option<String> {
        Some(text::show(&self.diff, width))
    }
}
