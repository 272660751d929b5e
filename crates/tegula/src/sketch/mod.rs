//! Sketches, signatures and keys: summaries of a unit in a few numbers, to find similar units
//! without comparing all pairs.
//!
//! These are pure functions that map the ids of a unit's shingles (fully mixed 64-bit numbers, in
//! order, possibly repeated) or its terms to short lists of numbers. They decide nothing: units
//! that share a key are *candidates*, which are scored by the true measure. Estimates are reported
//! only if a recipe requests them, and are labelled.
//! | sketch | of | paper |
//! | --- | --- | --- |
//! | [`minwise`] | the minimum of the shingles under each of t permutations | Broder 1997 |
//! | [`bands`] | keys of runs of minima, and their S-curve | Leskovec et al., *Mining of Massive Datasets* §3.4 |
//! | [`super_shingle`] | minima split into runs, with a fallback for short texts | Broder 2000 (DSC-SS) |
//! | [`modulo`] | shingles ≡ 0 mod m | Broder 1997 |
//! | [`super_modulo`] | runs of these, in the order of their values | Broder et al. 1997 (super shingles) |
//! | [`every`] | every m-th shingle | Broder et al. 1997 (DSC) |
//! | [`winnow`] | the minimum of each window | Schleimer et al. 2003 |
//! | [`simhash`] | the signs of 64 weighted sums | Charikar 2002, Manku et al. 2007 |
//! | [`i_match`] | the digest of a text's terms of medium frequency | Chowdhury et al. 2002, Kołcz et al. 2004 |
//! | [`terms`] | the heaviest terms | Sanderson 1997, Cooper et al. 2002 |
//! | [`grams`] | runs of the heaviest terms, in the order of weight | Gong et al. 2008 (SimFinder) |
//! | [`words`] | runs of words | Gong et al. 2008 (baseline) |
//!
//! A **kind of key** is a struct of parameters that implements [`KeyKind`], in the file of its
//! sketch, and a line in [`Keys`]. All other code uses the trait: recipes check compatibility, the
//! engine computes the keys of a unit, help and pages show descriptions.
//!
//! All arithmetic uses integers, except for the S-curve, which is for display and for choosing
//! parameters before a run.

pub mod bands;
pub mod every;
pub mod grams;
pub mod i_match;
pub mod minwise;
pub mod modulo;
pub mod simhash;
pub mod super_modulo;
pub mod super_shingle;
pub mod terms;
pub mod winnow;
pub mod words;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod samples;

#[cfg(test)]
pub(crate) use samples::{Pairs, scattered};

use crate::error::{Error, Result};
use crate::hash::{self, Fingerprint};
use crate::statistics::Statistics;
use crate::text::normalise::Tokens;
use crate::threshold::Threshold;
use bands::Bands;
use std::ops::RangeInclusive;

/// A kind of key with its parameters. Only texts that share a key are candidates.
pub trait KeyKind: Sync {
    /// Its parameters, in listing order.
    fn parameters(&self) -> Vec<Parameter>;

    /// The properties of its keys known in advance.
    fn facts(&self) -> Facts;

    /// A short description of the keys; `threshold` is that of the recipe.
    fn describe(&self, threshold: Threshold) -> String;

    /// The function that computes the keys of each unit.
    ///
    /// # Errors
    /// A usage error if the parameters are incompatible.
    fn sign<'a>(&self, basis: &Basis<'a>) -> Result<Sign<'a>>;

    /// The keys of a unit as its paper writes them, if that is another form than a hash: each with
    /// the number of its slot.
    ///
    /// # Errors
    /// As [`KeyKind::sign`].
    fn written<'a>(&self, _basis: &Basis<'a>) -> Result<Option<Written<'a>>> {
        Ok(None)
    }

    /// Checks constraints beyond the ranges of parameters; shingles have `ngram` tokens.
    ///
    /// # Errors
    /// A usage error naming the parameter.
    fn check(&self, _ngram: usize) -> Result<()> {
        Ok(())
    }

    /// The S-curve: the probability that two texts share a key, by the resemblance of their
    /// shingles.
    ///
    /// # Errors
    /// A usage error if the parameters are incompatible.
    fn bands(&self, _threshold: Threshold) -> Result<Option<Bands>> {
        Ok(None)
    }

    /// An estimate of the number of keys of this many units with this much text, at the recipe's
    /// threshold: to size buffers, and to plan.
    fn keys_of(&self, _: Threshold, units: u64, _text_bytes: u64) -> u64 {
        16 * units
    }
}

/// A parameter of a kind of key.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name in a recipe.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    value: u32,
    range: RangeInclusive<u32>,
}

impl Parameter {
    /// A parameter with a range; for non-numeric ones both ends are 0.
    pub fn new(
        name: &'static str,
        value: u32,
        range: RangeInclusive<u32>,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            meaning,
            value,
            range,
        }
    }
}

impl Parameter {
    /// Its lowest and its highest value.
    pub(crate) fn range(&self) -> (u32, u32) {
        self.range.clone().into_inner()
    }
}

/// The properties of keys known in advance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// The features of a unit that are used.
    pub features: Features,
    /// Whether document frequencies are needed.
    pub statistics: bool,
    /// Whether keys depend on the seed.
    pub seed: bool,
    /// Whether the keys depend on the threshold.
    pub follows_threshold: bool,
    /// What the sketch itself estimates.
    pub estimate: Estimate,
}

/// The features from which keys are made, in addition to tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Features {
    /// Only tokens.
    #[default]
    Tokens,
    /// Its shingles.
    Shingles,
    /// Terms by weight; only measures of terms have weights.
    Terms,
    /// The text of its tokens.
    Words,
}

/// What a sketch itself estimates, without the texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Estimate {
    /// Nothing.
    #[default]
    Nothing,
    /// Resemblance, by the share of this many slots that agree.
    Slots(u32),
    /// Similarity, by the share of 64 bits that agree.
    Bits,
    /// Resemblance and containment, by the shingles divisible by a modulus.
    Sample {
        /// The modulus.
        modulus: u32,
    },
}

/// The inputs for computing keys that are known before the run.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
    /// The recipe's threshold.
    pub threshold: Threshold,
    /// The random seed.
    pub seed: u64,
    /// An estimate of the number of units.
    pub units: u64,
    /// Document frequencies; empty if not needed.
    pub statistics: &'a Statistics,
}

/// A unit for which keys are computed; features that are not needed are empty.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'a> {
    /// Its tokens, in order: at least one.
    pub tokens: &'a [Fingerprint],
    /// The ids of its shingles, in order.
    pub shingles: &'a [u64],
    /// Its distinct terms by descending weight, with ties broken by fingerprint.
    pub terms: &'a [Weighted],
    /// The text of its tokens, in order.
    pub words: &'a Tokens,
}

/// A distinct term of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weighted {
    /// The term.
    pub fingerprint: Fingerprint,
    /// Its weight, above 0.
    pub weight: u32,
}

/// The signature of a unit. It is empty when passed to [`Sign`].
#[derive(Debug, Default)]
pub struct Signature {
    /// The keys, each of which is a bucket.
    pub keys: Vec<Fingerprint>,
    /// Slots for an estimate, each salted with its index.
    pub slots: Vec<Fingerprint>,
    /// Its simhash.
    pub bits: u64,
    /// Its distinct shingles, if they are counted.
    pub distinct: u32,
}

/// Buffers of one thread, reused for each unit; their previous contents are ignored.
#[derive(Debug, Default)]
pub struct Room {
    /// For minima.
    pub minima: Vec<u32>,
    /// For ids of shingles.
    pub ids: Vec<u64>,
}

/// Computes the signature of a unit.
pub type Sign<'a> = Box<dyn Fn(&Unit, &mut Room, &mut Signature) + Send + Sync + 'a>;

/// Writes the keys of a unit, each with the number of its slot.
pub type Written<'a> = Box<dyn Fn(&Unit) -> Vec<(usize, String)> + Sync + 'a>;

/// Defines the recipe's `keys` from a list of kinds, each with its name and default parameters.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:literal $kind:ident($file:ident::$parameters:ident $usual:tt),)*) => {
        /// The keys of a recipe.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "type")]
        pub enum Keys {
            $($(#[$doc])* #[serde(rename = $name)] $kind($file::$parameters),)*
        }

        impl Keys {
            /// The kind with its parameters.
            pub fn kind(&self) -> &dyn KeyKind {
                match self {
                    $(Self::$kind(parameters) => parameters,)*
                }
            }

            /// Every kind by name, with default parameters.
            pub fn all() -> impl Iterator<Item = (&'static str, Self)> {
                [$(($name, Self::$kind($file::$parameters $usual))),*].into_iter()
            }
        }
    };
}

kinds! {
    /// Bands of min-wise minima (Broder's sketch; Flamming, sketches).
    "min-wise" MinWise(minwise::MinWiseKeys { minima: 112, bands: 0, rows: 0 }),
    /// Shingles whose fingerprint is divisible by the modulus (Broder's mod m sketch).
    "modulo" Modulo(modulo::ModuloKeys { modulus: 25 }),
    /// Hashes of runs of minima (Broder's DSC-SS).
    "super-shingle" SuperShingle(super_shingle::SuperShingleKeys { minima: 84, size: 14 }),
    /// Runs of the shingles that the modulus samples (Broder's super shingles of 1997).
    "super-modulo" SuperModulo(super_modulo::SuperModuloKeys { modulus: 25, size: 4 }),
    /// Permuted blocks of a 64-bit simhash (Charikar; Manku §3): all pairs within the distance that
    /// the threshold allows.
    "simhash" Simhash(simhash::SimhashKeys { weights: simhash::Counting::Tf }),
    /// Digests of terms filtered by lexicons (Chowdhury's I-Match; Kołcz's random lexicons).
    "i-match" IMatch(i_match::IMatchKeys { low: 10, high: 90, lexicons: 10, keep: 67, least: 4 }),
    /// The terms of the highest weight (Sanderson's and Cooper's selection by idf).
    "terms" Terms(terms::TermKeys { count: 5, by: terms::By::Weight }),
    /// Runs of the terms of the highest weight, in the order of weight (SimFinder §3.2).
    "grams" Grams(grams::GramKeys { size: 3, features: 0 }),
    /// Runs of consecutive words (the baseline of SimFinder §4).
    "words" Words(words::WordKeys { size: 2 }),
}

impl Keys {
    /// The signature length, if it is fixed.
    pub fn slots(&self) -> Option<u32> {
        match self.kind().facts().estimate {
            Estimate::Slots(slots) => Some(slots),
            _ => None,
        }
    }

    /// Checks the parameters for shingles of `ngram` tokens.
    ///
    /// # Errors
    /// A usage error naming the parameter.
    pub fn check(&self, ngram: usize) -> Result<()> {
        for Parameter {
            name, value, range, ..
        } in self.kind().parameters()
        {
            if !range.contains(&value) {
                let (least, most) = range.into_inner();
                return Err(Error::of(format!("keys.{name}"))
                    .expected(format!("{least} to {most}"))
                    .found(value));
            }
        }
        self.kind().check(ngram)
    }

    /// The names of kinds, as in `a, b or c`.
    pub(crate) fn names(chosen: impl Fn(Facts) -> bool, quote: &str) -> String {
        let names: Vec<String> = Self::all()
            .filter(|(_, keys)| chosen(keys.kind().facts()))
            .map(|(name, _)| format!("{quote}{name}{quote}"))
            .collect();
        match &names[..] {
            [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
            few => few.concat(),
        }
    }
}

/// A value in a slot.
fn slot(at: u64, value: u64) -> Fingerprint {
    let id = hash::mix(value ^ hash::mix(at + 1));
    Fingerprint {
        id,
        check: hash::mix(id ^ value.rotate_left(32) ^ at),
    }
}
