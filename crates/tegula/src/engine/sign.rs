//! Signatures: what each unit is nominated by, and what its estimate is made of.

use super::again::{Firsts, for_each_first};
use super::extract::{Extracted, Occurrence, Room};
use super::reading::{Buffers, Reading};
use super::terms::{Weigher, Weighted};
use crate::context::Context;
use crate::error::Result;
use crate::hash::{self, Fingerprint, Sequence, Width};
use crate::recipe::{Counting, Keys, Recipe};
use crate::shingle::Shingler;
use crate::sketch::bands::Bands;
use crate::sketch::i_match::{self, Lexicons};
use crate::sketch::minwise::MinWise;
use crate::sketch::modulo::Modulo;
use crate::sketch::simhash;
use crate::sketch::super_shingle::SuperShingles;
use crate::statistics::{ONE, Statistics};
use crate::text::normalise::Tokens;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What a unit is told by.
#[derive(Debug, Default)]
pub(crate) struct Signature {
    /// Buckets it falls into.
    pub(crate) keys: Vec<Fingerprint>,
    /// Slots that an estimate compares; each is salted with its place.
    pub(crate) slots: Vec<Fingerprint>,
    /// Its simhash.
    pub(crate) bits: u64,
}

/// What signatures are made with.
enum Made {
    Plain,
    Bands(MinWise, Bands),
    Supers(MinWise, SuperShingles),
    Modulo(Modulo),
    Blocks(simhash::Blocks),
    Lexicons(Lexicons),
}

/// Makes signatures of one kind.
pub(crate) struct Signer<'a> {
    keys: &'a Keys,
    recipe: &'a Recipe,
    statistics: &'a Statistics,
    weigher: Option<&'a Weigher<'a>>,
    shingler: Shingler,
    made: Made,
    /// Documents that a term of I-Match has at least and at most.
    documents: (u32, u32),
}

/// A thread's buffers.
#[derive(Default)]
struct Work {
    ids: Vec<u64>,
    minima: Vec<u32>,
    sample: Vec<u64>,
    spelled: Tokens,
    terms: Vec<Weighted>,
    digests: Vec<Option<Fingerprint>>,
    signature: Signature,
}

impl<'a> Signer<'a> {
    /// For a recipe with keys, over so many groups.
    pub(crate) fn new(
        recipe: &'a Recipe,
        keys: &'a Keys,
        statistics: &'a Statistics,
        weigher: Option<&'a Weigher<'a>>,
        groups: usize,
    ) -> Result<Self> {
        let seed = u64::from(recipe.seed);
        let mut signer = Self {
            keys,
            recipe,
            statistics,
            weigher,
            shingler: Shingler::new(recipe.ngram, Width::FULL),
            made: Made::Plain,
            documents: (0, u32::MAX),
        };
        match *keys {
            Keys::MinWise { minima, .. } => {
                if let Some(bands) = recipe.bands()? {
                    signer.made = Made::Bands(MinWise::new(minima as usize, seed), bands);
                }
            }
            Keys::SuperShingle { minima, size } => {
                let supers = SuperShingles::new(minima as usize, size as usize)?;
                signer.made = Made::Supers(supers.min_wise(seed), supers);
            }
            Keys::Modulo { modulus } => signer.made = Made::Modulo(Modulo::new(u64::from(modulus))?),
            Keys::IMatch { low, high, lexicons, keep, least } => {
                signer.made = Made::Lexicons(Lexicons::new(lexicons as usize, (keep, 100), least as usize, seed)?);
                // idf / log N between low and high, with idf = log(N / n), is n between N^(1 - high) and N^(1 - low).
                let highest = u64::from(statistics.highest_idf());
                let idf = |n: u32| 100 * u64::from(statistics.idf(n));
                let all = u32::try_from(statistics.documents()).unwrap_or(u32::MAX);
                let count = |holds: &dyn Fn(u32) -> bool| partition_point(all, holds);
                signer.documents = (
                    count(&|n| idf(n) > u64::from(high) * highest),
                    count(&|n| idf(n) >= u64::from(low) * highest).saturating_sub(1),
                );
            }
            Keys::Simhash { .. } => signer.made = Made::Blocks(simhash::Blocks::new(distance(recipe), groups as u64)?),
            _ => {}
        }
        Ok(signer)
    }

    fn sign(&self, reading: &Reading, text: &str, tokens: usize, buffers: &mut Buffers, work: &mut Work) {
        let Signature { keys, slots, bits } = &mut work.signature;
        keys.clear();
        slots.clear();
        *bits = 0;
        if tokens == 0 {
            // A unit without tokens equals its like, and nothing else.
            return;
        }
        match *self.keys {
            Keys::MinWise { .. } => {
                self.shingler.ids(&buffers.tokens, &mut work.ids);
                if let Made::Bands(minwise, bands) = &self.made {
                    minwise.minima(&work.ids, &mut work.minima);
                    bands.keys(&work.minima, keys);
                    slots.extend((0..).zip(&work.minima).map(|(slot, value)| slot_of(slot, u64::from(*value))));
                }
            }
            Keys::SuperShingle { .. } => {
                self.shingler.ids(&buffers.tokens, &mut work.ids);
                if let Made::Supers(minwise, supers) = &self.made {
                    minwise.minima(&work.ids, &mut work.minima);
                    supers.keys(&work.ids, &work.minima, keys);
                    slots.extend_from_slice(keys);
                }
            }
            Keys::Modulo { .. } => {
                self.shingler.ids(&buffers.tokens, &mut work.ids);
                if let Made::Modulo(modulo) = &self.made {
                    modulo.sample(&work.ids, &mut work.sample);
                    keys.extend(work.sample.iter().map(|id| slot_of(0, *id)));
                }
            }
            Keys::Simhash { weights } => {
                self.shingler.ids(&buffers.tokens, &mut work.ids);
                *bits = self.simhash(weights, &buffers.tokens, &mut work.ids);
                if let Made::Blocks(blocks) = &self.made {
                    blocks.keys(*bits, keys);
                }
            }
            Keys::IMatch { .. } => {
                self.i_match(reading, text, work);
                if work.signature.keys.is_empty() {
                    // Too few terms: only its equal has the digest of all its tokens, so that nothing falls into one bucket with all such.
                    let mut all = Sequence::default();
                    buffers.tokens.iter().for_each(|token| all.push(*token));
                    work.signature.keys.push(all.finish());
                }
                let Signature { keys, slots, .. } = &mut work.signature;
                slots.extend_from_slice(keys);
            }
            Keys::Terms { count } => {
                self.heaviest(text, tokens, buffers, work);
                let Work { terms, signature, .. } = work;
                signature.keys.extend(terms.iter().take(count as usize).map(|term| term.fingerprint));
            }
            Keys::Grams { size, features } => {
                self.heaviest(text, tokens, buffers, work);
                let Work { terms, signature, .. } = work;
                terms.truncate(match features {
                    0 => self.features(terms, size as usize),
                    _ => features as usize,
                });
                grams(terms.iter().map(|term| term.fingerprint), size as usize, &mut signature.keys);
            }
            Keys::Words { size } => grams(buffers.tokens.iter().copied(), size as usize, keys),
        }
    }

    fn simhash(&self, weights: Counting, tokens: &[Fingerprint], ids: &mut Vec<u64>) -> u64 {
        match weights {
            Counting::Tf => simhash::of_equal_weights(ids),
            Counting::None => {
                ids.sort_unstable();
                ids.dedup();
                simhash::of_equal_weights(ids)
            }
            Counting::TfIdf => simhash::signature(tokens.iter().map(|token| {
                let documents = self.statistics.term(token.id).map_or(1, |term| term.documents);
                (token.id, (self.statistics.idf(documents) / (ONE / 16)) as i32)
            })),
        }
    }

    /// Digests of what the lexicons leave of the unit's terms.
    fn i_match(&self, reading: &Reading, text: &str, work: &mut Work) {
        reading.normaliser.tokens(text, &mut work.spelled);
        let mut terms: Vec<&str> = work
            .spelled
            .iter()
            .filter(|term| {
                // A term that the statistics do not know has no idf, and is left out: a vocabulary that grows changes no digest.
                let documents = self.statistics.term(hash::token(term.as_bytes()).id).map_or(0, |term| term.documents);
                documents > 0 && (self.documents.0..=self.documents.1).contains(&documents)
            })
            .collect();
        terms.sort_unstable();
        terms.dedup();
        if let Made::Lexicons(lexicons) = &self.made {
            lexicons.digests(&terms, &mut work.digests);
        }
        let digests = (0..).zip(&work.digests).filter_map(|(lexicon, digest)| digest.map(|digest| i_match::key(lexicon, digest)));
        work.signature.keys.extend(digests);
    }

    /// The unit's terms, the heaviest first, ties by fingerprint.
    fn heaviest(&self, text: &str, tokens: usize, buffers: &Buffers, work: &mut Work) {
        work.terms.clear();
        if let Some(weigher) = self.weigher {
            weigher.terms(text, tokens, &buffers.tokens, &mut work.terms);
            work.terms.sort_unstable_by_key(|term| (std::cmp::Reverse(term.weight), term.fingerprint));
        }
    }

    /// Terms to be selected: λ = k + N, with k the fewest that weigh more than θ of all (SimFinder, inequality (5)).
    fn features(&self, terms: &[Weighted], size: usize) -> usize {
        let all: u64 = terms.iter().map(|term| u64::from(term.weight)).sum();
        let mut sum = 0;
        let fewest = terms.iter().position(|term| {
            sum += u64::from(term.weight);
            self.recipe.threshold.exceeded_by(sum, all)
        });
        fewest.map_or(terms.len(), |last| last + 1) + size
    }
}

/// Bits in which two signatures may differ under the recipe's threshold.
pub(crate) fn distance(recipe: &Recipe) -> u32 {
    64 - recipe.threshold.least(64) as u32
}

/// The first number from 1 on, up to `all` and one more, for which `holds` is no longer true.
fn partition_point(all: u32, holds: &dyn Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (1, all.saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// Hashes of all runs of `size`; a text with fewer has one run, all of it.
fn grams(features: impl Iterator<Item = Fingerprint> + Clone, size: usize, out: &mut Vec<Fingerprint>) {
    let all: Vec<Fingerprint> = features.collect();
    let size = size.min(all.len()).max(1);
    out.extend(all.windows(size).map(|run| {
        let mut sequence = Sequence::default();
        for feature in run {
            sequence.push(*feature);
        }
        sequence.finish()
    }));
}

/// A value in a slot.
fn slot_of(slot: u64, value: u64) -> Fingerprint {
    let id = hash::mix(value ^ hash::mix(slot + 1));
    Fingerprint { id, check: hash::mix(id ^ value.rotate_left(32) ^ slot) }
}

/// The signatures of all groups, as occurrences.
pub(crate) struct Signed {
    pub(crate) keys: Extracted,
    /// Where signatures are compared slot by slot.
    pub(crate) slots: Option<Extracted>,
    /// Simhashes by group; empty where there are none.
    pub(crate) bits: Vec<u64>,
}

/// Reads the first unit of each group and signs it.
///
/// # Errors
/// What the source or scratch gives; [`crate::ErrorKind::Data`] when the input is not what it was.
pub(crate) fn sign(context: &Context, reading: &Reading, firsts: Firsts, signer: &Signer) -> Result<Signed> {
    use crate::recipe::Measure;
    let groups = firsts.groups.len();
    let (wants_slots, wants_bits) = (signer.recipe.measure == Measure::Agreement, matches!(signer.keys, Keys::Simhash { .. }));
    let sizes = || -> Vec<AtomicU32> { (0..groups).map(|_| AtomicU32::new(0)).collect() };
    let guess = match signer.keys {
        Keys::Modulo { modulus } => reading.source.text_bytes() / 5 / u64::from(*modulus),
        Keys::Words { .. } | Keys::Grams { .. } => reading.source.text_bytes() / 8,
        _ => 16 * groups as u64,
    };
    let row = size_of::<Occurrence>() as u64;
    let keys = Room::new(context, guess * row, "the buffers of keys")?;
    let guess = groups as u64 * u64::from(signer.keys.slots().unwrap_or(1)) * row;
    let slots = if wants_slots { Some(Room::new(context, guess, "the buffers of slots")?) } else { None };
    let bits: Vec<AtomicU64> = if wants_bits { (0..groups).map(|_| AtomicU64::new(0)).collect() } else { Vec::new() };
    for_each_first(
        context,
        reading,
        firsts,
        "signing",
        || (keys.partitions.writer(), slots.as_ref().map(|slots| slots.partitions.writer()), Work::default()),
        |(to_keys, to_slots, work), group, text, tokens, buffers| {
            signer.sign(reading, text, tokens, buffers, work);
            let occurrence = |of: &Fingerprint| Occurrence { id: of.id, check: of.check, group, position: 0 };
            for key in &work.signature.keys {
                keys.put(to_keys, occurrence(key))?;
            }
            if let (Some(to_slots), Some(slots)) = (to_slots, &slots) {
                for slot in &work.signature.slots {
                    slots.put(to_slots, occurrence(slot))?;
                }
            }
            if let Some(bits) = bits.get(group as usize) {
                bits.store(work.signature.bits, Ordering::Relaxed);
            }
            Ok(())
        },
    )?;
    let extracted =
        |room: Room| -> Result<Extracted> { Ok(Extracted { occurrences: room.seal()?, set_sizes: sizes(), totals: Vec::new() }) };
    Ok(Signed {
        keys: extracted(keys)?,
        slots: slots.map(extracted).transpose()?,
        bits: bits.into_iter().map(AtomicU64::into_inner).collect(),
    })
}
