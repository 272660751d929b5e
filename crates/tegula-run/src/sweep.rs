//! Sweeps: what a recipe would remove at several n-gram lengths and thresholds. Nothing is written.

use crate::host::Host;
use crate::opened::{Opened, Opening, single};
use crate::spec::InputSpec;
use crate::{describe, statistics};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tegula::constraint::Constraints;
use tegula::decide::{Decision, Policy};
use tegula::engine::bad_records::{BadRecords, Told};
use tegula::engine::{self, Job};
use tegula::error::Result;
use tegula::evidence::Findings;
use tegula::onion::Fate;
use tegula::recipe::Recipe;
use tegula::record::Level;
use tegula::statistics::Statistics;
use tegula::threshold::{Score, Threshold};
use tegula::unit::Units;
use tegula_io::outputs::Outputs;
use tegula_io::passed_over::PassedOver;

/// The specification of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepSpec {
    /// What to read, and how.
    pub input: InputSpec,
    /// The recipe at each n-gram length.
    pub recipes: Vec<Recipe>,
    /// The thresholds.
    pub thresholds: Vec<Threshold>,
    /// The constraints on pairs.
    pub constraints: Constraints,
}

/// The result of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
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

/// The class of a length: 0, then powers of two, each for the lengths up to the next (Benko 2013,
/// §2.2).
pub fn class_of(tokens: u64) -> usize {
    tokens.checked_ilog2().map_or(0, |power| power as usize + 1)
}

/// Determines what would be removed. The caller claims its own outputs in `outputs` before, and
/// publishes them after.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling or scratch.
pub fn sweep(host: &Host, spec: &SweepSpec, outputs: &Outputs) -> Result<Sweep> {
    let context = &host.context;
    let Some(base) = spec.recipes.first() else {
        return Err(tegula::Error::usage(
            "recipes: expected at least one, found none",
        ));
    };
    if base.measure.is_of_passages() {
        base.check_effect("threshold")?;
    }
    // All recipes of a sweep read the same texts.
    let longest = spec.recipes.iter().max_by_key(|recipe| recipe.ngram);
    let recipe = single(longest.unwrap_or(base));
    let opened = Opened::new(
        host,
        outputs,
        Opening {
            constraints: spec.constraints.clone(),
            reads: base.statistics.iter().map(PathBuf::from).collect(),
            ..Opening::new(&spec.input, &recipe)
        },
    )?;
    let statistics = spec
        .recipes
        .iter()
        .map(|recipe| statistics::load(recipe, context))
        .collect::<Result<Vec<_>>>()?;
    opened.begin()?;
    let mut found = Sweep {
        level: base.unit,
        ngrams: spec.recipes.iter().map(|recipe| recipe.ngram).collect(),
        thresholds: spec.thresholds.clone(),
        cells: Vec::new(),
        units: 0,
        tokens: 0,
        passed_over: Vec::new(),
    };
    for (place, recipe) in spec.recipes.iter().enumerate() {
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
