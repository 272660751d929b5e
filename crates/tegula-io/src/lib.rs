//! Files and records: reads collections in common formats, and writes them back without changing
//! the kept parts.
//!
//! ```text
//! inputs → Collection → Pieces of one file at a time → Block (whole records, as bytes) ─┬─ Chunk::read → Batch
//!                                                                                       └─ rewrite(edits) → Target
//! ```
//!
//! A [`collection::Collection`] is a list of files and their properties. A file is opened only when
//! needed: it is decompressed, its encoding and dialect are determined from its beginning, and it
//! is split into blocks of whole records, about a mebibyte each. Blocks are decoded on any thread.
//! Formats work only on UTF-8 text; if a file is in another encoding, its block carries the text
//! and a map back to the bytes. [`rewrite::rewrite`] iterates over the same blocks and copies their
//! bytes, except where an [`edit::Edit`] removes or adds some.

mod block;
mod buffers;
mod choose;
mod chunks;
pub mod collection;
mod columns;
pub mod compress;
#[cfg(test)]
mod conllu_tests;
pub mod contents;
pub mod convert;
#[cfg(test)]
mod csv_tests;
pub mod decoder;
mod detect;
mod document;
pub mod edit;
pub mod encoding;
mod excerpt;
pub mod fetch;
pub(crate) mod file_fields;
mod file_state;
mod folder_keys;
pub mod foreign;
mod format;
mod format_name;
#[cfg(test)]
mod format_tests;
pub mod guard;
mod guarded;
pub mod hits;
#[cfg(test)]
mod json_array_tests;
mod limits;
pub mod lines;
mod lock;
mod mail;
#[cfg(test)]
mod mail_tests;
mod maildir;
pub mod memory;
pub mod named;
pub mod onion;
mod option_checks;
pub mod options;
pub mod outputs;
mod page;
pub mod passed_over;
pub mod path;
pub mod rewrite;
#[cfg(test)]
mod rewrite_bench;
pub mod section;
mod source;
mod spool;
mod stand_in;
mod standoff;
pub mod store;
mod stream;
pub mod tables;
pub mod target;
#[cfg(test)]
mod tei_tests;
#[cfg(test)]
mod vertical_tests;
mod walk;
#[cfg(test)]
mod web_tests;
mod writing;
mod written;

pub use format::arrow::write_json;
pub use format::parquet::{Facts as ParquetFacts, check as check_parquet};
