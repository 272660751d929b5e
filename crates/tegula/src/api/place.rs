//! Where a unit stands.

use crate::record::Level;
use crate::unit::Units;
use std::ops::Range;

/// Where a unit stands: in which text, and which bytes of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Place {
    /// The text, counted from 0; of a reference its place among the references.
    pub index: usize,
    /// Bytes of the text: all of them where whole texts are compared.
    pub range: Range<usize>,
    /// Whether it is in a reference.
    pub is_reference: bool,
}

impl Place {
    /// Of a unit; `own` is the number of records before the references.
    pub(super) fn of(units: &Units, own: usize, unit: u32) -> Self {
        let record = units.record_of(unit);
        let index = record.checked_sub(own).unwrap_or(record);
        Self { index, range: range(units, unit), is_reference: record >= own }
    }
}

/// Bytes of its text that a unit is.
fn range(units: &Units, unit: u32) -> Range<usize> {
    match units.level {
        Level::Document => 0..units.text_bytes[unit as usize] as usize,
        Level::Paragraph | Level::Sentence => units.parts[unit as usize].part().text,
    }
}

/// Bytes of its text that go with a unit: what parts it from the next one, too.
pub(super) fn cut(units: &Units, unit: u32) -> Range<usize> {
    match units.level {
        Level::Document => range(units, unit),
        Level::Paragraph | Level::Sentence => units.parts[unit as usize].part().cut,
    }
}
