//! Near misses: searches the inputs again, with a slightly lower threshold.

use crate::commands::statistics;
use crate::evidence::Stored;
use crate::host::Host;
use std::path::Path;
use tegula::engine::bad_records::Told;
use tegula::engine::{self, Job, Tuning};
use tegula::error::Result;
use tegula::recipe::Recipe;
use tegula::threshold::Threshold;

/// Pairs just below the threshold of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NearMisses {
    /// Two units, by their numbers in the run folder, and their score; sorted by score, descending.
    pub pairs: Vec<(u64, u64, f64)>,
    /// The lowered threshold.
    pub from: String,
}

/// Searches the inputs of a run again, with its recipe and a threshold lowered by a tenth, and
/// returns the best `most` pairs below the run's own threshold; `moved` is the folder to which the
/// inputs have moved, if any. None if the recipe has no scores between, or its threshold is a tenth
/// or less.
///
/// # Errors
/// If the inputs have changed since the run; errors of the search.
pub fn misses(
    host: &Host,
    root: &Path,
    moved: Option<&Path>,
    most: usize,
) -> Result<Option<NearMisses>> {
    let stored = Stored::any(root, moved)?;
    let Some(recipe) = lower(&stored.recipe) else {
        return Ok(None);
    };
    let inputs = stored.open_inputs(host)?;
    let constraints = stored.constraints(inputs.references_from());
    let statistics = statistics::load(&recipe, &host.context)?;
    let job = Job {
        source: &inputs,
        recipe: &recipe,
        constraints: &constraints,
        statistics: statistics.as_ref(),
        checkpoint: None,
        elsewhere: None,
        tuning: Tuning::default(),
    };
    let found = engine::find(&host.context, job, &mut Told)?;
    let mut near: Vec<(u64, u64, f64)> = Vec::new();
    let Some(pairs) = found.pairs() else {
        return Ok(None);
    };
    pairs.for_each(|pair| {
        if pairs.admitted(&pair, stored.recipe.threshold).is_some() {
            return Ok(());
        }
        let first = |group: u32| u64::from(found.groups.first[group as usize]);
        let (a, b) = (
            first(pair.a).min(first(pair.b)),
            first(pair.a).max(first(pair.b)),
        );
        near.push((a, b, pairs.score(&pair).as_f64()));
        if near.len() >= most.saturating_mul(2) {
            best(&mut near, most);
        }
        Ok(())
    })?;
    best(&mut near, most);
    Ok(Some(NearMisses {
        pairs: near,
        from: recipe.threshold.to_string(),
    }))
}

/// Keeps the pairs with the best scores; of equals the first.
fn best(near: &mut Vec<(u64, u64, f64)>, most: usize) {
    near.sort_by(|x, y| y.2.total_cmp(&x.2));
    near.truncate(most);
}

/// The recipe with its threshold lowered by a tenth.
fn lower(recipe: &Recipe) -> Option<Recipe> {
    if !recipe.measure.scores_pairs() {
        return None;
    }
    let (part, whole) = (recipe.threshold.numerator(), recipe.threshold.denominator());
    let (mut part, mut whole) = ((10 * part).checked_sub(whole)?, 10 * whole);
    while whole > u64::from(u32::MAX) {
        (part, whole) = (part / 2, whole / 2);
    }
    let threshold = Threshold::new(u32::try_from(part).ok()?, whole as u32).ok()?;
    Some(Recipe {
        threshold,
        ..recipe.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_lower_by_a_tenth() {
        let lowered = |threshold: &str| {
            let recipe = Recipe::named("sscr")
                .unwrap()
                .with("threshold", threshold)
                .unwrap();
            lower(&recipe).map(|recipe| recipe.threshold.to_string())
        };
        assert_eq!(lowered("0.8").unwrap(), "0.7");
        assert_eq!(lowered("'1/3'").unwrap(), "7/30");
        assert_eq!(lowered("0.1"), None);
        // As near as 32 bits allow.
        let recipe = Recipe::named("sscr").unwrap();
        let recipe = recipe.with("threshold", "750000001/1000000000").unwrap();
        let near = lower(&recipe).unwrap().threshold.as_f64();
        assert!((near - 0.650_000_001).abs() < 1e-9, "{near}");
        assert!(lower(&Recipe::named("plain").unwrap()).is_none());
    }
}
