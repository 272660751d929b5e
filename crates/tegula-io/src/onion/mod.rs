//! Onion on vertical files, as the original program does it: bytes in, the same bytes out.
//!
//! ```text
//! feed (file, standard input) → chunks of whole documents → parse: lines, tokens, n-grams ─→ judge ─→ emit
//!                                                           (any thread)                     (in order)
//! ```
//!
//! A line that begins with `<` is structure, every other line is a token, all of it; no encoding is judged. The rules are in
//! [`tegula::onion`]; what documents, paragraphs and the lines between them are is in [`mod@parse`].
//!
//! One pass holds every n-gram. Two passes count n-grams on scratch first and hold those that occur more than once. A run in
//! one pass that meets the memory ceiling begins again with two; what was written stays, as the second run comes to the same.

mod chunk;
mod emit;
mod feed;
pub mod parse;
mod run;
mod saved;
mod sight;
#[cfg(test)]
mod tests;

pub use parse::Tags;
pub use run::{Options, Passes, Summary, deduplicate, save_fingerprints};
pub use saved::{SavedFacts, facts};
