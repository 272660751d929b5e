//! Constraints on which units may be compared: `--within`, `--across`, `--window`, `--min-tokens`,
//! and roles.

use crate::date::{DateFormat, Moment};
use crate::error::{Error, Result};
use crate::field::{FieldKey, FieldNeed, MISSING, find};
use crate::hash::{self, Sequence};
use crate::lengths::Lengths;
use crate::unit::Units;
use std::collections::HashMap;

/// Limits on which pairs count.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Constraints {
    /// Only units with the same value in each of these fields are compared.
    pub within: Vec<FieldKey>,
    /// Only units with different values are compared.
    pub across: Option<FieldKey>,
    /// Only units whose dates are at most this many days apart are compared.
    pub window: Option<(FieldKey, u32)>,
    /// Files from this index on are references: never removed, and not compared with each other.
    /// Known once the files are listed.
    #[serde(skip)]
    pub references_from: Option<u32>,
    /// Units with fewer tokens are not compared, so they are neither duplicates nor witnesses.
    pub min_tokens: u32,
}

impl Constraints {
    /// Whether every pair counts.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The required fields, and what each must contain.
    pub fn needed_fields(&self) -> impl Iterator<Item = FieldNeed> {
        let window = self
            .window
            .iter()
            .map(|(key, _)| FieldNeed::dates(&key.name));
        self.within
            .iter()
            .chain(&self.across)
            .map(FieldNeed::from)
            .chain(window)
    }

    /// Whether units with equal tokens are always compared, unless they are too short.
    pub fn parts_no_equals(&self) -> bool {
        Self {
            min_tokens: 0,
            ..self.clone()
        }
        .is_empty()
    }

    /// What they consider in a text with these values of fields, dates in the format `dates`.
    pub fn origin<'v>(
        &self,
        value: impl Fn(&str) -> Option<&'v str>,
        dates: &DateFormat,
        is_reference: bool,
    ) -> Origin {
        let part = |key: &FieldKey| {
            let part = value(&key.name).and_then(|value| key.of(value, dates));
            hash::token(part.as_deref().unwrap_or(MISSING).as_bytes())
        };
        let code = |keys: &[FieldKey]| {
            let mut sequence = Sequence::default();
            for key in keys {
                sequence.push(part(key));
            }
            sequence.finish().whole()
        };
        let day = self.window.as_ref().map_or(0, |(key, _)| {
            let date = value(&key.name).and_then(|value| dates.read(value).moment());
            date.map_or(NO_DAY, Moment::day)
        });
        Origin {
            within: code(&self.within),
            across: code(self.across.as_slice()),
            day,
            is_reference,
            is_short: false,
        }
    }

    /// Refuses constraints that no pair can meet.
    ///
    /// # Errors
    /// Names the two options.
    pub fn check(&self) -> Result<()> {
        let settles = |within: &&FieldKey| {
            self.across
                .as_ref()
                .is_some_and(|across| within.settles(across))
        };
        match (self.within.iter().find(settles), &self.across) {
            (Some(within), Some(across)) => Err(Error::of(format!("⟨across⟩ {across}"))
                .expected(format!(
                    "pairs that can differ in it, but under ⟨within⟩ {within} none can"
                ))
                .hint("leave out one of the two, or use another field")),
            _ => Ok(()),
        }
    }

    /// Resolves the constraints on the records that were read.
    ///
    /// # Errors
    /// If a field was not read.
    pub fn resolve(&self, units: &Units) -> Result<Allowed> {
        let column = |key: &FieldKey| find(&units.records.fields, &key.name);
        let codes = |key: &FieldKey| -> Result<Vec<u32>> {
            let column = column(key)?;
            let codes = key.codes(column);
            Ok((0..units.records.len())
                .map(|record| codes[column.code(record) as usize])
                .collect())
        };
        let within = self.within.iter().map(codes).collect::<Result<Vec<_>>>()?;
        let within = within.into_iter().reduce(|all, next| together(&all, &next));
        let across = self.across.as_ref().map(codes).transpose()?;
        let window = match &self.window {
            None => None,
            Some((key, days)) => {
                let column = column(key)?;
                let by_code: Vec<Option<i64>> = column
                    .values()
                    .iter()
                    .map(|value| column.date(value).map(Moment::day))
                    .collect();
                let of_record = (0..units.records.len())
                    .map(|record| by_code[column.code(record) as usize].unwrap_or(NO_DAY));
                Some((of_record.collect(), i64::from(*days)))
            }
        };
        let reference = self.references_from.map(|from| {
            units
                .records
                .file
                .iter()
                .map(|file| *file >= from)
                .collect()
        });
        Ok(Allowed {
            within,
            across,
            window,
            reference,
            min_tokens: self.min_tokens,
            lengths: Lengths::All,
            short: None,
        })
    }
}

/// Combines the codes of two fields into one: equal if both are.
fn together(all: &[u32], next: &[u32]) -> Vec<u32> {
    let mut codes: HashMap<(u32, u32), u32> = HashMap::new();
    all.iter()
        .zip(next)
        .map(|(a, b)| {
            let new = codes.len() as u32;
            *codes.entry((*a, *b)).or_insert(new)
        })
        .collect()
}

/// The day of a record without a date: such records only match each other in a window.
const NO_DAY: i64 = i64::MIN / 4;

/// What constraints consider in a text: equal for texts with the same allowed partners.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// Stands for the values that must be equal.
    pub within: u64,
    /// Stands for the value that must differ.
    pub across: u64,
    /// The day, for a window.
    pub day: i64,
    /// Whether it is a reference.
    pub is_reference: bool,
    /// Whether it is not compared with others of which this is true.
    pub(crate) is_short: bool,
}

/// The kinds of constraints that there are, by which two texts are compared.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    within: bool,
    across: bool,
    window: Option<i64>,
}

impl Limits {
    /// Those of these constraints; roles and lengths always count.
    pub(crate) fn of(constraints: &Constraints) -> Self {
        Self {
            within: !constraints.within.is_empty(),
            across: constraints.across.is_some(),
            window: constraints.window.as_ref().map(|(_, days)| (*days).into()),
        }
    }

    /// Whether two texts may be compared.
    #[inline]
    pub(crate) fn pair(self, a: Origin, b: Origin) -> bool {
        (!self.within || a.within == b.within)
            && (!self.across || a.across != b.across)
            && self.window.is_none_or(|days| (a.day - b.day).abs() <= days)
            && !(a.is_reference && b.is_reference)
            && !(a.is_short && b.is_short)
    }
}

/// [`Constraints`] resolved: columns by record, or by text. A missing value counts as a value.
#[derive(Debug, Default)]
pub struct Allowed {
    within: Option<Vec<u32>>,
    across: Option<Vec<u32>>,
    window: Option<(Vec<i64>, i64)>,
    reference: Option<Vec<bool>>,
    min_tokens: u32,
    lengths: Lengths,
    /// The texts that `lengths` does not compare with each other.
    short: Option<Vec<bool>>,
}

impl Allowed {
    /// The same, and only pairs of these lengths; of a collection in which each record is a unit.
    pub(crate) fn of_lengths(self, lengths: Lengths, units: &Units) -> Self {
        let part = |bytes: &u32| lengths.part(*bytes);
        let parts = matches!(lengths, Lengths::Above(_));
        Self {
            lengths,
            short: parts.then(|| units.text_bytes.iter().map(part).collect()),
            ..self
        }
    }

    /// The columns of other rows: those of these records, in this order.
    pub(crate) fn of(&self, records: &(impl Iterator<Item = usize> + Clone)) -> Self {
        fn pick<T: Copy>(column: &[T], rows: &(impl Iterator<Item = usize> + Clone)) -> Vec<T> {
            rows.clone().map(|row| column[row]).collect()
        }
        let codes = |column: &Vec<u32>| pick(column, records);
        Self {
            within: self.within.as_ref().map(codes),
            across: self.across.as_ref().map(codes),
            window: self
                .window
                .as_ref()
                .map(|(days, limit)| (pick(days, records), *limit)),
            reference: self.reference.as_ref().map(|roles| pick(roles, records)),
            min_tokens: self.min_tokens,
            lengths: self.lengths,
            short: self.short.as_ref().map(|short| pick(short, records)),
        }
    }

    /// Bytes held by the columns.
    pub(crate) fn heap_bytes(&self) -> u64 {
        let codes = |column: &Option<Vec<u32>>| column.as_ref().map_or(0, |codes| 4 * codes.len());
        let days = self.window.as_ref().map_or(0, |(days, _)| 8 * days.len());
        let flags = |flags: &Option<Vec<bool>>| flags.as_ref().map_or(0, Vec::len);
        let roles = flags(&self.reference) + flags(&self.short);
        (codes(&self.within) + codes(&self.across) + days + roles) as u64
    }

    /// Whether units of records `a` and `b` may be compared.
    #[inline]
    pub fn pair(&self, a: usize, b: usize) -> bool {
        let limits = Limits {
            within: self.within.is_some(),
            across: self.across.is_some(),
            window: self.window.as_ref().map(|(_, days)| *days),
        };
        limits.pair(self.origin(a), self.origin(b))
    }

    /// Whether units of records `a` and `b` may be compared, and one of them is a reference if some
    /// are.
    #[inline]
    pub(crate) fn crossing(&self, a: usize, b: usize) -> bool {
        self.pair(a, b)
            && self
                .reference
                .as_ref()
                .is_none_or(|roles| roles[a] != roles[b])
    }

    /// The minimum number of tokens of a compared unit.
    pub fn min_tokens(&self) -> u32 {
        self.min_tokens
    }

    /// The lengths of the texts of compared pairs.
    pub fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// Whether a unit is compared with no other: it is too short, or too long.
    #[inline]
    pub fn leave_out(&self, units: &Units, unit: u32) -> bool {
        units.tokens[unit as usize] < self.min_tokens
            || self.lengths.leave_out(units.text_bytes[unit as usize])
    }

    /// Whether a text is never removed because of another: a long one because of a short one, which
    /// a later stage may remove unless it is a reference.
    pub(crate) fn outranks(&self, record: usize, other: usize) -> bool {
        let short = self.short.as_ref();
        short.is_some_and(|short| !short[record] && short[other]) && !self.is_reference(other)
    }

    /// Whether equal units with this unit's record are not compared with each other.
    pub(crate) fn part_equals(&self, record: usize) -> bool {
        self.is_reference(record) || self.short.as_ref().is_some_and(|short| short[record])
    }

    /// Whether every pair of units that are not left out is allowed.
    pub fn all(&self) -> bool {
        self.within.is_none()
            && self.across.is_none()
            && self.window.is_none()
            && self.reference.is_none()
            && self.short.is_none()
    }

    /// Whether equal units of one group may be compared with each other.
    pub fn inside_groups(&self) -> bool {
        self.across.is_none()
    }

    /// Whether the record is a reference.
    pub fn is_reference(&self, record: usize) -> bool {
        self.reference.as_ref().is_some_and(|roles| roles[record])
    }

    /// Whether some records are references.
    pub fn has_references(&self) -> bool {
        self.reference.is_some()
    }

    /// What the constraints consider in a record.
    #[inline]
    pub(crate) fn origin(&self, record: usize) -> Origin {
        let code = |codes: &Option<Vec<u32>>| codes.as_ref().map_or(0, |codes| codes[record]);
        Origin {
            within: code(&self.within).into(),
            across: code(&self.across).into(),
            day: self.window.as_ref().map_or(0, |(days, _)| days[record]),
            is_reference: self.is_reference(record),
            is_short: self.short.as_ref().is_some_and(|short| short[record]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_outranks_a_short_one_that_may_go_later() {
        let allowed = Allowed {
            short: Some(vec![false, true, true]),
            reference: Some(vec![false, false, true]),
            ..Allowed::default()
        };
        assert!(allowed.outranks(0, 1));
        assert!(!allowed.outranks(1, 0) && !allowed.outranks(1, 2));
        // A reference stays, whatever its length.
        assert!(!allowed.outranks(0, 2));
        assert!(!Allowed::default().outranks(0, 1));
    }
}
