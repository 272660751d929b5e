//! Counts the terms or the shingles of a collection, for reuse with others: `tegula stats`.

use super::bad_records::{BadRecords, Once};
use super::job::Job;
use super::reading::{Features, Reading, Shingles, Steps};
use super::search;
use super::survey::Survey;
use crate::chains::{self, Bits};
use crate::context::{Amount, Context};
use crate::error::Result;
use crate::flow::for_each_chunk;
use crate::group::Groups;
use crate::hash::{self, Width};
use crate::recipe::Recipe;
use crate::record::{Batch, Source};
use crate::statistics::{Counter, Pending, ShingleCounts, Statistics};
use crate::strategy::Strategy;
use crate::text::classes::Classes;
use crate::text::segment;

/// Counts in how many units of a collection each term occurs, with its spelling and its class;
/// units and tokens follow the recipe. Holds about a hundred bytes per term.
///
/// # Errors
/// Errors of the source, of a bad record under its policy, or of the memory ceiling.
pub fn count(
    context: &Context,
    source: &dyn Source,
    recipe: &Recipe,
    bad: &mut dyn BadRecords,
) -> Result<Counter> {
    recipe.check()?;
    let classes = Classes::new(&recipe.normalise)?;
    let counter = Counter::new(context)?;
    let total = source.files().iter().map(|file| file.bytes).sum();
    context
        .progress
        .begin("counting", Some(total), Amount::Bytes);
    for_each_chunk(
        context,
        source,
        || (Batch::default(), Vec::new(), Pending::default()),
        |(batch, parts, pending), chunk| {
            batch.clear();
            chunk.read(batch);
            for record in &batch.records {
                let text = batch.text_of(record);
                parts.clear();
                segment::parts(
                    text,
                    batch.segments_of(record),
                    recipe.unit,
                    recipe.rejoin,
                    parts,
                );
                for part in &*parts {
                    let from = part.text.start;
                    classes.for_each_tagged(
                        &text[part.text.clone()],
                        batch.tags_of(record, from),
                        from,
                        |token, class| {
                            let id = hash::token(token.as_bytes()).id;
                            pending.push(id, class);
                            pending.spell(id, token);
                        },
                    );
                    pending.end_unit();
                }
            }
            counter.take(pending)?;
            Ok((chunk.file(), std::mem::take(&mut batch.bad)))
        },
        |(file, records)| {
            let mut records = records.into_iter();
            records.try_for_each(|record| bad.bad(file, record))
        },
    )?;
    context.progress.end();
    Ok(counter)
}

/// The shingles of a collection, to be counted.
pub struct CollectionShingles {
    survey: Survey,
    bits: Bits,
    groups: Groups,
    texts: u64,
}

/// Reads the shingles of a collection; units, tokens and shingles follow the recipe, and units that
/// it does not compare are left out. Rows of shingles that do not fit in memory go to scratch.
///
/// # Errors
/// Usage errors of the recipe; errors of the source, of a bad record under its policy, of the memory
/// ceiling or scratch.
pub fn shingles(
    context: &Context,
    job: Job,
    bad: &mut dyn BadRecords,
) -> Result<CollectionShingles> {
    let mut bad = Once::new(bad);
    context.on_threads_that_fit(|| {
        bad.begin();
        read(context, job, &mut bad)
    })
}

fn read(context: &Context, job: Job, bad: &mut dyn BadRecords) -> Result<CollectionShingles> {
    let steps = Steps::of(job.recipe)?;
    let reading = Reading {
        apart: steps.apart(),
        collapse: job.recipe.lengths.are_all(),
        min_tokens: job.constraints.min_tokens,
        lengths: job.recipe.lengths,
        features: Features::Shingles(Shingles::of(job.recipe, Width::FULL)?),
        ..Reading::wholes(job.source, job.recipe, &steps.normaliser)
    };
    let (survey, spec) = search::read(context, &job, &reading, Strategy::Shingles, bad)?;
    let units = &survey.units;
    let allowed = job.constraints.resolve(units)?;
    let allowed = allowed.of_lengths(job.recipe.lengths, units);
    let groups = Groups::new(units, &allowed);
    let compared = groups
        .first
        .iter()
        .filter(|unit| !allowed.leave_out(units, **unit))
        .count();
    Ok(CollectionShingles {
        texts: compared as u64,
        bits: spec.map_or(Bits::new(0, 32), |spec| spec.bits),
        groups,
        survey,
    })
}

impl CollectionShingles {
    /// The number of texts; equal ones count once.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// Calls `f` with each shingle that several texts have: its id, in ascending order, and how many
    /// texts have it.
    ///
    /// # Errors
    /// If scratch cannot be read, memory is exhausted, or an error of `f`.
    pub fn each(self, context: &Context, f: impl FnMut(u64, u32) -> Result<()>) -> Result<()> {
        match self.survey.placed {
            Some(placed) => chains::count(context, &self.groups, (placed, self.bits), f),
            None => Ok(()),
        }
    }

    /// All of them, in memory.
    ///
    /// # Errors
    /// If scratch cannot be read, or memory is exhausted.
    pub fn statistics(self, context: &Context) -> Result<Statistics> {
        let (documents, what) = (self.texts, "the table of frequencies");
        let (mut ids, mut texts) = (Vec::new(), Vec::new());
        let mut held = context.budget.reserve(0, what)?;
        self.each(context, |id, count| {
            if ids.len() == ids.capacity() {
                let more = ids.len().max(1 << 12);
                held.grow(ShingleCounts::BYTES * more as u64, what)?;
                ids.reserve_exact(more);
                texts.reserve_exact(more);
            }
            ids.push(id);
            texts.push(count);
            Ok(())
        })?;
        let counts = ShingleCounts::new(ids, texts);
        Ok(Statistics::of_shingles(documents, counts, held))
    }
}
