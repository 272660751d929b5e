//! Commands: each is its options, and what it does with them.

use crate::host::Host;
use crate::options::Shown;
use serde_json::Value;
use std::ffi::OsStr;
use tegula::declare::Options;
use tegula::error::Result;

/// A command. Its fields are its options: a program sets them, a command line and other languages
/// read them by name ([`Options::set`]).
pub trait Command: Options {
    /// Its name: on the command line, in a configuration, and as a function.
    const NAME: &'static str;

    /// What it does, in a line; options in it are marked ([`tegula::option`]).
    const ABOUT: &'static str;

    /// Examples, and what else there is to know, for a command line.
    const EXAMPLES: &'static str;

    /// The options of front ends that it has.
    const SHOWN: Shown;

    /// Options with those that they rule out: a configuration yields to what is given.
    const RULES_OUT: &'static [(&'static str, &'static [&'static str])] = &[];

    /// Whether the first screen of help lists it; help on its name has it in any case.
    const IS_LISTED: bool = true;

    /// What it finds.
    type Answer: Answer;

    /// Does it. On success all outputs are in place, on failure none is.
    ///
    /// # Errors
    /// Usage errors before anything is read; then errors of the inputs, the memory ceiling, scratch
    /// or the outputs.
    fn run(&self, host: &Host) -> Result<Self::Answer>;
}

/// What a command found.
pub trait Answer {
    /// Its figures, as `--json` prints them.
    ///
    /// # Errors
    /// None in practice; if a file that is read for them cannot be read.
    fn json(&self) -> Result<Value>;

    /// What deserves attention in what was found, each in a sentence. What does so during the run goes
    /// to the observer.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The same for people, in lines of at most `width` columns, if it has such a form beside its
    /// figures.
    fn text(&self, width: usize, colours: bool) -> Option<String> {
        let _ = (width, colours);
        None
    }
}

/// A command of any kind, for a front end that knows it by its name.
pub trait AnyCommand: Send {
    /// Sets an option from text, or adds to one that may be repeated; none if there is no such
    /// option.
    ///
    /// # Errors
    /// What was expected and found, if the value is invalid.
    fn set(&mut self, name: &str, text: &OsStr) -> Option<Result<()>>;

    /// The names of the options that are given.
    fn given(&self) -> Vec<&'static str>;

    /// Does it; text for people has lines of at most `width` columns.
    ///
    /// # Errors
    /// Those of the command.
    fn run(&self, host: &Host, width: usize) -> Result<Found>;
}

/// What a command of any kind found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its figures ([`Answer::json`]).
    pub figures: Value,
    /// The same for people, if it has such a form ([`Answer::text`]).
    pub text: Option<String>,
}

impl<T: Command + Send> AnyCommand for T {
    fn set(&mut self, name: &str, text: &OsStr) -> Option<Result<()>> {
        Options::set(self, name, text)
    }

    fn given(&self) -> Vec<&'static str> {
        Options::given(self)
    }

    fn run(&self, host: &Host, width: usize) -> Result<Found> {
        let answer = Command::run(self, host)?;
        for warning in answer.warnings() {
            host.warn(&warning);
        }
        Ok(Found {
            figures: answer.json()?,
            text: answer.text(width, false),
        })
    }
}
