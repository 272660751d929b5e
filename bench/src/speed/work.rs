//! What is measured: runs of Tegula and of peers over the same texts, from file to file.

use super::asked::Speed;
use super::digest;
use super::process::{self, Took};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tegula::{Error, Result};

/// A program with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Work {
    /// `tegula dedup` with this recipe, on so many threads.
    Recipe {
        /// The recipe.
        name: String,
        /// Threads.
        threads: usize,
    },
    /// Another library, driven by a script.
    Peer(String),
}

/// A run that has ended.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) took: Took,
    pub(super) answer: Answer,
    /// What Tegula counts of its work.
    pub(super) figures: Option<Value>,
    /// The version of a peer.
    pub(super) version: Option<String>,
}

/// The outcome of a run; the same each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// Texts that are kept.
    pub(super) kept: u64,
    /// Texts that are removed.
    pub(super) removed: u64,
    /// All pairs, if the run says how many there are.
    pub(super) pairs: Option<u64>,
    /// The digest of the file that was written.
    pub(super) written: String,
}

impl Work {
    /// Its name in tables.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Recipe { name, threads: 1 } | Self::Peer(name) => name.clone(),
            Self::Recipe { name, threads } => format!("{name}, {threads} threads"),
        }
    }

    /// Whether both must give the same answer: a recipe does on any number of threads.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Recipe { name: a, .. }, Self::Recipe { name: b, .. }) => a == b,
            _ => self == other,
        }
    }

    /// Runs it, with its files in `folder`.
    ///
    /// # Errors
    /// If it fails, or prints something unexpected.
    pub(super) fn run(&self, asked: &Speed, folder: &Path) -> Result<Run> {
        let out = folder.join("out.jsonl");
        let (took, said) = process::run(&mut self.command(asked, folder, &out), folder)?;
        let said: Value = serde_json::from_str(&said)
            .map_err(|error| unexpected(self, "JSON on standard output").because(error))?;
        let count = |pointer: &str| {
            let count = said.pointer(pointer).and_then(Value::as_u64);
            count.ok_or_else(|| unexpected(self, &format!("{pointer} in what it says")))
        };
        let (written, lines) = digest::of(&out)?;
        std::fs::remove_file(&out).map_err(|error| Error::io("remove", &out, error))?;
        let (removed, pairs) = match self {
            Self::Recipe { .. } => (count("/records_removed")?, count("/levels/0/pairs").ok()),
            Self::Peer(_) => (count("/removed")?, None),
        };
        let kept = count("/records")? - removed;
        if lines != kept {
            return Err(unexpected(
                self,
                &format!("{kept} lines for as many texts that it keeps, found {lines}"),
            ));
        }
        Ok(Run {
            took,
            answer: Answer {
                kept,
                removed,
                pairs,
                written,
            },
            figures: said.get("work").cloned(),
            version: said["version"]
                .as_str()
                .filter(|_| matches!(self, Self::Peer(_)))
                .map(str::to_owned),
        })
    }

    fn command(&self, asked: &Speed, folder: &Path, out: &Path) -> Command {
        match self {
            Self::Recipe { name, threads } => {
                let mut command = Command::new(&asked.tegula);
                command
                    .arg("dedup")
                    .arg(&asked.corpus)
                    .arg("-o")
                    .arg(out)
                    .args(["--recipe", name, "--threads", &threads.to_string()])
                    .args(["--json", "-q"]);
                command
            }
            Self::Peer(name) => {
                let mut command = Command::new(&asked.python);
                command
                    .arg(&asked.driver)
                    .arg(name)
                    .arg(&asked.corpus)
                    .arg(folder.join("pairs.tsv"))
                    .arg("--survivors")
                    .arg(out);
                command
            }
        }
    }
}

fn unexpected(work: &Work, what: &str) -> Error {
    Error::data(format!("{}: expected {what}", work.name()))
}
