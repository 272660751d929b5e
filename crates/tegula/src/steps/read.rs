//! Steps that read records: what the survey says of them, and the texts of their units.

use super::{Count, Method};
use crate::constraint::Origin;
use crate::date::DateFormat;
use crate::engine::reading::{Buffers, Counting, Reading};
use crate::engine::survey::{self, SeenDigests, Surveyed, Worker};
use crate::error::Result;
use crate::recipe::Weights;
use crate::record::{Batch, Chunks, Source};
use crate::text::classes::{Class, Classes};
use std::collections::BTreeMap;

/// Where the units of some records come from.
#[derive(Clone, Copy)]
pub struct Records<'a> {
    /// The collection.
    pub source: &'a dyn Source,
    /// The format of dates in fields.
    pub dates: &'a DateFormat,
    /// Whether they are references.
    pub are_references: bool,
}

/// A unit of a record.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'t> {
    /// Its number among the units of the records that are read.
    pub number: u32,
    /// What constraints consider.
    pub origin: Origin,
    /// Its text.
    pub text: &'t str,
}

impl Method<'_> {
    fn reading<'s>(&'s self, source: &'s dyn Source) -> Reading<'s> {
        Reading {
            apart: self.steps.apart(),
            min_tokens: self.constraints.min_tokens,
            lengths: self.recipe.lengths,
            ..Reading::wholes(source, self.recipe, &self.steps.normaliser)
        }
    }

    /// Passes on what the survey says of some records, chunk by chunk; returns in how many texts terms
    /// were counted, and how often each occurs in how many, if the recipe weighs terms by their
    /// frequency.
    ///
    /// # Errors
    /// Those of the source and of `each`.
    pub fn survey(
        &self,
        source: &dyn Source,
        chunks: Chunks,
        each: &mut dyn FnMut(Surveyed) -> Result<()>,
    ) -> Result<(u64, Vec<Count>)> {
        let classes = matches!(self.recipe.weights, Some(Weights::Classes { .. }))
            .then(|| Classes::new(&self.recipe.normalise))
            .transpose()?;
        let counts = self.recipe.needs_statistics();
        let reading = Reading {
            count: counts.then_some(Counting {
                classes: classes.as_ref(),
                counter: None,
            }),
            of_balance: self.steps.of_balance(),
            ..self.reading(source)
        };
        let mut counted = 0;
        let (seen, mut worker) = (SeenDigests::new(), Worker::default());
        let mut terms = BTreeMap::<(u64, Class), (u32, u32)>::new();
        for chunk in chunks {
            each(survey::look(&reading, &seen, &mut worker, &*chunk?)?)?;
            counted += worker.terms.documents();
            for (term, class, texts, occurrences) in worker.terms.counts() {
                let sums = terms.entry((term, class)).or_default();
                *sums = (sums.0 + texts, sums.1 + occurrences);
            }
        }
        let row = |((term, class), counts)| Count::new(term, class as u32, counts);
        Ok((counted, terms.into_iter().map(row).collect()))
    }

    /// Passes on the units of the same records whose numbers are `wanted`, in order.
    ///
    /// # Errors
    /// Those of the source and of `each`.
    pub fn texts(
        &self,
        of: Records,
        chunks: Chunks,
        wanted: &dyn Fn(u32) -> bool,
        each: &mut dyn FnMut(Unit) -> Result<()>,
    ) -> Result<()> {
        let reading = self.reading(of.source);
        let names = of.source.field_names();
        let (mut batch, mut buffers) = (Batch::default(), Buffers::default());
        let mut number = 0;
        for chunk in chunks {
            batch.clear();
            chunk?.read(&mut batch);
            for (at, record) in batch.records.iter().enumerate() {
                reading.parts(&batch, at, &mut buffers);
                let text = batch.text_of(record);
                let value = |name: &str| {
                    let at = names.iter().position(|known| known == name)?;
                    batch.fields_of(record).get(at)?.as_deref()
                };
                let mut origin = None;
                for part in &buffers.parts {
                    if wanted(number) {
                        let origin = *origin.get_or_insert_with(|| {
                            let constraints = self.constraints;
                            constraints.origin(value, of.dates, of.are_references)
                        });
                        let text = &text[part.text.clone()];
                        each(Unit {
                            number,
                            origin: self.of_length(origin, text),
                            text,
                        })?;
                    }
                    number += 1;
                }
            }
        }
        Ok(())
    }
}
