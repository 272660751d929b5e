//! Records of Arrow batches: those decoded from Parquet files, and those of tables in memory.
//!
//! A row is a record. [`Wanted`] says which columns are read, [`Columns`] makes records of rows, and
//! [`AllFields`] shows every field of a row for other formats. *Not useful for* decoding, nor for
//! where rows come from.

mod fields;
mod json;
mod key;
mod record;
mod texts;

pub(crate) use fields::{AllFields, Visit, conversions};
pub use json::write_object as write_json;
pub(crate) use json::write_row;
pub(crate) use key::{Key, names};
pub(crate) use record::{Columns, Wanted};
pub(crate) use texts::Texts;
