//! simhash: 64 bits, few of which differ between similar texts (Charikar 2002 §3; Manku, Jain and
//! Das Sarma 2007; Flamming).
//!
//! Every feature votes on every bit with its weight: for one if its hash has a one there, otherwise
//! for zero. For random hashes two texts differ in a bit with probability θ/π, where θ is the angle
//! between their weighted features. The Hamming distance is the measure; it estimates a similarity
//! but is not one itself.
//!
//! **Finding near signatures** (Manku §3). The 64 bits are split into B blocks, B > k. Two
//! signatures of distance at most k differ in at most k blocks, so they agree in at least B − k.
//! There is a table for each choice of B − k blocks, in which a signature's key is its bits in
//! those blocks: the two share a key in the table of blocks in which they agree. So no pair within
//! k is missed, for any B; more blocks mean more tables with longer keys, and fewer candidates in
//! each bucket.
//!
//! *Useful for* texts of hundreds of words at distances of about 3. *Not useful for* short texts,
//! where changing one word in ten changes ten bits, nor for k above about 10, where keys become so
//! short that all pairs are compared.

use super::{Basis, Estimate, Facts, Features, KeyKind, Parameter, Sign, Unit, Written};
use crate::error::{Error, Result};
use crate::hash::{self, Fingerprint};
use crate::statistics::{ONE, Statistics};
use crate::threshold::Threshold;

/// Features counted at once.
const CHUNK: usize = 64;

/// The signature of fewer than 2^32 weighted features; if votes are tied, the bit is 0, and so are
/// all bits of a text without features.
///
/// Features must be fully mixed numbers. [`of_equal_weights`] is several times as fast if all
/// weights are 1.
pub fn signature(features: impl Iterator<Item = (u64, i32)>) -> u64 {
    let mut votes = Votes {
        ones: [0; 64],
        all: 0,
    };
    let mut chunk = [(0, 0); CHUNK];
    let mut filled = 0;
    for feature in features {
        chunk[filled] = feature;
        filled += 1;
        if filled == CHUNK {
            count(&mut votes, &chunk);
            filled = 0;
        }
    }
    count(&mut votes, &chunk[..filled]);
    let ones = votes.ones.iter().enumerate();
    ones.fold(0, |signature, (bit, ones)| {
        signature | u64::from(*ones > votes.all - ones) << bit
    })
}

/// Sums of weights: for each bit, of the features with a one there; and of all features.
struct Votes {
    ones: [i64; 64],
    all: i64,
}

/// Plain integer code, compiled for several instruction sets; all give the same numbers.
#[multiversion::multiversion(targets("x86_64+avx2"))]
fn count(votes: &mut Votes, features: &[(u64, i32)]) {
    let mut sums = votes.ones;
    for (feature, weight) in features {
        let weight = i64::from(*weight);
        votes.all += weight;
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += -((feature >> bit & 1) as i64) & weight;
        }
    }
    votes.ones = sums;
}

/// [`signature`] of features that all have the weight 1.
pub fn of_equal_weights(features: &[u64]) -> u64 {
    let mut ones = Counters([0; 64]);
    let (eights, rest) = features.as_chunks::<8>();
    for eight in eights {
        ones.add_eight(eight);
    }
    for feature in rest {
        ones.add(*feature, 0);
    }
    ones.above(features.len() as u64 / 2)
}

/// 64 bit-sliced counters: the lowest bits of all in the first word, the next bits in the second,
/// and so on.
struct Counters([u64; 64]);

impl Counters {
    /// Adds 2^`place` to the counters whose bits are set.
    #[inline]
    fn add(&mut self, mut carry: u64, place: usize) {
        for word in &mut self.0[place..] {
            if carry == 0 {
                break;
            }
            (*word, carry) = (*word ^ carry, *word & carry);
        }
    }

    /// Adds eight words; only the carries into the place of eights propagate further.
    #[inline]
    fn add_eight(&mut self, words: &[u64; 8]) {
        let [ones, twos, fours, ..] = &mut self.0;
        let mut two = [0; 4];
        for (two, pair) in two.iter_mut().zip(words.as_chunks::<2>().0) {
            *two = sum(ones, pair[0], pair[1]);
        }
        let four = [sum(twos, two[0], two[1]), sum(twos, two[2], two[3])];
        let eight = sum(fours, four[0], four[1]);
        self.add(eight, 3);
    }

    /// The counters above `limit`.
    fn above(&self, limit: u64) -> u64 {
        let (mut above, mut equal) = (0, u64::MAX);
        for (place, word) in self.0.iter().enumerate().rev() {
            if limit >> place & 1 == 0 {
                above |= equal & word;
                equal &= !word;
            } else {
                equal &= word;
            }
        }
        above
    }
}

/// Adds two words to a third in each bit, and returns the carries.
#[inline]
fn sum(to: &mut u64, a: u64, b: u64) -> u64 {
    let half = *to ^ a;
    let carry = (*to & a) | (half & b);
    *to = half ^ b;
    carry
}

/// The bits in which two signatures differ.
#[inline]
pub fn hamming(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

/// Tables whose keys generate every pair of signatures within a distance as a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    distance: u32,
    /// For each table, the bits in its keys.
    masks: Vec<u64>,
}

impl Blocks {
    /// The largest distance.
    pub const MOST_DISTANCE: u32 = 31;

    /// The maximum number of tables: each costs a key for every signature.
    pub const MOST_TABLES: usize = 128;

    /// Tables for all pairs within `distance` among about `signatures` signatures. This number
    /// affects only which number of tables is cheapest, never the result: tables are added as long
    /// as their keys cost less than the comparisons they save, assuming random signatures.
    ///
    /// # Errors
    /// A usage error for a distance above [`Blocks::MOST_DISTANCE`].
    pub fn new(distance: u32, signatures: u64) -> Result<Self> {
        if distance > Self::MOST_DISTANCE {
            return Err(Error::of("distance")
                .expected(format!("at most {} of 64 bits", Self::MOST_DISTANCE))
                .found(distance));
        }
        let cheapest = (distance + 1..=64)
            .take_while(|blocks| tables(*blocks, distance) <= Self::MOST_TABLES as u128)
            .min_by_key(|blocks| cost(*blocks, distance, signatures))
            .unwrap_or(distance + 1);
        let mut masks = Vec::new();
        choose(cheapest, cheapest - distance, 0, &mut masks);
        Ok(Self { distance, masks })
    }

    /// The distance within which no pair is missed.
    pub fn distance(&self) -> u32 {
        self.distance
    }

    /// The number of keys of a signature.
    pub fn tables(&self) -> usize {
        self.masks.len()
    }

    /// The key in each table; `out` is cleared first. Keys are equal only for equal tables and
    /// bits.
    pub fn keys(&self, signature: u64, out: &mut Vec<Fingerprint>) {
        out.clear();
        out.extend(self.masks.iter().zip(0..).map(|(mask, table)| Fingerprint {
            id: hash::mix((signature & mask) ^ hash::multiplier(table)),
            check: table,
        }));
    }
}

/// The bits of block `block` of `blocks`, of sizes as equal as possible.
fn block(block: u32, blocks: u32) -> u64 {
    let [from, to] = [block, block + 1].map(|edge| edge * 64 / blocks);
    (u64::MAX >> (64 - (to - from))) << from
}

/// The masks of all choices of `wanted` of the blocks `first..blocks`, each together with `taken`.
fn choose(blocks: u32, wanted: u32, taken: u64, masks: &mut Vec<u64>) {
    fn from(first: u32, blocks: u32, wanted: u32, taken: u64, masks: &mut Vec<u64>) {
        if wanted == 0 {
            masks.push(taken);
            return;
        }
        for next in first..=blocks - wanted {
            from(
                next + 1,
                blocks,
                wanted - 1,
                taken | block(next, blocks),
                masks,
            );
        }
    }
    from(0, blocks, wanted, taken, masks);
}

/// The number of choices of the blocks that may differ.
fn tables(blocks: u32, distance: u32) -> u128 {
    (0..u128::from(distance)).fold(1, |choices, i| choices * (u128::from(blocks) - i) / (i + 1))
}

/// The cost of tables with this many blocks for random signatures: computing, moving and sorting a
/// key takes as long as about 16 comparisons.
fn cost(blocks: u32, distance: u32, signatures: u64) -> u128 {
    // Beyond this number the choice is the same.
    let n = u128::from(signatures.min(1 << 48));
    let bits = (blocks - distance) * 64 / blocks;
    tables(blocks, distance) * (16 * n + ((n * n / 2) >> bits))
}

/// Keys of blocks of a signature: all pairs within the distance that the threshold allows share
/// one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimhashKeys {
    /// The weight of a feature.
    pub weights: Counting,
}

/// The weight of a feature in a simhash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// 1 for each distinct feature.
    None,
    /// The number of occurrences.
    #[default]
    Tf,
    /// The number of occurrences times idf; tokens only.
    TfIdf,
}

impl Counting {
    /// The signature of a unit; `ids` is a buffer for its distinct shingles.
    fn signature(self, unit: &Unit, statistics: &Statistics, ids: &mut Vec<u64>) -> u64 {
        match self {
            Self::Tf => of_equal_weights(unit.shingles),
            Self::None => {
                ids.clear();
                ids.extend_from_slice(unit.shingles);
                ids.sort_unstable();
                ids.dedup();
                of_equal_weights(ids)
            }
            Self::TfIdf => signature(unit.tokens.iter().map(|token| {
                let documents = statistics.term(token.id).map_or(1, |term| term.documents);
                (token.id, (statistics.idf(documents) / (ONE / 16)) as i32)
            })),
        }
    }
}

impl KeyKind for SimhashKeys {
    fn check(&self, ngram: usize) -> Result<()> {
        if self.weights == Counting::TfIdf && ngram != 1 {
            return Err(Error::of("ngram")
                .expected("1, as idf is of tokens")
                .found(ngram));
        }
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        let meaning = "Weight of a feature in a simhash: \"none\" (1 for each distinct one), \"tf\" or \"tf-idf\"";
        vec![Parameter::new("weights", 0, 0..=0, meaning)]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        "permuted blocks of a simhash of 64 bits".to_owned()
    }

    fn facts(&self) -> Facts {
        let statistics = self.weights == Counting::TfIdf;
        Facts {
            features: Features::Shingles,
            statistics,
            estimate: Estimate::Bits,
            ..Facts::default()
        }
    }

    fn keys_of(&self, threshold: Threshold, units: u64, _text_bytes: u64) -> u64 {
        let blocks = Blocks::new(64 - threshold.least(64) as u32, units);
        blocks.map_or(1, |blocks| blocks.tables() as u64) * units
    }

    fn sign<'a>(&self, basis: &Basis<'a>) -> Result<Sign<'a>> {
        let (counting, statistics) = (self.weights, basis.statistics);
        let blocks = Blocks::new(64 - basis.threshold.least(64) as u32, basis.units)?;
        Ok(Box::new(move |unit, room, signature| {
            signature.bits = counting.signature(unit, statistics, &mut room.ids);
            blocks.keys(signature.bits, &mut signature.keys);
        }))
    }

    fn written<'a>(&self, basis: &Basis<'a>) -> Result<Option<Written<'a>>> {
        let (counting, statistics) = (self.weights, basis.statistics);
        Ok(Some(Box::new(move |unit| {
            let bits = counting.signature(unit, statistics, &mut Vec::new());
            vec![(0, format!("{bits:016x}"))]
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::super::scattered;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn votes_worked_by_hand() {
        // Bit 0: 1 + 1 − 1; bit 1: 1 − 1 − 1; bit 2: 3 of 3.
        assert_eq!(of_equal_weights(&[0b111, 0b101, 0b100]), 0b101);
        // The third outweighs the others.
        assert_eq!(
            signature([(0b111, 1), (0b101, 1), (0b100, 3)].into_iter()),
            0b100
        );
        // Even votes make a zero.
        assert_eq!(of_equal_weights(&[1, 0]), 0);
        assert_eq!(signature([(1, 5), (0, 5)].into_iter()), 0);
        assert_eq!(
            (of_equal_weights(&[]), signature(std::iter::empty())),
            (0, 0)
        );
        assert_eq!(signature([(1, i32::MIN), (2, i32::MAX)].into_iter()), !1);
    }

    /// The definition, bit by bit.
    fn oracle(features: &[(u64, i32)]) -> u64 {
        let votes = |bit: u64| -> i64 {
            features
                .iter()
                .map(|(f, w)| {
                    if f >> bit & 1 == 1 {
                        i64::from(*w)
                    } else {
                        -i64::from(*w)
                    }
                })
                .sum()
        };
        (0..64)
            .filter(|bit| votes(*bit) > 0)
            .fold(0, |signature, bit| signature | 1 << bit)
    }

    proptest! {
        #[test]
        fn weights_vote(features in prop::collection::vec((any::<u64>(), any::<i32>()), 0..200)) {
            prop_assert_eq!(signature(features.iter().copied()), oracle(&features));
        }

        #[test]
        fn the_fast_path_is_the_slow_one(features in prop::collection::vec(any::<u64>(), 0..300), few in 0..4_u64) {
            let features: Vec<u64> = features.iter().map(|f| if few == 0 { *f } else { f % few }).collect();
            prop_assert_eq!(of_equal_weights(&features), signature(features.iter().map(|f| (*f, 1))));
        }

        #[test]
        fn signatures_within_the_distance_share_a_key(
            a: u64,
            flips in prop::collection::vec(0..64_u32, 0..32),
            size in prop::sample::select(vec![0, 1, 1000, 1_000_000, 100_000_000, u64::MAX]),
        ) {
            for distance in (0..=10).chain([20, 31]) {
                let blocks = Blocks::new(distance, size).unwrap();
                let b = flips.iter().take(distance as usize).fold(a, |b, bit| b ^ 1 << bit);
                prop_assert!(hamming(a, b) <= distance);
                let (mut left, mut right) = (Vec::new(), Vec::new());
                blocks.keys(a, &mut left);
                blocks.keys(b, &mut right);
                prop_assert_eq!(left.len(), blocks.tables());
                prop_assert!(left.iter().zip(&right).any(|(a, b)| a == b), "{} of {} tables", distance, blocks.tables());
                // Equal keys are in one table and have the bits of its mask in common.
                for (i, key) in left.iter().enumerate() {
                    for (j, other) in right.iter().enumerate() {
                        let equal = i == j && (a ^ b) & blocks.masks[i] == 0;
                        prop_assert_eq!(key == other, equal);
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_are_even_and_cover_all_bits() {
        for blocks in 1..=64 {
            let all: Vec<u64> = (0..blocks).map(|b| block(b, blocks)).collect();
            assert_eq!(all.iter().fold(0, |bits, block| bits | block), u64::MAX);
            assert_eq!(all.iter().map(|block| block.count_ones()).sum::<u32>(), 64);
            let sizes = all.iter().map(|block| block.count_ones());
            assert!(
                sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1,
                "{blocks}"
            );
        }
    }

    #[test]
    fn more_signatures_get_longer_keys() {
        let of = |distance, signatures| {
            let blocks = Blocks::new(distance, signatures).unwrap();
            (
                blocks.tables(),
                blocks
                    .masks
                    .iter()
                    .map(|mask| mask.count_ones())
                    .min()
                    .unwrap(),
            )
        };
        assert_eq!(of(0, 1_000_000), (1, 64));
        assert_eq!(of(3, 10_000), (4, 16));
        // Manku §3.2 has ten tables for three bits with two of five blocks.
        assert_eq!(of(3, 100_000_000), (10, 25));
        for distance in 0..=31 {
            assert!(
                of(distance, u64::MAX).0 <= Blocks::MOST_TABLES,
                "{distance}"
            );
        }
        assert!(
            Blocks::new(32, 1)
                .unwrap_err()
                .message()
                .contains("distance")
        );
    }

    #[test]
    fn bits_differ_as_often_as_the_angle_says() {
        // Two sets of 300 features that share 240: cos = 0.8, the angle over π is 0.2048.
        let trials = 400;
        let expected = 0.8_f64.acos() / std::f64::consts::PI;
        let differing: u32 = (0..trials)
            .map(|trial| {
                let ids = scattered(trial, 360);
                hamming(of_equal_weights(&ids[..300]), of_equal_weights(&ids[60..]))
            })
            .sum();
        let share = f64::from(differing) / (64 * trials) as f64;
        assert!(
            (share - expected).abs()
                < 5.0 * (expected * (1.0 - expected) / (64 * trials) as f64).sqrt(),
            "{share}"
        );
    }
}
