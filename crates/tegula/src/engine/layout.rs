//! How the features of a recipe are stored, and what bounds know of a collection.

use super::job::Tuning;
use super::terms::Weigher;
use crate::block::{Layout, Numbers};
use crate::chains::{Identity, Kind};
use crate::measure::{Collection, Compares, Measure};
use crate::recipe::Recipe;
use crate::strategy::Strategy;

/// The rows of a strategy; `numbers` is how often a shingle counts that has a number.
pub(super) fn rows(strategy: Strategy, measure: Measure, numbers: u32) -> Kind {
    Kind {
        identity: match strategy {
            Strategy::Chains => Identity::Hash,
            Strategy::WeightedChains => Identity::Number { times: numbers },
            _ => Identity::Whole { times: numbers },
        },
        repeats: measure.needs_positions(),
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

/// What bounds need to know of a collection whose longest text has so many tokens.
pub(crate) fn collection(
    recipe: &Recipe,
    has_chains: bool,
    longest: Option<u32>,
    weigher: Option<&Weigher>,
) -> Collection {
    Collection {
        n: recipe.ngram,
        longest: longest.unwrap_or(1).max(1),
        base: weigher.map_or(0, Weigher::base),
        slots: recipe.keys.and_then(|keys| keys.slots()).unwrap_or(0),
        singly: !has_chains,
    }
}
