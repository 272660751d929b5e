//! The passages that were found, and the families they form.

use crate::opened::inputs::Inputs;
use std::cmp::Reverse;
use tegula::error::Result;
use tegula::passages::{Families, Found, Place};
use tegula::recipe::Recipe;
use tegula_io::passed_over::PassedOver;
use tegula_report::form::plural;

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
    /// The minimum number of tokens of a passage.
    pub(super) min_tokens: u32,
    /// What texts and tokens are.
    pub(super) recipe: Recipe,
}

impl Passages {
    /// What the files hold besides the records that were read.
    pub fn passed_over(&self) -> Vec<PassedOver> {
        self.inputs.passed_over()
    }

    /// Families by rank: rare and long ones first, by the tokens of the longest place times the
    /// logarithm of how rare the family is (as with inverse document frequencies), formulas last.
    pub fn ranked(&self) -> Vec<u32> {
        let all = self.found.units.len() as f64 + 1.0;
        let mut ranked: Vec<u32> = (0..self.families.places.len() as u32).collect();
        ranked.sort_by_cached_key(|family| {
            let rare = (all / self.texts(*family).max(1) as f64).ln().max(0.0);
            let weight = f64::from(self.longest(*family)) * rare;
            (self.is_formula(*family), Reverse(weight.to_bits()), *family)
        });
        ranked
    }

    /// Whether a family is in so many texts that it says little about any of them: more than 10, and
    /// more than a quarter of all.
    pub fn is_formula(&self, family: u32) -> bool {
        self.texts(family) > (self.found.units.len() as u64 / 4).max(10)
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

    /// Whether a unit is of the texts in which passages are looked for, and not one of those asked about.
    pub fn is_reference(&self, unit: u32) -> bool {
        let record = self.found.units.record_of(unit);
        self.found.allowed.is_reference(record)
    }

    /// The texts that are compared, in words.
    pub fn texts_compared(&self) -> String {
        let all = self.found.units.len() as u64;
        let others = (0..all as u32)
            .filter(|unit| self.is_reference(*unit))
            .count() as u64;
        match others {
            0 => plural(all, "text"),
            _ => format!(
                "{} and {}",
                plural(all - others, "text"),
                plural(others, "reference")
            ),
        }
    }

    /// The length of a family's places, in words: `up to` where they differ.
    pub fn length(&self, family: u32) -> String {
        let longest = self.longest(family);
        let mut places = self.families.places[family as usize].iter();
        let differ = places.any(|place| place.tokens.len() as u32 != longest);
        format!(
            "{}{}",
            if differ { "up to " } else { "" },
            plural(longest.into(), "token")
        )
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

    /// The texts of some families, each that of its first passage.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub fn family_texts(&self, families: &[u32]) -> Result<Vec<String>> {
        // Families are numbered in the order of their first passages.
        let mut firsts: Vec<u32> = Vec::with_capacity(self.families.count);
        for (at, family) in (0..).zip(&self.families.of) {
            if *family as usize == firsts.len() {
                firsts.push(at);
            }
        }
        let text = |family: &u32| {
            let passage = self.found.passages.get(firsts[*family as usize])?;
            Ok(passage.map_or_else(String::new, |passage| passage.text))
        };
        families.iter().map(text).collect()
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
