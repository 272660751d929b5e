//! Which copy is kept, and how often.

use super::keep::Keep;
use crate::error::{Error, Result};
use crate::field::FieldKey;
use crate::group::Groups;
use crate::unit::Units;

/// Which copy is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// The order of preference.
    pub keep: Keep,
    /// Keeps one copy for each value of this field.
    pub keep_per: Option<FieldKey>,
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

    /// Whether the removal of a text can be decided on without a list of all pairs.
    pub(crate) fn decides_early(&self) -> bool {
        self.keep_per.is_none() && !self.keep.keeps_none()
    }

    /// Refuses a preference if the order of the texts decides.
    ///
    /// # Errors
    /// A usage error naming the option.
    pub fn check_order_decides(&self) -> Result<()> {
        if self.keep_per.is_none() && (self.keep == Keep::default() || self.keep.is_first()) {
            return Ok(());
        }
        Err(Error::of("⟨keep⟩")
            .expected("none, as this recipe always keeps the first text")
            .hint("sort the input, or use a recipe that compares pairs"))
    }

    /// Refuses a preference that passages cannot have.
    ///
    /// # Errors
    /// A usage error naming the option.
    pub(crate) fn check_of_passages(&self) -> Result<()> {
        if self.keep_per.is_none() {
            return Ok(());
        }
        Err(Error::of("⟨keep_per⟩")
            .problem("a passage is kept once, whatever text it occurs in")
            .hint("leave it out; ⟨within⟩ compares only texts with the same value"))
    }
}
