//! Onion on vertical files, with the same output as the original program.
//!
//! ```text
//! feed (file, standard input) → chunks of whole documents → parse: lines, tokens, n-grams ─→ judge ─→ emit
//!                                                           (any thread)                     (in order)
//! ```
//!
//! A line that begins with `<` is structure, every other whole line is a token; encodings are
//! ignored. The rules are in [`tegula::onion`]; `parse` defines documents, paragraphs and the
//! lines between them.
//!
//! One pass holds every n-gram. Two passes count n-grams on scratch first and hold those that occur
//! more than once. A one-pass run that hits the memory ceiling starts over with two; its output so
//! far is kept, as the second run produces the same.

mod chunk;
mod emit;
mod feed;
mod options;
mod parse;
mod run;
mod saved;
mod sight;
mod tags;
#[cfg(test)]
mod tests;

pub use options::{Options, Passes};
pub use run::{Summary, deduplicate, save_fingerprints};
pub use saved::{SavedFacts, facts};
pub use tags::Tags;
