//! What the crate promises: texts in memory, or a source of one's own, through the same engine as the command line.
//!
//! A builder ([`Dedup`]) holds a recipe and what is asked besides; its methods take texts and give results that name them by their place.
//! *Useful for* programs. *Not useful for* files: reading and writing them, and runs that resume, are `tegula-run`.

// First, as documentation shows methods in this order.
mod dedup;
mod run;

mod about;
mod cluster;
mod comparison;
mod input;
mod machine;
mod memory;
mod onion;
mod outcome;
mod pairs;
mod piece;
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
