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
        self.0.recipe(&invocation::recipes())
    }

    /// The stages with all settings applied, checked; `action` is what a single-stage recipe does
    /// with duplicates.
    pub(crate) fn staged(&self, action: Action) -> Result<Staged> {
        self.0.staged(action, &invocation::recipes())
    }

    /// The files that it names.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.0.files(&invocation::recipes()).collect()
    }
}
