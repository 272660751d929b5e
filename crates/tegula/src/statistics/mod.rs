//! Statistics of terms: in how many units each occurs, and how often; and of shingles. Counted over
//! a collection, merged, saved, and read back.
//!
//! A term is a token after normalisation, identified by 64 bits. Logarithms are computed in
//! integers, so that weights and all results based on them are the same on every machine.

mod counter;
mod file;
mod log;
mod shingles;
mod table;
mod term;

pub(crate) use counter::BYTES_COUNTED;
pub use counter::{Counter, Pending};
pub use log::{ONE, log2};
pub use shingles::{ShingleCounts, ShingleWriter};
pub use table::Statistics;
pub(crate) use term::BYTES;
pub use term::Term;
