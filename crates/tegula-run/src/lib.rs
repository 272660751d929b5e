//! Runs of Tegula as a library: from files to files, with evidence.
//!
//! A [`RunSpec`] says what is read, how it is compared, and what is written; [`run`] does it and returns what was found. The command line is
//! one front end of this crate.

pub mod bad;
pub mod claims;
mod dedup;
pub mod describe;
mod earlier;
mod edits;
pub mod evidence;
mod host;
pub mod inputs;
pub mod near;
mod outcome;
mod pairs;
pub mod plan;
mod report;
pub mod search;
mod spec;
mod stages;
pub mod statistics;
pub mod sweep;

pub use host::{Host, Observer};
pub use outcome::{Outcome, Removed};
pub use report::Report;
pub use spec::{
    BadRecordPolicy, Command, Earlier, EvidenceSpec, InputSpec, ListSpec, ListWhich, Method, OutputSpec, PairsKept, RunSpec,
    StdoutForm, VERSION, read_options,
};

use tegula::error::Result;

/// Does what a specification asks for. When it returns, all outputs have their names; when it fails, none has.
///
/// # Errors
/// Usage errors before anything is read; then what the inputs, the memory ceiling, scratch or the outputs give; a run that is stopped ends
/// with [`tegula::ErrorKind::Cancelled`].
pub fn run(host: &Host, spec: &RunSpec) -> Result<Outcome> {
    match spec.command {
        Command::Dedup | Command::Mark => dedup::run(host, spec),
        Command::Pairs => pairs::run(host, spec),
    }
}
