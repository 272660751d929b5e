//! What the score without masks decides.

use crate::text::normalise::Normalisation;
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

/// What two short messages must share without masks by default, as a fraction.
const LEAST: (u32, u32) = (1, 2);

impl Unmasked {
    /// What suits the steps of a recipe that is built in: a threshold where they mask, else nothing.
    pub(super) fn for_steps(steps: &Normalisation) -> Self {
        if steps.masks.is_none() {
            return Self::Show;
        }
        Threshold::new(LEAST.0, LEAST.1).map_or(Self::Show, Self::AtLeast)
    }

    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
