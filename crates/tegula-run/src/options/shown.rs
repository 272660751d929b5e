//! How what a command found is shown, and the resources it may use: options of front ends.

use super::MachineOptions;
use tegula::error::Result;

tegula::choices! {
    /// The output format of tables.
    pub enum Form, by default Table {
        /// Formatted tables
        Table = "table",
        /// The tables as TSV, separated by empty lines
        Tsv = "tsv",
        /// One JSON object with all figures
        Json = "json",
    }
}

tegula::choices! {
    /// How progress is shown.
    pub enum ProgressMode, by default Auto {
        /// Bars on a terminal, otherwise a line per minute
        Auto = "auto",
        /// A line per minute
        Log = "log",
        /// Nothing
        None = "none",
    }
}

tegula::options! {
    /// What is shown during a run.
    pub struct ProgressOptions under "Machine" {
        /// Progress on standard error [default: auto]
        pub progress: Option<ProgressMode> => "MODE",

        /// Print no progress and no summary, only warnings and errors
        pub quiet: bool => "",
    }
}

tegula::options! {
    /// The options of front ends. A command has those that it names ([`Shown`]).
    pub struct ShownOptions under "Output" {
        /// Output format [default: table]
        pub form: Option<Form> => "FORM",

        /// List every file, however many there are
        pub all_files: bool => "",

        /// List at most N, those with the most texts first; 0 lists all [default: 10]
        pub top: Option<usize> => "N",

        /// Print the specification as JSON, without running it
        pub print: bool => "",

        /// Print what was found as JSON on standard output
        pub json: bool => "",

        /// Print a page on all methods in Markdown: docs/methods.md
        pub markdown: bool => "",

        /// Width in columns [default: that of the terminal, or 100]
        pub width: Option<usize> => "COLUMNS",
    }
    under "Evidence and summary" {
        /// Print all figures in the summary: other thresholds, large clusters, files and steps
        pub verbose: bool => "",
    }
    blocks {
        /// The resources.
        pub machine: MachineOptions,
        /// What is shown during the run.
        pub progress: ProgressOptions,
    }
    besides {}
}

impl ShownOptions {
    /// Options with those that they rule out.
    pub(crate) const RULES_OUT: [(&str, &[&str]); 1] = [("quiet", &["verbose"])];

    /// How many entries of a list are shown, of so many.
    pub fn listed(&self, all: usize) -> usize {
        match self.top.unwrap_or(10) {
            0 => all,
            top => top.min(all),
        }
    }

    /// The resources of a command with these options; one without a choice of threads uses one.
    ///
    /// # Errors
    /// As [`MachineOptions::context`].
    pub fn context(&self, shown: Shown) -> Result<tegula::context::Context> {
        let mut machine = self.machine.clone();
        if !shown.has("threads") {
            machine.threads = Some(1);
        }
        machine.context()
    }
}

/// Which of the options of front ends a command has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    own: &'static [&'static str],
    runs: bool,
}

impl Shown {
    /// Those of every command that compares texts.
    const RUNNING: [&'static str; 5] = ["memory", "threads", "scratch", "progress", "quiet"];

    /// Only these.
    pub const fn only(own: &'static [&'static str]) -> Self {
        Self { own, runs: false }
    }

    /// These, and those of every command that compares texts: its resources, and its progress.
    pub const fn running(own: &'static [&'static str]) -> Self {
        Self { own, runs: true }
    }

    /// Their names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let running = Self::RUNNING.iter().filter(move |_| self.runs);
        self.own.iter().chain(running).copied()
    }

    /// Whether the option of this name is among them.
    pub fn has(self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }
}
