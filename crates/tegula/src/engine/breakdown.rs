//! Breaks down scores that shingles do not explain: weighted terms, or signatures.

use super::reading::Buffers;
use super::sign::{Signer, Work};
use super::terms::Weigher;
use crate::block::{Block, Text};
use crate::error::Result;
use crate::hash;
use crate::measure::{Collection, Compares, Marks};
use crate::recipe::Recipe;
use crate::sketch::Weighted;
use crate::statistics::Statistics;
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::{Normaliser, Tokens};
use crate::text::words::Words;
use crate::threshold::{Score, Threshold};
use std::collections::BTreeMap;

/// The score of two texts, with its components.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// The score, as in a run.
    pub score: Score,
    /// Its components.
    pub parts: Parts,
}

/// The components of a score.
#[derive(Debug, Clone, PartialEq)]
pub enum Parts {
    /// Terms with weights.
    Terms {
        /// The terms in both texts, in descending order of contribution.
        shared: Vec<SharedTerm>,
        /// The number of weighted terms in each text.
        terms: (usize, usize),
        /// The share of the common weight from terms assumed to be in every text.
        everywhere: f64,
    },
    /// Slots of two signatures, compared one by one.
    Slots {
        /// The slots that agree, counted from 0.
        agree: Vec<u32>,
        /// The signature length.
        slots: u32,
    },
    /// Two simhashes.
    Bits {
        /// Of the first text.
        a: u64,
        /// Of the second text.
        b: u64,
    },
}

/// A term in both texts.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SharedTerm {
    /// The term after normalisation.
    pub term: String,
    /// Its weight in the first text.
    pub weight_a: u32,
    /// Its weight in the second text.
    pub weight_b: u32,
    /// This term's share of the common weight.
    pub share: f64,
}

/// Breaks down the score of two texts; none for a recipe that compares shingles or whole texts.
/// `statistics` are those of the collection, and may be empty if the recipe needs none. The score
/// equals that of a run with these statistics.
///
/// # Errors
/// Usage errors naming the field of the recipe.
pub fn breakdown(
    recipe: &Recipe,
    statistics: &Statistics,
    a: &str,
    b: &str,
) -> Result<Option<Breakdown>> {
    let normaliser = recipe.check()?;
    let weigher = Weigher::new(recipe, statistics)?;
    match (recipe.measure.compares(), &weigher, &recipe.keys) {
        (Compares::Terms, Some(weigher), _) => {
            of_terms(recipe, &normaliser, weigher, (a, b)).map(Some)
        }
        (compares @ (Compares::Slots | Compares::Bits), weigher, Some(keys)) => {
            let signer = Signer::new(recipe, keys, statistics, weigher.as_ref(), 2)?;
            let [a, b] = [a, b].map(|text| {
                let (mut buffers, mut work) = (Buffers::default(), Work::default());
                let tokens = buffers.read(&normaliser, text);
                signer.sign(&normaliser, text, tokens, &buffers, &mut work);
                work.signature
            });
            if compares == Compares::Bits {
                let agree = u64::from(64 - (a.bits ^ b.bits).count_ones());
                return Ok(Some(Breakdown {
                    score: Score {
                        part: agree,
                        whole: 64,
                    },
                    parts: Parts::Bits {
                        a: a.bits,
                        b: b.bits,
                    },
                }));
            }
            let slots = keys.slots().unwrap_or(0).max(1);
            // A slot is salted with its index, so equal slots have equal indices; a text may have
            // fewer.
            let agree = (0..)
                .zip(&a.slots)
                .filter(|(_, slot)| b.slots.contains(slot))
                .map(|(at, _)| at)
                .collect::<Vec<u32>>();
            let score = Score {
                part: agree.len() as u64,
                whole: slots.into(),
            };
            Ok(Some(Breakdown {
                score,
                parts: Parts::Slots { agree, slots },
            }))
        }
        _ => Ok(None),
    }
}

fn of_terms(
    recipe: &Recipe,
    normaliser: &Normaliser,
    weigher: &Weigher,
    texts: (&str, &str),
) -> Result<Breakdown> {
    let mut spelled: BTreeMap<u64, String> = BTreeMap::new();
    let [a, b] = [texts.0, texts.1].map(|text| {
        let (mut tokens, mut terms, mut words) = (Vec::new(), Vec::new(), Tokens::default());
        let count = fingerprints(normaliser, &mut Words::default(), text, &mut tokens);
        weigher.terms(text, count, &tokens, &mut terms);
        normaliser.tokens(text, &mut words);
        spelled.extend(
            words
                .iter()
                .map(|word| (hash::token(word.as_bytes()).id, word.to_owned())),
        );
        terms
    });
    // Both texts as one block, for the measure's own bound.
    let mut ranks: Vec<_> = a.iter().chain(&b).map(|term| term.fingerprint).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let mut block = Block {
        offsets: vec![0],
        ..Block::default()
    };
    for (group, terms) in [&a, &b].into_iter().enumerate() {
        let total = terms.iter().fold(weigher.base(), |sum, term| {
            sum.saturating_add(weigher.amount(term.weight))
        });
        block.groups.push(group as u32);
        block.set_sizes.push(terms.len() as u32);
        block.lengths.push(terms.len().max(1) as u32);
        block.ranks.extend(
            terms
                .iter()
                .filter_map(|term| ranks.binary_search(&term.fingerprint).ok())
                .map(|rank| rank as u32),
        );
        block.amounts.extend(terms.iter().map(|term| term.weight));
        block.offsets.push(block.ranks.len() as u32);
        block.totals.extend([total as u32, (total >> 32) as u32]);
    }
    let of = Collection {
        base: weigher.base(),
        n: recipe.ngram,
        ..Collection::default()
    };
    let bound = recipe
        .measure
        .rules()
        .bound(Threshold::new(1, u32::MAX)?, &of);
    let texts: [Text; 2] = [block.text(0), block.text(1)];
    let shared = bound.and_then(|bound| bound.shared(texts[0], texts[1], &mut Marks::default()));
    let score = shared.map_or(Score { part: 0, whole: 1 }, |(part, whole)| Score {
        part: part.into(),
        whole: whole.into(),
    });
    let both = |x: u32, y: u32| weigher.weighing().both(x, y);
    let of_b = |term: &Weighted| {
        let at = b
            .binary_search_by_key(&term.fingerprint, |other| other.fingerprint)
            .ok()?;
        Some((*term, b[at].weight))
    };
    let common: Vec<(Weighted, u32)> = a.iter().filter_map(of_b).collect();
    let all = common
        .iter()
        .map(|(term, weight)| both(term.weight, *weight))
        .sum::<u128>()
        + u128::from(weigher.base());
    let share = |part: u128| part as f64 / all.max(1) as f64;
    let named = |(term, weight_b): &(Weighted, u32)| SharedTerm {
        term: spelled
            .get(&term.fingerprint.id)
            .cloned()
            .unwrap_or_default(),
        weight_a: term.weight,
        weight_b: *weight_b,
        share: share(both(term.weight, *weight_b)),
    };
    let mut shared: Vec<SharedTerm> = common.iter().map(named).collect();
    shared.sort_by(|x, y| {
        y.share
            .total_cmp(&x.share)
            .then_with(|| x.term.cmp(&y.term))
    });
    Ok(Breakdown {
        score,
        parts: Parts::Terms {
            shared,
            terms: (a.len(), b.len()),
            everywhere: share(weigher.base().into()),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simhashes_and_slots_of_equal_texts_agree() {
        let text = "the quick brown fox jumps over the lazy dog and runs away from all of them";
        let of = |name: &str, a, b| {
            let recipe = Recipe::named(name).unwrap();
            let recipe = if recipe.measure.is_of_signatures() {
                recipe
            } else {
                recipe.estimated().unwrap()
            };
            breakdown(&recipe, &Statistics::default(), a, b)
                .unwrap()
                .unwrap()
        };
        for name in ["simhash", "sketch"] {
            assert_eq!(of(name, text, text).score, Score::ONE, "{name}");
            assert!(
                of(
                    name,
                    text,
                    "something else that shares no word with it at all"
                )
                .score
                    < Score { part: 9, whole: 10 }
            );
        }
        assert!(
            breakdown(
                &Recipe::named("copies").unwrap(),
                &Statistics::default(),
                text,
                text
            )
            .unwrap()
            .is_none()
        );
    }

    #[test]
    fn the_cosine_of_equal_weights_is_counted_by_hand() {
        let recipe = Recipe::named("cosine")
            .unwrap()
            .with("weights", "{ type = 'equal' }")
            .unwrap();
        let found = breakdown(&recipe, &Statistics::default(), "a b c d", "a b c x")
            .unwrap()
            .unwrap();
        // Three of four terms of either: 3 / (2 · 2).
        assert_eq!(found.score, Score { part: 3, whole: 4 });
        let Parts::Terms { shared, terms, .. } = found.parts else {
            panic!("terms")
        };
        assert_eq!(terms, (4, 4));
        assert_eq!(
            shared
                .iter()
                .map(|term| term.term.as_str())
                .collect::<Vec<_>>(),
            ["a", "b", "c"]
        );
        assert!(
            shared
                .iter()
                .all(|term| (term.share - 1.0 / 3.0).abs() < 1e-12)
        );
    }
}
