//! Segments Chinese, which is written without spaces, into words.

#[cfg(not(feature = "chinese"))]
pub(crate) use without::Cutter;

#[cfg(feature = "chinese")]
pub(crate) use with::Cutter;

/// Whether a character is Han, so that words of the dictionary may contain it.
pub(crate) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' | '々' | '〇')
}

#[cfg(feature = "chinese")]
mod with {
    use crate::error::Result;
    use crate::text::class::Class;
    use jieba_rs::Jieba;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The dictionary and model of jieba: about 350,000 words, some tens of megabytes. Loaded at
    /// the first run of Han characters, once for all threads, so that other texts do not incur the
    /// cost.
    static JIEBA: LazyLock<Jieba> = LazyLock::new(|| {
        IS_LOADED.store(true, Ordering::Relaxed);
        Jieba::new()
    });
    static IS_LOADED: AtomicBool = AtomicBool::new(false);

    /// Segments words with the dictionary and model of jieba.
    pub(crate) struct Cutter;

    impl Cutter {
        /// Returns the segmenter.
        ///
        /// # Errors
        /// None: the dictionary is part of the program.
        #[expect(
            clippy::unnecessary_wraps,
            reason = "without the feature there is no dictionary"
        )]
        pub(crate) fn load() -> Result<&'static Self> {
            Ok(&Self)
        }

        /// Bytes of memory in use: those of the dictionary, once it was needed.
        #[expect(
            clippy::unused_self,
            reason = "without the feature there is no value of it, and no dictionary"
        )]
        pub(crate) fn bytes(&self) -> u64 {
            if IS_LOADED.load(Ordering::Relaxed) {
                48 << 20
            } else {
                0
            }
        }

        /// Writes the ends of the words of `run` to `out`, in order, with their classes if
        /// requested.
        #[expect(
            clippy::unused_self,
            reason = "without the feature there is no value of it, and no cutting"
        )]
        pub(crate) fn cut(&self, run: &str, classed: bool, out: &mut Vec<(usize, Option<Class>)>) {
            out.clear();
            let mut end = 0;
            let mut push = |word: &str, class| {
                end += word.len();
                out.push((end, class));
            };
            if classed {
                JIEBA
                    .tag(run, true)
                    .iter()
                    .for_each(|tag| push(tag.word, Some(Class::from_tag(tag.tag))));
            } else {
                JIEBA
                    .cut(run, true)
                    .iter()
                    .for_each(|token| push(token.word, None));
            }
            if end != run.len() {
                // The dictionary guarantees this, and the spans depend on it.
                out.clear();
                out.push((run.len(), None));
            }
        }
    }

    impl std::fmt::Debug for Cutter {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Cutter")
        }
    }
}

#[cfg(not(feature = "chinese"))]
mod without {
    use crate::error::{Error, Result};
    use crate::text::class::Class;

    /// Not available without the dictionary.
    #[derive(Debug)]
    pub(crate) enum Cutter {}

    impl Cutter {
        /// Always fails.
        pub(crate) fn load() -> Result<&'static Self> {
            Err(Error::of("boundaries")
                .problem("\"chinese\" needs the dictionary of jieba, which this program was built without")
                .hint("build it with the feature chinese, or use \"words\" or \"characters\""))
        }

        pub(crate) fn bytes(&self) -> u64 {
            match *self {}
        }

        pub(crate) fn cut(&self, _: &str, _: bool, _: &mut Vec<(usize, Option<Class>)>) {
            match *self {}
        }
    }
}

#[cfg(test)]
#[cfg(feature = "chinese")]
mod tests {
    use crate::text::normalise::{Normalisation, Normaliser, Tokens};
    use crate::text::token::Boundaries;
    use proptest::prelude::*;

    fn tokens(text: &str) -> (Vec<String>, Vec<String>) {
        let steps = Normalisation {
            boundaries: Boundaries::Chinese,
            ..Normalisation::default()
        };
        let mut tokens = Tokens::default();
        Normaliser::new(&steps).unwrap().tokens(text, &mut tokens);
        let spans = tokens
            .spans
            .iter()
            .map(|span| text[span.clone()].to_owned());
        (tokens.iter().map(str::to_owned).collect(), spans.collect())
    }

    #[test]
    fn runs_of_han_are_words_and_the_rest_as_ever() {
        let expected = [
            "我们",
            "在",
            "北京大学",
            "学习",
            "rust",
            "和",
            "nlp",
            "か",
            "な",
            "2",
            "天",
        ];
        let (words, spans) = tokens("我们在北京大学学习Rust,和NLP かな2天!");
        assert_eq!(words, expected);
        assert_eq!(spans.concat(), "我们在北京大学学习Rust和NLPかな2天");
        // Marks belong to the character before them.
        assert_eq!(tokens("葛\u{E0100}城").0.concat(), "葛\u{E0100}城");
    }

    proptest! {
        #[test]
        fn words_cover_what_characters_cover(text in "([一-龥]{0,8}|[a-z0-9 ]{0,3}|[かー。々〇𠀀\u{E0100}\u{301}]|\\PC){0,6}") {
            let (words, spans) = tokens(&text);
            let mut characters = Tokens::default();
            Normaliser::new(&Normalisation::default()).unwrap().tokens(&text, &mut characters);
            prop_assert_eq!(words.concat(), characters.text);
            prop_assert_eq!(words.len(), spans.len());
        }
    }
}
