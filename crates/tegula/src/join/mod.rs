//! Joins: all pairs of texts that the bound of a measure cannot rule out, and whose features reach
//! the threshold.
//!
//! Two drivers run any bound. `Blocks` joins blocks with blocks on one machine; threads and
//! spilling determine only the blocks. `postings` processes one posting list at a time, like a
//! compute cluster that collects all entries of a feature in one place.

mod blocks;
mod index;
mod postings;

pub(crate) use blocks::Blocks;
pub use blocks::join;
pub use index::{Index, Side};
pub use postings::{Posting, candidates, of_text, postings};

#[cfg(test)]
mod tests;
