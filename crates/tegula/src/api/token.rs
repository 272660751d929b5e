//! The tokens of a text under a recipe.

use super::Dedup;
use crate::error::Result;
use crate::text::normalise::{Normaliser, Tokens};
use std::ops::Range;

/// A token, and its source in the text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Token {
    /// The form that is compared.
    pub token: String,
    /// Its bytes in the text. Two tokens share them if one character became both.
    pub range: Range<usize>,
}

impl Dedup<'_> {
    /// The tokens of a text, as compared by this recipe. A text without tokens is compared by its
    /// raw text.
    ///
    /// ```
    /// let tokens = tegula::Dedup::new().tokens("Größe: 3,5 m")?;
    /// let tokens: Vec<_> = tokens.iter().map(|token| (token.token.as_str(), token.range.clone())).collect();
    /// assert_eq!(tokens, [("größe", 0..7), ("3", 9..10), ("5", 11..12), ("m", 13..14)]);
    /// # Ok::<(), tegula::Error>(())
    /// ```
    ///
    /// # Errors
    /// A usage error if a normalisation step is unknown.
    pub fn tokens(&self, text: &str) -> Result<Vec<Token>> {
        let mut tokens = Tokens::default();
        Normaliser::new(&self.recipe.normalise)?.tokens(text, &mut tokens);
        let each = tokens.iter().zip(&tokens.spans);
        Ok(each
            .map(|(token, range)| Token {
                token: token.to_owned(),
                range: range.clone(),
            })
            .collect())
    }
}
