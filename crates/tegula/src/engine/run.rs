//! What the survey leaves to the stages after it.

use super::checkpoint::Checkpoint;
use super::deciding::Deciding;
use super::job::Tuning;
use super::reading::{Reading, Shingles};
use super::reread::Firsts;
use super::terms::Weigher;
use crate::block::Shape;
use crate::context::Context;
use crate::measure::Collection;
use crate::pair::Allow;
use crate::rarity::Rarity;
use crate::recipe::Recipe;
use crate::statistics::Statistics;

/// The input of the stages after the survey.
pub(super) struct Run<'a> {
    pub(super) context: &'a Context,
    pub(super) recipe: &'a Recipe,
    pub(super) reading: &'a Reading<'a>,
    pub(super) firsts: Firsts<'a>,
    pub(super) statistics: &'a Statistics,
    /// Set with term weighting.
    pub(super) weigher: Option<&'a Weigher<'a>>,
    /// Set if shingles are compared.
    pub(super) shingles: Option<&'a Shingles>,
    pub(super) lengths: &'a [u32],
    /// How features that are not shingles of a complete join are stored.
    pub(super) shape: Shape,
    /// Whether different shingles may have one id (Rabin fingerprints).
    pub(super) collide: bool,
    /// Set if shingles are weighted by rarity.
    pub(super) rarity: Option<Rarity<'a>>,
    pub(super) of: Collection,
    pub(super) allow: Allow<'a>,
    pub(super) checkpoint: Option<&'a dyn Checkpoint>,
    pub(super) tuning: Tuning,
    /// Set if only a decision is needed.
    pub(super) deciding: Option<&'a Deciding>,
}
