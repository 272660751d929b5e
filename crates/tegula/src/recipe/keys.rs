//! Keys: what nominates pairs where no ordered join looks for all.
//!
//! Texts that share a key are compared, others are not. A key says nothing about a score: the recipe's measure decides on every pair that
//! keys nominate.

use crate::error::{Error, Result};

/// What keys are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type", deny_unknown_fields)]
pub enum Keys {
    /// Bands of min-wise minima (Broder's sketch; Flamming, sketches).
    MinWise {
        /// Minima in a sketch.
        minima: u32,
        /// Bands; 0 where they follow from the threshold.
        bands: u32,
        /// Minima in a band; 0 where they follow from the threshold.
        rows: u32,
    },
    /// Shingles whose fingerprint the modulus divides (Broder's mod m sketch).
    Modulo {
        /// The modulus.
        modulus: u32,
    },
    /// Hashes of runs of minima (Broder's DSC-SS).
    SuperShingle {
        /// Minima in a sketch.
        minima: u32,
        /// Minima in a super shingle.
        size: u32,
    },
    /// Permuted blocks of a 64-bit simhash (Charikar; Manku §3): all pairs within the distance that the threshold allows.
    Simhash {
        /// What a feature counts.
        weights: Counting,
    },
    /// Digests of the terms that lexicons leave (Chowdhury's I-Match; Kołcz's random lexicons).
    IMatch {
        /// The lowest idf of a term that counts, in hundredths of the highest there can be.
        low: u32,
        /// The highest idf of a term that counts, in hundredths of the highest there can be.
        high: u32,
        /// Random lexicons besides the one that keeps all.
        lexicons: u32,
        /// Terms that a random lexicon keeps, in hundredths.
        keep: u32,
        /// Terms that must be left for a digest.
        least: u32,
    },
    /// The terms of the highest weight (Sanderson's and Cooper's selection by idf).
    Terms {
        /// Terms selected.
        count: u32,
    },
    /// Runs of the terms of the highest weight, in the order of weight (SimFinder §3.2).
    Grams {
        /// Terms in a run.
        size: u32,
        /// Terms selected at most; 0 where inequality (5) says how many.
        features: u32,
    },
    /// Runs of words as they stand in the text (the baseline of SimFinder §4).
    Words {
        /// Words in a run.
        size: u32,
    },
}

/// What a feature counts in a simhash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// Each distinct one once.
    None,
    /// As often as it occurs.
    #[default]
    Tf,
    /// As often as it occurs, times its idf; tokens only.
    TfIdf,
}

impl Keys {
    /// Whether document frequencies are needed.
    pub fn needs_statistics(&self) -> bool {
        matches!(self, Self::IMatch { .. } | Self::Terms { .. } | Self::Grams { .. } | Self::Simhash { weights: Counting::TfIdf })
    }

    /// Slots of a signature, where it has a fixed number of them.
    pub fn slots(&self) -> Option<u32> {
        match *self {
            Self::MinWise { minima, .. } => Some(minima),
            Self::SuperShingle { minima, size } => Some(minima / size.max(1)),
            Self::IMatch { lexicons, .. } => Some(lexicons + 1),
            _ => None,
        }
    }

    /// Checks what the types cannot.
    pub(super) fn check(&self) -> Result<()> {
        let within = |field: &str, value: u32, range: std::ops::RangeInclusive<u32>| {
            if range.contains(&value) {
                return Ok(());
            }
            Err(Error::usage(format!("keys.{field}: expected {} to {}, found {value}", range.start(), range.end())))
        };
        match *self {
            Self::MinWise { minima, bands, rows } => {
                within("minima", minima, 1..=4096)?;
                within("bands", bands, 0..=minima)?;
                within("rows", rows, 0..=minima)?;
                if (bands == 0) != (rows == 0) {
                    return Err(Error::usage("keys.bands, keys.rows: expected both or none of them")
                        .hint("0 for both derives them from the threshold"));
                }
                if bands * rows > minima {
                    return Err(Error::usage(format!("keys.bands: expected {bands} × {rows} minima or more, found {minima}"))
                        .hint("raise keys.minima, or lower keys.bands or keys.rows"));
                }
                Ok(())
            }
            Self::Modulo { modulus } => within("modulus", modulus, 1..=1 << 20),
            Self::SuperShingle { minima, size } => {
                within("minima", minima, 1..=4096)?;
                within("size", size, 1..=minima)
            }
            Self::Simhash { .. } => Ok(()),
            Self::IMatch { low, high, lexicons, keep, least } => {
                within("high", high, 1..=100)?;
                within("low", low, 0..=high)?;
                within("lexicons", lexicons, 0..=64)?;
                within("keep", keep, 1..=100)?;
                within("least", least, 1..=1000)
            }
            Self::Terms { count } => within("count", count, 1..=1000),
            Self::Grams { size, features } => {
                within("features", features, 0..=1000)?;
                within("size", size, 1..=16)
            }
            Self::Words { size } => within("size", size, 1..=16),
        }
    }
}

/// Which shingles of a text are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type", deny_unknown_fields)]
pub enum Select {
    /// All of them.
    #[default]
    All,
    /// One in so many, by position (KOALA; DSC's every 25th).
    Every {
        /// The first, and then each so many further on.
        nth: u32,
    },
    /// Those whose fingerprint the modulus divides (Broder's mod m sketch).
    Modulo {
        /// The modulus.
        modulus: u32,
    },
    /// The rightmost least of each window (winnowing; Schleimer et al. 2003).
    Winnow {
        /// Shingles in a window.
        window: u32,
    },
}

impl Select {
    /// Whether all are.
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    pub(super) fn check(self) -> Result<()> {
        let (field, value) = match self {
            Self::All => return Ok(()),
            Self::Every { nth } => ("nth", nth),
            Self::Modulo { modulus } => ("modulus", modulus),
            Self::Winnow { window } => ("window", window),
        };
        if (1..=1 << 20).contains(&value) {
            return Ok(());
        }
        Err(Error::usage(format!("select.{field}: expected 1 to 1048576, found {value}")))
    }
}
