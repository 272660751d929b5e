//! Stems words with the Snowball algorithms.

use frostem::Algorithm;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The languages with stemmers: code and algorithm.
const LANGUAGES: [(&str, Algorithm); 19] = [
    ("ar", Algorithm::Arabic),
    ("ca", Algorithm::Catalan),
    ("cs", Algorithm::Czech),
    ("da", Algorithm::Danish),
    ("de", Algorithm::German),
    ("el", Algorithm::Greek),
    ("en", Algorithm::English),
    ("es", Algorithm::Spanish),
    ("fi", Algorithm::Finnish),
    ("fr", Algorithm::French),
    ("hu", Algorithm::Hungarian),
    ("it", Algorithm::Italian),
    ("nl", Algorithm::Dutch),
    ("no", Algorithm::Norwegian),
    ("pl", Algorithm::Polish),
    ("pt", Algorithm::Portuguese),
    ("ru", Algorithm::Russian),
    ("sv", Algorithm::Swedish),
    ("tr", Algorithm::Turkish),
];

/// How to stem words. In a recipe: `"none"` or a language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum Stem {
    /// No stemming.
    #[default]
    None,
    /// The Snowball stemmer of a language: see [`stem_languages`].
    Language(String),
}

impl Serialize for Stem {
    fn serialize<S: serde::ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::None => "none",
            Self::Language(language) => language,
        })
    }
}

impl<'de> Deserialize<'de> for Stem {
    fn deserialize<D: serde::de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(if name == "none" {
            Self::None
        } else {
            Self::Language(name)
        })
    }
}

/// The codes of the languages that [`Stem`] supports.
pub fn stem_languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|&(code, _)| code)
}

/// The stemmer of a language.
pub(crate) struct Stemmer {
    language: &'static str,
    rules: frostem::Stemmer,
}

impl Stemmer {
    /// The stemmer of a language, if there is one.
    pub(crate) fn new(language: &str) -> Option<Self> {
        let &(language, algorithm) = LANGUAGES.iter().find(|(code, _)| *code == language)?;
        Some(Self {
            language,
            rules: frostem::Stemmer::new(algorithm),
        })
    }

    /// The stem of a lower-case word; the word itself if the stem would be empty.
    pub(crate) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        let stem = self.rules.stem(word);
        if stem.is_empty() {
            Cow::Borrowed(word)
        } else {
            stem
        }
    }
}

impl std::fmt::Debug for Stemmer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stemmer({})", self.language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn endings_are_cut() {
        let stem =
            |language: &str, word: &str| Stemmer::new(language).unwrap().stem(word).into_owned();
        assert_eq!(
            (
                stem("de", "häusern"),
                stem("en", "messages"),
                stem("ru", "книгами")
            ),
            ("haus".into(), "messag".into(), "книг".into())
        );
        assert!(Stemmer::new("xx").is_none() && Stemmer::new("none").is_none());
        let codes: Vec<_> = stem_languages().collect();
        assert!(codes.is_sorted());
    }

    proptest! {
        #[test]
        fn no_word_makes_a_stemmer_panic(
            word in "([a-z]{0,6}|[äöüßéèêçñåøčšžőűıİğğ']{0,3}|[а-яё]{0,6}|[α-ωάέςΐ]{0,6}|[ء-ي\u{64b}-\u{652}]{0,6}|\\PC{0,3}){0,4}(ing|ungen|ιστας|ωντας|ات|иями)?"
        ) {
            for language in stem_languages() {
                Stemmer::new(language).unwrap().stem(&word);
            }
        }
    }
}
