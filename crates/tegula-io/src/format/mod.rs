//! The formats.

pub(crate) mod parquet;
