//! Counts the terms of a collection, for reuse with others: `tegula stats`.

use super::bad_records::BadRecords;
use crate::context::{Amount, Context};
use crate::error::Result;
use crate::flow::for_each_chunk;
use crate::hash;
use crate::recipe::Recipe;
use crate::record::{Batch, Source};
use crate::statistics::{Counter, Pending};
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
            Ok(std::mem::take(&mut batch.bad))
        },
        |records| records.into_iter().try_for_each(|record| bad.bad(record)),
    )?;
    context.progress.end();
    Ok(counter)
}
