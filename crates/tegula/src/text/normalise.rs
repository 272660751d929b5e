//! Named normalisation steps in a fixed order, and the tokens that come out.

use crate::error::Result;
use std::ops::Range;

/// Which steps are taken; part of a recipe.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Normalisation {}

/// The tokens of one text, flat.
#[derive(Debug, Default)]
pub struct Tokens {
    /// The normalised tokens, one behind the other.
    pub text: String,
    /// Where each token ends in `text`.
    pub ends: Vec<usize>,
    /// Where each token came from: bytes of the text that was given.
    pub spans: Vec<Range<usize>>,
}

/// A checked, ready [`Normalisation`].
#[derive(Debug)]
pub struct Normaliser {}

impl Normaliser {
    /// Checks the steps and loads what they need.
    ///
    /// # Errors
    /// Usage errors that name the field.
    pub fn new(_steps: &Normalisation) -> Result<Self> {
        Ok(Self {})
    }

    /// The tokens of `text`; `out` is emptied first.
    pub fn tokens(&self, _text: &str, out: &mut Tokens) {
        out.text.clear();
        out.ends.clear();
        out.spans.clear();
    }
}
