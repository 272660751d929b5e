//! What counts as a phrase.

use crate::error::{Error, Result};
use crate::field::FieldKey;

/// Which phrases are listed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wanted {
    /// The minimum number of tokens.
    pub min_tokens: u32,
    /// The maximum number of tokens.
    pub max_tokens: Option<u32>,
    /// The minimum number of texts.
    pub min_texts: u32,
    /// The minimum number of occurrences.
    pub min_occurrences: u32,
    /// The maximum number to list: the first ones.
    pub top: Option<u64>,
    /// A field by whose values occurrences are counted.
    pub by: Option<FieldKey>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            min_tokens: 3,
            max_tokens: None,
            min_texts: 2,
            min_occurrences: 2,
            top: None,
            by: None,
        }
    }
}

impl Wanted {
    /// Refuses values under which there are no phrases, or none that recur.
    ///
    /// # Errors
    /// Names the option.
    pub fn check(&self) -> Result<()> {
        let at_least = |option: &str, value: u64, least: u64| {
            if value >= least {
                return Ok(());
            }
            Err(Error::of(option)
                .expected(format!("at least {least}"))
                .found(value))
        };
        at_least("⟨min_tokens⟩", self.min_tokens.into(), 1)?;
        at_least("⟨min_texts⟩", self.min_texts.into(), 1)?;
        at_least("⟨min_occurrences⟩", self.min_occurrences.into(), 2)?;
        at_least("⟨top⟩", self.top.unwrap_or(1), 1)?;
        match self.max_tokens {
            Some(most) if most < self.min_tokens => Err(Error::of("⟨max_tokens⟩")
                .expected(format!("at least ⟨min_tokens⟩, {}", self.min_tokens))
                .found(most)),
            _ => Ok(()),
        }
    }
}
