//! How the features of a recipe are stored.

use super::job::Tuning;
use crate::block::{Layout, Numbers};
use crate::chains::{Identity, Kind};
use crate::measure::{Compares, Measure};
use crate::recipe::Recipe;

/// Whether the features of a recipe are chains of shingles: in a complete join over all of them.
pub(crate) fn has_chains(recipe: &Recipe) -> bool {
    let measure = recipe.measure;
    // Chains of shingles that are in most texts are hardly longer than one, and sets of these are
    // faster to compare directly. Chains know only roughly how many texts have a shingle.
    let are_long = measure.needs_positions() || (!recipe.counts_characters() && recipe.ngram > 1);
    measure.needs_shingles()
        && recipe.keys.is_none()
        && recipe.select.is_all()
        && recipe.common == 0
        && are_long
}

/// The rows of a recipe over shingles. With `singly`, those that are weighted by rarity are not
/// joined into chains; `numbers` is how often one counts that has a number.
pub(super) fn rows(recipe: &Recipe, singly: bool, numbers: u32) -> Kind {
    Kind {
        identity: match recipe.measure.compares() {
            Compares::Rarity if singly => Identity::Whole { times: numbers },
            Compares::Rarity => Identity::Number { times: numbers },
            _ if has_chains(recipe) => Identity::Hash,
            _ => Identity::Whole { times: 1 },
        },
        repeats: recipe.measure.needs_positions(),
    }
}

/// The layout of features that are not shingles of a complete join.
pub(crate) fn layout(measure: Measure, tuning: Tuning) -> Layout {
    let numbers = match measure.compares() {
        Compares::Sequences => Numbers::Positions,
        Compares::Terms | Compares::Rarity => Numbers::Weights,
        _ => Numbers::None,
    };
    Layout {
        numbers,
        by_tokens: numbers == Numbers::Positions,
        repeats: false,
        block_groups: tuning.block_groups,
    }
}
