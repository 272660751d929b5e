//! Runs of Tegula as a library: from files to files, with evidence.
//!
//! A [`RunSpec`] specifies what to read, how to compare it, and what to write; [`run`] executes it
//! and returns the findings. All inputs and outputs are those of the command line `tegula`, which
//! is one front end of this crate: the same files, the same bytes, the same evidence.
//!
//! ```
//! use tegula_run::{Host, PairsKept, RunSpec, recipe};
//!
//! # let folder = tempfile::tempdir()?;
//! # let here = |name: &str| folder.path().join(name);
//! # std::fs::write(here("news.jsonl"), "{\"text\": \"one two three four five six\"}\n".repeat(2))?;
//! let spec = RunSpec::dedup(recipe("copies")?, [here("news.jsonl")], here("clean.parquet")).keeping(here("run"), PairsKept::All);
//! let outcome = tegula_run::run(&Host::usual()?, &spec)?;
//! for removed in outcome.removed() {
//!     println!("{} is a copy of {}", removed.id, removed.witness.as_deref().unwrap_or("another"));
//! }
//! assert_eq!(outcome.duplicates(), 1);
//!
//! // Decided again at a higher threshold, without comparing the texts again.
//! let mut stricter = RunSpec::from_run(tegula_run::RunKind::Mark, &here("run"), None)?.to(here("marked.jsonl"));
//! stricter.recipe.stages[0].recipe.threshold = "0.95".parse()?;
//! assert_eq!(tegula_run::run(&Host::usual()?, &stricter)?.duplicates(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | you want | use |
//! | --- | --- |
//! | the collection without its copies, or with them marked | [`RunSpec::dedup`], [`RunSpec::mark`] |
//! | a table of pairs | [`RunSpec::pairs`] |
//! | another decision on the findings of a run | [`RunSpec::from_run`] |
//! | to repeat a run | [`RunSpec::of_run`], [`RunSpec::from_json`] |
//! | the predicted resources of a run | [`commands::plan::Plan`] |
//! | the passages that texts share | [`commands::passages::passages`] |
//! | the phrases that recur | [`commands::phrases::phrases`] |
//! | the templates from which texts were filled in | [`commands::templates::templates`] |
//! | clusters in chronological order | [`commands::stories::stories`] |
//! | several thresholds and n-gram lengths at once | [`commands::sweep::sweep`] |
//! | a stream of hits without near copies | [`filter`] |
//! | document frequencies for term weighting | [`commands::statistics::count`] |
//! | memory, threads, progress, cancellation, warnings | [`Host`], [`Observer`], [`tegula::machine::Limits`] |
//! | Arrow batches read in place instead of files | [`RunSpec::of_tables`], [`RunSpec::against_tables`] |
//!
//! Errors are [`tegula::Error`]: options in them are marked, and
//! [`Error::spelt`](tegula::Error::spelt) spells them for a front end.

mod added;
pub mod advice;
pub mod cluster;
pub mod command;
pub mod commands;
pub mod config;
#[doc(hidden)]
pub mod describe;
mod earlier;
mod edits;
#[doc(hidden)]
pub mod evidence;
mod host;
#[doc(hidden)]
pub mod mail;
#[doc(hidden)]
pub mod near_misses;
#[doc(hidden)]
pub mod opened;
pub mod options;
mod outcome;
#[doc(hidden)]
pub mod search;
mod spec;
mod stage_report;
mod stages;
pub mod steps;
mod table_output;
mod targets;
mod verdicts;

pub use added::Added;
pub use commands::filter::{FilterSpec, Filtered, filter};
pub use host::{Host, Observer};
pub use options::{BadRecordPolicy, RecordOptions};
pub use outcome::{Copy, Outcome, Removed};
pub use spec::{
    Earlier, EvidenceSpec, InputSpec, ListSpec, ListWhich, Method, OutputSpec, PairsKept, RunKind,
    RunSpec, StdoutForm, VERSION, read_options,
};
pub use stage_report::Report;

#[doc(inline)]
pub use tegula_io::memory::Table;

use commands::{dedup, pairs, plan};
use tegula::error::Result;
use tegula::recipe::{Action, Card, Recipe, Staged};

/// Executes a specification. On success, all outputs are in place; on failure, none is.
///
/// # Errors
/// Usage errors before anything is read; then errors of the inputs, the memory ceiling, scratch or
/// the outputs; a cancelled run ends with [`tegula::ErrorKind::Cancelled`].
pub fn run(host: &Host, spec: &RunSpec) -> Result<Outcome> {
    // Builds for development, which tests are, run what the JSON gives back, so each of their cases
    // shows that nothing a run does is missing from it.
    let read;
    let mut spec = if cfg!(debug_assertions) {
        read = spec.through_json()?;
        &read
    } else {
        spec
    };
    let held;
    if !host.tables().is_empty() {
        held = RunSpec {
            input: host.held(&spec.input),
            ..spec.clone()
        };
        spec = &held;
    }
    match spec.command {
        RunKind::Dedup | RunKind::Mark => dedup::run(host, spec),
        RunKind::Pairs => pairs::run(host, spec),
    }
    .map_err(|error| plan::with_enough(host, spec, error))
}

/// A built-in recipe by name, of one stage or several.
///
/// # Errors
/// A usage error that lists the recipes.
pub fn recipe(name: &str) -> Result<Staged> {
    match Staged::named(name) {
        Some(toml) => Staged::from_toml(toml, name),
        None => Ok(Staged::single(Recipe::named(name)?, Action::Remove)),
    }
}

/// A custom recipe from TOML, as in a recipe file; `name` is its name if the file has none.
///
/// # Errors
/// Usage errors naming the field.
pub fn recipe_from_toml(toml: &str, name: &str) -> Result<Staged> {
    if Staged::is_in(toml) {
        return Staged::from_toml(toml, name);
    }
    Ok(Staged::single(
        Card::from_toml(toml, name)?.recipe(),
        Action::Remove,
    ))
}
