//! Apache Parquet: read in batches of bounded size, and written back with every unchanged column
//! copied as stored.

mod columns;
mod copy;
mod damage;
mod decoding;
mod group;
mod marks;
mod nulls;
mod open;
mod pages;
mod ranges;
mod read;
mod rewrite;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use marks::{mark_type, span_fields, span_item};
pub(crate) use open::names;
pub use open::{Facts, check};
pub(crate) use read::{begins, chunks, chunks_of_groups};
pub(crate) use rewrite::{Plan, rewrite};
pub(crate) use rows::for_each_row;

use crate::format::facts::{self, FormatFacts};
use crate::format::mark_place::MarkPlace;
use crate::options::FormatName;

/// What is known about the format before a file is opened.
pub(in crate::format) const FACTS: FormatFacts = FormatFacts {
    name: FormatName::Parquet,
    noun: "a Parquet file",
    endings: &["parquet"],
    recognises: facts::never,
    has_fields: true,
    has_marks: false,
    has_tokens: false,
    is_bytes: false,
    places: &[MarkPlace::Attribute],
    texts: facts::in_fields,
};
