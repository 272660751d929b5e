//! Runs whose texts are read and compared elsewhere, as on a cluster: the engine groups what was
//! surveyed, and the findings are the same.

use super::joined::Joined;
use super::survey::Surveyed;
use crate::constraint::Allowed;
use crate::error::Result;
use crate::evidence::{Candidates, Hidden, Pairs, Rescore};
use crate::group::Groups;
use crate::pair::Validation;
use crate::statistics::Statistics;
use crate::unit::Units;

/// Reads and compares the texts of a run in place of the engine, by its [steps](crate::steps).
pub trait Elsewhere: Sync {
    /// Passes on what the survey says of all records, in input order; returns the frequencies of
    /// terms if the recipe needs them, and none were given.
    ///
    /// # Errors
    /// Those of the inputs, and of `each`.
    fn survey(&self, each: &mut dyn FnMut(Surveyed) -> Result<()>) -> Result<Statistics>;

    /// Compares the first texts of all groups.
    ///
    /// # Errors
    /// Those of the inputs, or of the place where they are compared.
    fn compare(&self, of: Compared<'_>) -> Result<Matched>;
}

/// The texts of a run.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// All units.
    pub units: &'a Units,
    /// Equal units.
    pub groups: &'a Groups,
    /// Which units may be compared.
    pub allowed: &'a Allowed,
    /// The frequencies of terms.
    pub statistics: &'a Statistics,
}

/// The pairs of groups that match.
#[derive(Default)]
pub struct Matched {
    /// The pairs, without those that rescoring hides.
    pub pairs: Pairs,
    /// The pairs that rescoring hides, if they join clusters all the same.
    pub joining: Pairs,
    /// Distinct shingles, by group.
    pub sets: Vec<u32>,
    /// Further scores of the pairs, in their order, if the recipe asks for them.
    pub rescored: Vec<Rescore>,
    /// The pairs that rescoring hides.
    pub hidden: Hidden,
    /// The error of upper bounds.
    pub validation: Validation,
    /// The candidates, if they come from keys.
    pub candidates: Option<Candidates>,
}

impl Matched {
    /// What the stages after the survey find, and the further scores of its pairs.
    pub(super) fn apart(self) -> (Joined, Vec<Rescore>, Hidden) {
        let joined = Joined {
            pairs: self.pairs,
            set_sizes: self.sets,
            validation: self.validation,
            candidates: self.candidates,
            kept: None,
        };
        (joined, self.rescored, self.hidden)
    }
}
