//! Complete joins over runs: one pass over the text, then positions and runs.
//!
//! ```text
//! rows      while texts are read: every shingle has a position, and goes to a partition by its hash   → rows
//! share     partition by partition: which positions have the same shingle                            → classes
//! runs      block by block: neighbouring positions that the same places share are one feature        → texts
//! ```
//!
//! From here on they are ordinary features: ranked, in blocks, and joined by the bound of a measure
//! ([`crate::join`]).
//!
//! A *class* is all positions with one shingle, identified by the first of them. If every position
//! of a class is followed by one of another class, and the latter has no others, the two shingles
//! are shared by the same places: they belong to one *run*, a single feature with the length of
//! both. So a text with many copies has one feature instead of a thousand shingles.
//!
//! Classes are formed by 32 bits of hash and the partition, so two shingles may share one by
//! accident. That can only raise a bound; reported figures are counted in the tokens themselves
//! (`docs/joins.md`, §17). Where shingles are weighted by rarity, 32 further bits identify them, and
//! figures come from the features.

mod classes;
mod features;
mod number;
mod rows;

pub(crate) use classes::{Tables, sorted};
pub(crate) use rows::{Kind, NONE, Placed, Placer, Rows, Stored};

use crate::block::Features;
use crate::context::Context;
use crate::error::Result;
use crate::group::Groups;
use crate::rarity::Rarity;

/// The parameters for building runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunParameters {
    /// Tokens in a shingle.
    pub(crate) n: usize,
    /// Whether texts are ordered by their tokens rather than their distinct shingles.
    pub(crate) by_tokens: bool,
    /// Bits of the signature that distinguishes classes; fewer than 32 only in tests.
    pub(crate) signature_bits: u32,
    /// Maximum groups in a block; for tests.
    pub(crate) block_groups: usize,
    /// Set if shingles are weighted by rarity: features then have weights, and texts are ordered by
    /// what they weigh.
    pub(crate) rarity: Option<Rarity>,
}

/// Builds runs from rows: the features of the texts that share any.
///
/// # Errors
/// Any error from the memory ceiling or scratch.
pub(crate) fn features(
    context: &Context,
    groups: &Groups,
    placed: Placed,
    lengths: &[u32],
    wanted: RunParameters,
) -> Result<Features> {
    let set_sizes = by_group(groups, &placed);
    context.pool()?.install(|| {
        let owners = owners(groups, &placed);
        features::texts(context, placed, &owners, (set_sizes, lengths), wanted)
    })
}

/// Distinct shingles by group; at least one unit of each group has rows.
fn by_group(groups: &Groups, placed: &Placed) -> Vec<u32> {
    let mut sets = vec![0; groups.len()];
    for (unit, set) in placed
        .sets
        .iter()
        .enumerate()
        .filter(|(unit, _)| placed.starts[*unit] != NONE)
    {
        sets[groups.of_unit[unit] as usize] = *set;
    }
    sets
}

/// The start of each unit with rows, and its group, in order. Units of one group have equal texts.
fn owners(groups: &Groups, placed: &Placed) -> Vec<(u32, u32)> {
    let starts = placed
        .starts
        .iter()
        .enumerate()
        .filter(|(_, start)| **start != NONE);
    let mut owners: Vec<(u32, u32)> = starts
        .map(|(unit, start)| (*start, groups.of_unit[unit]))
        .collect();
    owners.sort_unstable();
    owners
}
