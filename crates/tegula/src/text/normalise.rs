//! Named normalisation steps in a fixed order.
//!
//! The steps, in order: markup, hyphens, invisible characters, form, confusables, numerals, timestamps,
//! spacing, signs, repeats, masks, boundaries, digits, stop words, case, stems, non-ASCII. Stop words are matched before non-ASCII
//! characters are deleted, so that `für` is recognised (Kupietz 2005 §2.1 turns it into `FR`). The
//! first eleven rewrite the text, the others work on tokens.

use super::confusables::Confusables;
use super::form::Form;
use super::hyphens::Hyphens;
use super::invisible::Invisible;
use super::markup::Markup;
use super::masks::Masks;
use super::numerals::Numerals;
use super::repeats::Repeats;
use super::signs::Signs;
use super::spacing::Spacing;
use super::stem::Stem;
use super::stop_words::StopWords;
use super::timestamps::Timestamps;
use super::token::Boundaries;
use crate::error::{Error, Result};

pub use super::normaliser::{Normaliser, Tokens};

/// The token for a sequence of numerical characters under [`Digits::Number`]. No other word token
/// contains it.
pub const NUMBER_TOKEN: &str = "#";

/// What to do with numerical characters (general category N).
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Digits {
    /// They are part of words like letters.
    #[default]
    Keep,
    /// They are removed, and separate words: `B2B` gives `B`, `B`. In a line they are removed in
    /// place.
    Drop,
    /// A sequence becomes one [`NUMBER_TOKEN`] (Kupietz 2005 §2.1): `B2B` gives `B`, `#`, `B`, and
    /// `19.30` gives `#`, `#`. In a line it is replaced in place.
    Number,
}

/// What to do with capitals. Mappings are simple: one character becomes one.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// `Rose` and `rose` differ.
    Keep,
    /// Lower case.
    #[default]
    Lower,
    /// Upper case.
    Upper,
}

/// How often a character of a text in a dense script is a token.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Dense {
    /// Once.
    #[default]
    Once,
    /// Twice in a row, the second one with a mark. So three tokens span two characters, and sets of
    /// shingles of three have as much in common as sets of pairs of characters, exactly.
    Twice,
}

/// What to do with non-ASCII characters in tokens.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum NonAscii {
    /// They are kept.
    #[default]
    Keep,
    /// They are deleted (Kupietz 2005 §2.1): `KÖLN` becomes `KLN`, and a token with no other
    /// characters disappears.
    Delete,
}

/// The normalisation steps, in the order of the fields; part of a recipe. Omitted fields have
/// defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Normalisation {
    /// 1. Tags, comments and entities: `keep` or `remove`. Default: `keep`.
    pub markup: Markup,
    /// 2. Hyphens at line ends: `keep` or `join`. Default: `keep`.
    pub hyphens: Hyphens,
    /// 3. Zero-width characters, variation selectors and similar: `keep` or `remove`. Default:
    ///    `keep`.
    pub invisible: Invisible,
    /// 4. The normal form: `none`, `nfc` or `nfkc`. Default: `nfc`.
    pub form: Form,
    /// 5. Look-alike letters from another script: `keep` or `fold`. Default: `keep`.
    pub confusables: Confusables,
    /// 6. Digits of other scripts, Chinese numerals and spaced digits: `keep` or `ascii`. Default:
    ///    `keep`.
    pub numerals: Numerals,
    /// 7. Dates and times at the beginning of lines, as in `<13:53> Hello`: `keep` or `remove`.
    ///    Default: `keep`.
    pub timestamps: Timestamps,
    /// 8. Words whose letters are spaced out, as in `f.r.e.e`: `keep` or `join`. Default: `keep`.
    pub spacing: Spacing,
    /// 9. Digits and signs in words, as in `v1agra`: `keep` or `letters`. Default: `keep`.
    pub signs: Signs,
    /// 10. Letters that are repeated: `keep`, `two` (three or more become two) or `one`. Default:
    ///     `keep`.
    pub repeats: Repeats,
    /// 11. What to mask as one token: links, addresses, phone numbers and names; `none`, `all`, or a
    ///     list. Default: `none`.
    pub masks: Masks,
    /// 12. What a token is: `words`, `alphanumeric`, `chinese`, `characters`, `sentences` or
    ///     `lines`. Default: `words`.
    pub boundaries: Boundaries,
    /// 12. Where characters are tokens, each of a text in a dense script, at least a third of whose
    ///     letters and digits are Chinese, Japanese or Korean: `once` or `twice`. Default: `once`.
    pub dense: Dense,
    /// 13. Numerical characters: `keep`, `drop` or `number`. Default: `keep`.
    pub digits: Digits,
    /// 14. Tokens to drop, in any case: `none`, a language (`de`, `en`, `sk`), or a list of words.
    ///     Default: `none`.
    pub stop_words: StopWords,
    /// 14. Tokens to keep although they are stop words. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep_words: Vec<String>,
    /// 15. Capitals: `keep`, `lower` or `upper`. Default: `lower`.
    pub case: Case,
    /// 16. Stemming: `none`, or a language whose rules to use. Default: `none`.
    pub stem: Stem,
    /// 17. Non-ASCII characters of the tokens: `keep` or `delete`. Default: `keep`.
    pub non_ascii: NonAscii,
}

impl Normalisation {
    /// Whether words of a text are no tokens: numbers or stop words.
    pub fn drops_words(&self) -> bool {
        let drops = self.digits == Digits::Drop || self.stop_words != StopWords::None;
        drops
            && matches!(
                self.boundaries,
                Boundaries::Words | Boundaries::Alphanumeric
            )
    }

    /// The presets by name, with descriptions.
    pub const PRESETS: [(&str, &str); 6] = [
        ("default", "words in lower case, after NFC"),
        (
            "kupietz",
            "markup and 50 German stop words removed, number tokens, ASCII letters in upper case (Kupietz 2005, 2.1)",
        ),
        (
            "plain",
            "words in lower case without digits, punctuation and symbols (Benko 2013, 2)",
        ),
        ("as-is", "each line is one unchanged token"),
        (
            "messages",
            "characters of short messages: obfuscation undone, links, addresses, phone numbers and names masked",
        ),
        (
            "message-words",
            "the same with words as tokens, Chinese segmented with the jieba dictionary",
        ),
    ];

    /// The preset with this name.
    ///
    /// # Errors
    /// A usage error that lists the presets.
    pub fn preset(name: &str) -> Result<Self> {
        match name {
            "default" => Ok(Self::default()),
            "kupietz" => Ok(Self {
                markup: Markup::Remove,
                boundaries: Boundaries::Alphanumeric,
                digits: Digits::Number,
                stop_words: StopWords::Language("de".to_owned()),
                case: Case::Upper,
                non_ascii: NonAscii::Delete,
                ..Self::default()
            }),
            "plain" => Ok(Self {
                boundaries: Boundaries::Alphanumeric,
                digits: Digits::Drop,
                ..Self::default()
            }),
            "as-is" => Ok(Self {
                form: Form::None,
                boundaries: Boundaries::Lines,
                case: Case::Keep,
                ..Self::default()
            }),
            "messages" => Ok(Self {
                spacing: Spacing::Join,
                signs: Signs::Letters,
                repeats: Repeats::Two,
                boundaries: Boundaries::Characters,
                dense: Dense::Twice,
                ..Self::preset("message-words")?
            }),
            "message-words" => Ok(Self {
                invisible: Invisible::Remove,
                form: Form::Nfkc,
                confusables: Confusables::Fold,
                numerals: Numerals::Ascii,
                timestamps: Timestamps::Remove,
                masks: Masks::all(),
                // Chinese words need a dictionary; without it each character is a token.
                boundaries: if cfg!(feature = "chinese") {
                    Boundaries::Chinese
                } else {
                    Boundaries::Words
                },
                ..Self::default()
            }),
            _ => {
                let names = Self::PRESETS.map(|(name, _)| name).join(", ");
                Err(Error::of("normalize")
                    .problem(format!("there is no preset `{name}`"))
                    .hint(format!("the presets are {names}")))
            }
        }
    }

    /// The name of the preset with exactly these steps, if there is one.
    pub fn preset_name(&self) -> Option<&'static str> {
        let same = |name: &&str| Self::preset(name).is_ok_and(|preset| preset == *self);
        Self::PRESETS.iter().map(|&(name, _)| name).find(same)
    }

    /// The same steps without masks, so that two messages with different codes or links differ.
    #[must_use]
    pub fn unmasked(&self) -> Self {
        Self {
            masks: Masks::NONE,
            ..self.clone()
        }
    }

    /// Whether every token consists of ASCII capitals or is the [`NUMBER_TOKEN`]: the alphabet of
    /// Kupietz 2005 §2.5.
    pub fn has_kupietz_alphabet(&self) -> bool {
        self.boundaries == Boundaries::Alphanumeric
            && self.digits != Digits::Keep
            && self.case == Case::Upper
            && self.non_ascii == NonAscii::Delete
            && self.masks.is_none()
    }
}

#[cfg(test)]
mod tests;
