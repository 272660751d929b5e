//! Steps over features that are known by their fingerprint: terms, and single shingles.

use super::{Batch, Histogram, Lighter, Occurrence, Search, Text, Whole};
use crate::block::{self, Frequent, Lists, Numbers};
use crate::engine::reading::Buffers;
use crate::engine::sign::Work;
use crate::error::{ErrorKind, Result};
use crate::hash::Fingerprint;
use crate::measure::Compares;
use crate::rarity;
use std::collections::HashMap;

/// The features of a text.
#[derive(Default)]
pub(super) struct Features {
    /// Each with its position, its weight, or 0; sorted.
    pub(super) rows: Vec<(Fingerprint, u32)>,
    /// Distinct features, or distinct shingles.
    pub(super) set: u32,
    /// Their total weight.
    pub(super) total: u64,
    /// The simhash.
    pub(super) bits: u64,
    /// The keys.
    pub(super) keys: Vec<Fingerprint>,
}

impl Features {
    /// The fingerprint of each.
    pub(super) fn features(&self) -> impl Iterator<Item = Fingerprint> {
        self.rows.iter().map(|(feature, _)| *feature)
    }
}

impl Search<'_> {
    /// The features of a text with so many tokens, which are in the buffers, and its keys.
    pub(super) fn look(&self, text: &str, tokens: usize, buffers: &mut Buffers) -> Features {
        let mut found = Features::default();
        let mut work = Work::default();
        if let Some(signer) = &self.signer {
            signer.sign(
                &self.method.steps.normaliser,
                text,
                tokens,
                buffers,
                &mut work,
            );
        }
        let signature = work.signature;
        (found.bits, found.keys) = (signature.bits, signature.keys);
        let mut is_counted = false;
        match self.recipe.measure.compares() {
            Compares::Slots => {
                found.rows = signature.slots.into_iter().map(|slot| (slot, 0)).collect();
                found.set = signature.distinct;
                is_counted = signature.distinct > 0;
            }
            Compares::Terms => {
                if let Some(weigher) = &self.method.weigher {
                    let mut terms = Vec::new();
                    weigher.terms(text, tokens, &buffers.tokens, &mut terms);
                    found.total = terms.iter().fold(weigher.base(), |sum, term| {
                        sum.saturating_add(weigher.amount(term.weight))
                    });
                    let row = |term: &crate::sketch::Weighted| (term.fingerprint, term.weight);
                    found.rows = terms.iter().map(row).collect();
                }
            }
            _ => {
                if let Some(shingles) = &self.shingles {
                    shingles.ids(&self.method.steps.normaliser, text, buffers);
                    let row = |(at, id): (usize, &u64)| {
                        let place = buffers.places.get(at).map_or(at, |place| *place as usize);
                        let check = match shingles.rabin {
                            Some(_) => 0,
                            None => shingles.shingler.check(&buffers.tokens, place),
                        };
                        let number = match self.layout.numbers {
                            Numbers::Positions => place as u32,
                            Numbers::Weights if shingles.shingler.has(&buffers.numbers, place) => {
                                shingles.weights.numbers()
                            }
                            Numbers::Weights => 1,
                            _ => 0,
                        };
                        (Fingerprint { id: *id, check }, number)
                    };
                    found.rows = buffers.ids.iter().enumerate().map(row).collect();
                }
            }
        }
        found.rows.sort_unstable();
        found.rows.dedup();
        if self.rarity.is_some() {
            found.set = found.rows.iter().map(|(_, times)| times).sum();
        } else if !is_counted {
            found.set = found.rows.chunk_by(|a, b| a.0 == b.0).count() as u32;
        }
        found
    }

    /// The occurrences of the features or keys of texts, which are numbered from `first`.
    pub(super) fn occurrences<'t>(
        &self,
        first: u64,
        texts: impl IntoIterator<Item = (Whole, &'t str)>,
    ) -> Result<Batch> {
        let mut batch = Batch {
            next: first,
            ..Batch::default()
        };
        let count = 1 << self.partition_bits;
        let mut occurrences: Vec<Vec<Occurrence>> = vec![Vec::new(); count];
        let mut buffers = Buffers::default();
        for (whole, text) in texts {
            let start = u32::try_from(batch.next).map_err(|_| {
                ErrorKind::Data
                    .expected("fewer texts")
                    .hint("split the collection")
            })?;
            batch.next += 1;
            let tokens = self.tokens(text, &mut buffers);
            let found = self.look(text, tokens, &mut buffers);
            let mut put = |of: Fingerprint, number: u32| {
                let partition = block::partition_of(of.id, count);
                occurrences[partition].push(Occurrence::new(of, start, number));
            };
            if self.signer.is_some() {
                found.keys.iter().for_each(|key| put(*key, 0));
            } else {
                let rows = found.rows.iter();
                rows.for_each(|(feature, number)| put(*feature, *number));
            }
            let text = Text::new(whole, start, found.set, found.total);
            batch.texts.push(text);
        }
        let all = (0..).zip(occurrences);
        batch.occurrences = all.filter(|(_, rows)| !rows.is_empty()).collect();
        Ok(batch)
    }

    /// The features of a partition that several texts have, the number of features by number of
    /// texts, and how much lighter texts are because others have their features, if these are weighted
    /// by rarity.
    pub fn listed(&self, occurrences: &[Occurrence]) -> (Vec<u32>, Histogram, Vec<Lighter>) {
        let mut rows: Vec<block::Occurrence> = occurrences
            .iter()
            .map(|row| {
                let Fingerprint { id, check } = row.feature();
                block::Occurrence {
                    id,
                    check,
                    group: row.start,
                    number: row.number,
                }
            })
            .collect();
        let (mut lists, mut lighter) = (Lists::default(), Vec::new());
        match self.rarity {
            None => block::list(&mut rows, self.layout.numbers, &mut lists, |_| ()),
            Some(rarity) => {
                rows.sort_unstable();
                for feature in rows.chunk_by(|a, b| (a.id, a.check) == (b.id, b.check)) {
                    let df = feature.len() as u32;
                    let weight = rarity.weight_of(feature[0].id, df);
                    let less = u64::from(rarity.weight(1) - weight);
                    let of = |row: &block::Occurrence| {
                        Lighter::new(row.group, u64::from(row.number) * less)
                    };
                    lighter.extend(feature.iter().map(of).filter(|_| less > 0));
                    let weights = feature.iter();
                    lists.add(df, weights.map(|row| [row.group, row.number * weight]));
                }
            }
        }
        let (list, histogram) = lists.array();
        (list, histogram, lighter)
    }

    /// Weighs texts by the rarity of their features, given all rows of these texts from
    /// [`Search::listed`].
    pub fn weigh(&self, texts: &mut [Text], lighter: &[Lighter]) {
        let Some(rarity) = self.rarity else {
            return;
        };
        let mut less: HashMap<u32, u64> = HashMap::new();
        for row in lighter {
            *less.entry(row.start).or_default() += row.by();
        }
        for text in texts {
            let all = u64::from(text.set) * u64::from(rarity.weight(1));
            let total = all - less.get(&text.start).copied().unwrap_or(0).min(all);
            text.weigh(rarity::below(total), total);
        }
    }

    /// The first rank of features that are too common to find candidates.
    pub fn first_common(&self, histograms: &[Histogram]) -> u32 {
        block::first_frequent(histograms, Frequent::Counted(self.recipe.common))
    }
}
