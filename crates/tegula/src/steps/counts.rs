//! Steps that count terms, for recipes that weigh them by their frequency.

use super::Count;
use crate::engine::reading::Buffers;
use crate::error::Result;
use crate::hash;
use crate::recipe::{Recipe, Weights};
use crate::statistics::{Pending, Statistics};
use crate::text::classes::{Class, Classes};

/// How often each term occurs in texts.
///
/// # Errors
/// If the recipe is wrong.
pub fn counts<'t>(recipe: &Recipe, texts: impl IntoIterator<Item = &'t str>) -> Result<Vec<Count>> {
    let normaliser = recipe.check()?;
    let classes = matches!(recipe.weights, Some(Weights::Classes { .. }))
        .then(|| Classes::new(&recipe.normalise))
        .transpose()?;
    let (mut buffers, mut pending) = (Buffers::default(), Pending::default());
    for text in texts {
        if buffers.read(&normaliser, text) > 0 {
            match &classes {
                Some(classes) => classes.for_each(text, |token, class| {
                    pending.push(hash::token(token.as_bytes()).id, class);
                }),
                None => buffers
                    .tokens
                    .iter()
                    .for_each(|token| pending.push(token.id, Class::default())),
            }
        }
        pending.end_unit();
    }
    let counts = pending.counts().into_iter();
    let column =
        |(term, class, texts, occurrences)| Count::new(term, class as u32, (texts, occurrences));
    Ok(counts.map(column).collect())
}

/// The frequencies in a collection of so many texts, from the counts of all of them; counts of a
/// term may be added up in any order.
pub fn statistics(texts: u64, counts: &[Count]) -> Statistics {
    let rows = counts.iter().filter_map(|count| {
        let class = *Class::ALL.get(count.class as usize)?;
        Some((count.term(), class, count.texts, count.occurrences))
    });
    Statistics::of(texts, rows)
}

/// The same counts, added up by term and class.
pub fn added(counts: &[Count]) -> Vec<Count> {
    let mut rows = counts.to_vec();
    rows.sort_unstable_by_key(|count| (count.term(), count.class));
    rows.chunk_by(|a, b| (a.term(), a.class) == (b.term(), b.class))
        .map(|rows| {
            let texts = rows.iter().map(|row| row.texts).sum();
            let occurrences = rows.iter().map(|row| row.occurrences).sum();
            Count::new(rows[0].term(), rows[0].class, (texts, occurrences))
        })
        .collect()
}
