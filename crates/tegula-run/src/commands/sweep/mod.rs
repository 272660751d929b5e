//! Sweeps: what a recipe would remove at several n-gram lengths and thresholds. Nothing is written.

mod tables;

pub use tables::tables;

use crate::command::{Answer, Command};
use crate::commands::statistics;
use crate::describe;
use crate::host::Host;
use crate::opened::{Opened, Opening, claims, single};
use crate::options::{InputOptions, PairOptions, RecipeOptions, Shown, TablesOptions, check_page};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use tegula::decide::{Decision, Policy};
use tegula::declare::Commas;
use tegula::engine::bad_records::{BadRecords, Told};
use tegula::engine::{self, Job};
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::onion::Fate;
use tegula::recipe::Recipe;
use tegula::record::Level;
use tegula::statistics::Statistics;
use tegula::threshold::{Score, Threshold};
use tegula::unit::Units;
use tegula_io::passed_over::PassedOver;
use tegula_report::html::chart::class_of;
use tegula_report::tables::write_tables;

tegula::options! {
    /// A sweep over n-gram lengths and thresholds.
    pub struct SweepSpec under "Sweep" {
        /// Numbers of tokens in an n-gram to try [default: 5,7,10]
        ///
        /// By default 5, 7 and 10; for a recipe without n-grams only the thresholds vary.
        pub ngrams: Commas<usize> => "N,N,...",

        /// Thresholds to try [default: 0.5,0.7,0.9,0.95]
        pub thresholds: Commas<Threshold> => "T,T,...",
    } under "Output" {
        /// Write an HTML page with heat maps and curves of what would be removed, and all tables
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE.html",
    }
    blocks {
        /// A folder of tables.
        pub folder: TablesOptions,
        /// What to read, and how.
        pub input: InputOptions,
        /// The recipe without the parameters that vary; onion, unless one is named.
        pub recipe: RecipeOptions,
        /// Which pairs count.
        pub pairs: PairOptions,
    }
    besides {}
}

impl SweepSpec {
    /// The recipe without the swept parameters.
    fn base(&self, host: &Host) -> Result<Recipe> {
        for (option, given, swept) in [
            ("⟨ngram⟩", self.recipe.ngram.is_some(), "⟨ngrams⟩"),
            (
                "⟨threshold⟩",
                self.recipe.threshold.is_some(),
                "⟨thresholds⟩",
            ),
        ] {
            if given {
                return Err(Error::of(option)
                    .problem("a sweep tries several values")
                    .hint(format!("name them with {swept}")));
            }
        }
        self.input.check_any()?;
        let mut named = self.recipe.clone();
        named.recipe.get_or_insert_with(|| "onion".into());
        let recipe = named.recipe(host.recipes())?;
        if recipe.measure.is_equality() {
            return Err(Error::of(format!("⟨recipe⟩ {}", recipe.recipe))
                .problem("it has neither n-grams nor thresholds to sweep over"));
        }
        Ok(recipe)
    }

    /// The recipe with each n-gram length; if none is named, with those of a usual sweep, if the
    /// recipe has n-grams.
    fn recipes(&self, base: &Recipe) -> Result<Vec<Recipe>> {
        let of = |ngram: usize| {
            let recipe = base.with("ngram", &ngram.to_string())?;
            if ngram != base.ngram {
                recipe.check_effect("ngram")?;
            }
            Ok(recipe)
        };
        if self.ngrams.0.is_empty() {
            let usual: Result<_> = NGRAMS.into_iter().map(of).collect();
            return Ok(usual.unwrap_or_else(|_| vec![base.clone()]));
        }
        let all: Result<_> = self.ngrams.0.iter().copied().map(of).collect();
        all.map_err(|error: Error| error.about(|_| "⟨ngrams⟩".to_owned()))
    }

    /// The thresholds.
    fn thresholds(&self) -> Result<Vec<Threshold>> {
        match &self.thresholds.0[..] {
            [] => THRESHOLDS.iter().map(|text| text.parse()).collect(),
            named => Ok(named.to_vec()),
        }
    }
}

/// The lengths of a usual sweep.
const NGRAMS: [usize; 3] = [5, 7, 10];
/// Its thresholds.
const THRESHOLDS: [&str; 4] = ["0.5", "0.7", "0.9", "0.95"];

impl Command for SweepSpec {
    const NAME: &'static str = "sweep";
    const ABOUT: &'static str =
        "Show what would be removed at several n-gram lengths and thresholds";
    const EXAMPLES: &'static str = "Examples:
  tegula sweep corpus.vert --unit paragraph
  tegula sweep news.jsonl --ngrams 5,7 --thresholds 0.5,0.8,0.95 -o grid.html
  tegula sweep laws/ --recipe ssr --ngrams 3,5 --thresholds 0.6,0.7,0.8,0.9";
    const SHOWN: Shown = Shown::running(&["json"]);
    type Answer = Sweep;

    fn run(&self, host: &Host) -> Result<Sweep> {
        sweep(host, self)
    }
}

impl Answer for Sweep {
    fn json(&self) -> Result<Value> {
        serde_json::to_value(self)
            .map_err(|error| Error::usage(format!("cannot write as JSON: {error}")))
    }
}

/// The result of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The recipe without what varies, in words.
    #[serde(default)]
    pub method: String,
    /// The level of the units.
    pub level: Level,
    /// Tokens in a shingle, in the order of the columns.
    pub ngrams: Vec<usize>,
    /// Thresholds, in the order of the rows.
    pub thresholds: Vec<Threshold>,
    /// Results: all thresholds of the first n, then those of the second, and so on.
    pub cells: Vec<SweepCell>,
    /// The total number of units.
    pub units: u64,
    /// The number of their tokens.
    pub tokens: u64,
    /// What the files hold besides the records that were read.
    #[serde(serialize_with = "passed_over", skip_deserializing)]
    pub passed_over: Vec<PassedOver>,
}

/// What would be removed at one n and one threshold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepCell {
    /// The number of units.
    pub units: u64,
    /// The number of their tokens.
    pub tokens: u64,
    /// The tokens by length class of their units ([`class_of`]); trailing classes without tokens
    /// may be omitted. Empty if not counted.
    pub tokens_by_class: Vec<u64>,
}

impl Sweep {
    /// The result at one n and one threshold, by index.
    pub fn cell(&self, ngram: usize, threshold: usize) -> Option<&SweepCell> {
        if threshold >= self.thresholds.len() {
            return None;
        }
        self.cells.get(ngram * self.thresholds.len() + threshold)
    }
}

/// Determines what would be removed, and writes what the options ask for.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling, scratch or the outputs.
pub fn sweep(host: &Host, spec: &SweepSpec) -> Result<Sweep> {
    let base = &spec.base(host)?;
    let (recipes, thresholds) = (spec.recipes(base)?, spec.thresholds()?);
    let formulas = spec.folder.checked(false)?;
    if let Some(path) = &spec.output {
        check_page(path)?;
    }
    let host = &spec.recipe.read_by(host);
    let context = &host.context;
    let written = [("⟨output⟩", spec.output.as_deref())];
    let outputs = &claims::with_tables(host, &spec.folder, [], &written)?;
    let mut input = spec.input.spec(&spec.recipe, &spec.pairs)?;
    input.steps_named = (spec.recipe.names_steps(""))
        .then(|| base.recipe.clone())
        .into_iter()
        .collect();
    if base.measure.is_of_passages() {
        base.check_effect("threshold")?;
    }
    // All recipes of a sweep read the same texts.
    let longest = recipes.iter().max_by_key(|recipe| recipe.ngram);
    let staged = single(longest.unwrap_or(base));
    let opened = Opened::new(
        host,
        outputs,
        Opening {
            constraints: spec.pairs.constraints(),
            reads: base.statistics.iter().map(PathBuf::from).collect(),
            ..Opening::new(&input, &staged)
        },
    )?;
    let statistics = recipes
        .iter()
        .map(|recipe| statistics::load(recipe, context))
        .collect::<Result<Vec<_>>>()?;
    opened.begin()?;
    let mut found = Sweep {
        method: describe::swept(base),
        level: base.unit,
        ngrams: recipes.iter().map(|recipe| recipe.ngram).collect(),
        thresholds,
        cells: Vec::new(),
        units: 0,
        tokens: 0,
        passed_over: Vec::new(),
    };
    for (place, recipe) in recipes.iter().enumerate() {
        let run = Run {
            opened: &opened,
            recipe,
            statistics: statistics[place].as_ref(),
        };
        if place == 0 {
            opened.read(|bad| run.fill(&mut found, bad))?;
        } else {
            run.fill(&mut found, &mut Told)?;
        }
    }
    found.passed_over = opened.inputs.passed_over();
    if let Some(folder) = &spec.folder.tables {
        let tables = tables::tables(&found)?;
        write_tables(
            outputs,
            &tables,
            &format!("a sweep: {}", found.method),
            formulas,
            folder,
        )?;
    }
    if let Some(path) = &spec.output {
        outputs.write(path, tables::page(&found)?.as_bytes())?;
    }
    opened.publish()?;
    Ok(found)
}

fn passed_over<S: serde::Serializer>(over: &[PassedOver], to: S) -> Result<S::Ok, S::Error> {
    describe::passed_over_json(over).serialize(to)
}

/// The results for one n-gram length.
struct Run<'a> {
    opened: &'a Opened<'a>,
    recipe: &'a Recipe,
    statistics: Option<&'a Statistics>,
}

impl Run<'_> {
    fn fill(&self, sweep: &mut Sweep, bad: &mut dyn BadRecords) -> Result<()> {
        let context = &self.opened.host.context;
        let thresholds = sweep.thresholds.clone();
        let value = |t: &Threshold| Score {
            part: t.numerator(),
            whole: t.denominator(),
        };
        let Some(lowest) = thresholds.iter().copied().min_by_key(value) else {
            return Ok(());
        };
        let recipe = Recipe {
            threshold: lowest,
            ..self.recipe.clone()
        };
        let job = self.job(&recipe);
        if recipe.measure.is_in_order() {
            return engine::sweep(
                context,
                job,
                &thresholds,
                bad,
                &mut |units, allowed, _, known| {
                    let is_reference = |record| allowed.is_reference(record);
                    count(sweep, units, &is_reference, &|unit| {
                        known.fates[unit as usize] == Fate::Kept
                    });
                    Ok(())
                },
            );
        }
        let mut cell = |found: &Findings, threshold| {
            let decision = Decision::new(found, &Policy::default(), threshold)?;
            let is_reference = |record| found.allowed.is_reference(record);
            count(sweep, &found.units, &is_reference, &|unit| {
                decision.keeps(unit)
            });
            Ok(())
        };
        let found = engine::find(context, job, bad)?;
        for threshold in thresholds {
            if threshold == lowest || recipe.can_be_cut() {
                cell(&found, threshold)?;
            } else {
                let recipe = Recipe {
                    threshold,
                    ..recipe.clone()
                };
                cell(
                    &engine::find(context, self.job(&recipe), &mut Told)?,
                    threshold,
                )?;
            }
        }
        Ok(())
    }

    fn job<'a>(&'a self, recipe: &'a Recipe) -> Job<'a> {
        self.opened.job(recipe, self.statistics)
    }
}

/// Adds a cell: the removed units, and their total.
fn count(
    sweep: &mut Sweep,
    units: &Units,
    is_reference: &dyn Fn(usize) -> bool,
    keeps: &dyn Fn(u32) -> bool,
) {
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
