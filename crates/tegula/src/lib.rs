//! Tegula finds exact and near duplicates in text collections, and proves each one.

pub mod context;
pub mod error;
pub mod hash;
pub mod partition;
pub mod record;
pub mod repeats;
pub mod scratch;
pub mod shingle;
pub mod text;
pub mod threshold;

pub use error::{Error, ErrorKind, Result};
