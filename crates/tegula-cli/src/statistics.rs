//! Document frequencies from a file, as `tegula stats` writes it.

use std::path::PathBuf;
use tegula::error::{Error, Result};
use tegula::recipe::Recipe;
use tegula::statistics::Statistics;
use tegula::text::normalise::Normalisation;

/// The frequencies that a recipe names, where it needs and names some.
///
/// # Errors
/// When the file cannot be read, or its terms were normalised in another way.
pub(crate) fn load(recipe: &Recipe) -> Result<Option<Statistics>> {
    let Some(name) = &recipe.statistics else { return Ok(None) };
    if !recipe.needs_statistics() {
        return Err(Error::usage(format!("--statistics: the recipe {} weighs no terms", recipe.recipe))
            .hint("use it with cosine, i-match or simfinder, or leave it out"));
    }
    let path = tegula_io::path::from_string(name).unwrap_or_else(|| PathBuf::from(name));
    let content = tegula_io::compress::read_whole(&path)?;
    Statistics::read(&content[..], &steps(&recipe.normalise)).map(Some).map_err(|error| error.at(&path))
}

/// What a statistics file says of the normalisation of its terms.
pub(crate) fn steps(normalise: &Normalisation) -> String {
    serde_json::to_string(normalise).unwrap_or_default()
}
