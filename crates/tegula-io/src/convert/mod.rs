//! Converts records to another format: `-o x.parquet` from JSON Lines, `--removed FILE` from
//! anything.
//!
//! A record is passed as [`Fields`], names with values in the record's own order. Numbers, booleans
//! and nested values are passed as JSON text, so that no digit is lost; values without a type in
//! the new format become strings of JSON and are listed as a [`Conversion`]. Formats with columns
//! (Parquet, CSV, TSV) need a first pass, [`Inference`], over all records; JSON Lines does not.

mod batches;
mod columns;
mod drive;
mod fields;
mod infer;
mod output;
mod rows;
mod sink;
#[cfg(test)]
mod tests;

pub use drive::{convert, wanted};
pub use fields::{
    Conversion, FieldValue, Fields, csv_fields, json_fields, replace_text, text_fields,
};
pub use infer::{Columns, Inference};
pub use output::{OutputRecord, SinkOptions};
pub use sink::RecordSink;
