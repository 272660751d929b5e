//! The experiments of SimFinder (Gong et al. 2008, §4), and growth, on any collection;
//! `bench/papers/simfinder.md` and `crates/tegula/JOINS.md` have what they gave.

mod degrees;
mod growth;
mod keys;
#[cfg(test)]
mod tests;
mod transitivity;

use crate::found::Means;
use clap::{Args, Subcommand};
use std::io::Write;
use std::path::{Path, PathBuf};
use tegula::constraint::Constraints;
use tegula::engine::bad_records::FailOnBad;
use tegula::engine::{self, Job, Tuning};
use tegula::error::{Error, Result};
use tegula::evidence::{Findings, ScoredPairs};
use tegula::recipe::{Action, Recipe, Staged};
use tegula::statistics::Statistics;
use tegula_io::options::{FormatName, ReadOptions};
use tegula_io::outputs::Outputs;
use tegula_io::tables::Formulas;
use tegula_report::render;
use tegula_report::table::{Cell, Table};
use tegula_run::commands::statistics;
use tegula_run::opened::inputs::Inputs;
use tegula_run::opened::{Opened, Opening, claims};
use tegula_run::{Host, InputSpec, Observer};

/// What is studied.
#[derive(Debug, Subcommand)]
pub enum Experiment {
    /// What a score is worth: pairs drawn by score, to be judged, and the precision of each bin
    /// (Figs. 1 and 2).
    ///
    /// Equation 4 is the recipe's weighted resemblance, equation 3 the same with a weight of 1 for
    /// every term. Candidates are the texts that share two words in a row, so that both equations
    /// are held against the same pairs.
    Degrees(degrees::Degrees),
    /// The same of a sheet that was judged.
    Judged {
        /// What `degrees -o` wrote, its column "same" filled with 1 or 0; rows without an answer do
        /// not count.
        sheet: PathBuf,
    },
    /// What keys cost and find, by their size and by the number of features (Figs. 3 to 6).
    ///
    /// The baseline compares all texts that share two words in a row, and may take long where many
    /// do; --set common=1000 ignores words in a row that more than a thousand different texts
    /// have.
    Keys(keys::KeySizes),
    /// How many of the pairs that a transitive recipe skips are none (remark 2).
    Transitivity(On),
    /// Time and memory by the number of records (Figs. 7 to 10), or of tokens (Kupietz 2005, Fig. 1).
    ///
    /// The input is read from its beginning: an eighth of the records, a quarter, a half, all.
    /// Records that are sorted make a poor sample, so shuffle them first. Times are of this
    /// machine, with all that runs on it.
    Growth(growth::Growth),
}

/// Runs an experiment; what it came to, as tables.
///
/// # Errors
/// Wrong options, or what the inputs, the memory ceiling or scratch give.
pub fn run(experiment: &Experiment) -> Result<Vec<Table>> {
    match experiment {
        Experiment::Degrees(asked) => degrees::run(asked),
        Experiment::Judged { sheet } => degrees::judged(sheet),
        Experiment::Keys(asked) => keys::run(asked),
        Experiment::Transitivity(on) => transitivity::run(on),
        Experiment::Growth(asked) => growth::run(asked),
    }
}

/// Columns of the tables on a terminal.
const WIDTH: usize = 120;

/// Tables for people.
pub fn shown(tables: &[Table]) -> String {
    let shown: Vec<String> = tables
        .iter()
        .map(|table| render::terminal(table, WIDTH, usize::MAX))
        .collect();
    shown.join("\n\n")
}

/// What is studied, by which method.
#[derive(Debug, Clone, Args)]
pub struct On {
    /// Files and folders.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// A recipe by name, or a file with one.
    #[arg(long, default_value = "simfinder", value_name = "NAME|FILE.toml")]
    recipe: String,
    /// Set a field of the recipe, such as threshold=0.8; may be repeated.
    #[arg(long, value_parser = setting, value_name = "KEY=VALUE")]
    set: Vec<(String, String)>,
    /// Fields with the text.
    #[arg(long, value_name = "KEY")]
    text_key: Vec<String>,
    /// The field with the id.
    #[arg(long, value_name = "KEY")]
    id_key: Option<String>,
    /// The format of all inputs, such as jsonl or tsv; without it by the files' names.
    #[arg(long, value_parser = format, value_name = "NAME")]
    format: Option<FormatName>,
    /// Read the first N records only.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    means: Means,
    /// Write the sheet (degrees) or the plots as SVG (growth), else the tables as TSV.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn setting(text: &str) -> std::result::Result<(String, String), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or("expected key=value, such as threshold=0.8")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

fn format(name: &str) -> std::result::Result<FormatName, serde_json::Error> {
    serde_json::from_value(name.into())
}

impl On {
    fn recipe(&self) -> Result<Recipe> {
        let path = Path::new(&self.recipe);
        let named = if path.extension().is_some_and(|ending| ending == "toml") {
            let text =
                std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
            Recipe::from_toml(&text).map_err(|error| error.at(path))?
        } else {
            Recipe::named(&self.recipe)?
        };
        let settings = self.set.iter();
        named.with_all(settings.map(|(key, value)| (key.as_str(), value.as_str())))
    }
}

/// Tells warnings to standard error.
struct Told;

impl Observer for Told {
    fn warn(&self, text: &str) {
        // If standard error is closed, nothing can be reported.
        let _ = writeln!(std::io::stderr(), "warning: {text}");
    }
}

/// A collection that is searched again and again.
struct Lab {
    host: Host,
    inputs: Inputs,
    /// What was asked for; experiments change it field by field.
    recipe: Recipe,
    statistics: Option<Statistics>,
    output: Option<PathBuf>,
    outputs: Outputs,
}

impl Lab {
    /// Opens the inputs, and makes sure that they have texts and that the output is none of them.
    fn open(on: &On) -> Result<Self> {
        let recipe = on.recipe()?;
        let host = Host::new(on.means.context()).observed_by(Told);
        let outputs = claims::outputs(
            &host,
            on.inputs.iter().map(PathBuf::as_path),
            &[("⟨output⟩", on.output.as_deref())],
        )?;
        let mut spec = InputSpec::default();
        spec.paths.clone_from(&on.inputs);
        spec.read = ReadOptions {
            format: on.format,
            text_key: on.text_key.clone(),
            id_key: on.id_key.clone(),
            limit: on.limit,
            ..ReadOptions::default()
        };
        let staged = Staged::single(recipe.clone(), Action::Remove);
        let opened = Opened::new(&host, &outputs, Opening::new(&spec, &staged))?;
        opened.begin()?;
        let inputs = opened.inputs;
        let statistics = statistics::load(&recipe, &host.context)?;
        Ok(Self {
            host,
            inputs,
            recipe,
            statistics,
            output: on.output.clone(),
            outputs,
        })
    }

    /// What a variant of the recipe finds.
    fn find(&self, recipe: &Recipe) -> Result<Findings> {
        recipe.check()?;
        let job = Job {
            source: &self.inputs,
            recipe,
            constraints: &Constraints::default(),
            statistics: self.statistics.as_ref(),
            checkpoint: None,
            elsewhere: None,
            tuning: Tuning::default(),
        };
        engine::find(&self.host.context, job, &mut FailOnBad)
    }

    /// Writes what is kept of the experiment, where that was asked for.
    fn keep(&self, text: &str) -> Result<()> {
        if let Some(path) = &self.output {
            self.outputs.write(path, text.as_bytes())?;
        }
        claims::publish(&self.host, &self.outputs)
    }

    /// The same for tables, which are also the result.
    fn keep_tables(&self, tables: Vec<Table>) -> Result<Vec<Table>> {
        self.keep(
            &tables
                .iter()
                .map(|table| render::tsv(table, Formulas::Kept))
                .collect::<Vec<_>>()
                .join("\n"),
        )?;
        Ok(tables)
    }
}

/// The pairs that a recipe found.
fn pairs(found: &Findings) -> Result<&ScoredPairs> {
    found
        .pairs()
        .ok_or_else(|| Error::usage("expected a recipe that knows pairs"))
}

/// A number with some decimals, as a cell.
fn number(value: f64, decimals: usize) -> Cell {
    Cell::Text(format!("{value:.decimals$}"))
}
