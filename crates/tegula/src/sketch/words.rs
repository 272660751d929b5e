//! Runs of consecutive words: the baseline of SimFinder (Gong et al. 2008, §4).
//!
//! *Useful for* evaluating other keys, as almost all near copies share two words in a row. *Not
//! useful for* large collections: every text is in as many buckets as it has words, some of which
//! contain most texts.

use super::grams::runs;
use super::{Basis, Facts, KeyKind, Parameter, Sign};
use crate::error::Result;
use crate::threshold::Threshold;

/// Keys of runs of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordKeys {
    /// Words in a run.
    pub size: u32,
}

impl KeyKind for WordKeys {
    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::new("size", self.size, 1..=16, "Words in a run")]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        format!("runs of {} words", self.size)
    }

    fn facts(&self) -> Facts {
        Facts::default()
    }

    fn keys_of(&self, _: Threshold, _units: u64, text_bytes: u64) -> u64 {
        text_bytes / 8
    }

    fn sign<'a>(&self, _basis: &Basis<'a>) -> Result<Sign<'a>> {
        let size = self.size as usize;
        Ok(Box::new(move |unit, _, signature| {
            runs(unit.tokens.iter().copied(), size, &mut signature.keys);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance::keys_of;
    use super::*;

    #[test]
    fn texts_with_two_words_in_a_row_in_common_share_a_key() {
        let [long, short] =
            ["a rose is a rose", "Is a?"].map(|text| keys_of(&WordKeys { size: 2 }, text));
        assert_eq!(long.len(), 4);
        assert_eq!(short, long[2..3]);
    }
}
