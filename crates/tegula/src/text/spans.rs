//! The places of the tokens in a text, without their spelling.

use super::normalise::{Normaliser, Tokens};
use super::words::Words;
use std::borrow::Cow;
use std::ops::Range;

/// The places of the tokens of one text at a time; its buffers are reused.
#[derive(Debug, Default)]
pub(crate) struct TokenSpans {
    words: Words,
    tokens: Tokens,
    spans: Vec<Range<usize>>,
}

impl TokenSpans {
    /// Reads a text, instead of the one before. Returns the bytes of each of its tokens, as in
    /// [`Tokens::spans`].
    pub(crate) fn read(&mut self, normaliser: &Normaliser, text: &str) -> &[Range<usize>] {
        self.spans.clear();
        let is_read = normaliser.fast().is_some_and(|fast| {
            let may_move = self.words.spans(text, fast, &mut self.spans);
            !may_move || matches!(normaliser.rewritten(text).text, Cow::Borrowed(_))
        });
        if is_read {
            return &self.spans;
        }
        normaliser.tokens(text, &mut self.tokens);
        &self.tokens.spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalise::Normalisation;

    #[test]
    fn places_are_those_of_the_definition() {
        let mut spans = TokenSpans::default();
        let mut tokens = Tokens::default();
        for preset in ["default", "plain", "messages"] {
            let steps = Normalisation::preset(preset).unwrap();
            let normaliser = Normaliser::new(&steps).unwrap();
            // The second and third are not in normal form C: their tokens have other bytes there.
            for text in [
                "Größe, 3 m² – naïve",
                "Gro\u{308}ße, a\u{301} b",
                "a\u{301}\u{323}",
                "",
            ] {
                normaliser.tokens(text, &mut tokens);
                assert_eq!(
                    spans.read(&normaliser, text),
                    tokens.spans,
                    "{preset} {text}"
                );
            }
        }
    }
}
