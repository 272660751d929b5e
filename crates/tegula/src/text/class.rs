//! The classes of words.

/// The class of a word, for SimFinder's weights (Gong et al. 2008, §3.1).
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Nouns and names; also every word in no list and no dictionary, as new words are mostly
    /// nouns.
    #[default]
    Noun,
    /// Verbs.
    Verb,
    /// Adjectives.
    Adjective,
    /// Adverbs.
    Adverb,
    /// Pronouns.
    Pronoun,
    /// Numbers in words and digits.
    Numeral,
    /// Function words: conjunctions, prepositions, articles, particles, auxiliary verbs.
    Connective,
    /// Interjections and non-words: emoji, masks, signs.
    Other,
}

impl Class {
    /// All classes, in order.
    pub const ALL: [Self; 8] = [
        Self::Noun,
        Self::Verb,
        Self::Adjective,
        Self::Adverb,
        Self::Pronoun,
        Self::Numeral,
        Self::Connective,
        Self::Other,
    ];

    /// Its name, as in TOML.
    pub fn name(self) -> &'static str {
        match self {
            Self::Noun => "noun",
            Self::Verb => "verb",
            Self::Adjective => "adjective",
            Self::Adverb => "adverb",
            Self::Pronoun => "pronoun",
            Self::Numeral => "numeral",
            Self::Connective => "connective",
            Self::Other => "other",
        }
    }

    /// The class of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}
