//! `tegula study`: the experiments of SimFinder (Gong et al. 2008, §4) on any collection.

mod degrees;
mod growth;
mod keys;
mod transitivity;

use crate::args::{ConstraintArgs, InputArgs, MachineArgs, RecipeArgs, TokenSource};
use crate::{output, terminal};
use clap::{Args, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use tegula::constraint::Constraints;
use tegula::engine::survey::{BadRecords, Told};
use tegula::engine::{self, Job, Tuning};
use tegula::error::{Error, Result};
use tegula::evidence::{Findings, ScoredPairs};
use tegula::recipe::Recipe;
use tegula::record::Source;
use tegula::statistics::Statistics;
use tegula_io::options::ReadOptions;
use tegula_io::outputs::Outputs;
use tegula_report::render;
use tegula_report::table::{Cell, Table};
use tegula_run::{
    BadRecordPolicy, Host,
    bad::{self, Bad},
    inputs::Inputs,
};
use tegula_run::{claims, statistics};

/// Arguments of `tegula study`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    experiment: Experiment,
}

/// What is studied.
#[derive(Debug, Subcommand)]
enum Experiment {
    /// What a score is worth: pairs drawn by score, to be judged, and the precision of each bin (Figs. 1 and 2)
    Degrees(Box<degrees::DegreesArgs>),
    /// What keys cost and find, by their size and by the number of features (Figs. 3 to 6)
    Keys(Box<keys::KeysArgs>),
    /// How many of the pairs that a transitive recipe skips are below the threshold (remark 2)
    Transitivity(Box<transitivity::TransitivityArgs>),
    /// Time and memory by the number of records (Figs. 7 to 10)
    Growth(Box<growth::GrowthArgs>),
}

/// Runs an experiment.
///
/// # Errors
/// Wrong options, or what the inputs, the memory ceiling or scratch give.
pub(crate) fn study(args: &StudyArgs) -> Result<ExitCode> {
    match &args.experiment {
        Experiment::Degrees(args) => degrees::degrees(args)?,
        Experiment::Keys(args) => keys::keys(args)?,
        Experiment::Transitivity(args) => transitivity::transitivity(args)?,
        Experiment::Growth(args) => growth::growth(args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What is studied, by which method.
#[derive(Debug, Args)]
struct On {
    #[command(flatten)]
    input: InputArgs,

    /// The recipe; here it is simfinder, with --normalize message-words, where none is named
    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// How tables are shown.
#[derive(Debug, Args)]
struct Shown {
    /// What is printed
    #[arg(long, value_name = "FORM", value_enum, default_value_t, help_heading = "Output")]
    form: Form,

    /// Columns [default: the terminal's, else 100]
    #[arg(long, value_name = "COLUMNS", help_heading = "Output")]
    width: Option<usize>,
}

/// What is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Tables for people
    #[default]
    Table,
    /// The tables as TSV, with an empty line between
    Tsv,
}

impl Shown {
    /// Prints the tables.
    fn show(&self, tables: &[Table]) -> Result<()> {
        let text = match self.form {
            Form::Tsv => as_tsv(tables),
            Form::Table => {
                let width = terminal::width(self.width);
                let shown: Vec<String> = tables.iter().map(|table| render::terminal(table, width, usize::MAX)).collect();
                shown.join("\n\n")
            }
        };
        output::data(text.as_bytes())
    }
}

fn as_tsv(tables: &[Table]) -> String {
    tables.iter().map(render::tsv).collect::<Vec<_>>().join("\n")
}

/// Writes the tables to a file that ends in .tsv.
fn write_tsv(outputs: &Outputs, path: &Path, tables: &[Table]) -> Result<()> {
    outputs.write(path, as_tsv(tables).as_bytes())
}

/// The ending of an output, which must be one of these.
fn ending<'e>(path: &Path, endings: &[&'e str]) -> Result<&'e str> {
    let found = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    endings.iter().find(|ending| ending.eq_ignore_ascii_case(found)).copied().ok_or_else(|| {
        let wanted: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
        Error::usage(format!("-o: expected a name that ends in {}", wanted.join(" or "))).at(path)
    })
}

/// A collection that is searched again and again.
struct Lab {
    host: Host,
    inputs: Inputs,
    /// What was asked for; experiments change it field by field.
    recipe: Recipe,
    statistics: Option<Statistics>,
    policy: BadRecordPolicy,
    outputs: Outputs,
    quarantine: PathBuf,
    /// Whether bad records were told of.
    told: AtomicBool,
}

impl Lab {
    /// Checks the options and opens the inputs; what is found is written to `output`.
    fn open(on: &On, output: Option<&Path>) -> Result<Self> {
        Self::of(on, output, on.input.limit)
    }

    /// The same, with so many records at most.
    fn of(on: &On, output: Option<&Path>, limit: Option<u64>) -> Result<Self> {
        let recipe = recipe(&on.recipe)?;
        if recipe.keys.is_none() || !recipe.measure.scores_pairs() {
            return Err(Error::usage(format!("--recipe {}: expected one with keys, such as simfinder or sketch", recipe.recipe))
                .hint("without keys all pairs are found, and no candidates are generated that could be studied; growth studies any recipe"));
        }
        Self::with(on, recipe, output, limit)
    }

    /// With any recipe, keys or none.
    fn any(on: &On, output: Option<&Path>, limit: Option<u64>) -> Result<Self> {
        Self::with(on, recipe(&on.recipe)?, output, limit)
    }

    fn with(on: &On, recipe: Recipe, output: Option<&Path>, limit: Option<u64>) -> Result<Self> {
        if on.input.inputs.is_empty() {
            return Err(
                Error::usage("expected at least one input, found none").hint("name files or folders, or - for standard input")
            );
        }
        on.input.check_classes(recipe.weighs_by_class(), &recipe.recipe)?;
        let mut spec = on.input.spec(&on.recipe, &ConstraintArgs::default())?;
        spec.read = ReadOptions { limit, classes: recipe.weighs_by_class(), ..spec.read };
        let host = on.machine.host()?;
        let outputs = host.outputs(false);
        claims::claim(&host, &outputs, on.input.inputs.iter().map(PathBuf::as_path), &[("-o", output)])?;
        let inputs = Inputs::open(&host, &spec)?;
        outputs.guard(inputs.guards())?;
        let quarantine = spec.quarantine_folder(output)?;
        if !quarantine.as_os_str().is_empty() {
            bad::claim(&outputs, &quarantine, inputs.files())?;
        }
        outputs.begin()?;
        Ok(Self {
            statistics: statistics::load(&recipe, &host.context)?,
            host,
            inputs,
            recipe,
            policy: spec.on_bad_record,
            outputs,
            quarantine,
            told: AtomicBool::new(false),
        })
    }

    /// What a variant of the recipe finds.
    fn find(&self, recipe: &Recipe) -> Result<Findings> {
        self.run(|bad| engine::find(&self.host.context, self.job(recipe), bad))
    }

    fn job<'a>(&'a self, recipe: &'a Recipe) -> Job<'a> {
        Job {
            source: &self.inputs,
            recipe,
            constraints: NONE,
            statistics: self.statistics.as_ref(),
            checkpoint: None,
            tuning: Tuning::default(),
        }
    }

    /// Runs the engine; bad records are told of the first time.
    fn run<T>(&self, run: impl FnOnce(&mut dyn BadRecords) -> Result<T>) -> Result<T> {
        if self.told.swap(true, Ordering::Relaxed) {
            return run(&mut Told);
        }
        self.inputs.warn(&self.host);
        self.inputs.check(&self.host, &[self.recipe.unit], &[], self.policy)?;
        let mut bad = Bad::new(self.policy, Some((&self.outputs, self.quarantine.clone())), self.inputs.files());
        let found = run(&mut bad)?;
        bad.finish(&self.host)?;
        Ok(found)
    }
}

const NONE: &Constraints = &Constraints { within: Vec::new(), across: None, window: None, references_from: None, min_tokens: 0 };

/// The pairs that a recipe with keys found.
fn pairs(found: &Findings) -> Result<&ScoredPairs> {
    found.pairs().ok_or_else(|| Error::usage("expected a recipe that knows pairs"))
}

/// The recipe: simfinder over words of messages where none is named.
fn recipe(args: &RecipeArgs) -> Result<Recipe> {
    let mut named = args.clone();
    if args.recipe.is_none() {
        named.recipe = Some("simfinder".into());
        if args.normalize.is_none() && args.tokens != Some(TokenSource::AsIs) {
            named.normalize = Some("message-words".into());
        }
    }
    named.recipe()
}

/// A number with a decimal or three, as a cell.
fn number(value: f64, decimals: usize) -> Cell {
    Cell::Text(format!("{value:.decimals$}"))
}
