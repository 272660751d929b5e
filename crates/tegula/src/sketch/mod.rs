//! Sketches, signatures and keys: what is said of a unit in a few numbers, so that units that may be alike can be found without
//! comparing all with all.
//!
//! These are pure functions from the ids of a unit's shingles (fully mixed 64-bit numbers, in order, repeats possible) or from its terms
//! to short lists of numbers. They decide nothing: units that share a key are *nominated*, and the true measure is taken of them. Only
//! where a recipe asks for an estimate is one reported, and labelled.
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
//! | [`containment`] | what resemblance or a sample says of containment | Broder 1997 |
//!
//! Everything is integers, but for the S-curve, which people read and which chooses parameters before a run.

pub mod bands;
pub mod containment;
pub mod every;
pub mod i_match;
pub mod minwise;
pub mod modulo;
pub mod simhash;
pub mod super_shingle;
pub mod winnow;

#[cfg(test)]
mod samples;

#[cfg(test)]
pub(crate) use samples::{Pairs, scattered};
