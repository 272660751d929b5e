//! Repeated passages: every sequence of n tokens is kept once.
//!
//! ```text
//! tape      pass 1: all tokens, and the places of each sequence of n tokens  → repeats
//! scan      in keep order: what occurs in kept text already                  → cuts
//! divide    pass 2, of the texts concerned: offsets, and proof               → units, evidence
//! ```
//!
//! A unit is a passage that is cut, or the text between two of them.
//!
//! # Guarantee
//! Each token that is cut lies in a passage that occurs, token by token, in one kept stretch of a
//! text, its witness. No two sequences of n tokens that are kept are equal: neither in two texts nor,
//! unless they overlap, in one. The order is that of the policy, so the result depends on nothing
//! else. Texts of fewer than n tokens are kept.
//!
//! # Cost
//! One reading of everything and one of the texts with passages; 16 bytes on scratch for each place
//! of a sequence but its first, and 24 bytes in memory for each passage.

mod divide;
mod order;
mod scan;

use super::bad_records::BadRecords;
use super::taped::Taped;
use super::{Clock, Job};
use crate::context::{Amount, Context};
use crate::decide::Policy;
use crate::error::Result;
use crate::evidence::{Evidence, Findings, Notes};
use crate::group::Groups;
use crate::hash::Width;
use crate::measure::Measure;
use crate::partition::Partitions;
use crate::recipe::Recipe;
use crate::record::Level;
use order::Order;
use scan::Scan;

/// A place of a sequence of n tokens that occurs again. Places are in keep order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Repeat {
    /// Its first token.
    at: u64,
    /// The first place of a sequence with its hash, or [`Repeat::ALL`].
    first: u64,
}

impl Repeat {
    /// No copy is kept.
    const ALL: u64 = u64::MAX;
}

/// Partitions of repeats, each a stretch of the places.
const PARTITIONS: usize = 256;

/// Finds the passages to cut.
///
/// # Errors
/// As [`super::find`]; a usage error if the policy names a field that was not read.
pub(super) fn find(
    context: &Context,
    job: Job,
    policy: &Policy,
    bad: &mut dyn BadRecords,
) -> Result<Findings> {
    policy.check_of_passages()?;
    // Whole texts are read, as for a measure of their sequences.
    let recipe = Recipe {
        unit: Level::Document,
        measure: Measure::Coverage,
        ..job.recipe.clone()
    };
    let job = Job {
        recipe: &recipe,
        ..job
    };
    let mut clock = Clock::start();
    let mut taped = Taped::read(context, job, false, Width::FULL, bad)?;
    clock.lap("survey");
    let order = Order::new(context, &taped, policy)?;
    let repeats = repeats(context, &taped, &order, policy.keep.keeps_none())?;
    taped.forget_sequences(context);
    let mut scan = Scan::new(context, &taped, &order)?;
    context.progress.begin(
        "finding passages",
        Some(repeats.count() as u64),
        Amount::Items,
    );
    for partition in 0..repeats.count() {
        context.check()?;
        let bytes = size_of::<Repeat>() as u64 * repeats.rows(partition);
        let _held = context.budget.reserve(bytes, "repeated sequences")?;
        let mut rows = repeats.take(partition)?;
        rows.sort_unstable();
        rows.into_iter().try_for_each(|repeat| scan.push(repeat))?;
        context.progress.advance(1);
    }
    let (cuts, _held) = scan.finish();
    context.progress.end();
    clock.lap("passages");
    let (units, spans) = divide::divide(context, job, taped.units, &order, &cuts)?;
    let allowed = job.constraints.resolve(&units)?;
    let groups = Groups::single(units.len());
    clock.lap("verify");
    Ok(Findings {
        units,
        groups,
        allowed,
        evidence: Evidence::Spans(spans),
        notes: Notes {
            timings: clock.laps,
            ..Notes::default()
        },
    })
}

/// The places of sequences that occur again, except for the first of each, in partitions that follow
/// each other.
fn repeats(
    context: &Context,
    taped: &Taped,
    order: &Order,
    keeps_none: bool,
) -> Result<Partitions<Repeat>> {
    let rows = Partitions::new(context, PARTITIONS, 256);
    let allowed = &taped.allowed;
    let n = taped.n as u64;
    let whole = u128::from(order.len().max(1));
    context.progress.begin(
        "sorting sequences",
        Some(taped.partitions() as u64),
        Amount::Items,
    );
    taped.each(
        context,
        || (rows.writer(), Vec::new()),
        |(writer, places), positions| {
            places.clear();
            for position in positions {
                let at = taped.at(*position);
                let range = taped.range(at.unit);
                let record = taped.units.record_of(at.unit);
                // A text of fewer tokens than n is a single sequence, which only equal texts share.
                if range.start + u64::from(at.token) + n > range.end
                    || allowed.leave_out(&taped.units, at.unit)
                {
                    continue;
                }
                let class = Order::class(allowed, record);
                places.push((class, order.place(at), allowed.is_reference(record)));
            }
            places.sort_unstable();
            for places in places.chunk_by(|x, y| x.0 == y.0) {
                let (Some((_, first, _)), Some((_, last, _))) = (places.first(), places.last())
                else {
                    continue;
                };
                for (_, at, is_reference) in places {
                    // References are kept, and come first.
                    let is_repeat = if keeps_none {
                        first + n <= *at || at + n <= *last
                    } else {
                        first != at
                    };
                    if is_repeat && !is_reference {
                        let partition = u128::from(*at) * PARTITIONS as u128 / whole;
                        let first = if keeps_none { Repeat::ALL } else { *first };
                        writer.push(partition as usize, Repeat { at: *at, first })?;
                    }
                }
            }
            Ok(())
        },
        |_| {
            context.progress.advance(1);
            Ok(())
        },
    )?;
    context.progress.end();
    rows.seal()?;
    Ok(rows)
}
