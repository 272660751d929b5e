//! Measures recall: the share of the partners of a sample of texts that a run with keys found.
//!
//! Keys miss pairs, and their curve predicts how many on average for random texts; this measures
//! how many were missed here. For a sample of texts, an ordered join finds all partners, which are
//! compared with those that the run found. Token-identical copies are found under any keys, so only
//! pairs of differing texts are counted.
//!
//! *Useful for* choosing and checking keys. *Not useful for* proof: it is a sample. The interval
//! treats pairs as independent; those of one large cluster are not, and if a few clusters contain
//! most pairs the interval is too narrow.

use crate::cluster::UnionFind;
use crate::context::Context;
use crate::engine::bad_records::Told;
use crate::engine::{Job, find_among};
use crate::error::{Error, Result};
use crate::evidence::Findings;
use crate::hash;
use crate::recipe::Recipe;
use serde::Serialize;

/// The pairs that a run found, of those it should have found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Recall {
    /// Texts in the sample; equal texts count as one.
    pub texts: u64,
    /// Pairs at or above the threshold with a text of the sample.
    pub expected: u64,
    /// Those that the run found; for a transitive run, those within one cluster.
    pub found: u64,
    /// Found over expected; none if nothing was expected.
    pub recall: Option<f64>,
    /// Its 95 % Wilson interval.
    pub interval: Option<(f64, f64)>,
}

/// The complete recipe with which a recipe with keys is compared.
///
/// # Errors
/// Usage errors if there are no keys to check, or the measure cannot be applied to all pairs.
pub fn complete(recipe: &Recipe) -> Result<Recipe> {
    if recipe.keys.is_none() {
        return Err(Error::of("⟨check_recall⟩")
            .problem(format!("the recipe {} has no keys that could miss a pair", recipe.recipe))
            .hint(
                "it finds every pair that its guarantee covers; recall can be measured for recipes with keys, such as sketch",
            ));
    }
    if recipe.measure.is_of_signatures() {
        return Err(Error::of("⟨check_recall⟩")
            .problem(format!("the recipe {} compares signatures, which have no complete reference", recipe.recipe))
        .hint(
            "set measure = \"resemblance\", so that keys generate candidates and the texts decide",
        ));
    }
    let complete = Recipe {
        keys: None,
        transitive: false,
        common: 0,
        ..recipe.clone()
    };
    complete.check()?;
    Ok(complete)
}

/// Finds all partners of `sample` units of the collection and counts those in `found`, the earlier
/// result of the job.
///
/// Reads the collection twice more and needs the memory of a complete run; pairs outside the sample
/// are not compared. Units are chosen by a hash of their number and the recipe's seed, so that the
/// sample is the same in every run.
///
/// # Errors
/// As [`complete`]; errors of the source, the memory ceiling or scratch; [`crate::ErrorKind::Data`]
/// if the input has changed.
pub fn check(context: &Context, job: Job, found: &Findings, sample: usize) -> Result<Recall> {
    let recipe = complete(job.recipe)?;
    let units = found.units.len();
    let _held = context.budget.reserve(
        9 * units as u64 + 4 * found.groups.len() as u64,
        "the sample of texts",
    )?;
    let seed = hash::mix(u64::from(recipe.seed));
    let mut order: Vec<(u64, u32)> = (0..units as u32)
        .map(|unit| (hash::mix(u64::from(unit) ^ seed), unit))
        .collect();
    let sample = sample.min(units);
    if sample < units {
        order.select_nth_unstable(sample);
    }
    let mut marked = vec![false; units];
    for (_, unit) in &order[..sample] {
        marked[found.groups.first[found.groups.of_unit[*unit as usize] as usize] as usize] = true;
    }
    drop(order);
    let job = Job {
        recipe: &recipe,
        checkpoint: None,
        elsewhere: None,
        ..job
    };
    let all = find_among(context, job, Some(&marked), &mut Told)?;
    if all.units.digest != found.units.digest {
        return Err(Error::data("the collection changed while it was read")
            .hint("run again on a copy that no one writes to"));
    }
    let (Some(pairs), Some(complete)) = (found.pairs(), all.pairs()) else {
        return Ok(Recall::new(0, 0, 0));
    };
    let sampled = |group: u32| marked[found.groups.first[group as usize] as usize];
    let mut count = 0;
    if pairs.scoring().is_transitive() {
        let mut clusters = UnionFind::new(found.groups.len());
        pairs.for_each(|pair| {
            clusters.union(pair.a, pair.b);
            Ok(())
        })?;
        complete.for_each(|pair| {
            count += u64::from(clusters.find(pair.a) == clusters.find(pair.b));
            Ok(())
        })?;
    } else {
        pairs.for_each(|pair| {
            count += u64::from(sampled(pair.a) || sampled(pair.b));
            Ok(())
        })?;
    }
    let texts = marked.iter().filter(|marked| **marked).count() as u64;
    Ok(Recall::new(texts, complete.pairs.len(), count))
}

impl Recall {
    fn new(texts: u64, expected: u64, found: u64) -> Self {
        let recall = (expected > 0).then(|| found as f64 / expected as f64);
        Self {
            texts,
            expected,
            found,
            recall,
            interval: (expected > 0).then(|| wilson(found, expected)),
        }
    }
}

/// The 95 % Wilson interval of a share.
fn wilson(part: u64, whole: u64) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    let (n, p) = (whole as f64, part as f64 / whole as f64);
    let middle = p + Z * Z / (2.0 * n);
    let reach = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (
        ((middle - reach) / scale).max(0.0),
        ((middle + reach) / scale).min(1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        // Newcombe 1998, table I: 81 of 263 is 0.2553 to 0.3662, 15 of 148 is 0.0624 to 0.1605, 0
        // of 20 is 0 to 0.1611, 29 of 29 is 0.8830 to 1.
        for (part, whole, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (29, 29, 0.8830, 1.0),
        ] {
            let found = wilson(part, whole);
            assert!(
                (found.0 - low).abs() < 6e-5 && (found.1 - high).abs() < 6e-5,
                "{part} of {whole}: {found:?}"
            );
        }
        assert_eq!(Recall::new(5, 0, 0).interval, None);
    }

    #[test]
    fn recipes_without_keys_are_refused() {
        for (name, reason) in [
            ("ssr", "no keys"),
            ("exact", "no keys"),
            ("simhash", "signatures"),
            ("i-match", "signatures"),
        ] {
            assert!(
                complete(&Recipe::named(name).unwrap())
                    .unwrap_err()
                    .message()
                    .contains(reason),
                "{name}"
            );
        }
        for name in ["sketch", "sketch-mod", "super-shingle", "simfinder"] {
            assert!(complete(&Recipe::named(name).unwrap()).is_ok());
        }
    }
}
