//! `tegula sweep`: what would go at several lengths of n-grams and several thresholds.

use crate::args::{ConstraintArgs, InputArgs, MachineArgs, RecipeArgs};
use crate::output;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::constraint::Constraints;
use tegula::context::Context;
use tegula::decide::{Decision, Policy};
use tegula::engine::survey::{BadRecords, Told};
use tegula::engine::{self, Job, Tuning};
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::field::FieldNeed;
use tegula::onion::Fate;
use tegula::recipe::{Action, Recipe, Staged};
use tegula::record::Source;
use tegula::statistics::Statistics;
use tegula::threshold::{Score, Threshold};
use tegula::unit::Units;
use tegula_io::outputs::Role;
use tegula_report::render::terminal;
use tegula_report::tables::sweep::{Sweep, SweepCell};
use tegula_report::tables::{class_of, is_grid, write_tables};
use tegula_run::{
    bad::{self, Bad},
    claims, describe,
    inputs::Inputs,
    read_options,
    search::check_date_formats,
    statistics,
};

/// Arguments of `tegula sweep`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula sweep corpus.vert --unit paragraph
  tegula sweep news.jsonl --ngrams 5,7 --thresholds 0.5,0.8,0.95 --tables grid/
  tegula sweep laws/ --recipe ssr --ngrams 3,5 --thresholds 0.6,0.7,0.8,0.9")]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Tokens in an n-gram, each of these [default: 5,7,10]
    ///
    /// By default 5, 7 and 10; of a recipe without n-grams of its own, nothing but the thresholds.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', help_heading = "Sweep")]
    ngrams: Vec<usize>,

    /// Thresholds, each of these
    #[arg(
        long,
        value_name = "T,T,...",
        value_delimiter = ',',
        default_value = "0.5,0.7,0.9,0.95",
        value_parser = crate::args::threshold,
        help_heading = "Sweep"
    )]
    thresholds: Vec<Threshold>,

    /// Write the grids, and the removed tokens by length class, as TSV and LaTeX to this folder
    #[arg(long, value_name = "DIR", help_heading = "Sweep")]
    tables: Option<PathBuf>,

    /// Write tables to a folder that holds other files: those that an earlier command wrote there are removed, all others stay
    #[arg(long, requires = "tables", help_heading = "Sweep")]
    overwrite: bool,

    /// Print JSON
    #[arg(long, help_heading = "Sweep")]
    json: bool,

    /// The recipe; here it is onion where none is named
    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    constraints: ConstraintArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Says what would go, and writes nothing.
///
/// # Errors
/// Wrong options, or what the inputs, the memory ceiling or scratch give.
pub(crate) fn sweep(args: &SweepArgs) -> Result<ExitCode> {
    let base = recipe(args)?;
    let recipes = lengths(&base, &args.ngrams)?;
    let host = args.machine.host()?;
    let context = &host.context;
    let outputs = host.outputs(args.overwrite);
    let read = args.input.inputs.iter().chain(&args.constraints.against).map(PathBuf::as_path);
    claims::claim(&host, &outputs, read.chain(args.recipe.files()), &[])?;
    let mut spec = args.input.spec(&args.recipe, &args.constraints)?;
    let quarantine = spec.quarantine_folder(None)?;
    if let Some(folder) = &args.tables {
        outputs.claim("⟨tables⟩", folder, Role::Folder)?;
    }
    let constraints = args.constraints.constraints();
    base.check_constraints(&constraints)?;
    let fields: Vec<FieldNeed> = constraints.needs().collect();
    check_date_formats(&spec.read, &fields)?;
    args.input.check_classes(base.weighs_by_class(), &base.recipe)?;
    spec.read = read_options(&spec.read, &Staged::single(base.clone(), Action::Remove), &fields);
    let statistics = statistics::load(&base, context)?;
    let inputs = Inputs::open(&host, &spec)?.needing(fields.clone());
    inputs.check_steps(&base, args.recipe.names_steps(""))?;
    outputs.guard(inputs.guards())?;
    if !quarantine.as_os_str().is_empty() {
        bad::claim(&outputs, &quarantine, inputs.files())?;
    }
    outputs.begin()?;
    inputs.warn(&host);
    inputs.check(&host, &[base.unit], &fields, spec.on_bad_record)?;
    let constraints = Constraints { references_from: inputs.references_from(), ..constraints };
    let mut found = Sweep {
        level: base.unit,
        ngrams: recipes.iter().map(|recipe| recipe.ngram).collect(),
        thresholds: args.thresholds.clone(),
        cells: Vec::new(),
        units: 0,
        tokens: 0,
    };
    for (place, recipe) in recipes.iter().enumerate() {
        let (inputs, constraints) = (&inputs, &constraints);
        let run = Run { context, inputs, recipe, constraints, statistics: statistics.as_ref() };
        if place == 0 {
            let mut bad = Bad::new(spec.on_bad_record, Some((&outputs, quarantine.clone())), inputs.files());
            run.fill(&mut found, &mut bad)?;
            bad.finish(&host)?;
        } else {
            run.fill(&mut found, &mut Told)?;
        }
    }
    let tables = found.tables()?;
    if let Some(folder) = &args.tables {
        write_tables(&outputs, &tables, &format!("a sweep: {}", describe::swept(&base)), folder)?;
    }
    claims::publish(&host, &outputs)?;
    if args.json {
        let text = serde_json::to_string_pretty(&found).map_err(|e| Error::usage(format!("cannot write as JSON: {e}")))?;
        output::data(format!("{text}\n").as_bytes())?;
    } else {
        let width = crate::terminal::width(None);
        let grids = tables.iter().filter(|table| is_grid(table));
        let shown = grids.map(|table| terminal(table, width, usize::MAX)).collect::<Vec<_>>().join("\n");
        output::data(shown.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The recipe without what is swept over.
fn recipe(args: &SweepArgs) -> Result<Recipe> {
    for (option, given, swept) in
        [("--ngram", args.recipe.ngram.is_some(), "--ngrams"), ("--threshold", args.recipe.threshold.is_some(), "--thresholds")]
    {
        if given {
            return Err(Error::usage(format!("{option}: a sweep takes several")).hint(format!("name them with {swept}")));
        }
    }
    if args.input.inputs.is_empty() {
        return Err(
            Error::usage("expected at least one input, found none").hint("name files or folders, or - for standard input")
        );
    }
    let named = RecipeArgs { recipe: Some(args.recipe.recipe.clone().unwrap_or_else(|| "onion".into())), ..args.recipe.clone() };
    let recipe = named.recipe()?;
    if recipe.measure.is_equality() {
        return Err(Error::usage(format!("--recipe {}: it has neither n-grams nor thresholds to sweep over", recipe.recipe)));
    }
    Ok(recipe)
}

/// The recipe with n-grams of each length; where none is named, with those of a usual sweep if it has any.
fn lengths(base: &Recipe, named: &[usize]) -> Result<Vec<Recipe>> {
    let of = |ngram: usize| {
        let recipe = base.with("ngram", &ngram.to_string())?;
        if ngram != base.ngram {
            recipe.heeds("ngram")?;
        }
        Ok(recipe)
    };
    if !named.is_empty() {
        let all: Result<_> = named.iter().copied().map(of).collect();
        return all.map_err(|error: Error| {
            let (message, advice) = error.marked();
            Error::usage(format!("--ngrams: {}", message.trim_start_matches("ngram: "))).hint(advice.unwrap_or_default())
        });
    }
    Ok(USUAL.into_iter().map(of).collect::<Result<_>>().unwrap_or_else(|_| vec![base.clone()]))
}

/// The lengths of a usual sweep.
const USUAL: [usize; 3] = [5, 7, 10];

/// One length of n-grams.
struct Run<'a> {
    context: &'a Context,
    inputs: &'a Inputs,
    recipe: &'a Recipe,
    constraints: &'a Constraints,
    statistics: Option<&'a Statistics>,
}

impl Run<'_> {
    fn fill(&self, sweep: &mut Sweep, bad: &mut dyn BadRecords) -> Result<()> {
        let thresholds = sweep.thresholds.clone();
        let value = |t: &Threshold| Score { part: t.numerator(), whole: t.denominator() };
        let Some(lowest) = thresholds.iter().copied().min_by_key(value) else { return Ok(()) };
        let recipe = Recipe { threshold: lowest, ..self.recipe.clone() };
        let job = self.job(&recipe);
        if recipe.measure.is_in_order() {
            return engine::sweep(self.context, job, &thresholds, bad, &mut |units, allowed, _, known| {
                let is_reference = |record| allowed.is_reference(record);
                count(sweep, units, &is_reference, &|unit| known.fates[unit as usize] == Fate::Kept);
                Ok(())
            });
        }
        let mut cell = |found: &Findings, threshold| {
            let decision = Decision::new(found, &Policy::default(), threshold)?;
            let is_reference = |record| found.allowed.is_reference(record);
            count(sweep, &found.units, &is_reference, &|unit| decision.keeps(unit));
            Ok(())
        };
        let found = engine::find(self.context, job, bad)?;
        for threshold in thresholds {
            if threshold == lowest || recipe.can_be_cut() {
                cell(&found, threshold)?;
            } else {
                let recipe = Recipe { threshold, ..recipe.clone() };
                cell(&engine::find(self.context, self.job(&recipe), &mut Told)?, threshold)?;
            }
        }
        Ok(())
    }

    fn job<'a>(&'a self, recipe: &'a Recipe) -> Job<'a> {
        Job {
            source: self.inputs,
            recipe,
            constraints: self.constraints,
            statistics: self.statistics,
            checkpoint: None,
            tuning: Tuning::default(),
        }
    }
}

/// Adds a cell: what goes, and of how much.
fn count(sweep: &mut Sweep, units: &Units, is_reference: &dyn Fn(usize) -> bool, keeps: &dyn Fn(u32) -> bool) {
    let mut cell = SweepCell::default();
    (sweep.units, sweep.tokens) = (0, 0);
    for record in (0..units.records.len()).filter(|record| !is_reference(*record)) {
        for unit in units.of_record(record) {
            let tokens = units.tokens[unit as usize];
            sweep.units += 1;
            sweep.tokens += u64::from(tokens);
            if !keeps(unit) {
                cell.units += 1;
                cell.tokens += u64::from(tokens);
                let class = class_of(tokens.into());
                if cell.tokens_by_class.len() <= class {
                    cell.tokens_by_class.resize(class + 1, 0);
                }
                cell.tokens_by_class[class] += u64::from(tokens);
            }
        }
    }
    sweep.cells.push(cell);
}
