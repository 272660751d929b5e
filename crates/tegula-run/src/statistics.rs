//! Document frequencies from a file, as `tegula stats` writes it.

use std::path::PathBuf;
use tegula::context::{Budget, Context};
use tegula::error::{Error, Result};
use tegula::recipe::Recipe;
use tegula::statistics::Statistics;
use tegula::text::normalise::Normalisation;

/// The part of the memory that a file of statistics may have.
const SHARE: u64 = 8;

/// The frequencies that a recipe names, where it needs and names some.
///
/// # Errors
/// When the file cannot be read, or its terms were normalised in another way.
pub fn load(recipe: &Recipe, context: &Context) -> Result<Option<Statistics>> {
    let Some(name) = &recipe.statistics else { return Ok(None) };
    if !recipe.needs_statistics() {
        return Err(Error::usage(format!("⟨statistics⟩: the recipe {} weighs no terms", recipe.recipe))
            .hint("use it with cosine, i-match or simfinder, or leave it out"));
    }
    let path = tegula_io::path::from_string(name).unwrap_or_else(|| PathBuf::from(name));
    // The table of terms takes several times the bytes of the file.
    let most = context.budget.free() / SHARE;
    let enough = |bytes: u64| {
        let ceiling = bytes.saturating_mul(SHARE).saturating_add(Budget::OVERHEAD).div_ceil(1 << 20).saturating_add(1);
        format!("raise ⟨memory⟩ to at least {ceiling}M")
    };
    let content = tegula_io::compress::read_whole(&path, most, enough)?;
    Statistics::read(&content[..], &steps(&recipe.normalise)).map(Some).map_err(|error| error.at(&path))
}

/// What a statistics file says of the normalisation of its terms.
pub fn steps(normalise: &Normalisation) -> String {
    serde_json::to_string(normalise).unwrap_or_default()
}
