//! Onion: removes paragraphs that consist largely of previously seen n-grams (Pomikálek 2011; Benko
//! 2013 §3).
//!
//! Documents are judged one after the other, in input order. A token is *previously seen* if it is
//! in an n-gram that occurred earlier in the same document or in a kept paragraph of an earlier
//! one. A paragraph is removed if the share of such tokens exceeds the threshold; smoothing also
//! removes short runs of others between two removed paragraphs, or between one and the edge of the
//! document.
//!
//! ```text
//! document (paragraphs, n-grams) → seen-set: tokens previously seen → threshold → smoothing → verdicts
//!                                      ↑                                                         │
//!                                      └────────────── n-grams of kept paragraphs ───────────────┘
//! ```
//!
//! By definition, the order of the input matters: the first of several copies is kept. So a verdict
//! has no single witness; [`Sources`] lists the units in which most of a paragraph was first seen.
//!
//! One pass holds every n-gram ([`Judge::new`]). An n-gram that occurs once is never previously seen,
//! so if those that occur more than once are known in advance, these suffice, with the same verdicts:
//! as a list ([`Judge::among`]), or, for texts that can be read twice, as [`Numbers`] by position
//! ([`Judge::numbered`]), which needs least memory and time.

mod document;
mod judge;
mod numbering;
mod repeated;
mod rules;
mod seen;
mod smooth;
mod sources;
mod text;
mod verdict;

pub use document::{Document, Ngram, Paragraph};
pub use judge::Judge;
pub use numbering::{NumberReader, NumberWriter, Numbering, Numbers};
pub use repeated::{RepeatCount, RepeatWriter, Repeated};
pub use rules::{Rules, single_precision};
pub use seen::{Numbered, Place, SeenNumbers, SeenSet, SeenTable};
pub use sources::{Source, Sources};
pub use text::{Spec, Text};
pub use verdict::{Fate, Verdict};
