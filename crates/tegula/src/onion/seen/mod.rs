//! The seen-set: which n-grams were previously seen.

mod numbers;
mod set;
mod table;

pub use numbers::{Numbered, SeenNumbers};
pub use set::{Place, SeenSet};
pub use table::SeenTable;
