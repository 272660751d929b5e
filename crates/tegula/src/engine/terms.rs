//! Terms and their weights: the distinct tokens of a unit, and the weight of each.

use crate::hash::{self, Fingerprint};
use crate::measure::Weighing;
use crate::recipe::{Frequent, Recipe, Scale, Weights};
use crate::sketch::Weighted;
use crate::statistics::{Statistics, log2};
use crate::text::classes::{self, Class, Classes, Interval};

/// Computes the weights of terms.
pub(crate) struct Weigher<'a> {
    weights: &'a Weights,
    statistics: &'a Statistics,
    /// Terms in more units than this are assumed to be in every unit.
    most: u32,
    /// The total weight of those terms in every unit.
    base: u64,
    weighing: &'static dyn Weighing,
    classes: Option<(Classes, classes::Weights)>,
}

impl<'a> Weigher<'a> {
    /// For the recipe's weights, if it has any; `statistics` is empty if they need none.
    pub(crate) fn new(
        recipe: &'a Recipe,
        statistics: &'a Statistics,
    ) -> crate::error::Result<Option<Self>> {
        let weighing = recipe.measure.rules().weighing();
        let (Some(weights), Some(weighing)) = (&recipe.weights, weighing) else {
            return Ok(None);
        };
        let most = match weights {
            // Rounded down: a number of units is above the share if it is above its whole part.
            Weights::Idf { present, floor } if *present < 100 => {
                (statistics.documents() * u64::from(*present) / 100)
                    .max(u64::from(*floor))
                    .min(u32::MAX.into()) as u32
            }
            _ => u32::MAX,
        };
        let classes = match weights {
            Weights::Classes { intervals, .. } => Some((
                Classes::new(&recipe.normalise)?,
                classes::Weights::with(intervals)?,
            )),
            _ => None,
        };
        let mut weigher = Self {
            weights,
            statistics,
            most,
            base: 0,
            weighing,
            classes,
        };
        if most < u32::MAX {
            weigher.base = statistics.sum(|term| {
                if term.documents > most {
                    weigher.amount(statistics.idf(term.documents))
                } else {
                    0
                }
            });
        }
        Ok(Some(weigher))
    }

    /// The weight included in every unit's total.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// How weights are summed.
    pub(crate) fn weighing(&self) -> &dyn Weighing {
        self.weighing
    }

    /// The contribution of a weight to a total: the weight itself, or its square under the cosine.
    pub(crate) fn amount(&self, weight: u32) -> u64 {
        self.weighing.amount(weight)
    }

    /// The terms of a unit with weights above 0, in order of fingerprint.
    pub(crate) fn terms(
        &self,
        text: &str,
        count: usize,
        tokens: &[Fingerprint],
        out: &mut Vec<Weighted>,
    ) {
        out.clear();
        match &self.classes {
            // A text without tokens has one fingerprint, that of its bytes, and matches only equal
            // texts.
            _ if count == 0 => return,
            Some((classes, intervals)) => {
                let mut spelled: Vec<(Fingerprint, u32)> = Vec::with_capacity(count);
                classes.for_each(text, |token, class| {
                    let fingerprint = hash::token(token.as_bytes());
                    spelled.push((
                        fingerprint,
                        self.by_class(intervals, fingerprint.id, class, token),
                    ));
                });
                spelled.sort_unstable();
                spelled.dedup_by_key(|(fingerprint, _)| *fingerprint);
                out.extend(spelled.into_iter().map(|(fingerprint, weight)| Weighted {
                    fingerprint,
                    weight,
                }));
            }
            None => {
                let mut sorted = tokens.to_vec();
                sorted.sort_unstable();
                for run in sorted.chunk_by(|a, b| a == b) {
                    let weight = match self.weights {
                        Weights::Idf { .. } => {
                            let documents = self
                                .statistics
                                .term(run[0].id)
                                .map_or(1, |term| term.documents);
                            if documents > self.most {
                                continue;
                            }
                            let occurrences = u32::try_from(run.len()).unwrap_or(u32::MAX);
                            // A term in every unit carries no information, and gets no weight.
                            self.statistics.idf(documents).saturating_mul(occurrences)
                        }
                        _ => 1,
                    };
                    out.push(Weighted {
                        fingerprint: run[0],
                        weight,
                    });
                }
            }
        }
        out.retain(|term| term.weight > 0);
    }

    /// SimFinder's weight: equation (1), or (2) with the length of the term, in 64ths of a
    /// thousandth: the least weights are a few hundredths, so coarser steps would be too large for
    /// them.
    fn by_class(&self, intervals: &classes::Weights, id: u64, class: Class, token: &str) -> u32 {
        let Weights::Classes {
            frequent,
            scale,
            length,
            ..
        } = self.weights
        else {
            return 1;
        };
        let term = self.statistics.term(id);
        // The class is that of the term in the collection, so that a term has the same weight in
        // every text.
        let class = term.map_or(class, |term| term.class);
        let Interval { low, high } = intervals.interval(class);
        let (least, greatest) = self.statistics.extremes(class).unwrap_or((1, 1));
        let occurrences = term
            .map_or(least, |term| term.occurrences)
            .clamp(least, greatest.max(least));
        // The position of the frequency between those of the least and the most frequent term, as a
        // fraction.
        let (part, whole) = match scale {
            Scale::Linear => (u64::from(occurrences - least), u64::from(greatest - least)),
            Scale::Log => (
                u64::from(log2(occurrences.into(), least.into())),
                u64::from(log2(greatest.into(), least.into())),
            ),
        };
        let range = u64::from(high - low) * FINER;
        let way = (range * part).checked_div(whole).unwrap_or(0);
        let weight = u64::from(low) * FINER
            + if *frequent == Frequent::High {
                way
            } else {
                range - way
            };
        let length = if *length {
            token.chars().count() as u64
        } else {
            1
        };
        u32::try_from(weight * length).unwrap_or(u32::MAX)
    }
}

/// Steps of a SimFinder weight in a thousandth.
const FINER: u64 = 64;
