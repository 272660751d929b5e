//! What the stages after the survey find.

use crate::evidence::{Candidates, Pairs};
use crate::pair::Validation;

/// The results of the stages after the survey.
#[derive(Default)]
pub(super) struct Joined {
    /// All pairs, or those of a kept and a removed text.
    pub(super) pairs: Pairs,
    /// By group, whether it is kept; set if there were too many pairs to list.
    pub(super) kept: Option<Vec<bool>>,
    /// Distinct shingles by group.
    pub(super) set_sizes: Vec<u32>,
    /// The error of upper bounds.
    pub(super) validation: Validation,
    /// The candidates generated from keys.
    pub(super) candidates: Option<Candidates>,
}
