//! The location of a unit.

use crate::record::Level;
use crate::unit::Units;
use std::ops::Range;

/// The location of a unit: its text, and its bytes in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The text, counted from 0; for a reference, its index among the references.
    pub index: usize,
    /// Bytes of the text: the whole text if texts are compared.
    pub range: Range<usize>,
    /// Whether it is in a reference.
    pub is_reference: bool,
}

impl Place {
    /// The place of a unit; `own` is the number of records before the references.
    pub(super) fn of(units: &Units, own: usize, unit: u32) -> Self {
        let record = units.record_of(unit);
        let index = record.checked_sub(own).unwrap_or(record);
        Self {
            index,
            range: range(units, unit),
            is_reference: record >= own,
        }
    }
}

/// A unit's bytes in its text.
fn range(units: &Units, unit: u32) -> Range<usize> {
    match units.level {
        Level::Document => 0..units.text_bytes[unit as usize] as usize,
        Level::Paragraph | Level::Line | Level::Sentence | Level::Passage => {
            units.parts[unit as usize].part().text
        }
    }
}

/// The bytes removed with a unit, including the separator before the next one.
pub(super) fn cut(units: &Units, unit: u32) -> Range<usize> {
    match units.level {
        Level::Document => range(units, unit),
        Level::Paragraph | Level::Line | Level::Sentence | Level::Passage => {
            units.parts[unit as usize].part().cut
        }
    }
}
