//! The method and its parameters, with the recipes that the configuration names.

use super::Declared;
use crate::invocation;
use std::path::PathBuf;
use tegula::error::Result;
use tegula::recipe::{Action, Recipe, Staged};
use tegula_run::options::RecipeOptions;

/// The method and its parameters.
pub(crate) type RecipeArgs = Declared<RecipeOptions>;

impl RecipeArgs {
    /// The recipe with all settings applied, checked.
    pub(crate) fn recipe(&self) -> Result<Recipe> {
        self.0.recipe(&invocation::recipe)
    }

    /// The stages with all settings applied, checked; `action` is what a single-stage recipe does
    /// with duplicates.
    pub(crate) fn staged(&self, action: Action) -> Result<Staged> {
        self.0.staged(action, &invocation::recipe)
    }

    /// The files that it names.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.0.files(&invocation::recipe)
    }

    /// The same or, if no recipe is named, this recipe with this threshold unless one is given.
    pub(crate) fn otherwise(&self, (recipe, threshold): (&str, &str)) -> Result<Self> {
        self.0.otherwise((recipe, threshold)).map(Declared)
    }
}
