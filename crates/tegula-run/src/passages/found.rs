//! The passages that were found, and the families they form.

use crate::inputs::Inputs;
use std::cmp::Reverse;
use tegula::error::Result;
use tegula::passages::{Families, Found, Passage, Place};

/// The passages that were found.
pub struct Passages {
    /// The passages, and the units they are in.
    pub found: Found,
    /// Which of them belong together.
    pub families: Families,
    pub(super) inputs: Inputs,
    /// Rows of the table.
    pub rows: u64,
    /// Passages marked in the collection.
    pub marks: u64,
    /// Tokens of a passage, at least.
    pub(super) min_tokens: u32,
}

impl Passages {
    /// The families, those in the most texts first, then by tokens, then the earliest.
    pub fn ranked(&self) -> Vec<u32> {
        let mut ranked: Vec<u32> = (0..self.families.places.len() as u32).collect();
        ranked.sort_by_cached_key(|family| {
            (
                Reverse((self.texts(*family), self.longest(*family))),
                *family,
            )
        });
        ranked
    }

    /// The number of texts that a family is in, equal ones included.
    pub fn texts(&self, family: u32) -> u64 {
        let places = &self.families.places[family as usize];
        let units = places.chunk_by(|a, b| a.unit == b.unit);
        units
            .filter_map(|places| places.first())
            .map(|place| u64::from(self.equal(place.unit)))
            .sum()
    }

    /// The tokens of a family's longest place.
    pub fn longest(&self, family: u32) -> u32 {
        let places = self.families.places[family as usize].iter();
        places
            .map(|place| place.tokens.len() as u32)
            .max()
            .unwrap_or_default()
    }

    /// The places of a family, the earliest first: by the date in this field if one is named.
    pub fn places(&self, family: u32, date: Option<&str>) -> Vec<&Place> {
        let mut places: Vec<&Place> = self.families.places[family as usize].iter().collect();
        if let Some(field) = date {
            let day = |place: &Place| self.date(field, place.unit).map(|(day, _)| day);
            places.sort_by_key(|place| (day(place).is_none(), day(place)));
        }
        places
    }

    /// The text of a family: that of its first passage.
    pub fn text(&self, family: u32) -> &str {
        let first = self.families.of.iter().position(|of| *of == family);
        first.map_or("", |at| &self.found.passages[at].text)
    }

    /// Pairs of texts with a passage.
    pub fn pairs(&self) -> u64 {
        let units = |passage: &Passage| (passage.a.unit, passage.b.unit);
        let mut pairs: Vec<(u32, u32)> = self.found.passages.iter().map(units).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.len() as u64
    }

    /// The number of texts equal to a unit, itself included.
    pub fn equal(&self, unit: u32) -> u32 {
        let groups = &self.found.groups;
        groups.members(groups.of_unit[unit as usize]).len() as u32
    }

    /// The texts of some units, reread; none for a record that no longer exists.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn texts_of(&self, units: &[u32]) -> Result<Vec<Option<String>>> {
        self.inputs.texts(&self.found.units, units)
    }

    /// The day of a unit, and its date as written, if it has one in this field.
    pub fn date(&self, field: &str, unit: u32) -> Option<(i64, &str)> {
        let units = &self.found.units;
        let column = tegula::field::find(&units.records.fields, field).ok()?;
        let value = column.get(units.record_of(unit))?;
        Some((column.date(value)?.day(), value))
    }
}
