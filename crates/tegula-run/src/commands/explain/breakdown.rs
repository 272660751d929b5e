//! The composition of a score, for recipes where the two texts alone do not determine it.

use super::lookup::Run;
use crate::commands::statistics;
use crate::evidence::Stored;
use crate::host::Host;
use std::path::Path;
use tegula::engine;
use tegula::engine::bad_records::Told;
use tegula::engine::breakdown::Breakdown;
use tegula::error::Result;
use tegula::measure::Compares;
use tegula::recipe::{Recipe, Weights};
use tegula::record::Source as _;
use tegula::statistics::Statistics;

/// Bytes of text whose shingles are counted for an explanation: it takes seconds.
const COUNTED: u64 = 1 << 27;

/// The composition of the score of two texts of the run, if their shingles do not determine it.
/// None if it is not available: the statistics of a later stage, or of units of some length only,
/// are not those of the collection, and counting the shingles of a large one takes too long.
/// `scored` is the run's score, if it kept it.
///
/// # Errors
/// When the inputs have changed since the run.
pub(super) fn parts(
    host: &Host,
    run: &Run,
    (root, moved): (&Path, Option<&Path>),
    texts: (&str, &str),
    scored: Option<f64>,
) -> Result<Option<Breakdown>> {
    let recipe = &run.recipe;
    if recipe.is_of_two_texts() {
        return Ok(None);
    }
    let statistics = match statistics::load(recipe, &host.context)? {
        Some(statistics) => statistics,
        None if !recipe.needs_statistics() && !recipe.measure.needs_rarity() => {
            Statistics::default()
        }
        None if !run.stage.is_empty() || run.min_tokens() > 0 => return Ok(None),
        None => {
            let inputs = Stored::any(root, moved)?.open_inputs(host)?;
            if recipe.measure.needs_rarity() && inputs.text_bytes() > COUNTED {
                return Ok(None);
            }
            statistics::of(&host.context, &inputs, recipe, &mut Told)?
        }
    };
    let breakdown = engine::breakdown::breakdown(recipe, &statistics, texts.0, texts.1)?;
    Ok(breakdown.filter(|breakdown| {
        scored.is_none_or(|scored| (scored - breakdown.score.as_f64()).abs() < 1e-9)
    }))
}

/// The composition of a score of the run, in a sentence; none if the figures of the two texts show
/// it. `score` is that of the two texts, if the run kept it.
pub(super) fn sentence(recipe: &Recipe, score: Option<f64>) -> Option<String> {
    if recipe.is_of_two_texts() {
        return None;
    }
    let counted = |whole: u32, what: &str| match score {
        Some(score) => format!("{:.0} of {whole} {what} agree", score * f64::from(whole)),
        None => format!("it is the share of {whole} {what} that agree"),
    };
    let weights = match &recipe.weights {
        Some(Weights::Equal) => "each word weighs the same",
        Some(Weights::Uncommon { most }) => {
            &format!("those in more than {most} texts weigh nothing, and all others the same")
        }
        Some(Weights::Rarity { .. }) if recipe.statistics.is_some() => {
            "the fewer texts of the statistics file contain one, the more it weighs"
        }
        Some(Weights::Rarity { .. }) => {
            "the fewer texts of the collection contain one, the more it weighs"
        }
        _ if recipe.statistics.is_some() => "their weights are those of the statistics file",
        _ => "their weights are those of the whole collection",
    };
    let of = match recipe.measure.compares() {
        Compares::Bits => format!("bits of the two simhashes: {}", counted(64, "bits")),
        Compares::Slots => {
            let slots = recipe.keys.and_then(|keys| keys.slots()).unwrap_or(0);
            format!("the two signatures: {}", counted(slots, "slots"))
        }
        Compares::Terms => format!("words: {}; {weights}", recipe.measure.says()),
        Compares::Rarity => {
            return Some(format!(
                "The score of {} is {}; {weights}. The table counts each shingle once.",
                recipe.recipe,
                recipe.measure.says()
            ));
        }
        _ => "a sample of the shingles, which estimates the figures of all".to_owned(),
    };
    Some(format!(
        "The score of {} is based on {of}. The run did not compare the shingles in the table.",
        recipe.recipe
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_signatures_and_weights_say_what_they_are_of() {
        let said = |name: &str, score| sentence(&Recipe::named(name).unwrap(), score).unwrap();
        assert!(said("simhash", Some(0.953_125)).contains("61 of 64 bits agree"));
        assert!(said("revisions", Some(0.6)).contains("the fewer texts"));
        assert!(said("i-match", Some(10.0 / 11.0)).contains("10 of 11 slots agree"));
        assert!(said("cosine", Some(0.9)).contains("weights are those of the whole collection"));
        assert!(said("simfinder", None).contains("weight of shared terms"));
        assert_eq!(sentence(&Recipe::named("copies").unwrap(), Some(0.9)), None);
    }
}
