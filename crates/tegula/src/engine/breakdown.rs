//! Breaks down scores that the number of shared shingles does not explain: weighted terms or
//! shingles, or signatures.

use super::loss::Loss;
use super::reading::{Buffers, Shingles};
use super::sign::{Signer, Work};
use super::terms::Weigher;
use crate::block::{Block, Text};
use crate::error::Result;
use crate::hash::{self, Fingerprint, Width};
use crate::measure::{Collection, Compares, Marks};
use crate::pair::{Pair, Sizes};
use crate::rarity::Rarity;
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
    /// What it has lost for missing numbers, and what it was before; none if the recipe lowers no score.
    pub lost: Option<(Loss, Score)>,
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
        /// The tokens of each: 1, or those of a shingle.
        n: usize,
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

/// Breaks down the score of two texts; none for a recipe that compares whole texts, or shingles
/// without weights. `statistics` are those of the collection, and may be empty if the recipe needs
/// none. The score equals that of a run with these statistics.
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
        (Compares::Rarity, ..) if statistics.shingles().is_some() => {
            of_shingles(recipe, &normaliser, statistics, (a, b)).map(Some)
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
                    lost: None,
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
                lost: None,
                parts: Parts::Slots { agree, slots },
            }))
        }
        _ => Ok(None),
    }
}

/// The weighted features of two texts.
struct Both<'a> {
    features: [Vec<Weighted>; 2],
    totals: [u64; 2],
    /// The features as they are spelled.
    spelled: BTreeMap<u64, String>,
    /// The tokens of a feature.
    n: usize,
    /// The weight that every text has besides.
    base: u64,
    /// What a feature with these weights contributes.
    amount: &'a dyn Fn(u32, u32) -> u128,
}

fn of_terms(
    recipe: &Recipe,
    normaliser: &Normaliser,
    weigher: &Weigher,
    texts: (&str, &str),
) -> Result<Breakdown> {
    let mut spelled: BTreeMap<u64, String> = BTreeMap::new();
    let features = [texts.0, texts.1].map(|text| {
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
    let total = |terms: &Vec<Weighted>| {
        terms.iter().fold(weigher.base(), |sum, term| {
            sum.saturating_add(weigher.amount(term.weight))
        })
    };
    let [a, b] = &features;
    let both = Both {
        totals: [total(a), total(b)],
        features,
        spelled,
        n: 1,
        base: weigher.base(),
        amount: &|x, y| weigher.weighing().both(x, y),
    };
    both.breakdown(recipe)
}

/// Shingles, each with the weight that given frequencies say.
fn of_shingles(
    recipe: &Recipe,
    normaliser: &Normaliser,
    statistics: &Statistics,
    texts: (&str, &str),
) -> Result<Breakdown> {
    let shingles = Shingles::of(recipe, Width::FULL)?;
    let rarity = Rarity::new(statistics.documents(), shingles.weights, statistics);
    let mut spelled: BTreeMap<u64, String> = BTreeMap::new();
    let mut shorter = usize::MAX;
    let features = [texts.0, texts.1].map(|text| {
        let (mut buffers, mut words) = (Buffers::default(), Tokens::default());
        shorter = shorter.min(buffers.read(normaliser, text));
        shingles.ids(normaliser, text, &mut buffers);
        normaliser.tokens(text, &mut words);
        let words: Vec<&str> = words.iter().collect();
        let mut rows = Vec::new();
        for (at, id) in buffers.ids.iter().enumerate() {
            let numbers = shingles.shingler.has(&buffers.numbers, at);
            let times = if numbers {
                shingles.weights.numbers()
            } else {
                1
            };
            rows.push(Weighted {
                fingerprint: Fingerprint {
                    id: *id,
                    check: shingles.shingler.check(&buffers.tokens, at),
                },
                weight: times * rarity.weight_of(*id, 1),
            });
            let end = words.len().min(at + recipe.ngram);
            spelled.insert(*id, words.get(at..end).unwrap_or_default().join(" "));
        }
        rows.sort_unstable_by_key(|row| row.fingerprint);
        rows.dedup_by_key(|row| row.fingerprint);
        // Those that are left out of the comparison.
        rows.retain(|row| row.weight > 0);
        rows
    });
    let total = |rows: &Vec<Weighted>| rows.iter().map(|row| u64::from(row.weight)).sum();
    let [a, b] = &features;
    let both = Both {
        totals: [total(a), total(b)],
        features,
        spelled,
        n: recipe.ngram,
        base: 0,
        amount: &|x, _| x.into(),
    };
    let mut found = both.breakdown(recipe)?;
    if let Some(loss) = Loss::of(recipe, normaliser, texts, shorter.max(1) as u32) {
        let before = found.score;
        found.score = loss.lower(before);
        found.lost = Some((loss, before));
    }
    Ok(found)
}

impl Both<'_> {
    fn breakdown(&self, recipe: &Recipe) -> Result<Breakdown> {
        let [a, b] = &self.features;
        // Both texts as one block, for the measure's own bound.
        let mut ranks: Vec<_> = a.iter().chain(b).map(|row| row.fingerprint).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let mut block = Block {
            offsets: vec![0],
            ..Block::default()
        };
        for (group, (rows, total)) in (0..).zip(self.features.iter().zip(self.totals)) {
            block.groups.push(group);
            block.set_sizes.push(rows.len() as u32);
            block.lengths.push(rows.len().max(1) as u32);
            block.ranks.extend(
                rows.iter()
                    .filter_map(|row| ranks.binary_search(&row.fingerprint).ok())
                    .map(|rank| rank as u32),
            );
            block.amounts.extend(rows.iter().map(|row| row.weight));
            block.offsets.push(block.ranks.len() as u32);
            block.totals.extend([total as u32, (total >> 32) as u32]);
        }
        let of = Collection {
            base: self.base,
            n: recipe.ngram,
            ..Collection::default()
        };
        let rules = recipe.measure.rules();
        let bound = rules.bound(Threshold::new(1, u32::MAX)?, &of);
        let texts: [Text; 2] = [block.text(0), block.text(1)];
        let shared =
            bound.and_then(|bound| bound.shared(texts[0], texts[1], &mut Marks::default()));
        let sizes = Sizes {
            sets: &block.set_sizes,
            lengths: &block.lengths,
        };
        let score = shared.map_or(Score { part: 0, whole: 1 }, |(in_a, in_b)| {
            let (a, b) = (0, 1);
            rules.score(&Pair { a, b, in_a, in_b }, sizes)
        });
        let of_b = |row: &Weighted| {
            let at = b
                .binary_search_by_key(&row.fingerprint, |other| other.fingerprint)
                .ok()?;
            Some((*row, b[at].weight))
        };
        let common: Vec<(Weighted, u32)> = a.iter().filter_map(of_b).collect();
        let all = common
            .iter()
            .map(|(row, weight)| (self.amount)(row.weight, *weight))
            .sum::<u128>()
            + u128::from(self.base);
        let share = |part: u128| part as f64 / all.max(1) as f64;
        let named = |(row, weight_b): &(Weighted, u32)| SharedTerm {
            term: self
                .spelled
                .get(&row.fingerprint.id)
                .cloned()
                .unwrap_or_default(),
            weight_a: row.weight,
            weight_b: *weight_b,
            share: share((self.amount)(row.weight, *weight_b)),
        };
        let mut shared: Vec<SharedTerm> = common.iter().map(named).collect();
        shared.sort_by(|x, y| {
            y.share
                .total_cmp(&x.share)
                .then_with(|| x.term.cmp(&y.term))
        });
        Ok(Breakdown {
            score,
            lost: None,
            parts: Parts::Terms {
                shared,
                terms: (a.len(), b.len()),
                n: self.n,
                everywhere: share(self.base.into()),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::ShingleWriter;

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
    fn shingles_weigh_as_the_given_frequencies_say() {
        let recipe = Recipe::named("revisions").unwrap();
        let recipe = recipe.with("ngram", "2").unwrap();
        let recipe = recipe.with("measure", "rarity-containment").unwrap();
        let id = |text: &str| {
            let shingler = crate::shingle::Shingler::new(2, Width::FULL);
            let (mut tokens, mut ids) = (Vec::new(), Vec::new());
            tokens.extend(text.split(' ').map(|word| hash::token(word.as_bytes())));
            shingler.ids(&tokens, &mut ids);
            ids[0]
        };
        let mut file = Vec::new();
        let mut writer = ShingleWriter::begin(&mut file, 7, "", 2).unwrap();
        writer.put(id("a b"), 7).unwrap();
        writer.end().unwrap();
        let statistics = Statistics::read(&file[..], "", Some(2)).unwrap();
        let found = breakdown(&recipe, &statistics, "a b c 1", "a b c d e f")
            .unwrap()
            .unwrap();
        // "a b" is in 7 of 7 texts and weighs 1, all others log2(8)² = 9, with a number thrice that.
        let Parts::Terms {
            shared, terms, n, ..
        } = found.parts
        else {
            panic!("shingles")
        };
        assert_eq!((terms, n), ((3, 5), 2));
        let shared: Vec<(&str, u32)> = shared
            .iter()
            .map(|row| (&row.term[..], row.weight_a))
            .collect();
        assert_eq!(shared, [("b c", 9 << 8), ("a b", 1 << 8)]);
        // Both weigh 37, and share 10.
        assert!((found.score.as_f64() - 10.0 / 37.0).abs() < 1e-8);
        assert!(
            breakdown(&recipe, &Statistics::default(), "a b", "a b")
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
