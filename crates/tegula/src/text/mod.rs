//! Text to units and tokens: segmentation, normalisation, tokenisation.
//!
//! There is one normative definition of the tokens, [`normalise::Normaliser::tokens`]; every faster path must equal it.

mod case;
pub mod classes;
pub mod digest;
mod entity;
pub mod fingerprints;
pub mod form;
pub mod hyphens;
pub mod markup;
pub mod normalise;
mod origin;
mod scan;
pub mod segment;
pub mod stop_words;
pub mod token;
pub mod unicode;
pub mod words;
