//! Joins: all pairs of texts that the bound of a measure cannot rule out, and that reach the threshold by their features.
//!
//! Two drivers run any bound. `Blocks` joins blocks with blocks on one machine: threads and spilling choose the blocks, and
//! nothing else. `postings` goes posting by posting, as a compute cluster would with all entries of a feature in one place.

mod blocks;
mod index;
mod postings;

pub(crate) use blocks::Blocks;
pub use blocks::join;
pub use index::{Chosen, Index, Side};
pub use postings::{Posting, candidates, of_text, postings};

#[cfg(test)]
mod tests;
