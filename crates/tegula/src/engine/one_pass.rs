//! Finds equal units in one pass: the verdict on a unit is known as soon as it is read.
//!
//! For recipes that find only equal units and keep the first. The findings equal those of
//! [`super::find`].

use super::Clock;
use super::bad_records::BadRecords;
use super::reading::{Features, Reading};
use super::survey::{self, Running};
use crate::constraint::Constraints;
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::evidence::{Evidence, Findings, Notes, Pairs, ScoredPairs, Scoring};
use crate::field::FieldColumn;
use crate::group::Groups;
use crate::hash::{Hashed, Width};
use crate::recipe::Recipe;
use crate::record::{Chunk, Source};
use crate::text::normalise::Normaliser;
use crate::unit::Units;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;

/// A pass over a collection that immediately matches each unit with its first equal. Holds the
/// table of units and 24 bytes for each.
pub struct OnePass<'a> {
    context: &'a Context,
    running: Running<'a>,
    first: HashMap<u128, u32, BuildHasherDefault<Hashed>>,
    /// By unit, whether it has an earlier equal.
    copies: Vec<bool>,
    held: Reservation,
    clock: Clock,
}

impl<'a> OnePass<'a> {
    /// Starts a pass over `source`; nothing is read yet.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(
        context: &'a Context,
        source: &'a dyn Source,
        recipe: &Recipe,
        normaliser: &'a Normaliser,
    ) -> Result<Self> {
        let reading = Reading {
            source,
            level: recipe.unit,
            rejoin: recipe.rejoin,
            digest: recipe.digest,
            normaliser,
            unmasked: None,
            items: None,
            width: Width::FULL,
            collapse: true,
            min_tokens: 0,
            own_tokens: false,
            tape: None,
            features: Features::Whole,
            count: None,
        };
        Ok(Self {
            context,
            running: Running::new(reading, context.threads()),
            first: HashMap::default(),
            copies: Vec::new(),
            held: context.budget.reserve(0, "the table of units")?,
            clock: Clock::start(),
        })
    }

    /// Reads the next chunks.
    ///
    /// # Errors
    /// Errors of a bad record under its policy, or of the memory ceiling.
    pub fn take(&mut self, chunks: &[&(dyn Chunk + Sync)], bad: &mut dyn BadRecords) -> Result<()> {
        self.context.check()?;
        self.running.take(chunks, bad)?;
        self.context
            .work
            .read(chunks.iter().map(|chunk| chunk.disk_bytes()).sum());
        let units = &self.running.units;
        let tokens = survey::tokens_from(units, self.copies.len());
        self.context.work.tokens(tokens);
        for unit in self.copies.len()..units.len() {
            let is_copy = match self.first.entry(units.digest[unit]) {
                Entry::Occupied(_) => true,
                Entry::Vacant(place) => {
                    place.insert(unit as u32);
                    false
                }
            };
            self.copies.push(is_copy);
        }
        // A slot of the map takes 33 bytes, and the map doubles when full.
        let held =
            units.heap_bytes() + self.copies.capacity() as u64 + 33 * self.first.capacity() as u64;
        if held > self.held.bytes() && !self.held.try_grow(held - self.held.bytes()) {
            self.context
                .budget
                .reserve(held - self.held.bytes(), "the table of units")?;
        }
        Ok(())
    }

    /// The units read so far.
    pub fn units(&self) -> &Units {
        &self.running.units
    }

    /// Whether an earlier unit has the same tokens.
    pub fn is_copy(&self, unit: u32) -> bool {
        self.copies[unit as usize]
    }

    /// The findings, once everything is read.
    ///
    /// # Errors
    /// If memory does not suffice, or a date in a field is ambiguous.
    pub fn finish(mut self) -> Result<Findings> {
        let mut units = self.running.units;
        units
            .records
            .fields
            .iter()
            .try_for_each(FieldColumn::check)?;
        units.settle_ids();
        let allowed = Constraints::default().resolve(&units)?;
        drop((self.first, self.copies));
        let groups = Groups::new(&units, &allowed);
        self.clock.lap("read and write");
        let lengths = groups
            .first
            .iter()
            .map(|unit| units.tokens[*unit as usize].max(1))
            .collect();
        let pairs = ScoredPairs::new(Scoring::EQUALITY, (Vec::new(), lengths), Pairs::default());
        let notes = Notes {
            timings: self.clock.laps,
            ..Notes::default()
        };
        Ok(Findings {
            units,
            groups,
            allowed,
            evidence: Evidence::Pairs(pairs),
            notes,
        })
    }
}
