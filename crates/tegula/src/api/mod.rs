//! The stable API: texts in memory, or a custom source, through the same engine as the command
//! line.
//!
//! The builder [`Dedup`] holds a recipe and its settings; its methods take texts and return results
//! that refer to them by index. *Useful for* programs. *Not useful for* files: `tegula-run` reads
//! and writes them, and resumes runs.

// First, as documentation shows methods in this order.
mod dedup;
mod run;

mod about;
pub(crate) mod chunk;
mod cluster;
mod comparison;
mod evaluation;
mod filter;
mod found;
mod index;
mod input;
mod machine;
mod memory;
mod onion;
mod outcome;
mod pairs;

mod place;
mod record;
mod records;
mod removed;
mod score;
mod summary;
mod token;

pub use about::{About, recipes};
pub use cluster::Cluster;
pub use comparison::{Comparison, Passage, compare};
pub use dedup::Dedup;
pub use evaluation::Evaluation;
pub use filter::{Filter, Hidden};
pub use index::{Index, Similar};
pub use machine::Cancel;
pub use onion::{JudgedPart, Judgement, Onion};
pub use outcome::Outcome;
pub use pairs::{Measures, Pair, Pairs};
pub use place::Place;
pub use record::Record;
pub use records::Records;
pub use removed::{Mark, Reason, Removed, Witness};
pub use summary::{Amounts, Summary};
pub use token::Token;
