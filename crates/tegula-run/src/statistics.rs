//! Document frequencies of terms: counts them in a collection, writes them to a file, and reads
//! them back.

use crate::bad::{self, Bad};
use crate::host::Host;
use crate::spec::InputSpec;
use crate::{claims, inputs};
use std::path::{Path, PathBuf};
use tegula::context::{Budget, Context};
use tegula::engine;
use tegula::error::{Error, Result};
use tegula::recipe::Recipe;
use tegula::record::Source as _;
use tegula::statistics::Statistics;
use tegula::text::normalise::Normalisation;
use tegula_io::collection::Collection;
use tegula_io::contents::Asked;
use tegula_io::options::ReadOptions;
use tegula_io::outputs::Packed;

/// A statistics file may have at most one part of free memory in this many.
const SHARE: u64 = 8;

/// The frequencies for a recipe, if it needs them and names a file.
///
/// # Errors
/// If the file cannot be read, or its terms were normalised differently.
pub fn load(recipe: &Recipe, context: &Context) -> Result<Option<Statistics>> {
    let Some(name) = &recipe.statistics else {
        return Ok(None);
    };
    if !recipe.needs_statistics() {
        return Err(Error::usage(format!(
            "⟨statistics⟩: the recipe {} has no term weighting",
            recipe.recipe
        ))
        .hint("use it with cosine, i-match or simfinder, or leave it out"));
    }
    let path = tegula_io::path::from_string(name).unwrap_or_else(|| PathBuf::from(name));
    // The table of terms needs several times the bytes of the file.
    let most = context.budget.free() / SHARE;
    let enough = |bytes: u64| {
        let ceiling = bytes
            .saturating_mul(SHARE)
            .saturating_add(Budget::OVERHEAD)
            .div_ceil(1 << 20)
            .saturating_add(1);
        format!("raise ⟨memory⟩ to at least {ceiling}M")
    };
    let content = tegula_io::compress::read_whole(&path, most, enough)?;
    Statistics::read(&content[..], &steps(&recipe.normalise))
        .map(Some)
        .map_err(|error| error.at(&path))
}

/// The result of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counted {
    /// Units.
    pub units: u64,
    /// Distinct terms.
    pub terms: u64,
}

/// Counts in how many units of the inputs each term of a recipe occurs, and writes the counts to
/// `output`.
///
/// # Errors
/// Invalid options, errors of the inputs or the memory ceiling, or if the file cannot be written.
pub fn count(host: &Host, input: &InputSpec, recipe: &Recipe, output: &Path) -> Result<Counted> {
    let context = &host.context;
    let outputs = host.outputs(false);
    let quarantine = input.quarantine_folder(Some(output))?;
    claims::claim(
        host,
        &outputs,
        input.paths.iter().map(PathBuf::as_path),
        &[("⟨output⟩", Some(output))],
    )?;
    let read = ReadOptions {
        classes: true,
        characters: recipe.counts_characters(),
        ..input.read.clone()
    };
    let collection =
        Collection::open_in(None, &input.paths, &read, &context.scratch)?.within(context);
    collection
        .warnings()
        .iter()
        .for_each(|warning| host.warn(warning));
    outputs.guard(collection.guards())?;
    if !quarantine.as_os_str().is_empty() {
        bad::claim(&outputs, &quarantine, collection.files())?;
    }
    let asked = Asked {
        levels: vec![recipe.unit],
        ..input.asked()
    };
    inputs::check(host, &collection, &asked, input.on_bad_record)?;
    outputs.begin()?;
    let mut bad = Bad::new(
        input.on_bad_record,
        Some((&outputs, quarantine)),
        collection.files(),
    );
    let counter = engine::count::count(context, &collection, recipe, &mut bad)?;
    bad.finish(host)?;
    let counted = Counted {
        units: counter.documents(),
        terms: counter.terms(),
    };
    let mut draft = Packed::create(&outputs, output)?;
    counter
        .write(&steps(&recipe.normalise), &mut draft)
        .map_err(|error| Error::io("write", output, error))?;
    draft.finish()?;
    claims::publish(host, &outputs)?;
    Ok(counted)
}

/// The normalisation of terms, as described in a statistics file.
fn steps(normalise: &Normalisation) -> String {
    serde_json::to_string(normalise).unwrap_or_default()
}
