//! The engine: from a source to evidence. One driver for all recipes.
//!
//! ```text
//! survey    pass 1: sizes, digests, rows of shingles               → units, groups, rows
//! features  what several groups share, the rarest first            → blocks of ranked features
//! join      join(index block, probe block) over all block pairs    → candidates
//! verify    the texts of candidates, read again                    → pairs
//! ```
//!
//! Recipes with keys compare fewer pairs, and extract only the features that these need:
//!
//! ```text
//! sign      pass 2: each group's keys, and its slots if signatures are compared
//! generate  the same ranks and joins, over keys                    → candidates
//! extract   pass 3: shingles or weighted terms of the candidates
//! verify    the measure, for each candidate                        → pairs
//! ```
//!
//! With term weighting, the survey counts in how many units each term occurs. If a recipe computes
//! edit distances or masks parts of the texts, pairs are rescored ([`rescore`]).

mod apart;
pub mod bad_records;
pub mod breakdown;
pub mod checkpoint;
mod clock;
pub mod count;
mod counted;
mod decider;
mod deciding;
pub mod elsewhere;
mod equals;
pub(crate) mod extract;
mod group_texts;
pub mod hidden;
mod job;
mod joined;
mod keyed;
mod layout;
pub mod loss;
pub(crate) mod onion;
mod ordered;
mod passages;
pub(crate) mod reading;
pub(crate) mod recording;
pub(crate) mod reread;
pub mod rescore;
mod run;
mod search;
pub(crate) mod sign;
pub mod survey;
pub(crate) mod taped;
pub(crate) mod terms;
pub mod text_keys;
mod verify;

use clock::Clock;
pub use job::{Job, Tuning};
pub(crate) use layout::{collection, layout};
pub use onion::sweep;
pub(crate) use search::find_among;
pub use search::{find, find_to_decide};
