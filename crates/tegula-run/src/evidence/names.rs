//! How a run folder names recipes and stages.

use tegula::error::Result;
use tegula::recipe::{Recipe, Stage, Staged};

/// The hash of a recipe, as in tables and `run.json`.
///
/// # Errors
/// None in practice; a recipe is always representable.
pub fn recipe_hash(recipe: &Recipe) -> Result<String> {
    Ok(format!("{:016x}", recipe.hash()?))
}

/// The hash of all stages of a run; for a single stage that of its recipe.
pub(crate) fn staged_hash(recipe: &Staged) -> Result<String> {
    Ok(format!("{:016x}", recipe.hash()?))
}

/// The name of a stage's subfolder.
pub(crate) fn stage_name(place: usize, stage: &Stage) -> String {
    format!("{}-{}", place + 1, stage.name)
}
