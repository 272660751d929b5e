//! Apache Parquet: read in batches of bounded size, written back with every column that is not touched copied as it is stored.

mod copy;
mod json;
mod marks;
mod open;
mod pages;
mod ranges;
mod read;
mod rewrite;
#[cfg(test)]
mod tests;

pub(crate) use open::names;
pub use open::{Facts, check};
pub(crate) use read::{chunks, for_each_row};
pub(crate) use rewrite::{MarkColumns, Plan, rewrite};
