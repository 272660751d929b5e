//! Files and records: reads collections in the formats people keep them in, and writes them back without touching what stays.

pub mod edit;
pub mod options;
pub mod tables;
