//! What was measured.

use super::medians::Medians;
use super::process::Took;
use super::work::{Answer, Work};
use serde_json::Value;

/// A task, and all its runs.
pub(super) struct Measured {
    pub(super) work: Work,
    pub(super) took: Vec<Took>,
    pub(super) answer: Answer,
    /// The work of Tegula, in figures that do not depend on the machine.
    pub(super) figures: Option<Value>,
    pub(super) version: Option<String>,
}

impl Measured {
    pub(super) fn medians(&self) -> Medians {
        Medians::of(&self.took)
    }
}

/// What was measured.
pub(super) struct Results {
    /// About the corpus, the machine and the programs.
    pub(super) about: Vec<String>,
    pub(super) all: Vec<Measured>,
}
