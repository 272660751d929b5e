//! The rows that steps pass on.

mod features;
mod matches;
mod texts;

pub use features::{Candidate, Count, Lighter, Occurrence, Posting, Ranked, Rows, Shared};
pub use matches::{Link, Match, Tie, Told};
pub use texts::{Equal, Given, Text, Twins, Whole};

use crate::error::{ErrorKind, Result};
use bytemuck::{Pod, Zeroable};

/// A row of 32-bit numbers.
pub trait Column: Pod {
    /// What the rows are, with the version of their layout.
    const KIND: [u8; 8];
    /// What each number of a row is, in order.
    const FIELDS: &'static [Field];
}

/// The name of a number, and its width in numbers of 32 bits: 1, or 2 with the lower half first.
pub type Field = (&'static str, u8);

/// The numbers of all rows, in the order of their [fields](Column::FIELDS).
pub fn to_numbers<T: Column>(rows: &[T]) -> &[u32] {
    bytemuck::cast_slice(rows)
}

/// Rows of such numbers.
///
/// # Errors
/// If the last row is not whole.
pub fn from_numbers<T: Column>(numbers: &[u32]) -> Result<Vec<T>> {
    let rows = bytemuck::try_cast_slice(numbers)
        .map_err(|_| ErrorKind::Data.expected("whole rows").found("part of one"))?;
    Ok(rows.to_vec())
}

/// A number of 64 bits, the lower half first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Id {
    low: u32,
    high: u32,
}

impl From<u64> for Id {
    fn from(id: u64) -> Self {
        Self {
            low: id as u32,
            high: (id >> 32) as u32,
        }
    }
}

impl From<Id> for u64 {
    fn from(id: Id) -> Self {
        Self::from(id.high) << 32 | Self::from(id.low)
    }
}
