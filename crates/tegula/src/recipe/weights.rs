//! Term weighting, by frequency in the collection.

use crate::error::{Error, Result};
use crate::rarity::{MOST_NUMBERS, ShingleWeights};
use crate::text::classes::{self, Class};
use std::collections::BTreeMap;

/// How terms are weighted.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type", deny_unknown_fields)]
pub enum Weights {
    /// Weight one for each.
    Equal,
    /// Occurrences in the text times idf, log(N / n).
    Idf {
        /// Terms in more than this percentage of the units are treated as if once in every unit
        /// (Kołcz et al. 2004); 100 for none.
        present: u32,
        /// Terms in at most this many units are not, whatever the percentage: in a small collection
        /// a twentieth is less than one cluster of copies.
        #[serde(default, skip_serializing_if = "is_zero")]
        floor: u32,
    },
    /// Of shingles: by the number of texts that have them.
    Rarity {
        /// The factor by which a shingle containing a number weighs more.
        numbers: u32,
    },
    /// Of shingles: one for those in few texts, and nothing for the others, which are no part of the
    /// comparison (KOALA, Heintze 1996; DSC, Broder et al. 1997).
    Uncommon {
        /// The most texts that may have a shingle: equal ones count once, those of references by
        /// themselves.
        most: u32,
    },
    /// By word class and frequency (SimFinder §3.1).
    Classes {
        /// Which end of a class's interval the most frequent term gets.
        frequent: Frequent,
        /// Whether frequencies or their logarithms are interpolated.
        scale: Scale,
        /// Whether weights are multiplied by the length of the term in characters: equation (2)
        /// instead of (1).
        length: bool,
        /// The minimum and maximum weight of classes in thousandths, if they differ from the
        /// built-in ones.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        intervals: BTreeMap<Class, [u32; 2]>,
    },
}

/// Which end of its class's interval the most frequent term gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frequent {
    /// The lower one: rare terms are more informative.
    #[default]
    Low,
    /// The upper one, as equation (1) is printed in the paper.
    High,
}

/// What is interpolated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Logarithms of frequencies.
    #[default]
    Log,
    /// Frequencies, as equation (1) is printed in the paper.
    Linear,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Weights {
    /// Whether document frequencies are needed.
    pub fn needs_statistics(&self) -> bool {
        !(matches!(self, Self::Equal) || self.are_of_shingles())
    }

    /// Whether they are those of shingles.
    pub(super) fn are_of_shingles(&self) -> bool {
        matches!(self, Self::Rarity { .. } | Self::Uncommon { .. })
    }

    /// How they weigh shingles.
    pub(super) fn shingle_weights(&self) -> ShingleWeights {
        match *self {
            Self::Rarity { numbers } => ShingleWeights::Rare { numbers },
            Self::Uncommon { most } => ShingleWeights::Uncommon { most },
            _ => ShingleWeights::default(),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Idf { present, .. } if !(1..=100).contains(present) => {
                Err(Error::of("weights.present")
                    .expected("1 to 100 hundredths")
                    .found(present))
            }
            Self::Idf {
                present: 100,
                floor: 1..,
            } => Err(Error::of("weights.floor")
                .problem("it has no effect: with weights.present = 100, no term counts as present everywhere")
                .hint("set weights.present too, as in weights.present=5, or leave it out")),
            Self::Rarity { numbers } if !(1..=MOST_NUMBERS).contains(numbers) => {
                Err(Error::of("weights.numbers")
                    .expected(format!("1 to {MOST_NUMBERS}"))
                    .found(numbers))
            }
            Self::Uncommon { most: 0 } => Err(Error::of("weights.most")
                .expected("1 or more")
                .found(0)),
            Self::Classes { intervals, .. } => classes::Weights::with(intervals).map(drop),
            _ => Ok(()),
        }
    }
}
