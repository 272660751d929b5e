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
//! By default the input is read twice: the first pass numbers the n-grams that occur more than once,
//! by their positions, and the second judges. One pass holds every n-gram.

mod chunk;
mod emit;
mod feed;
mod ngrams;
mod options;
mod parse;
mod run;
mod saved;
mod tag_check;
mod tags;
#[cfg(test)]
mod tests;

pub use options::Options;
pub use run::{Summary, deduplicate, save_fingerprints};
pub use saved::{SavedFacts, facts};
pub use tags::Tags;
