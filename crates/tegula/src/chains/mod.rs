//! Complete joins over shingles: one pass over the text, then positions and chains.
//!
//! ```text
//! rows      while texts are read: every shingle has a position, and goes to a partition by its hash   → rows
//! share     partition by partition: which positions have the same shingle                            → classes
//! chains      range by range: neighbouring positions that the same places share are one feature        → chains
//! postings  partition by partition: the texts with each chain                                          → lists
//! ```
//!
//! From here on they are ordinary features: ranked, in blocks, and joined by the bound of a measure
//! ([`crate::join`]).
//!
//! A *class* is all positions with one shingle, identified by the first of them. If every position
//! of a class is followed by one of another class, and the latter has no others, the two shingles
//! are shared by the same places: they belong to one *chain*, a single feature with the length of
//! both. So a text with many copies has one feature instead of a thousand shingles.
//!
//! Classes are formed by 32 bits of hash and the partition, so two shingles may share one by
//! accident. That can only raise a bound; reported figures are counted in the tokens themselves
//! (`JOINS.md`, §17). Where shingles are weighted by rarity, 32 further bits identify them, and
//! figures come from the features. Where features are [single shingles](singles), these are
//! identified by the whole hash and check.

mod classes;
mod features;
mod found;
mod postings;
mod row;
mod rows;
mod singles;
mod spec;
mod texts;
mod weights;

pub(crate) use classes::Member;
pub(crate) use classes::{Tables, share, sorted};
pub(crate) use features::{Job, LONGEST, fill};
pub use postings::Feature;
pub(crate) use postings::{Torn, list};
pub(crate) use row::{Bits, Row, Wide};
pub(crate) use rows::{
    BLOCK_BITS, Cursor, NONE, Occurrences, Placed, Placer, Rows, Seen, Stored, rows,
};
pub(crate) use spec::{Identity, Kind, RowSpec, held_rows, needed_passes, partition_bits};
pub(crate) use texts::Texts;

use crate::block::{self, Features, Frequent, Layout, Numbers, Postings as _, Shape};
use crate::context::{Amount, Context};
use crate::error::Result;
use crate::group::Groups;
use crate::rarity::{self, Rarity};
use features::Members;
use postings::Chains;
use rayon::prelude::*;
use singles::Singles;
use weights::Weights;

/// The parameters for building features.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameters<'a> {
    /// Tokens in a shingle.
    pub(crate) n: usize,
    /// Whether texts are ordered by their tokens, and features have positions.
    pub(crate) sequences: bool,
    /// Whether shingles with one id share a feature even if their checks differ (Rabin
    /// fingerprints).
    pub(crate) collide: bool,
    /// What is done with features that many groups have.
    pub(crate) frequent: Frequent,
    /// Bits of the signature that distinguishes classes; fewer than 32 only in tests.
    pub(crate) signature_bits: u32,
    /// Maximum groups in a block; for tests.
    pub(crate) block_groups: usize,
    /// Set if shingles are weighted by rarity: features then have weights, and texts are ordered by
    /// weight.
    pub(crate) rarity: Option<Rarity<'a>>,
}

/// Builds the features of the texts that share any, from rows: chains, or single shingles where rows
/// identify these. If rows are read in several passes, `read` reads those of each pass after the
/// first.
///
/// # Errors
/// Any error from the memory ceiling or scratch, or of `read`.
pub(crate) fn features(
    context: &Context,
    groups: &Groups,
    (placed, spec): (Placed, &RowSpec),
    (lengths, parameters): (&[u32], Parameters),
    read: impl Fn(&Texts, &Rows) -> Result<()>,
) -> Result<Features> {
    let sets = by_group(groups, &placed);
    let _held = context.budget.reserve(
        Texts::BYTES * placed.starts.len() as u64,
        "the places of texts",
    )?;
    let bits = spec.bits;
    let mut texts = Texts::new(groups, &placed, bits);
    let Placed { rows, blocks, .. } = placed;
    let Parameters {
        n,
        sequences,
        collide,
        frequent,
        rarity,
        block_groups,
        signature_bits,
    } = parameters;
    let shape = |numbers, repeats, may_collide| Shape {
        layout: Layout {
            numbers,
            by_tokens: sequences,
            repeats,
            block_groups,
        },
        may_collide,
        frequent,
    };
    let weights = |sets: &[u32]| {
        let of = |rarity| Weights::new(context, sets.len(), rarity);
        rarity.map(of).transpose()
    };
    // Each pass and stage has its own threads: memory freed by a thread returns to the system at the
    // latest when the thread ends.
    let rows = match rows {
        Stored::Full(rows) => {
            texts.index();
            let numbers = match rarity {
                Some(_) => Numbers::Weights,
                None if sequences => Numbers::Positions,
                None => Numbers::None,
            };
            let singles = Singles {
                rows,
                bits,
                texts: &texts,
                weights: weights(&sets)?,
                sets,
                collide,
                positions: sequences,
            };
            let shape = shape(numbers, collide, collide);
            let pool = context.pool()?;
            return pool.install(|| block::rank(context, singles, lengths, shape));
        }
        rows => rows,
    };
    let members = Members::new(context, blocks);
    let share = |rows: Stored| -> Result<()> {
        let pool = context.pool()?;
        pool.install(|| members.share(context, &rows, bits, signature_bits))
    };
    share(rows)?;
    if spec.passes > 1 {
        texts.order();
    }
    for pass in 1..spec.passes {
        let rows = Rows::new(context, spec, pass);
        read(&texts, &rows)?;
        share(rows.stored()?)?;
    }
    context.pool()?.install(|| {
        let positions = blocks << BLOCK_BITS;
        let weights = weights(&sets)?;
        let chains = Chains::new(context, (positions, bits.position), sets, weights);
        let shingles = |group: u32| {
            (lengths[group as usize] as usize)
                .saturating_sub(n - 1)
                .max(1) as u32
        };
        let longest = rarity.map_or(LONGEST, |_| rarity::LONGEST);
        members.chains(context, (&texts, bits), shingles, (longest, &chains))?;
        chains.seal()?;
        drop(texts);
        let shape = match rarity {
            Some(_) => shape(Numbers::Weights, false, false),
            None => shape(Numbers::Chains, true, true),
        };
        block::rank(context, chains, lengths, shape)
    })
}

/// Calls `f` with each shingle that several groups have, given rows that identify shingles: its id,
/// in ascending order, and how many groups have it.
///
/// # Errors
/// Any error from the memory ceiling or scratch, or of `f`.
pub(crate) fn count(
    context: &Context,
    groups: &Groups,
    (placed, bits): (Placed, Bits),
    mut f: impl FnMut(u64, u32) -> Result<()>,
) -> Result<()> {
    let _held = context.budget.reserve(
        Texts::BYTES * placed.starts.len() as u64,
        "the places of texts",
    )?;
    let mut texts = Texts::new(groups, &placed, bits);
    texts.index();
    let Stored::Full(rows) = placed.rows else {
        return Ok(());
    };
    let singles = Singles {
        rows,
        bits,
        texts: &texts,
        sets: Vec::new(),
        collide: true,
        positions: false,
        weights: None,
    };
    let (progress, pool) = (&context.progress, context.pool()?);
    progress.begin("counting", Some(singles.count() as u64), Amount::Items);
    // One partition for each thread, or many small ones.
    let room = (context.threads() as u64 * singles.rows.largest()).max(1 << 18);
    for some in singles.rows.ranges(room) {
        let done = some.len() as u64;
        let counted = pool.install(|| {
            let of = |partition: usize| -> Result<Vec<(u64, u32)>> {
                let mut counted = Vec::new();
                let rows = singles.rows.take_pieces(partition)?;
                singles.each(&rows, |row, df, _| {
                    if df > 1 {
                        counted.push((row.id(bits, partition), df));
                    }
                });
                Ok(counted)
            };
            some.into_par_iter().map(of).collect::<Result<Vec<_>>>()
        })?;
        let mut rows = counted.into_iter().flatten();
        rows.try_for_each(|(id, df)| f(id, df))?;
        progress.advance(done);
        context.check()?;
    }
    progress.end();
    Ok(())
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
