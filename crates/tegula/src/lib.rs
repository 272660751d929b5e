//! Tegula finds exact and near duplicates in text collections, and proves each one.

pub mod error;
pub mod record;
pub mod text;

pub use error::{Error, ErrorKind, Result};
