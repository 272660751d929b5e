//! What the score without masks decides.

use crate::threshold::Threshold;

/// What becomes of pairs by the score of their texts without masks, as in `unmasked = "0.8"`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unmasked {
    /// It is taken and shown, and drops none.
    #[default]
    Show,
    /// It is not taken: texts that are equal under masks are equal, and one of them stands for all.
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
