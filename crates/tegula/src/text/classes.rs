//! Classes of words.

/// A class of word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Nouns, and words that nothing is known of.
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
    /// Numerals.
    Numeral,
    /// Conjunctions, prepositions, articles, particles.
    Function,
    /// Everything else.
    Other,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Noun, Self::Verb, Self::Adjective, Self::Adverb, Self::Pronoun, Self::Numeral, Self::Function, Self::Other];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Noun => "noun",
            Self::Verb => "verb",
            Self::Adjective => "adjective",
            Self::Adverb => "adverb",
            Self::Pronoun => "pronoun",
            Self::Numeral => "numeral",
            Self::Function => "function",
            Self::Other => "other",
        }
    }

    /// The class of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// Finds the class of each token.
#[derive(Debug)]
pub struct Classes;

impl Classes {
    /// For tokens that were normalised in this way.
    ///
    /// # Errors
    /// None yet.
    pub fn new(_steps: &super::normalise::Normalisation) -> crate::error::Result<Self> {
        Ok(Self)
    }

    /// Calls `f` with each token and its class.
    pub fn for_each(&self, normaliser: &super::normalise::Normaliser, text: &str, mut f: impl FnMut(&str, Class)) {
        normaliser.for_each(text, |token| f(token, Class::Noun));
    }
}

/// Weights of the classes.
#[derive(Debug)]
pub struct Intervals;

impl Intervals {
    /// Those that are used where none are given.
    ///
    /// # Errors
    /// None in practice.
    pub fn built_in() -> crate::error::Result<Self> {
        Ok(Self)
    }

    /// The lowest and the highest weight of a class.
    pub fn of(&self, _class: Class) -> (u32, u32) {
        (1, 4)
    }
}
