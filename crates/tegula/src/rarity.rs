//! Rarity: the weight of a shingle, by the number of texts that contain it.
//!
//! A shingle in n of N texts weighs the square of log2(1 + N / n), which is what a term contributes to
//! the product of two tf-idf vectors: much if a single text has it, 1 if all have. With + 1, texts of
//! a small collection keep a weight. A shingle containing a number may weigh several times as much:
//! texts that fill in a form differ in their dates and amounts, and revisions of a text keep most
//! of them. Texts that are equal, and may be compared, count once, those of references by themselves.
//!
//! Shingles that many texts have may be left out instead ([`ShingleWeights::Uncommon`]): they weigh nothing, and
//! all others the same.
//!
//! Logarithms are in steps of 1/1024, and weights in steps of 1/256, both rounded down.

use crate::statistics::{ShingleCounts, Statistics, log2};

/// How many times as much a shingle with a number can weigh.
pub(crate) const MOST_NUMBERS: u32 = 8;

/// The most shingles of a feature, so that its weight fits in 32 bits.
pub(crate) const LONGEST: usize = 1 << 10;

/// The weight of a shingle in as many texts as there are.
const ONE: u32 = 1 << 8;

/// How shingles weigh, whatever the collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShingleWeights {
    /// The rarer, the more, and this many times as much if they contain a number.
    Rare { numbers: u32 },
    /// Nothing if more texts than this have them, and otherwise all the same.
    Uncommon { most: u32 },
}

impl ShingleWeights {
    /// The factor by which a shingle containing a number weighs more.
    pub(crate) fn numbers(self) -> u32 {
        match self {
            Self::Rare { numbers } => numbers,
            Self::Uncommon { .. } => 1,
        }
    }
}

impl Default for ShingleWeights {
    fn default() -> Self {
        Self::Rare { numbers: 1 }
    }
}

/// Weights of shingles in a collection of this many texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rarity<'a> {
    /// The texts.
    pub(crate) texts: u64,
    /// How they weigh.
    pub(crate) weights: ShingleWeights,
    /// How many texts have each shingle, if that is not counted in the run.
    pub(crate) counts: Option<&'a ShingleCounts>,
}

impl<'a> Rarity<'a> {
    /// In a run of this many texts, unless frequencies are given.
    pub(crate) fn new(texts: u64, weights: ShingleWeights, statistics: &'a Statistics) -> Self {
        let counts = statistics.shingles();
        Self {
            texts: counts.map_or(texts, |_| statistics.documents()),
            weights,
            counts,
        }
    }

    /// The weight of the shingle with this id, which so many texts of the run contain.
    pub(crate) fn weight_of(self, id: u64, containing: u32) -> u32 {
        self.weight(self.counts.map_or(containing, |counts| counts.of(id)))
    }

    /// The weight of a shingle that this many texts contain.
    pub(crate) fn weight(self, containing: u32) -> u32 {
        if let ShingleWeights::Uncommon { most } = self.weights {
            return if containing <= most { ONE } else { 0 };
        }
        let containing = u64::from(containing.max(1));
        let log = u64::from(log2(self.texts.max(1) + containing, containing));
        ((log * log) >> 12) as u32
    }
}

/// A weight as the bits of a float, which are ordered like the weights they represent: rounded
/// down.
pub(crate) fn below(weight: u64) -> u32 {
    let near = weight as f32;
    let over = f64::from(near) > weight as f64;
    near.to_bits() - u32::from(over)
}

/// The same, rounded up.
pub(crate) fn above(weight: u64) -> u32 {
    let near = weight as f32;
    let under = f64::from(near) < weight as f64;
    near.to_bits() + u32::from(under)
}

/// The weight that [`below`] or [`above`] stored.
pub(crate) fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn rare_shingles_weigh_more() {
        let rarity = Rarity {
            texts: 1023,
            weights: ShingleWeights::default(),
            counts: None,
        };
        assert_eq!(rarity.weight(1), 100 << 8);
        assert_eq!(rarity.weight(1023), ONE);
        let weights: Vec<u32> = (0..=1023).map(|count| rarity.weight(count)).collect();
        assert!(weights[1..].windows(2).all(|pair| pair[0] >= pair[1]));
        assert_eq!(weights[0], weights[1]);
        let most = Rarity {
            texts: u64::from(u32::MAX),
            weights: ShingleWeights::Rare {
                numbers: MOST_NUMBERS,
            },
            counts: None,
        };
        let numbers = u64::from(MOST_NUMBERS);
        assert!(numbers * u64::from(most.weight(1)) * (LONGEST as u64) < 1 << 32);
    }

    #[test]
    fn stored_weights_keep_their_order_and_side() {
        let mut weights: Vec<u64> = (0..2000).map(|at| mix(at) >> (14 + at % 50)).collect();
        weights.sort_unstable();
        for pair in weights.windows(2) {
            assert!(below(pair[0]) <= below(pair[1]) && above(pair[0]) <= above(pair[1]));
        }
        for weight in weights {
            assert!(value(below(weight)) <= weight as f64 && weight as f64 <= value(above(weight)));
            assert!(value(above(weight)) - value(below(weight)) <= weight as f64 / 1e6);
        }
    }
}
