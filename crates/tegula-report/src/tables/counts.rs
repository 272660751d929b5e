//! Counts the units of a stage in one pass: in total, by length, by file and by field.

use crate::html::chart::class_of;
use crate::run::Stage;
use std::collections::HashMap;
use tegula::error::Result;
use tegula::field::{FieldKey, FieldPart, MISSING};
use tegula::record::Level;
use tegula::summary::{Amounts, Balance};

/// Counts of a stage. References are counted separately, as they are never removed.
#[derive(Debug, Clone)]
pub struct Counts {
    /// The level of its units.
    pub level: Level,
    /// `removed` or `marked`.
    pub verb: String,
    /// What its tokens are called: tokens, characters, letters.
    pub tokens: String,
    /// All of its units.
    pub balance: Balance,
    /// Units of references.
    pub references: Amounts,
    /// By length.
    pub lengths: Lengths,
    /// By file.
    pub files: Parts,
    /// By each field in the run's tables, or the part of it that the run names.
    pub fields: Vec<(String, Parts)>,
}

impl Counts {
    /// Makes one pass over the units of a stage.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn of(stage: &Stage) -> Result<Self> {
        let mut walk = stage.walk()?;
        let (columns, dates) = (walk.fields(), stage.dates());
        let keys = stage.keys(columns);
        let places: Vec<Option<usize>> = keys
            .iter()
            .map(|key| columns.iter().position(|column| *column == key.name))
            .collect();
        let mut counts = Self {
            level: stage.level(),
            verb: stage.verb.clone(),
            tokens: format!(
                "{}s",
                stage.recipe().map_or("token", |recipe| recipe.token())
            ),
            balance: Balance::default(),
            references: Amounts::default(),
            lengths: Lengths::default(),
            files: Parts::default(),
            fields: keys
                .iter()
                .map(|key| (key.to_string(), Parts::of(key)))
                .collect(),
        };
        while let Some(unit) = walk.step()? {
            let one = Amounts {
                units: 1,
                tokens: unit.tokens(),
                bytes: unit.text_bytes(),
            };
            if unit.is_reference() {
                add_amounts(&mut counts.references, one);
                continue;
            }
            let removed = unit.is_removed();
            add(&mut counts.balance, one, removed);
            counts.lengths.add(one, removed);
            counts.files.add(unit.file(), one, removed);
            for ((_, parts), (key, place)) in counts.fields.iter_mut().zip(keys.iter().zip(&places))
            {
                let value = place.and_then(|place| unit.field(place));
                let part = value.and_then(|value| key.of(value, &dates));
                parts.add(part.as_deref().unwrap_or(MISSING), one, removed);
            }
        }
        Ok(counts)
    }
}

/// Adds amounts.
pub(crate) fn add_amounts(to: &mut Amounts, more: Amounts) {
    to.units += more.units;
    to.tokens += more.tokens;
    to.bytes += more.bytes;
}

/// Adds kept or removed amounts.
pub(crate) fn add(to: &mut Balance, more: Amounts, removed: bool) {
    add_amounts(&mut to.input, more);
    add_amounts(
        if removed {
            &mut to.removed
        } else {
            &mut to.kept
        },
        more,
    );
}

/// Adds what was kept, removed and there in all.
pub(super) fn add_balance(to: &mut Balance, more: &Balance) {
    add_amounts(&mut to.input, more.input);
    add_amounts(&mut to.removed, more.removed);
    add_amounts(&mut to.kept, more.kept);
}

/// The minimum length of a class, which is its name.
pub fn class_name(class: usize) -> u64 {
    match class {
        0 => 0,
        _ => 1_u64.checked_shl(class as u32 - 1).unwrap_or(u64::MAX),
    }
}

/// Counts of units by length class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lengths {
    /// By class, up to the longest that occurs.
    pub classes: Vec<Balance>,
}

impl Lengths {
    /// Adds some units of one length.
    pub fn add(&mut self, one: Amounts, removed: bool) {
        let class = class_of(one.tokens / one.units.max(1));
        if self.classes.len() <= class {
            self.classes.resize(class + 1, Balance::default());
        }
        add(&mut self.classes[class], one, removed);
    }

    /// The classes with units, with their names.
    pub fn filled(&self) -> impl Iterator<Item = (u64, &Balance)> {
        // Empty classes in between are shown; an empty class 0 would only be confusing.
        let first = self
            .classes
            .iter()
            .position(|class| class.input.units > 0)
            .unwrap_or(0);
        self.classes
            .iter()
            .enumerate()
            .skip(first)
            .map(|(class, balance)| (class_name(class), balance))
    }
}

/// Counts of units by a name that each has: a file, a value of a field.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    places: HashMap<Box<str>, usize>,
    list: Vec<(Box<str>, Balance)>,
    /// Units of names that came after the maximum number.
    rest: Balance,
    /// Whether the names are dates, in whose order they are listed.
    are_dates: bool,
}

impl Parts {
    /// The maximum number of names counted separately; units of later names are counted together.
    pub const MOST: usize = 100_000;

    /// By the values of a field, or a part of them.
    pub fn of(key: &FieldKey) -> Self {
        Self {
            are_dates: key.part != FieldPart::Whole,
            ..Self::default()
        }
    }

    /// Periods of time with what is in each.
    pub(super) fn dated(list: &[(&str, Balance)]) -> Self {
        Self {
            list: list
                .iter()
                .map(|(name, all)| ((*name).into(), *all))
                .collect(),
            are_dates: true,
            ..Self::default()
        }
    }

    /// Whether the names are dates.
    pub fn are_dates(&self) -> bool {
        self.are_dates
    }

    /// Adds a unit.
    pub fn add(&mut self, name: &str, one: Amounts, removed: bool) {
        let place = match self.places.get(name) {
            Some(place) => *place,
            None if self.list.len() < Self::MOST => {
                self.places.insert(name.into(), self.list.len());
                self.list.push((name.into(), Balance::default()));
                self.list.len() - 1
            }
            None => return add(&mut self.rest, one, removed),
        };
        add(&mut self.list[place].1, one, removed);
    }

    /// All names: dates in their order, others by their removed units, the most first, with ties in
    /// order of appearance.
    pub fn sorted(&self) -> Vec<(&str, Balance)> {
        let mut list: Vec<(&str, Balance)> = self
            .list
            .iter()
            .map(|(name, balance)| (name.as_ref(), *balance))
            .collect();
        if self.are_dates {
            list.sort_by_key(|(name, _)| (*name == MISSING, *name));
        } else {
            list.sort_by_key(|(_, balance)| std::cmp::Reverse(balance.removed.units));
        }
        list
    }

    /// Units of names after the first [`Parts::MOST`].
    pub fn rest(&self) -> Option<Balance> {
        (self.rest.input.units > 0).then_some(self.rest)
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_powers_of_two() {
        let named: Vec<u64> = [0, 1, 2, 3, 4, 7, 8, 16_383, 16_384]
            .iter()
            .map(|tokens| class_name(class_of(*tokens)))
            .collect();
        assert_eq!(named, [0, 1, 2, 2, 4, 4, 8, 8_192, 16_384]);
        assert_eq!(class_name(class_of(u64::MAX)), 1 << 63);
    }

    #[test]
    fn too_many_names_are_counted_together() {
        let mut parts = Parts::default();
        let one = Amounts {
            units: 1,
            tokens: 2,
            bytes: 3,
        };
        for name in 0..Parts::MOST + 2 {
            parts.add(&name.to_string(), one, true);
        }
        parts.add("0", one, false);
        assert_eq!(parts.len(), Parts::MOST);
        assert_eq!(
            parts.rest().unwrap().removed,
            Amounts {
                units: 2,
                tokens: 4,
                bytes: 6
            }
        );
        assert_eq!(parts.sorted()[0].1.input.units, 2);
    }
}
