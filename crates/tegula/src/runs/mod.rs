//! Complete joins over runs: one reading, positions, runs.
//!
//! ```text
//! rows      while texts are read: every shingle has a position, and goes to a partition by its hash   → rows
//! share     partition by partition: which positions have the same shingle                            → classes
//! runs      block by block: neighbouring positions that the same places share are one feature        → texts
//! join      a measure's bounds over runs                                                              → candidates
//! verify    the texts of candidates, token by token                                                   → pairs
//! ```
//!
//! A *class* is all positions with one shingle, and is named by the first of them. If every position of a class is followed by one of
//! another class and there are no others in that, the two shingles are shared by the same places: they belong to one *run*, a single
//! feature as long as both. So a text in many copies has one feature where it has a thousand shingles.
//!
//! Classes are made by 32 bits of hash and the partition, so that two shingles may share one by accident. That can only raise a bound;
//! what is reported is counted in the tokens themselves (`docs/joins.md`, §17).

mod classes;
mod features;
mod join;
mod measure;
mod rows;
mod verify;

pub(crate) use features::{Feature, Texts};
pub(crate) use rows::{NONE, Placed, Placer, Rows};

use crate::context::Context;
use crate::engine::again::Firsts;
use crate::engine::reading::Reading;
use crate::error::Result;
use crate::evidence::{PairSink, Pairs};
use crate::group::Groups;
use crate::join::Allow;
use crate::recipe::Measure;
use crate::threshold::Threshold;
use measure::RunMeasure;

/// What is looked for.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The measure, one of [`covers`].
    pub(crate) measure: Measure,
    /// Pairs count from it on.
    pub(crate) threshold: Threshold,
    /// Tokens in a shingle.
    pub(crate) n: usize,
    /// Which groups may be compared.
    pub(crate) allow: Allow<'a>,
    /// Bits of the signature that tells classes apart; fewer than 32 in tests only.
    pub(crate) signature_bits: u32,
}

/// Memory for each shingle of the collection: its row, then its place in a class, of which about half of them need one, then a share of a run
/// and of the index.
pub(crate) const BYTES_PER_SHINGLE: u64 = 24;

/// Whether the pairs of a measure are found here.
pub(crate) fn covers(measure: Measure) -> bool {
    use Measure::{Coverage, CoverageContainment, Resemblance, ResemblanceContainment};
    matches!(measure, Resemblance | ResemblanceContainment | Coverage | CoverageContainment)
}

/// Makes runs of rows: the texts that share some, and the distinct shingles of each group.
///
/// # Errors
/// What the memory ceiling or scratch gives.
pub(crate) fn texts(
    context: &Context,
    groups: &Groups,
    placed: Placed,
    lengths: &[u32],
    wanted: Wanted,
) -> Result<(Texts, Vec<u32>)> {
    let set_sizes = by_group(groups, &placed);
    let texts = context.pool()?.install(|| {
        let owners = owners(groups, &placed);
        features::texts(context, placed, &owners, (&set_sizes, lengths), wanted)
    })?;
    Ok((texts, set_sizes))
}

/// Finds all pairs of texts at or above the threshold, as pairs of groups.
///
/// # Errors
/// What the source, the memory ceiling or scratch gives.
pub(crate) fn pairs(
    context: &Context,
    (reading, firsts): (&Reading, Firsts),
    texts: &Texts,
    wanted: Wanted,
    mut lap: impl FnMut(&'static str),
) -> Result<Pairs> {
    let measure = RunMeasure::new(wanted.measure, wanted.threshold, wanted.n, texts.longest());
    let candidates = context.pool()?.install(|| {
        let sink = PairSink::new(context);
        join::join(context, texts, &measure, wanted.allow, &sink)?;
        sink.finish()
    })?;
    lap("join");
    let pairs = verify::verify(context, reading, firsts, texts, &measure, &candidates)?;
    lap("verify");
    Ok(pairs)
}

/// Distinct shingles by group, of which one unit at least is placed.
fn by_group(groups: &Groups, placed: &Placed) -> Vec<u32> {
    let mut sets = vec![0; groups.len()];
    for (unit, set) in placed.sets.iter().enumerate().filter(|(unit, _)| placed.starts[*unit] != NONE) {
        sets[groups.of_unit[unit] as usize] = *set;
    }
    sets
}

/// Where each placed unit begins, and its group: in order. Of several units of a group the texts are the same.
fn owners(groups: &Groups, placed: &Placed) -> Vec<(u32, u32)> {
    let starts = placed.starts.iter().enumerate().filter(|(_, start)| **start != NONE);
    let mut owners: Vec<(u32, u32)> = starts.map(|(unit, start)| (*start, groups.of_unit[unit])).collect();
    owners.sort_unstable();
    owners
}
