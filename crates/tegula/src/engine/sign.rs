//! Signatures: the keys of each unit, and the basis of its estimate. The recipe's kind of key
//! determines how they are computed.

use super::reading::{Buffers, Reading};
use super::reread::{Firsts, for_each_first};
use super::terms::Weigher;
use crate::block::{Occurrence, Occurrences, Room};
use crate::context::Context;
use crate::error::Result;
use crate::hash::{Fingerprint, Width};
use crate::measure::{Compares, Measure};
use crate::recipe::Recipe;
use crate::shingle::Shingler;
use crate::sketch::{
    self, Basis, Estimate, Features, Keys, Sign, Signature, Unit, Weighted, Written,
};
use crate::statistics::Statistics;
use crate::text::normalise::{Normaliser, Tokens};
use crate::threshold::Threshold;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Computes the signatures of a recipe.
pub(crate) struct Signer<'a> {
    keys: Keys,
    sign: Sign<'a>,
    wants_slots: bool,
    /// Whether distinct shingles are counted.
    wants_sizes: bool,
    weigher: Option<&'a Weigher<'a>>,
    shingler: Shingler,
    threshold: Threshold,
}

/// A thread's buffers.
#[derive(Default)]
pub(crate) struct Work {
    shingles: Vec<u64>,
    terms: Vec<Weighted>,
    words: Tokens,
    room: sketch::Room,
    pub(crate) signature: Signature,
}

impl<'a> Signer<'a> {
    /// For a recipe with keys, over this many groups.
    pub(crate) fn new(
        recipe: &Recipe,
        keys: &Keys,
        statistics: &'a Statistics,
        weigher: Option<&'a Weigher<'a>>,
        groups: usize,
    ) -> Result<Self> {
        Ok(Self {
            keys: *keys,
            sign: keys.kind().sign(&basis(recipe, statistics, groups))?,
            wants_slots: recipe.measure.compares() == Compares::Slots,
            wants_sizes: recipe.measure == Measure::AgreementContainment,
            weigher,
            shingler: Shingler::new(recipe.ngram, Width::FULL),
            threshold: recipe.threshold,
        })
    }

    /// The function that writes keys as the paper does, if its form is another than a hash.
    ///
    /// # Errors
    /// As [`KeyKind::written`].
    pub(crate) fn written(
        &self,
        recipe: &Recipe,
        statistics: &'a Statistics,
    ) -> Result<Option<Written<'a>>> {
        self.keys.kind().written(&basis(recipe, statistics, 0))
    }

    /// Computes the signature of a text with this many tokens, whose fingerprints are in the
    /// buffers.
    pub(crate) fn sign(
        &self,
        normaliser: &Normaliser,
        text: &str,
        tokens: usize,
        buffers: &Buffers,
        work: &mut Work,
    ) {
        work.signature.keys.clear();
        work.signature.slots.clear();
        work.signature.bits = 0;
        work.signature.distinct = 0;
        if tokens == 0 {
            // A unit without tokens matches only equal units.
            return;
        }
        let (unit, room, signature) = self.unit(normaliser, text, tokens, buffers, work);
        (self.sign)(&unit, room, signature);
        if self.wants_sizes {
            room.ids.clear();
            room.ids.extend_from_slice(unit.shingles);
            room.ids.sort_unstable();
            room.ids.dedup();
            signature.distinct = room.ids.len() as u32;
        }
    }

    /// The features of a text from which its keys are made, and the other buffers.
    pub(crate) fn unit<'w>(
        &self,
        normaliser: &Normaliser,
        text: &str,
        tokens: usize,
        buffers: &'w Buffers,
        work: &'w mut Work,
    ) -> (Unit<'w>, &'w mut sketch::Room, &'w mut Signature) {
        let Work {
            shingles,
            terms,
            words,
            room,
            signature,
        } = work;
        match self.keys.kind().facts().features {
            Features::Tokens => {}
            Features::Shingles => self.shingler.ids(&buffers.tokens, shingles),
            Features::Terms => {
                if let Some(weigher) = self.weigher {
                    weigher.terms(text, tokens, &buffers.tokens, terms);
                    terms.sort_unstable_by_key(|term| {
                        (std::cmp::Reverse(term.weight), term.fingerprint)
                    });
                }
            }
            Features::Words => normaliser.tokens(text, words),
        }
        let unit = Unit {
            tokens: &buffers.tokens,
            shingles,
            terms,
            words,
        };
        (unit, room, signature)
    }
}

fn basis<'a>(recipe: &Recipe, statistics: &'a Statistics, groups: usize) -> Basis<'a> {
    Basis {
        threshold: recipe.threshold,
        seed: recipe.seed.into(),
        units: groups as u64,
        statistics,
    }
}

/// The signatures of all groups, as occurrences.
pub(crate) struct Signed {
    pub(crate) keys: Occurrences,
    /// The slots, if signatures are compared slot by slot.
    pub(crate) slots: Option<Occurrences>,
    /// Simhashes by group; empty if unused.
    pub(crate) bits: Vec<u64>,
}

/// Reads the first unit of each group and computes its signature.
///
/// # Errors
/// Errors of the source or scratch; [`crate::ErrorKind::Data`] if the input has changed.
pub(crate) fn sign(
    context: &Context,
    reading: &Reading,
    firsts: Firsts,
    signer: &Signer,
) -> Result<Signed> {
    let groups = firsts.groups.len();
    let estimate = signer.keys.kind().facts().estimate;
    let sizes = || -> Vec<AtomicU32> { (0..groups).map(|_| AtomicU32::new(0)).collect() };
    let row = size_of::<Occurrence>() as u64;
    let guess =
        signer
            .keys
            .kind()
            .keys_of(signer.threshold, groups as u64, reading.source.text_bytes());
    let keys = Room::new(context, guess * row, "the buffers of keys")?;
    let slots = match estimate {
        Estimate::Slots(slots) if signer.wants_slots => Some(Room::new(
            context,
            groups as u64 * u64::from(slots) * row,
            "the buffers of slots",
        )?),
        _ => None,
    };
    let bits: Vec<AtomicU64> = if estimate == Estimate::Bits {
        (0..groups).map(|_| AtomicU64::new(0)).collect()
    } else {
        Vec::new()
    };
    let distinct = if signer.wants_sizes {
        sizes()
    } else {
        Vec::new()
    };
    for_each_first(
        context,
        reading,
        firsts,
        "signing",
        || {
            (
                keys.partitions.writer(),
                slots.as_ref().map(|slots| slots.partitions.writer()),
                Work::default(),
            )
        },
        |(to_keys, to_slots, work), group, text, tokens, buffers| {
            signer.sign(reading.normaliser, text, tokens, buffers, work);
            let occurrence = |of: &Fingerprint| Occurrence {
                id: of.id,
                check: of.check,
                group,
                number: 0,
            };
            for key in &work.signature.keys {
                keys.put(to_keys, occurrence(key))?;
            }
            if let (Some(to_slots), Some(slots)) = (to_slots, &slots) {
                for slot in &work.signature.slots {
                    slots.put(to_slots, occurrence(slot))?;
                }
            }
            if let Some(distinct) = distinct.get(group as usize) {
                distinct.store(work.signature.distinct, Ordering::Relaxed);
            }
            if let Some(bits) = bits.get(group as usize) {
                bits.store(work.signature.bits, Ordering::Relaxed);
            }
            Ok(())
        },
    )?;
    let distinct = distinct.into_iter().map(AtomicU32::into_inner).collect();
    Ok(Signed {
        keys: keys.finish(groups, Vec::new(), Vec::new())?,
        slots: slots
            .map(|slots| slots.finish(groups, distinct, Vec::new()))
            .transpose()?,
        bits: bits.into_iter().map(AtomicU64::into_inner).collect(),
    })
}
