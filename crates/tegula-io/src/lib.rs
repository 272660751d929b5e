//! Files and records: reads collections in the formats people keep them in, and writes them back without touching what stays.

mod block;
pub mod collection;
pub mod compress;
pub mod convert;
mod detect;
pub mod edit;
pub mod encoding;
mod format;
pub mod options;
pub mod rewrite;
mod stream;
pub mod tables;
pub mod target;
mod walk;

pub use format::parquet::{Facts as ParquetFacts, check as check_parquet};
