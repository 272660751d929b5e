//! Sketches, signatures and keys: a unit in a few numbers, so that similar units can be found without comparing all pairs.
//!
//! These are pure functions from the ids of a unit's shingles (fully mixed 64-bit numbers, in order, repeats possible) or from
//! its terms to short lists of numbers. They decide nothing: units that share a key are *candidates*, which are scored by the
//! true measure. Estimates are reported only if a recipe asks for them, and are labelled.
//!
//! | sketch | of | paper |
//! | --- | --- | --- |
//! | [`minwise`] | the least shingle under each of t permutations | Broder 1997 |
//! | [`bands`] | keys of runs of minima, and their S-curve | Leskovec et al., *Mining of Massive Datasets* §3.4 |
//! | [`super_shingle`] | minima cut into runs, with a fallback for short texts | Broder 2000 (DSC-SS) |
//! | [`modulo`] | shingles ≡ 0 mod m | Broder 1997 |
//! | [`every`] | every m-th shingle | Heintze 1996 (KOALA), Broder et al. 1997 (DSC) |
//! | [`winnow`] | the least shingle of each window | Schleimer et al. 2003 |
//! | [`simhash`] | the signs of 64 weighted sums | Charikar 2002, Manku et al. 2007 |
//! | [`i_match`] | the digest of a text's terms of middling frequency | Chowdhury et al. 2002, Kołcz et al. 2004 |
//! | [`terms`] | the heaviest terms | Sanderson 1997, Cooper et al. 2002 |
//! | [`grams`] | runs of the heaviest terms, in the order of weight | Gong et al. 2008 (SimFinder) |
//! | [`words`] | runs of words | Gong et al. 2008 (baseline) |
//!
//! A **kind of key** is a struct of parameters that implements [`KeyKind`], in the file of its sketch, and a line in [`Keys`]. Everything
//! else asks the trait: recipes for what fits together, the engine for the keys of a unit, help and pages for words.
//!
//! Everything is integers, but for the S-curve, which people read and which chooses parameters before a run.

pub mod bands;
pub mod every;
pub mod grams;
pub mod i_match;
pub mod minwise;
pub mod modulo;
pub mod simhash;
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

/// A kind of key with its parameters. Texts that share a key are candidates, and no others.
pub trait KeyKind: Sync {
    /// Its parameters, in the order in which they are written.
    fn parameters(&self) -> Vec<Parameter>;

    /// What is sure about its keys before anything is read.
    fn facts(&self) -> Facts;

    /// What the keys are, in a few words; `threshold` is that of the recipe.
    fn describe(&self, threshold: Threshold) -> String;

    /// What makes the keys of each unit.
    ///
    /// # Errors
    /// A usage error where the parameters do not fit.
    fn sign<'a>(&self, basis: &Basis<'a>) -> Result<Sign<'a>>;

    /// Checks what ranges cannot, of parameters that are within them; shingles have `ngram` tokens.
    ///
    /// # Errors
    /// A usage error naming the parameter.
    fn check(&self, _ngram: usize) -> Result<()> {
        Ok(())
    }

    /// The S-curve: how likely two texts are to share a key, by the resemblance of their shingles.
    ///
    /// # Errors
    /// A usage error where the parameters do not fit.
    fn bands(&self, _threshold: Threshold) -> Result<Option<Bands>> {
        Ok(None)
    }

    /// About how many keys so many units have with so much text, for which room is made.
    fn keys_of(&self, units: u64, _text_bytes: u64) -> u64 {
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
    /// One that must be in a range; for what is no number both are 0.
    pub fn new(name: &'static str, value: u32, range: RangeInclusive<u32>, meaning: &'static str) -> Self {
        Self { name, meaning, value, range }
    }
}

/// What is sure about keys before anything is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// What is taken of a unit.
    pub features: Features,
    /// Whether document frequencies are needed.
    pub statistics: bool,
    /// Whether keys depend on the seed.
    pub seed: bool,
    /// Whether another threshold makes other keys.
    pub follows_threshold: bool,
    /// What the sketch estimates by itself.
    pub estimate: Estimate,
}

/// What of a unit keys are made of, besides its tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Features {
    /// Its tokens alone.
    #[default]
    Tokens,
    /// Its shingles.
    Shingles,
    /// Its terms by weight; only measures of terms have weights.
    Terms,
    /// Its tokens as they are spelled.
    Words,
}

/// What a sketch estimates by itself, without a look at the texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Estimate {
    /// Nothing.
    #[default]
    Nothing,
    /// Resemblance, by the slots that agree of so many.
    Slots(u32),
    /// Likeness, by the bits that agree of 64.
    Bits,
    /// Resemblance and containment, by the shingles that a modulus divides.
    Sample {
        /// The modulus.
        modulus: u32,
    },
}

/// What a run has settled before keys are made.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
    /// The recipe's threshold.
    pub threshold: Threshold,
    /// Where random choices begin.
    pub seed: u64,
    /// About how many units get keys.
    pub units: u64,
    /// Document frequencies; empty where they are not needed.
    pub statistics: &'a Statistics,
}

/// A unit that keys are made for; what is not needed is empty.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'a> {
    /// Its tokens, in order: at least one.
    pub tokens: &'a [Fingerprint],
    /// The ids of its shingles, in order.
    pub shingles: &'a [u64],
    /// Its distinct terms, the heaviest first, ties by fingerprint.
    pub terms: &'a [Weighted],
    /// Its tokens as they are spelled, in order.
    pub words: &'a Tokens,
}

/// A distinct term of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weighted {
    /// The term.
    pub fingerprint: Fingerprint,
    /// Above 0.
    pub weight: u32,
}

/// What a unit is found by. It comes empty to [`Sign`].
#[derive(Debug, Default)]
pub struct Signature {
    /// Buckets it falls into.
    pub keys: Vec<Fingerprint>,
    /// Slots that an estimate compares; each is salted with its place.
    pub slots: Vec<Fingerprint>,
    /// Its simhash.
    pub bits: u64,
}

/// Room of one thread, used again for each unit; what it holds when a unit comes means nothing.
#[derive(Debug, Default)]
pub struct Room {
    /// For minima.
    pub minima: Vec<u32>,
    /// For ids of shingles.
    pub ids: Vec<u64>,
}

/// Makes the signature of a unit.
pub type Sign<'a> = Box<dyn Fn(&Unit, &mut Room, &mut Signature) + Sync + 'a>;

/// Makes the recipe's `keys` of a list of kinds, each with its name and its usual parameters.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:literal $kind:ident($file:ident::$parameters:ident $usual:tt),)*) => {
        /// The keys of a recipe.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "type")]
        pub enum Keys {
            $($(#[$doc])* #[serde(rename = $name)] $kind($file::$parameters),)*
        }

        impl Keys {
            /// What they are made of, and how.
            pub fn kind(&self) -> &dyn KeyKind {
                match self {
                    $(Self::$kind(parameters) => parameters,)*
                }
            }

            /// Every kind by its name, with its usual parameters.
            pub fn all() -> impl Iterator<Item = (&'static str, Self)> {
                [$(($name, Self::$kind($file::$parameters $usual))),*].into_iter()
            }
        }
    };
}

kinds! {
    /// Bands of min-wise minima (Broder's sketch; Flamming, sketches).
    "min-wise" MinWise(minwise::MinWiseKeys { minima: 112, bands: 0, rows: 0 }),
    /// Shingles whose fingerprint the modulus divides (Broder's mod m sketch).
    "modulo" Modulo(modulo::ModuloKeys { modulus: 25 }),
    /// Hashes of runs of minima (Broder's DSC-SS).
    "super-shingle" SuperShingle(super_shingle::SuperShingleKeys { minima: 84, size: 14 }),
    /// Permuted blocks of a 64-bit simhash (Charikar; Manku §3): all pairs within the distance that the threshold allows.
    "simhash" Simhash(simhash::SimhashKeys { weights: simhash::Counting::Tf }),
    /// Digests of the terms that lexicons leave (Chowdhury's I-Match; Kołcz's random lexicons).
    "i-match" IMatch(i_match::IMatchKeys { low: 10, high: 90, lexicons: 10, keep: 67, least: 4 }),
    /// The terms of the highest weight (Sanderson's and Cooper's selection by idf).
    "terms" Terms(terms::TermKeys { count: 5 }),
    /// Runs of the terms of the highest weight, in the order of weight (SimFinder §3.2).
    "grams" Grams(grams::GramKeys { size: 3, features: 0 }),
    /// Runs of words as they stand in the text (the baseline of SimFinder §4).
    "words" Words(words::WordKeys { size: 2 }),
}

impl Keys {
    /// Slots of a signature, where it has a fixed number of them.
    pub fn slots(&self) -> Option<u32> {
        match self.kind().facts().estimate {
            Estimate::Slots(slots) => Some(slots),
            _ => None,
        }
    }

    /// Checks the parameters, where shingles have `ngram` tokens.
    ///
    /// # Errors
    /// A usage error naming the parameter.
    pub fn check(&self, ngram: usize) -> Result<()> {
        for Parameter { name, value, range, .. } in self.kind().parameters() {
            if !range.contains(&value) {
                let (least, most) = range.into_inner();
                return Err(Error::usage(format!("keys.{name}: expected {least} to {most}, found {value}")));
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
    Fingerprint { id, check: hash::mix(id ^ value.rotate_left(32) ^ at) }
}
