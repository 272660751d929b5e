//! Stop words: lists of fifty words, and the options of a recipe.

use serde::de::{Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// The length of each embedded list.
pub const STOP_WORDS_PER_LANGUAGE: usize = 50;

/// German. The 49 most frequent words of 10,000 newspaper articles (10kGNAD, test part), and `sein`
/// (55th), which the example of Kupietz 2005 removes. `und` is third and so in the list; the
/// paper's printed normalisation removes it, its listed shingles keep it (`keep_words = ["und"]`
/// reproduces these).
const GERMAN: [&str; STOP_WORDS_PER_LANGUAGE] = [
    "der", "die", "und", "in", "das", "den", "von", "zu", "mit", "im", "auf", "für", "es", "ist",
    "sich", "ein", "nicht", "auch", "eine", "dem", "des", "als", "am", "dass", "bei", "an", "sie",
    "nach", "er", "aus", "werden", "hat", "wie", "aber", "um", "einem", "einer", "vor", "einen",
    "noch", "sind", "wird", "haben", "über", "so", "man", "war", "nur", "wir", "sein",
];

/// English: the most frequent words common to literature (Project Gutenberg) and scientific
/// abstracts (arXiv).
const ENGLISH: [&str; STOP_WORDS_PER_LANGUAGE] = [
    "the", "of", "and", "to", "a", "in", "is", "that", "it", "for", "with", "as", "was", "be",
    "on", "are", "by", "this", "at", "not", "from", "but", "have", "or", "which", "an", "we",
    "had", "he", "his", "her", "you", "i", "she", "they", "all", "one", "so", "no", "were", "been",
    "their", "has", "there", "would", "if", "will", "can", "more", "what",
];

/// Slovak: the most frequent words of the Slovak National Corpus treebank (UD Slovak SNK,
/// development and test parts).
const SLOVAK: [&str; STOP_WORDS_PER_LANGUAGE] = [
    "a", "v", "sa", "na", "je", "do", "z", "s", "jeho", "po", "že", "o", "bol", "aj", "ako", "za",
    "k", "od", "vo", "ktorý", "pri", "aby", "by", "to", "ktoré", "medzi", "pre", "bola", "sú",
    "boli", "ich", "potom", "ho", "však", "ale", "so", "bolo", "keď", "svoje", "veľmi", "mu",
    "mal", "alebo", "podľa", "jej", "kde", "tu", "už", "ktorá", "až",
];

/// The embedded lists by language.
const LANGUAGES: [(&str, &[&str; STOP_WORDS_PER_LANGUAGE]); 3] =
    [("de", &GERMAN), ("en", &ENGLISH), ("sk", &SLOVAK)];

/// The embedded list of a language: `de`, `en` or `sk`.
pub fn stop_words(language: &str) -> Option<&'static [&'static str]> {
    let known = |&&(name, _): &&(&str, _)| name == language;
    LANGUAGES.iter().find(known).map(|&(_, list)| &list[..])
}

/// The languages supported by [`stop_words`].
pub fn stop_word_languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|&(language, _)| language)
}

/// Which tokens to drop as stop words. In a recipe: `"none"`, a language, or a list of words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum StopWords {
    /// None.
    #[default]
    None,
    /// The embedded list of a language: `de`, `en` or `sk`.
    Language(String),
    /// These words, in any case.
    List(Vec<String>),
}

impl Serialize for StopWords {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_str("none"),
            Self::Language(language) => serializer.serialize_str(language),
            Self::List(words) => words.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StopWords {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Name(String),
            List(Vec<String>),
        }
        match Either::deserialize(deserializer) {
            Ok(Either::Name(name)) if name == "none" => Ok(Self::None),
            Ok(Either::Name(name)) => Ok(Self::Language(name)),
            Ok(Either::List(words)) => Ok(Self::List(words)),
            Err(_) => Err(D::Error::custom(
                "expected \"none\", a language, or a list of words",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn lists_are_fifty_different_words_in_lower_case() {
        for language in stop_word_languages() {
            let list = stop_words(language).unwrap();
            let different: BTreeSet<_> = list.iter().collect();
            assert_eq!(different.len(), STOP_WORDS_PER_LANGUAGE, "{language}");
            assert!(list.iter().all(|word| *word == word.to_lowercase()));
        }
        assert!(stop_words("xx").is_none());
    }
}
