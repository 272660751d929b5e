//! Named normalisation steps in a fixed order.
//!
//! The steps, in the order in which they are taken: markup, hyphens, invisible characters, form, confusables, numerals, masks, boundaries,
//! digits, stop words, case, stems, non-ASCII. Stop words are matched before non-ASCII characters are deleted, so that `für` is known
//! (Kupietz 2005 §2.1 leaves `FR` of it). The first seven rewrite the text, the others work on tokens.

use super::confusables::Confusables;
use super::form::Form;
use super::hyphens::Hyphens;
use super::invisible::Invisible;
use super::markup::Markup;
use super::masks::Masks;
use super::numerals::Numerals;
use super::stem::Stem;
use super::stop_words::StopWords;
use super::token::Boundaries;
use crate::error::{Error, Result};

pub use super::normaliser::{Normaliser, Tokens};

/// The token that stands for a sequence of numerical characters under [`Digits::Number`]. No other token of words contains it.
pub const NUMBER_TOKEN: &str = "#";

/// What is done with numerical characters (general category N).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Digits {
    /// They are part of words like letters.
    #[default]
    Keep,
    /// They are left out, and part words: `B2B` gives `B`, `B`. In a line they are left out where they stand.
    Drop,
    /// A sequence of them is one [`NUMBER_TOKEN`] (Kupietz 2005 §2.1): `B2B` gives `B`, `#`, `B`, and `19.30` gives `#`, `#`. In a
    /// line it becomes the number sign where it stands.
    Number,
}

/// What is done with capitals. Mappings are simple: one character becomes one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
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

/// What is done with the characters of a token that are not ASCII.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NonAscii {
    /// They stay.
    #[default]
    Keep,
    /// They are deleted (Kupietz 2005 §2.1): `KÖLN` becomes `KLN`, and a token of nothing else vanishes.
    Delete,
}

/// Which steps are taken, in the order of the fields; part of a recipe. A field left out has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Normalisation {
    /// 1. Tags, comments and entities: `keep` or `remove`. Default: `keep`.
    pub markup: Markup,
    /// 2. Hyphens at line ends: `keep` or `join`. Default: `keep`.
    pub hyphens: Hyphens,
    /// 3. Zero-width characters, variation selectors and their like: `keep` or `remove`. Default: `keep`.
    pub invisible: Invisible,
    /// 4. The normal form: `none`, `nfc` or `nfkc`. Default: `nfc`.
    pub form: Form,
    /// 5. Letters that hide among those of another script: `keep` or `fold`. Default: `keep`.
    pub confusables: Confusables,
    /// 6. Digits of other scripts, Chinese digits, and spaced ones: `keep` or `ascii`. Default: `keep`.
    pub numerals: Numerals,
    /// 7. Links, addresses, phone numbers and names that become one token: `none`, `all`, or a list. Default: `none`.
    pub masks: Masks,
    /// 8. What a token is: `words`, `alphanumeric`, `chinese`, `characters` or `lines`. Default: `words`.
    pub boundaries: Boundaries,
    /// 9. Numerical characters: `keep`, `drop` or `number`. Default: `keep`.
    pub digits: Digits,
    /// 10. Tokens left out, whatever their case: `none`, a language (`de`, `en`, `sk`), or a list of words. Default: `none`.
    pub stop_words: StopWords,
    /// 10. Tokens kept though they are stop words. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep_words: Vec<String>,
    /// 11. Capitals: `keep`, `lower` or `upper`. Default: `lower`.
    pub case: Case,
    /// 12. Endings of words: `none`, or a language by whose rules they are cut. Default: `none`.
    pub stem: Stem,
    /// 13. Non-ASCII characters of the tokens: `keep` or `delete`. Default: `keep`.
    pub non_ascii: NonAscii,
}

impl Normalisation {
    /// The presets by name, each with what it is for.
    pub const PRESETS: [(&str, &str); 6] = [
        ("default", "words in lower case, after NFC"),
        ("kupietz", "markup and 50 German stop words removed, number tokens, ASCII letters in upper case (Kupietz 2005, 2.1)"),
        ("plain", "words in lower case without digits, punctuation and symbols (Benko 2013, 2)"),
        ("as-is", "each line is one token as it stands"),
        ("messages", "characters of short messages: disguises undone, links, addresses, phone numbers and names masked"),
        ("message-words", "the same with words as tokens, those of Chinese by the dictionary of jieba"),
    ];

    /// A preset by its name.
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
            "plain" => Ok(Self { boundaries: Boundaries::Alphanumeric, digits: Digits::Drop, ..Self::default() }),
            "as-is" => Ok(Self { form: Form::None, boundaries: Boundaries::Lines, case: Case::Keep, ..Self::default() }),
            "messages" => Ok(Self { boundaries: Boundaries::Characters, ..Self::preset("message-words")? }),
            "message-words" => Ok(Self {
                invisible: Invisible::Remove,
                form: Form::Nfkc,
                confusables: Confusables::Fold,
                numerals: Numerals::Ascii,
                masks: Masks::all(),
                // Words of Chinese need a dictionary; without it they are single characters.
                boundaries: if cfg!(feature = "chinese") { Boundaries::Chinese } else { Boundaries::Words },
                ..Self::default()
            }),
            _ => {
                let names = Self::PRESETS.map(|(name, _)| name).join(", ");
                Err(Error::usage(format!("normalize: no preset is called `{name}`")).hint(format!("the presets are {names}")))
            }
        }
    }

    /// The name of the preset that takes these very steps, if there is one.
    pub fn preset_name(&self) -> Option<&'static str> {
        let same = |name: &&str| Self::preset(name).is_ok_and(|preset| preset == *self);
        Self::PRESETS.iter().map(|&(name, _)| name).find(same)
    }

    /// The same steps without masks: what is masked counts as it stands, so that two messages with different codes or links differ.
    #[must_use]
    pub fn unmasked(&self) -> Self {
        Self { masks: Masks::NONE, ..self.clone() }
    }

    /// Whether every token consists of ASCII capitals or is the [`NUMBER_TOKEN`]: the alphabet of Kupietz 2005 §2.5.
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
