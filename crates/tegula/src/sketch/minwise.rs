//! Min-wise sketches: the minimum of the text's shingles under each of t permutations (Broder 1997
//! §3; Flamming, "sketch").
//!
//! Under a random permutation every shingle of two texts is equally likely to be the minimum of
//! both together, and it is the minimum of each exactly if both contain it. So two texts agree in a
//! slot with a probability equal to their resemblance, and the share of agreeing slots estimates
//! it, with a standard error of √(s(1−s)/t).
//!
//! Permutations of 64-bit numbers are not stored. A shingle's id is mixed with the seed once, the
//! halves of the result are `h1` and `h2`, and the value of the shingle in slot k is
//! `h1 + mₖ · (h2 | 1)` modulo 2^32, where mₖ are fixed pseudo-random odd numbers. For one shingle
//! any two slots are practically independent, so that the estimate has the variance of independent
//! permutations; tests verify this.
//!
//! Two tempting alternatives *fail*. The high half of a 32 × 32-bit product is monotone in the id:
//! all slots pick one shingle. Any such family without prior mixing collapses for sequential ids.
//! And with k itself instead of mₖ, consecutive slots form arithmetic progressions: the variance is
//! still right, but bands of such slots collide slightly less often than their S-curve predicts
//! (0.518 instead of 0.523 in a million pairs with 14 bands of 8 rows, nine standard errors).
//!
//! *Useful for* texts of any length: below 256 slots, brute force in registers costs less than
//! cleverer sketches. *Not useful for* a resemblance of a few hundredths, where hardly any slot
//! agrees.

use super::bands::Bands;
use super::{Basis, Estimate, Facts, Features, KeyKind, Parameter, Sign, slot};
use crate::error::{Error, Result};
use crate::hash;
use crate::threshold::Threshold;

/// Slots filled at once: as many as fit in registers with AVX2, along with the operands.
const BLOCK: usize = 64;

/// Shingles whose halves are buffered while the blocks are filled.
const CHUNK: usize = 256;

/// Computes min-wise sketches of `count` slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinWise {
    count: usize,
    salt: u64,
    /// One for each slot, padded to whole blocks.
    multipliers: Vec<u32>,
}

impl MinWise {
    /// Sketches of `count` slots. Sketches with the same seed are comparable, and the first slots
    /// of a longer sketch equal the shorter one.
    pub fn new(count: usize, seed: u64) -> Self {
        let slots = count.next_multiple_of(BLOCK) as u64;
        let multipliers = (0..slots)
            .map(|slot| hash::multiplier(slot) as u32)
            .collect();
        Self {
            count,
            salt: hash::mix(seed ^ hash::multiplier(0)),
            multipliers,
        }
    }

    /// The number of slots.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The minimum of all shingles in each slot; `out` is cleared first, and stays empty for a text
    /// without shingles.
    ///
    /// Order and repeats of `ids` do not matter. With AVX2 a shingle costs about 6 ns at 112 slots,
    /// with SSE 4.1 about 20 ns; the time grows with slots in steps of 64.
    pub fn minima(&self, ids: &[u64], out: &mut Vec<u32>) {
        out.clear();
        if ids.is_empty() {
            return;
        }
        out.resize(self.multipliers.len(), u32::MAX);
        lower(self.salt, &self.multipliers, ids, out);
        out.truncate(self.count);
    }

    /// The value of one shingle in one slot: the definition, against which [`Self::minima`] is
    /// tested.
    #[cfg(test)]
    fn value(&self, id: u64, slot: usize) -> u32 {
        let (first, second) = halves(id ^ self.salt);
        first.wrapping_add(self.multipliers[slot].wrapping_mul(second))
    }
}

#[inline]
fn halves(salted: u64) -> (u32, u32) {
    let mixed = hash::mix(salted);
    (mixed as u32, (mixed >> 32) as u32 | 1)
}

/// Lowers each slot to the minimum of `ids` in it. Plain integer code, compiled for several
/// instruction sets; all give the same numbers.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn lower(salt: u64, multipliers: &[u32], ids: &[u64], slots: &mut [u32]) {
    let mut firsts = [0; CHUNK];
    let mut seconds = [0; CHUNK];
    for chunk in ids.chunks(CHUNK) {
        for ((first, second), id) in firsts.iter_mut().zip(&mut seconds).zip(chunk) {
            (*first, *second) = halves(id ^ salt);
        }
        for (block, multipliers) in slots
            .as_chunks_mut::<BLOCK>()
            .0
            .iter_mut()
            .zip(multipliers.as_chunks::<BLOCK>().0)
        {
            // A copy, so that it stays in registers.
            let mut least = *block;
            for (first, second) in firsts.iter().zip(&seconds).take(chunk.len()) {
                for (least, multiplier) in least.iter_mut().zip(multipliers) {
                    *least = (*least).min(first.wrapping_add(multiplier.wrapping_mul(*second)));
                }
            }
            *block = least;
        }
    }
}

/// The number of slots in which two sketches agree; divided by the number of slots, it estimates
/// the resemblance.
pub fn agreement(a: &[u32], b: &[u32]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum()
}

/// Keys of bands of minima.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MinWiseKeys {
    /// Minima in a sketch.
    pub minima: u32,
    /// Bands; 0 to derive them from the threshold.
    pub bands: u32,
    /// Minima in a band; 0 to derive them from the threshold.
    pub rows: u32,
}

impl MinWiseKeys {
    /// How the sketch is split into bands.
    fn cut(&self, threshold: Threshold) -> Result<Bands> {
        match self.bands {
            0 => Bands::for_threshold(self.minima as usize, threshold),
            bands => Bands::new(bands as usize, self.rows as usize),
        }
    }
}

/// The number of minima, as a parameter.
pub(super) fn minima(minima: u32) -> Parameter {
    Parameter::new(
        "minima",
        minima,
        1..=Bands::MOST_MINIMA as u32,
        "Minima in a sketch: one for each random permutation of all shingles",
    )
}

impl KeyKind for MinWiseKeys {
    fn check(&self, _ngram: usize) -> Result<()> {
        let Self {
            minima,
            bands,
            rows,
        } = *self;
        if (bands == 0) != (rows == 0) {
            let (none, other, number) = if bands == 0 {
                ("bands", "rows", rows)
            } else {
                ("rows", "bands", bands)
            };
            return Err(Error::of(format!("keys.{none}"))
                .expected(format!("a number above 0 beside keys.{other} = {number}"))
                .found("0")
                .hint("set both, or leave both at 0, which derives them from the threshold"));
        }
        if bands * rows > minima {
            return Err(Error::of("keys.bands")
                .expected(format!("{bands} × {rows} minima or more"))
                .found(minima)
                .hint("raise keys.minima, or lower keys.bands or keys.rows"));
        }
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            minima(self.minima),
            Parameter::new(
                "bands",
                self.bands,
                0..=self.minima,
                "Bands of minima; 0 to derive them from the threshold",
            ),
            Parameter::new(
                "rows",
                self.rows,
                0..=self.minima,
                "Minima in a band; 0 to derive them from the threshold",
            ),
        ]
    }

    fn describe(&self, threshold: Threshold) -> String {
        match self.cut(threshold) {
            Ok(bands) => format!(
                "{} bands of {} of {} minima",
                bands.bands(),
                bands.rows(),
                self.minima
            ),
            Err(_) => format!("bands of {} minima", self.minima),
        }
    }

    fn facts(&self) -> Facts {
        let (estimate, follows_threshold) = (Estimate::Slots(self.minima), self.bands == 0);
        Facts {
            features: Features::Shingles,
            seed: true,
            estimate,
            follows_threshold,
            ..Facts::default()
        }
    }

    fn bands(&self, threshold: Threshold) -> Result<Option<Bands>> {
        self.cut(threshold).map(Some)
    }

    fn sign<'a>(&self, basis: &Basis<'a>) -> Result<Sign<'a>> {
        let (minwise, bands) = (
            MinWise::new(self.minima as usize, basis.seed),
            self.cut(basis.threshold)?,
        );
        Ok(Box::new(move |unit, room, signature| {
            minwise.minima(unit.shingles, &mut room.minima);
            bands.keys(&room.minima, &mut signature.keys);
            signature.slots.extend(
                (0..)
                    .zip(&room.minima)
                    .map(|(at, value)| slot(at, u64::from(*value))),
            );
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::bands::Bands;
    use super::super::{Pairs, scattered};
    use super::*;
    use proptest::prelude::*;

    fn sketch(count: usize, ids: &[u64]) -> Vec<u32> {
        let mut out = Vec::new();
        MinWise::new(count, 7).minima(ids, &mut out);
        out
    }

    proptest! {
        #[test]
        fn every_slot_holds_the_least_value(count in 0..300_usize, seed: u64, ids in prop::collection::vec(any::<u64>(), 1..600)) {
            let family = MinWise::new(count, seed);
            let mut out = vec![1; 3];
            family.minima(&ids, &mut out);
            let expected: Vec<u32> =
                (0..count).map(|slot| ids.iter().map(|id| family.value(*id, slot)).min().unwrap()).collect();
            prop_assert_eq!(out, expected);
        }

        #[test]
        fn order_and_repeats_do_not_matter(mut ids in prop::collection::vec(any::<u64>(), 1..50)) {
            let before = sketch(100, &ids);
            ids.reverse();
            ids.extend_from_within(..ids.len() / 2);
            prop_assert_eq!(sketch(100, &ids), before);
        }
    }

    #[test]
    fn no_two_slots_are_one() {
        let mut multipliers = MinWise::new(Bands::MOST_MINIMA, 0).multipliers;
        multipliers.sort_unstable();
        assert!(multipliers.windows(2).all(|two| two[0] < two[1]));
        assert!(multipliers.iter().all(|m| m % 2 == 1));
    }

    #[test]
    fn a_text_without_shingles_has_no_minima() {
        assert!(sketch(112, &[]).is_empty());
    }

    #[test]
    fn the_first_slots_of_a_longer_sketch_are_the_shorter_one() {
        let ids = scattered(3, 40);
        assert_eq!(sketch(200, &ids)[..112], sketch(112, &ids));
    }

    /// The mean squared error of the estimate over pairs of the given shape, as a multiple of what
    /// independent permutations have, and the mean error in standard errors.
    fn error(
        pairs: &Pairs,
        trials: u64,
        values: impl Fn(u64, &mut Vec<u32>, &[u64]),
    ) -> (f64, f64) {
        let truth = pairs.resemblance();
        let (mut squares, mut sum, mut slots) = (0.0, 0.0, 0.0);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for trial in 0..trials {
            let (left, right) = pairs.pair(trial);
            values(trial, &mut a, &left);
            values(trial, &mut b, &right);
            slots = a.len() as f64;
            let error = f64::from(agreement(&a, &b)) / slots - truth;
            squares += error * error;
            sum += error;
        }
        let binomial = truth * (1.0 - truth) / slots;
        (
            squares / trials as f64 / binomial,
            sum / trials as f64 / (binomial / trials as f64).sqrt(),
        )
    }

    /// Whether a mean of `trials` squared normal errors is 1 within five standard errors of itself,
    /// √(2/trials).
    fn is_binomial((mse, bias): (f64, f64), trials: u64) -> bool {
        (mse - 1.0).abs() < 5.0 * (2.0 / trials as f64).sqrt() && bias.abs() < 5.0
    }

    #[test]
    fn the_error_is_that_of_independent_permutations() {
        for (shared, own, trials) in [(49, 11, 1000), (146, 24, 400), (857, 143, 100)] {
            let pairs = Pairs {
                shared,
                own,
                sequential: false,
            };
            for seed in [0, 1, u64::MAX] {
                let found = error(&pairs, trials, |_, out, ids| {
                    MinWise::new(112, seed).minima(ids, out);
                });
                assert!(
                    is_binomial(found, trials),
                    "{} shingles, seed {seed}: {found:?}",
                    shared + own
                );
            }
        }
    }

    #[test]
    fn ids_in_sequence_are_as_good_as_any() {
        let pairs = Pairs {
            shared: 146,
            own: 24,
            sequential: true,
        };
        let found = error(&pairs, 1000, |_, out, ids| {
            MinWise::new(112, 3).minima(ids, out);
        });
        assert!(is_binomial(found, 1000), "{found:?}");
    }

    #[test]
    fn the_measurement_sees_the_traps() {
        let pairs = Pairs {
            shared: 146,
            own: 24,
            sequential: false,
        };
        let slots = |out: &mut Vec<u32>, value: &dyn Fn(u64) -> u32| {
            out.clear();
            out.extend((0..112).map(value));
        };
        // The high half of a product is monotone: all slots pick one shingle.
        let high = error(&pairs, 300, |_, out, ids| {
            slots(out, &|k| {
                let odd = hash::multiplier(k) >> 32 | 1;
                ids.iter()
                    .map(|id| (((id >> 32) * odd) >> 32) as u32)
                    .min()
                    .unwrap()
            });
        });
        assert!(high.0 > 20.0, "{high:?}");
        // Double hashing without mixing: ids in sequence have nothing in their upper halves.
        let pairs = Pairs {
            sequential: true,
            ..pairs
        };
        let unmixed = error(&pairs, 300, |_, out, ids| {
            slots(out, &|k| {
                let value = |id: &u64| {
                    (*id as u32).wrapping_add((k as u32).wrapping_mul((id >> 32) as u32 | 1))
                };
                ids.iter().map(value).min().unwrap()
            });
        });
        assert!(!is_binomial(unmixed, 300), "{unmixed:?}");
    }
}
