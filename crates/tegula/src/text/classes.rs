//! Word classes, as a measure of how well a word distinguishes texts.

mod tags;
mod weights;
mod words;

pub use super::class::Class;
use super::dense::AGAIN;
pub use weights::{Interval, Weights};

use super::case;
use super::normalise::{Normalisation, Normaliser};
use super::stem::Stem;
use super::stop_words::StopWords;
use super::token::What;
use super::unicode::{Kind, kind};
use crate::error::Result;
use std::collections::HashMap;

/// The class of a word, from its tag in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tagged {
    /// The start of the word in the record's text; it extends to the next one.
    pub at: usize,
    /// Its class.
    pub class: Class,
}

/// Determines the tokens of texts with their classes.
///
/// The class of a token does not depend on its context, so that a word has the same weight in every
/// text. Words from jieba's dictionary ([`Boundaries::Chinese`](super::token::Boundaries::Chinese))
/// have the class of its tag. Other words are looked up in lists of closed classes: those of one
/// language, if stems or stop words specify it, otherwise of all languages with lists (English,
/// German, Slovak), English first. A token of numerical characters is a numeral; a word in no list
/// is a noun.
#[derive(Debug)]
pub struct Classes {
    normaliser: Normaliser,
    closed: HashMap<&'static str, Class>,
}

impl Classes {
    /// Checks the steps and loads the data for them and the classes.
    ///
    /// # Errors
    /// Usage errors that name the field.
    pub fn new(steps: &Normalisation) -> Result<Self> {
        let named = [
            match &steps.stem {
                Stem::Language(language) => Some(language.as_str()),
                Stem::None => None,
            },
            match &steps.stop_words {
                StopWords::Language(language) => Some(language.as_str()),
                _ => None,
            },
        ];
        let named: Vec<&str> = named.into_iter().flatten().take(1).collect();
        let languages = if named.is_empty() {
            &words::LANGUAGES[..]
        } else {
            &named
        };
        Ok(Self {
            normaliser: Normaliser::new(steps)?,
            closed: words::closed(languages),
        })
    }

    /// Calls `f` with each token of `text`, in order, and its class; the tokens are those of
    /// [`Normaliser::tokens`].
    pub fn for_each(&self, text: &str, f: impl FnMut(&str, Class)) {
        self.for_each_tagged(text, &[], 0, f);
    }

    /// The same if the input has word classes: `tags`, whose offsets count from `base` bytes before
    /// `text`. A mask token is not a word, and a token that replaces a number is a numeral,
    /// whatever their tags.
    pub fn for_each_tagged(
        &self,
        text: &str,
        tags: &[Tagged],
        base: usize,
        mut f: impl FnMut(&str, Class),
    ) {
        let mut tags = tags.iter().peekable();
        let mut tag = None;
        let rewritten = self.normaliser.rewritten(text);
        let text = &rewritten.text;
        let mut pieces = self.normaliser.pieces(text).with_classes();
        let (mut token, mut scratch) = (String::new(), String::new());
        while let Some(raw) = pieces.next() {
            token.clear();
            if !self.normaliser.push(text, &raw, &mut token, &mut scratch) {
                continue;
            }
            if pieces.is_again() {
                token.push(AGAIN);
            }
            let class = match raw.what {
                What::Mask | What::Sentence | What::Gap => Class::Other,
                What::Number => Class::Numeral,
                What::Word => {
                    let at = base + rewritten.back(raw.range.clone()).start;
                    while let Some(next) = tags.next_if(|tag| tag.at <= at) {
                        tag = Some(next.class);
                    }
                    tag.or_else(|| pieces.class())
                        .unwrap_or_else(|| self.class(&text[raw.range], &mut scratch))
                }
            };
            f(&token, class);
        }
    }

    /// The class of a word as written in the text.
    fn class(&self, word: &str, scratch: &mut String) -> Class {
        scratch.clear();
        case::push_lower(word, scratch);
        if let Some(&class) = self.closed.get(scratch.as_str()) {
            return class;
        }
        if word
            .chars()
            .all(|c| matches!(kind(c), Kind::Number | Kind::Mark))
        {
            Class::Numeral
        } else if word.contains(|c| matches!(kind(c), Kind::Letter | Kind::Spaceless)) {
            Class::Noun
        } else {
            Class::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalise::{Case, Tokens};
    use proptest::prelude::*;

    fn classed(steps: &Normalisation, text: &str) -> Vec<(String, Class)> {
        let mut out = Vec::new();
        Classes::new(steps)
            .unwrap()
            .for_each(text, |token, class| out.push((token.to_owned(), class)));
        out
    }

    fn names(steps: &str, text: &str) -> String {
        let steps: toml::Table = steps.parse().unwrap();
        let classed = classed(&steps.try_into().unwrap(), text);
        classed
            .iter()
            .map(|(token, class)| format!("{token}/{}", class.name()))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn closed_classes_numbers_and_the_rest() {
        assert_eq!(
            names("", "The SKY has 42 very blue things, and U 👍"),
            "the/connective sky/noun has/connective 42/numeral very/adverb blue/noun things/noun and/connective u/pronoun 👍/other"
        );
        assert_eq!(
            names("", "Ich und die drei Häuser"),
            "ich/pronoun und/connective die/connective drei/numeral häuser/noun"
        );
        // One language alone, where it is known.
        assert_eq!(
            names("stem = 'en'", "They die running"),
            "they/pronoun die/noun run/noun"
        );
        assert_eq!(
            names("digits = 'number'\nmasks = 'all'", "call 12 www.x.org"),
            "call/noun #/numeral ‹url›/other"
        );
    }

    #[cfg(feature = "chinese")]
    #[test]
    fn the_dictionary_knows_the_classes_of_chinese_words() {
        assert_eq!(
            names("boundaries = 'chinese'", "我们非常喜欢北京和3个ok"),
            "我们/pronoun 非常/adverb 喜欢/verb 北京/noun 和/connective 3/numeral 个/numeral ok/other"
        );
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_the_normaliser(text in "([一-龥]{0,6}|[a-zA-Z0-9 .@]{0,6}|\\PC){0,6}", keep in any::<bool>()) {
            for preset in ["default", "plain", "messages", "message-words", "kupietz"] {
                let mut steps = Normalisation::preset(preset).unwrap();
                if keep {
                    steps.case = Case::Keep;
                }
                #[cfg(feature = "chinese")]
                if preset == "message-words" {
                    steps.boundaries = crate::text::token::Boundaries::Chinese;
                }
                let mut tokens = Tokens::default();
                Normaliser::new(&steps).unwrap().tokens(&text, &mut tokens);
                let classed = classed(&steps, &text);
                prop_assert_eq!(classed.iter().map(|(token, _)| token.as_str()).collect::<Vec<_>>(), tokens.iter().collect::<Vec<_>>());
            }
        }
    }
}
