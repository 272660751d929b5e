//! Onion: removes paragraphs that consist largely of n-grams seen before (Pomikálek 2011; Benko 2013 §3).
//!
//! Documents are judged one after the other, in input order. A token is *known* if it lies in an n-gram that was seen earlier in
//! the same document or in a kept paragraph of an earlier one. A paragraph is removed if the known share of its tokens exceeds
//! the threshold; smoothing also removes short runs of others between two such paragraphs, or between one and the edge of the
//! document.
//!
//! ```text
//! document (paragraphs, n-grams) → seen-set: which tokens are known → threshold → smoothing → verdicts
//!                                      ↑                                                        │
//!                                      └──────────── n-grams of kept paragraphs ────────────────┘
//! ```
//!
//! The order of the input matters, by definition: the first of several copies is kept. A verdict therefore has no single witness;
//! [`Sources`] names the units that made most of a paragraph known.
//!
//! One pass holds every n-gram ([`Judge::new`]); if the n-grams that occur more than once are known in advance, these suffice
//! ([`Judge::among`]), with the same verdicts.

mod document;
mod judge;
mod repeated;
mod rules;
mod seen;
mod smooth;
mod sources;

pub use document::{Document, Ngram, Paragraph};
pub use judge::{Fate, Judge, Verdict};
pub use repeated::{RepeatCount, RepeatWriter, Repeated};
pub use rules::{Rules, single_precision};
pub use sources::{Source, Sources};
