//! Document frequencies of terms or shingles: counts them in a collection, writes them to a file,
//! and reads them back.

use crate::command::{Answer, Command};
use crate::describe;
use crate::host::Host;
use crate::opened::{Opened, Opening, claims, single};
use crate::options::{FormulaOptions, InputOptions, PairOptions, RecipeOptions, Shown};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use tegula::constraint::Constraints;
use tegula::context::{Budget, Context};
use tegula::engine::bad_records::BadRecords;
use tegula::engine::count::CollectionShingles;
use tegula::engine::{self, Job, Tuning};
use tegula::error::{Error, Result};
use tegula::hash;
use tegula::recipe::Recipe;
use tegula::record::{Level, Source};
use tegula::statistics::{ShingleWriter, Statistics};
use tegula::text::normalise::Normalisation;
use tegula_io::outputs::Packed;
use tegula_io::passed_over::PassedOver;

/// A file of terms may have at most one part of free memory in this many, as the table needs
/// several times its bytes.
const SHARE: u64 = 8;
/// The same for shingles, whose table is smaller than the file.
const SHARE_OF_SHINGLES: u64 = 3;

/// The frequencies for a recipe, if it needs them and names a file.
///
/// # Errors
/// If the file cannot be read, or its terms were normalised differently.
pub fn load(recipe: &Recipe, context: &Context) -> Result<Option<Statistics>> {
    let Some(name) = &recipe.statistics else {
        return Ok(None);
    };
    let path = path_of(name);
    let Some(content) = content(recipe, context)? else {
        return Ok(None);
    };
    let shingles = recipe.measure.needs_rarity().then_some(recipe.ngram);
    let mut statistics = Statistics::read(&content[..], &steps(&recipe.normalise), shingles)
        .map_err(|error| error.at(&path))?;
    statistics.hold(context, hash::token(&content).id)?;
    Ok(Some(statistics))
}

/// The name of a file that a recipe names, from any working directory.
///
/// # Errors
/// If there is no working directory.
pub(crate) fn absolute(name: &str) -> Result<String> {
    let path = path_of(name);
    let path = tegula_io::store::absolute(&path)?;
    Ok(tegula_io::path::to_string(&path))
}

fn path_of(name: &str) -> PathBuf {
    tegula_io::path::from_string(name).unwrap_or_else(|| PathBuf::from(name))
}

/// What the file contains that a recipe names, if it names one.
///
/// # Errors
/// If it cannot be read, or the recipe weights nothing.
pub(crate) fn content(recipe: &Recipe, context: &Context) -> Result<Option<Vec<u8>>> {
    let Some(name) = &recipe.statistics else {
        return Ok(None);
    };
    let shingles = recipe.measure.needs_rarity().then_some(recipe.ngram);
    if !recipe.needs_statistics() && shingles.is_none() {
        return Err(Error::of("⟨statistics⟩")
            .problem(format!(
                "the recipe {} has no term weighting",
                recipe.recipe
            ))
            .hint("use it with cosine, i-match, simfinder or revisions, or leave it out"));
    }
    let path = path_of(name);
    let share = shingles.map_or(SHARE, |_| SHARE_OF_SHINGLES);
    let most = context.budget.free() / share;
    let enough = |bytes: u64| {
        let ceiling = bytes
            .saturating_mul(share)
            .saturating_add(Budget::OVERHEAD)
            .div_ceil(1 << 20)
            .saturating_add(1);
        format!("raise ⟨memory⟩ to at least {ceiling}M")
    };
    tegula_io::compress::read_whole(&path, most, enough).map(Some)
}

tegula::options! {
    /// Document frequencies of a collection, for ⟨statistics⟩.
    pub struct StatsSpec under "Output" {
        /// Output for the frequencies, compressed according to its name; `-` is standard output
        #[serde(with = "tegula_io::path")]
        pub output: PathBuf => "FILE",
    }
    blocks {
        /// What is done with formulas among the terms.
        pub formulas: FormulaOptions,
        /// What to read, and how.
        pub input: InputOptions,
        /// What is counted: its terms, or its shingles if these are weighted by rarity.
        pub recipe: RecipeOptions,
    }
    besides {}
}

/// The result of counting.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counted {
    /// Units.
    pub units: u64,
    /// What the units are.
    pub unit: Level,
    /// Distinct terms, or shingles that several texts have.
    pub counted: u64,
    /// Whether shingles were counted.
    pub is_of_shingles: bool,
    /// What the files hold besides the records that were read.
    pub passed_over: Vec<PassedOver>,
}

impl Answer for Counted {
    fn json(&self) -> Result<Value> {
        Ok(json!({
            "units": self.units,
            (if self.is_of_shingles { "shingles" } else { "terms" }): self.counted,
            "passed_over": describe::passed_over_json(&self.passed_over),
        }))
    }
}

impl Command for StatsSpec {
    const NAME: &'static str = "stats";
    const ABOUT: &'static str =
        "Count in how many texts each term or shingle occurs, for ⟨statistics⟩";
    const EXAMPLES: &'static str = "Examples:
  tegula stats background.jsonl.zst -o background.tsv.zst
  tegula pairs new.jsonl --recipe i-match --statistics background.tsv.zst -o pairs.tsv
  tegula stats corpus.jsonl --recipe revisions -o shingles.tsv.zst
  tegula stats messages.jsonl --recipe simfinder -o - | sort -t$'\\t' -k2,2nr | head

A line for each term: in how many documents it occurs, how often, and its word class. For recipes that
weigh shingles by rarity, such as revisions, a line for each shingle in several texts: its hash, and
how many texts have it. A run that uses the file must normalise its texts in the same way: name the
same --recipe or --normalize.";
    const SHOWN: Shown = Shown::running(&[]);
    type Answer = Counted;

    fn run(&self, host: &Host) -> Result<Counted> {
        count(host, self)
    }
}

/// Counts in how many units of the inputs each term of a recipe occurs, or each shingle if these
/// are weighted by rarity, and writes the counts to a file.
///
/// # Errors
/// Invalid options, errors of the inputs or the memory ceiling, or if the file cannot be written.
pub fn count(host: &Host, spec: &StatsSpec) -> Result<Counted> {
    let recipe = &spec.recipe.recipe(host.recipes())?;
    let is_of_shingles = recipe.measure.needs_rarity();
    if is_of_shingles {
        spec.recipe.of_shingles("stats")?;
    } else {
        spec.recipe.of_tokens("stats")?;
    }
    let formulas = spec.formulas.of(!is_of_shingles)?;
    let input = &spec.input.spec(&spec.recipe, &PairOptions::default())?;
    let output = spec.output.as_path();
    let host = &spec.recipe.read_by(host);
    let context = &host.context;
    let outputs = claims::outputs(host, [], &[("⟨output⟩", Some(output))])?;
    let staged = single(recipe);
    let opened = Opened::new(
        host,
        &outputs,
        Opening {
            output: Some(output),
            classes: Some(true),
            compares_wholes: false,
            ..Opening::new(input, &staged)
        },
    )?;
    opened.begin()?;
    let inputs = &opened.inputs;
    let mut draft = Packed::create(&outputs, output)?;
    let (units, counted) = if is_of_shingles {
        let (found, _) = opened.read(|bad| shingles(context, inputs, recipe, bad))?;
        write_shingles(context, recipe, found, &mut draft, output)?
    } else {
        let (counter, _) = opened.read(|bad| engine::count::count(context, inputs, recipe, bad))?;
        let counted = (counter.documents(), counter.terms());
        let written = counter.write(&steps(&recipe.normalise), formulas, &mut draft);
        written.map_err(|error| Error::io("write", output, error))?;
        counted
    };
    draft.finish()?;
    opened.publish()?;
    Ok(Counted {
        units,
        unit: recipe.unit,
        counted,
        is_of_shingles,
        passed_over: inputs.passed_over(),
    })
}

/// The frequencies of a collection that a recipe weighs by.
///
/// # Errors
/// Errors of the source, of a bad record under its policy, or of the memory ceiling.
pub fn of(
    context: &Context,
    source: &dyn Source,
    recipe: &Recipe,
    bad: &mut dyn BadRecords,
) -> Result<Statistics> {
    if !recipe.measure.needs_rarity() {
        return Ok(engine::count::count(context, source, recipe, bad)?.finish());
    }
    shingles(context, source, recipe, bad)?.statistics(context)
}

fn shingles(
    context: &Context,
    source: &dyn Source,
    recipe: &Recipe,
    bad: &mut dyn BadRecords,
) -> Result<CollectionShingles> {
    let job = Job {
        source,
        recipe,
        constraints: &Constraints::default(),
        statistics: None,
        checkpoint: None,
        elsewhere: None,
        tuning: Tuning::default(),
    };
    engine::count::shingles(context, job, bad)
}

/// Writes how many texts have each shingle; returns the numbers of texts and of shingles.
fn write_shingles(
    context: &Context,
    recipe: &Recipe,
    shingles: CollectionShingles,
    out: &mut dyn Write,
    output: &Path,
) -> Result<(u64, u64)> {
    let failed = |error| Error::io("write", output, error);
    let units = shingles.texts();
    let steps = steps(&recipe.normalise);
    let mut writer = ShingleWriter::begin(out, units, &steps, recipe.ngram).map_err(failed)?;
    let mut counted = 0;
    shingles.each(context, |id, texts| {
        counted += 1;
        writer.put(id, texts).map_err(failed)
    })?;
    writer.end().map_err(failed)?;
    Ok((units, counted))
}

/// The normalisation of terms, as described in a statistics file.
pub(crate) fn steps(normalise: &Normalisation) -> String {
    serde_json::to_string(normalise).unwrap_or_default()
}
