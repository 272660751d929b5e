//! Tegula finds exact and near duplicates in text collections, and proves each one.

pub mod cluster;
pub mod compare;
pub mod constraint;
pub mod context;
pub mod decide;
pub mod draw;
pub mod engine;
pub mod error;
pub mod evidence;
pub mod field;
pub mod group;
pub mod hash;
mod hugepages;
pub mod join;
pub mod large;
pub mod levenshtein;
pub mod onion;
pub mod partition;
pub mod plan;
pub mod rabin;
pub mod recall;
pub mod recipe;
pub mod record;
pub mod repeats;
pub mod scoring;
pub mod scratch;
mod shelf;
pub mod shingle;
pub mod sketch;
pub mod statistics;
pub mod summary;
pub mod text;
pub mod threads;
pub mod threshold;
pub mod unit;

pub use error::{Error, ErrorKind, Result};
