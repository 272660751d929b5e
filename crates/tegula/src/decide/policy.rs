//! Which copy is kept, and how often.

use super::keep::Keep;
use crate::error::{Error, Result};
use crate::field::{FieldKey, FieldNeed};
use crate::group::Groups;
use crate::unit::Units;
use std::num::NonZeroU32;

/// Which copy is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The order of preference.
    pub keep: Keep,
    /// Keeps one copy for each value of this field.
    pub keep_per: Option<FieldKey>,
    /// Keeps at least one text for each value of this field in every cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_each: Option<FieldKey>,
    /// Keeps up to this many texts of each cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_up_to: Option<NonZeroU32>,
}

impl Policy {
    /// By group, its position in keep order: that of the unit kept among equal ones.
    ///
    /// # Errors
    /// A usage error if the order names a field that was not read.
    pub(crate) fn places(&self, units: &Units, groups: &Groups) -> Result<Vec<u32>> {
        let order = self.keep.order(units)?;
        let first = |group: u32| {
            groups
                .members(group)
                .iter()
                .map(|unit| order[*unit as usize])
                .min()
        };
        Ok((0..groups.len() as u32)
            .map(|group| first(group).unwrap_or(u32::MAX))
            .collect())
    }

    /// The fields that it needs, and what they must hold.
    pub fn needed_fields(&self) -> impl Iterator<Item = FieldNeed> {
        let by_value = self.keep_per.iter().chain(&self.keep_each);
        let by_value = by_value.map(FieldNeed::from);
        self.keep.needed_fields().chain(by_value)
    }

    /// Whether copies are kept besides those that have no kept match.
    pub(super) fn restores(&self) -> bool {
        self.keep_each.is_some() || self.keep_up_to.is_some()
    }

    /// Bytes to choose these, beyond those of every decision.
    pub fn bytes(&self, units: usize) -> u64 {
        if self.restores() {
            32 * units as u64
        } else {
            0
        }
    }

    /// The first option that says how many copies are kept.
    fn how_many(&self) -> Option<&'static str> {
        let given = [
            ("⟨keep_per⟩", self.keep_per.is_some()),
            ("⟨keep_each⟩", self.keep_each.is_some()),
            ("⟨keep_up_to⟩", self.keep_up_to.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(option, _)| option)
    }

    /// Refuses options that contradict each other.
    ///
    /// # Errors
    /// A usage error naming the option.
    pub fn check(&self) -> Result<()> {
        if !self.restores() || !self.keep.keeps_none() {
            return Ok(());
        }
        let more = Self {
            keep_per: None,
            ..self.clone()
        };
        Err(Error::of(more.how_many().unwrap_or("⟨keep⟩"))
            .expected("an order that keeps copies")
            .found("⟨keep=none⟩")
            .hint("leave out one of the two"))
    }

    /// Whether the removal of a text can be decided on without a list of all pairs.
    pub(crate) fn decides_early(&self) -> bool {
        self.how_many().is_none() && !self.keep.keeps_none()
    }

    /// Refuses a preference if the order of the texts decides.
    ///
    /// # Errors
    /// A usage error naming the option.
    pub fn check_order_decides(&self) -> Result<()> {
        let how_many = self.how_many();
        if how_many.is_none() && (self.keep == Keep::default() || self.keep.is_first()) {
            return Ok(());
        }
        Err(Error::of(how_many.unwrap_or("⟨keep⟩"))
            .expected("none, as this recipe always keeps the first text")
            .hint("sort the input, or use a recipe that compares pairs"))
    }

    /// Refuses a preference that passages cannot have.
    ///
    /// # Errors
    /// A usage error naming the option.
    pub(crate) fn check_of_passages(&self) -> Result<()> {
        let Some(option) = self.how_many() else {
            return Ok(());
        };
        Err(Error::of(option)
            .problem("a passage is kept once, whatever text it occurs in")
            .hint("leave it out; ⟨within⟩ compares only texts with the same value"))
    }
}
