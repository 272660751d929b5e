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
    /// The number of passes.
    pub passes: Passes,
    /// N-grams that occur more than once, from [`save_fingerprints`](super::save_fingerprints); then one pass is sufficient.
    pub saved: Option<PathBuf>,
}

/// The number of passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Passes {
    /// Once, if all n-grams fit under the memory ceiling, else twice.
    #[default]
    Auto,
    /// Once; the run ends in an error if the n-grams do not fit.
    One,
    /// Twice: n-grams are counted first, and those that occur more than once are held.
    Two,
}
