//! The options of a run.

use super::tags::Tags;
use std::path::PathBuf;
use tegula::onion::Rules;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The rules for removing a paragraph.
    pub rules: Rules,
    /// The tags that begin documents and paragraphs.
    pub tags: Tags,
    /// Whether to judge paragraphs shorter than an n-gram also as a whole.
    pub whole: bool,
    /// Whether to write only what is kept, rather than everything with marks.
    pub strip: bool,
    /// Whether to read the input only once, and hold every n-gram.
    pub once: bool,
    /// N-grams that occur more than once, from [`save_fingerprints`](super::save_fingerprints); then one pass is sufficient.
    pub saved: Option<PathBuf>,
}
