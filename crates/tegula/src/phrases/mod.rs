//! Phrases: the sequences of tokens that recur in a collection, without their own parts.
//!
//! A phrase is a *maximal repeat*: a sequence that is not part of a longer one with the same number
//! of occurrences. Equivalently, its occurrences are preceded by at least two different tokens and
//! followed by at least two, where every beginning and end of a text counts as a distinct token. So
//! if a sentence is always copied whole, only the sentence is listed; a part of it is listed only
//! if it also occurs elsewhere. Occurrences may overlap.
//!
//! ```text
//! tape      one reading: tokens as numbers, positions by sequences of n tokens
//! tree      sequence by sequence: the phrases that begin with it             → found, shares
//! spelling  a second reading: how each is spelled where it occurs first      → rows
//! listing   rows in order: longest first, then most frequent, then earliest
//! ```
//!
//! Results spill; the number of occurrences of each token, for associations, does not. Time is
//! about linear in the number of tokens plus, for each phrase, its occurrences; a token is read
//! once for each phrase that contains it and begins at the same place. *Not useful for* phrases
//! with gaps.
//!
//! Tokens are compared by 32 bits of their fingerprints, so a phrase may be one token too long
//! about once in four billion comparisons.

mod found;
mod frequencies;
mod listing;
mod phrase;
mod row;
mod spelling;
mod tree;
mod wanted;

pub use phrase::{Counted, Phrase};
pub use wanted::Wanted;

use crate::context::{Amount, Context};
use crate::engine::Job;
use crate::engine::bad_records::BadRecords;
use crate::engine::taped::Taped;
use crate::error::Result;
use crate::field::find as column;
use crate::hash::Width;
use crate::recipe::Recipe;
use found::{Found, Values};
use frequencies::Frequencies;
use std::sync::{Mutex, PoisonError};
use tree::{Node, Tree};

/// The most tokens of the sequences that positions are sorted by.
const LONGEST: u32 = 64;

/// Finds phrases, and passes them to `take`: the longest first, then those with the most
/// occurrences, then the earliest. The job's recipe defines texts and tokens.
///
/// # Errors
/// Invalid numbers in `wanted`; errors of the source, the memory ceiling, scratch or `take`.
pub fn find(
    context: &Context,
    job: Job,
    wanted: &Wanted,
    bad: &mut dyn BadRecords,
    take: &mut dyn FnMut(&Phrase) -> Result<()>,
) -> Result<Counted> {
    wanted.check()?;
    let recipe = Recipe {
        unit: job.recipe.unit,
        rejoin: job.recipe.rejoin,
        normalise: job.recipe.normalise.clone(),
        ngram: wanted.min_tokens.min(LONGEST) as usize,
        ..Recipe::named(Recipe::DEFAULT)?
    };
    let job = Job {
        recipe: &recipe,
        ..job
    };
    let mut taped = Taped::read(context, job, false, Width::FULL, bad)?;
    let values = match &wanted.by {
        Some(key) => {
            let column = column(&taped.units.records.fields, &key.name)?;
            Some(Values::new(context, &taped.units, key, column)?)
        }
        None => None,
    };
    let found = search(context, &taped, wanted, values.as_ref())?;
    taped.forget_sequences(context);
    let best = found.best(context, wanted.top)?;
    let mut counted = Counted {
        texts: taped.units.len() as u64,
        tokens: taped.tape.len(),
        phrases: 0,
    };
    if best.count == 0 {
        return Ok(counted);
    }
    let frequencies = Frequencies::count(context, &taped.tape)?;
    let listing = spelling::spell(context, &job, &taped, (&found, &best), &frequencies)?;
    drop((found, frequencies));
    counted.phrases = listing.each(context, &taped, values.as_ref(), take)?;
    Ok(counted)
}

/// Finds the phrases of all sequences, on all threads.
fn search(
    context: &Context,
    taped: &Taped,
    wanted: &Wanted,
    values: Option<&Values>,
) -> Result<Found> {
    let found = Found::new(context, taped.tape.len(), values.is_some());
    // Buffers outlive a partition.
    let workers = Mutex::new(Vec::new());
    let lock = || workers.lock().unwrap_or_else(PoisonError::into_inner);
    let partitions = taped.partitions() as u64;
    context
        .progress
        .begin("finding phrases", Some(partitions), Amount::Items);
    taped.each(
        context,
        || {
            let idle = lock().pop();
            idle.unwrap_or_else(|| (Tree::new(context, taped, wanted), found.writer()))
        },
        |(tree, writer), positions| {
            tree.each(positions, &mut |node: &Node| {
                writer.push(taped, node, values)
            })
        },
        |worker| {
            context.progress.advance(1);
            lock().push(worker);
            Ok(())
        },
    )?;
    context.progress.end();
    drop(workers);
    found.seal()?;
    Ok(found)
}
