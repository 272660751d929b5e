//! Files and records: reads collections in the formats people keep them in, and writes them back without touching what stays.

pub mod convert;
pub mod edit;
mod format;
pub mod options;
pub mod tables;
