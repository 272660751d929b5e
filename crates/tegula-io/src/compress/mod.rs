//! Compressed files: recognised by content and name, read through a stream that detects truncation,
//! and compressed again on output.

mod compression;
mod input;
mod members;
mod output;
mod window;

pub use compression::Compression;
pub use input::read_whole;
pub(crate) use input::{Ending, Input};
pub(crate) use output::Output;

#[cfg(test)]
mod tests;
