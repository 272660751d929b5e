//! Text to units and tokens: segmentation, normalisation, tokenisation.
//!
//! There is one normative definition of the tokens, [`normalise::Normaliser::tokens`]; every faster path must equal it.

pub mod fingerprints;
pub mod normalise;
pub mod segment;
