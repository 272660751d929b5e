//! The effect of the score without masks.

use crate::threshold::Threshold;

/// How the score without masks affects pairs, as in `unmasked = "0.8"`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unmasked {
    /// It is computed and shown, and drops no pairs.
    #[default]
    Show,
    /// It is not computed: texts that are equal under masks are equal, and represented by one of
    /// them.
    Ignore,
    /// Pairs below it are dropped.
    #[serde(untagged)]
    AtLeast(Threshold),
}

impl Unmasked {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
