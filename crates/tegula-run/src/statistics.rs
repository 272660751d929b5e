//! Document frequencies of terms or shingles: counts them in a collection, writes them to a file,
//! and reads them back.

use crate::host::Host;
use crate::opened::{Opened, Opening, claims, single};
use crate::spec::InputSpec;
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
use tegula::record::Source;
use tegula::statistics::{ShingleWriter, Statistics};
use tegula::text::normalise::Normalisation;
use tegula::tsv::Formulas;
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
    let shingles = recipe.measure.needs_rarity().then_some(recipe.ngram);
    if !recipe.needs_statistics() && shingles.is_none() {
        return Err(Error::usage(format!(
            "⟨statistics⟩: the recipe {} has no term weighting",
            recipe.recipe
        ))
        .hint("use it with cosine, i-match, simfinder or revisions, or leave it out"));
    }
    let path = tegula_io::path::from_string(name).unwrap_or_else(|| PathBuf::from(name));
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
    let content = tegula_io::compress::read_whole(&path, most, enough)?;
    let mut statistics = Statistics::read(&content[..], &steps(&recipe.normalise), shingles)
        .map_err(|error| error.at(&path))?;
    statistics.hold(context, hash::token(&content).id)?;
    Ok(Some(statistics))
}

/// The result of counting.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counted {
    /// Units.
    pub units: u64,
    /// Distinct terms, or shingles that several texts have.
    pub counted: u64,
    /// What the files hold besides the records that were read.
    pub passed_over: Vec<PassedOver>,
}

/// Counts in how many units of the inputs each term of a recipe occurs, or each shingle if these
/// are weighted by rarity, and writes the counts to `output`; `formulas` are those among the terms.
///
/// # Errors
/// Invalid options, errors of the inputs or the memory ceiling, or if the file cannot be written.
pub fn count(
    host: &Host,
    input: &InputSpec,
    recipe: &Recipe,
    formulas: Formulas,
    output: &Path,
) -> Result<Counted> {
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
    let counted = if recipe.measure.needs_rarity() {
        let (found, _) = opened.read(|bad| shingles(context, inputs, recipe, bad))?;
        write_shingles(context, recipe, found, &mut draft, output).map(|(units, counted)| Counted {
            units,
            counted,
            passed_over: inputs.passed_over(),
        })
    } else {
        let (counter, _) = opened.read(|bad| engine::count::count(context, inputs, recipe, bad))?;
        let counted = Counted {
            units: counter.documents(),
            counted: counter.terms(),
            passed_over: inputs.passed_over(),
        };
        let written = counter.write(&steps(&recipe.normalise), formulas, &mut draft);
        written
            .map(|()| counted)
            .map_err(|error| Error::io("write", output, error))
    }?;
    draft.finish()?;
    opened.publish()?;
    Ok(counted)
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
fn steps(normalise: &Normalisation) -> String {
    serde_json::to_string(normalise).unwrap_or_default()
}
