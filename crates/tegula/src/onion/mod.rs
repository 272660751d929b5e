//! Onion: paragraphs go that consist largely of n-grams seen before (Pomikálek 2011; Benko 2013 §3).
//!
//! Documents are judged one after the other, in input order. A token is *known* if it lies in an n-gram that was seen earlier in the same
//! document or in a kept paragraph of an earlier one. A paragraph goes if more than the threshold of its tokens are known; smoothing
//! takes short runs of others along that stand between two such paragraphs, or between one and the edge of the document.
//!
//! ```text
//! document (paragraphs, n-grams) → seen-set: which tokens are known → threshold → smoothing → verdicts
//!                                      ↑                                                        │
//!                                      └──────────── n-grams of kept paragraphs ────────────────┘
//! ```
//!
//! The order of the input counts, by definition: the first text of several stays. A verdict therefore has no single witness;
//! [`Sources`] names the units that made most of a paragraph known.
//!
//! One pass holds every n-gram ([`Judge::new`]); where it is known beforehand which n-grams occur more than once, those suffice
//! ([`Judge::among`]), and the verdicts are the same.

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
