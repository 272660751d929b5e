//! Text to units and tokens: segmentation, normalisation, tokenisation.
//!
//! The only normative definition of tokens is [`normalise::Normaliser::tokens`]; every faster path
//! must equal it.

mod case;
mod chinese;
mod class;
pub mod classes;
pub(crate) mod code_points;
pub mod confusables;
pub(crate) mod dense;
pub mod digest;
pub(crate) mod digits;
mod entity;
pub mod fingerprints;
pub mod form;
pub mod hyphens;
pub mod invisible;
pub mod items;
mod lanes;
pub mod lines;
pub mod markup;
pub mod masks;
pub mod normalise;
mod normaliser;
pub(crate) mod numbers;
pub mod numerals;
mod origin;
mod pieces;
pub mod repeats;
mod scan;
pub mod segment;
mod sentences;
pub mod signs;
pub mod spacing;
pub(crate) mod spans;
pub mod stem;
pub mod stop_words;
pub mod timestamps;
pub mod token;
pub mod unicode;
pub mod words;
