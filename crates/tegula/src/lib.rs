//! Tegula finds exact and near duplicates in text collections, and verifies each one.
//!
//! Text collections are full of copies: the agency report in six newspapers, the law in twelve
//! revisions, the page at forty addresses. Tegula finds them among whole texts, paragraphs or
//! sentences, exact or edited, and says which to remove. **A text is removed only if a kept text
//! matches it**: each removal lists that text, its *witness*, and their true score. A complete
//! recipe, such as the default, finds every pair at or above its threshold; results are the same
//! for any number of threads and any memory ceiling.
//!
//! Find out which texts can be removed:
//!
//! ```
//! let texts = [
//!     "The harbour was closed at noon because of the storm, the port authority said on Monday.",
//!     "Two more ferries were cancelled in the evening.",
//!     "HARBOUR NEWS: The harbour was closed at noon because of the storm, the port authority said on Monday.",
//! ];
//! let result = tegula::Dedup::recipe("copies")?.threshold("0.9")?.run(&texts)?;
//! for removed in result.removed() {
//!     // 0 is a copy of 2 (1): all of it is in the longer text.
//!     println!("{} is a copy of {} ({})", removed.index, removed.witness, removed.score);
//! }
//! assert_eq!(result.kept().collect::<Vec<_>>(), [1, 2]);
//! # Ok::<(), tegula::Error>(())
//! ```
//!
//! Texts may have ids and fields, which control what is compared and what is kept:
//!
//! ```
//! use tegula::{Dedup, Record};
//!
//! let records = [
//!     Record::new("Opening hours: nine to five, Monday to Friday, except on holidays.").field("date", "2019-03-01"),
//!     Record::new("Opening hours: nine to five, Monday to Friday, except on holidays!").field("date", "2021-11-30"),
//! ];
//! let result = Dedup::recipe("exact")?.keep("newest:date,longest")?.run(&records)?;
//! assert!(!result.is_kept(0) && result.is_kept(1));
//! # Ok::<(), tegula::Error>(())
//! ```
//!
//! Compare new texts with old ones, with resource limits set:
//!
//! ```
//! use tegula::{Dedup, Unit};
//!
//! let old = ["All rights reserved.\n\nThe museum opens a new wing for maps and globes in May."];
//! let new = ["The museum opens a new wing for maps and globes in May.\n\nTickets are sold from April on."];
//! let dedup = Dedup::recipe("ssr")?.threshold("80%")?.ngram(3)?.unit(Unit::Paragraph).against(old).memory(256 << 20)?.threads(2);
//! let result = dedup.run(new)?;
//! assert_eq!(result.rest(0, new[0]).as_deref(), Some("Tickets are sold from April on."));
//! # Ok::<(), tegula::Error>(())
//! ```
//!
//! # What to use
//!
//! | you have and want | use |
//! | --- | --- |
//! | texts, and which of them can be removed | [`Dedup::run`] |
//! | texts, and how similar each pair is | [`Dedup::pairs`] |
//! | texts, and which belong together | [`Dedup::clusters`] |
//! | more texts than memory holds | [`Dedup::run_source`] with [`source::Records`], or a [`source::Source`] of your own |
//! | a stream of texts, each to be judged on arrival | [`Filter::judge`] against single texts, [`Onion::judge`] against all together |
//! | texts that stay, and others to look up among them | [`Index`] |
//! | two texts, and what they share | [`compare`], [`Dedup::compare`] |
//! | results, and the truth about them | [`Outcome::evaluate`], [`Evaluation`] |
//! | a text, and the tokens that are compared | [`Dedup::tokens`] |
//! | to choose a method | [`recipes`], [`Dedup::recipe`] |
//! | to define your own method | [`Dedup::set`], [`Dedup::toml`] |
//! | to monitor or cancel a run | [`Dedup::progress`], [`Dedup::cancel`] |
//! | files, folders, formats | the command line `tegula`, or the crate `tegula-run` |
//!
//! # Terms
//!
//! A *record* is a text with its id and fields; a *unit* is what is compared: the text, a
//! paragraph, a sentence. A *token* is a word after normalisation, a *shingle* a few consecutive
//! tokens. A *score* is a fraction of two counts; a *pair* is two units that reach the threshold,
//! and a *cluster* is a set of units linked by pairs. A *recipe* is a method with all its
//! parameters.
//!
//! # Features
//!
//! `chinese` segments Chinese into words with the jieba dictionary, in recipes whose tokens are
//! words of messages; without it each character is a token. It is off by default, as it adds five
//! megabytes.
//!
//! # Guarantees
//!
//! - Each recipe says in [`About::guarantee`] whether it finds all pairs, or how likely it is to.
//!   Scores are true scores of the texts, except where a recipe estimates by definition (simhash),
//!   and then it says so.
//! - A removed text has a kept witness at or above the threshold, and no two kept texts match,
//!   except where a recipe or setting says otherwise ([`Reason`]).
//! - Ties are broken by input order: the earliest text wins. Nothing depends on hash order, threads
//!   or memory.
//! - Data that grow with the texts are counted against the memory ceiling ([`Dedup::memory`]) and
//!   spill to scratch files; a ceiling that is too low is an error that suggests one that is
//!   sufficient.
//! - All errors are [`Error`]: its kind is for programs, its message and advice for people.
//!
//! The proofs are in `crates/tegula/JOINS.md` of the repository, the rules of decisions in
//! `docs/decisions.md`, and the definitions of the measures in `docs/methods.md`.

pub mod option;
pub mod source;
pub mod steps;

// The macros of `declare` name this crate from within and from outside.
extern crate self as tegula;

mod api;
mod as_text;

pub use api::{
    About, Amounts, Cancel, Cluster, Comparison, Dedup, Evaluation, Filter, Hidden, Index,
    JudgedPart, Judgement, Mark, Measures, Onion, Outcome, Pair, Pairs, Passage, Place, Reason,
    Record, Removed, Similar, Summary, Token, Witness, compare, recipes,
};
pub use context::{Amount, Progress};
pub use error::{Error, ErrorKind, Result};
pub use record::Level as Unit;
pub use threshold::{Score, Threshold};

// The stages on which the other crates of this workspace build. They are public for those crates
// only and not stable; the API for others is above.
#[doc(hidden)]
pub mod block;
#[doc(hidden)]
pub mod budget;
mod chains;
#[doc(hidden)]
pub mod cluster;
mod columns;
#[doc(hidden)]
pub mod compare;
#[doc(hidden)]
pub mod constraint;
#[doc(hidden)]
pub mod context;
#[doc(hidden)]
pub mod date;
#[doc(hidden)]
pub mod decide;
#[doc(hidden)]
pub mod declare;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod evaluation;
#[doc(hidden)]
pub mod evidence;
#[doc(hidden)]
pub mod field;
#[doc(hidden)]
pub mod filter;
#[doc(hidden)]
pub mod flow;
#[doc(hidden)]
pub mod group;
#[doc(hidden)]
pub mod hash;
#[doc(hidden)]
pub mod index;
#[doc(hidden)]
pub mod join;
#[doc(hidden)]
pub mod large;
mod lengths;
#[doc(hidden)]
pub mod levels;
#[doc(hidden)]
pub mod levenshtein;
mod lookup;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod nearest;
#[doc(hidden)]
pub mod onion;
#[doc(hidden)]
pub mod pair;
#[doc(hidden)]
pub mod partition;
#[doc(hidden)]
pub mod passages;
#[doc(hidden)]
pub mod phrases;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod printable;
#[doc(hidden)]
pub mod rabin;
mod rarity;
#[doc(hidden)]
pub mod recall;
#[doc(hidden)]
pub mod recipe;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod scratch;
#[doc(hidden)]
pub mod shingle;
#[doc(hidden)]
pub mod sketch;
mod spill;
#[doc(hidden)]
pub mod stage_input;
#[doc(hidden)]
pub mod statistics;
mod strategy;
#[doc(hidden)]
pub mod summary;
mod tape;
#[doc(hidden)]
pub mod templates;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod threads;
#[doc(hidden)]
pub mod threshold;
#[doc(hidden)]
pub mod tsv;
mod union_find;
#[doc(hidden)]
pub mod unit;
#[doc(hidden)]
pub mod work;
