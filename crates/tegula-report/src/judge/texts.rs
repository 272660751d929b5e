//! The texts of the sample.

use super::{Judging, SampledPair};
use crate::differing::ItemComparer;
use crate::run::{Place, Run};
use std::collections::BTreeMap;
use tegula::compare::Comparer;
use tegula::error::{Error, ErrorKind, Result};

/// SampledPair pairs with what is needed to show them.
#[derive(Debug)]
pub struct Shown {
    /// The texts of the pairs.
    pub texts: Vec<[String; 2]>,
    /// Compares them as the run did.
    pub comparer: Comparer,
    /// Finds the items by which they differ.
    pub items: ItemComparer,
}

impl Judging {
    /// Reads the texts of the drawn pairs.
    ///
    /// # Errors
    /// If the inputs are missing or have changed since the run.
    pub fn texts(&self, runs: &[&Run]) -> Result<Shown> {
        let mut texts: BTreeMap<(usize, u64), String> = BTreeMap::new();
        for (number, run) in runs.iter().enumerate() {
            let mut places: BTreeMap<u64, Option<Place>> = self
                .drawn
                .iter()
                .filter(|one| one.run == number)
                .flat_map(|one| one.units)
                .map(|unit| (unit, None))
                .collect();
            if places.is_empty() {
                continue;
            }
            run.stages()[0].for_each(|unit| {
                if let Some(place) = places.get_mut(&unit.number()) {
                    *place = Some(Place::of(unit));
                }
                Ok(())
            })?;
            let (units, places): (Vec<u64>, Vec<Place>) = places
                .into_iter()
                .filter_map(|(unit, place)| Some((unit, place?)))
                .unzip();
            for (unit, text) in units.iter().zip(run.texts(&places)?) {
                let text = text.ok_or_else(|| {
                    Error::new(ErrorKind::Run, "the inputs lack texts that the run read")
                        .at(run.path())
                        .hint("run again, or name the folder with ⟨root⟩ that has the inputs as they were")
                })?;
                texts.insert((number, *unit), text);
            }
        }
        let of = |one: &SampledPair| -> Result<[String; 2]> {
            let text = |unit: u64| texts.get(&(one.run, unit)).cloned();
            match one.units.map(text) {
                [Some(a), Some(b)] => Ok([a, b]),
                _ => Err(
                    Error::new(ErrorKind::Run, "units.parquet lacks units of pairs")
                        .at(runs[one.run].path())
                        .hint("run again to recreate it"),
                ),
            }
        };
        let recipe = runs[0].stages()[0].recipe()?;
        Ok(Shown {
            texts: self.drawn.iter().map(of).collect::<Result<_>>()?,
            comparer: Comparer::new(&recipe)?,
            items: ItemComparer::new(&recipe)?,
        })
    }
}
