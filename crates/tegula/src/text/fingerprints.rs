//! Computes fingerprints without storing the tokens.

use super::normalise::Normaliser;
use super::words::Words;
use crate::hash::{self, Fingerprint};
use std::borrow::Cow;

/// Marks the raw text of a unit without tokens, so that it never equals a text with tokens.
const TOKENLESS: u64 = 0x7465_6775_6c61_0001;

/// Writes the fingerprints of the tokens of `text` to `out`, after clearing it. Returns the number
/// of tokens.
///
/// A text without tokens is compared by its raw bytes: `out` then holds one fingerprint of these,
/// and the number is 0.
pub fn fingerprints(
    normaliser: &Normaliser,
    words: &mut Words,
    text: &str,
    out: &mut Vec<Fingerprint>,
) -> usize {
    out.clear();
    if let Some(fast) = normaliser.fast() {
        if words.fingerprints(text, fast, out)
            && let Cow::Owned(text) = normaliser.rewritten(text).text
        {
            out.clear();
            words.fingerprints(&text, fast, out);
        }
    } else {
        normaliser.for_each(text, |token| out.push(fingerprint(token)));
    }
    let tokens = out.len();
    if tokens == 0 {
        out.push(of_bytes(text));
    }
    tokens
}

/// The fingerprint of a text that is not cut into tokens.
pub fn of_bytes(text: &str) -> Fingerprint {
    let raw = hash::token(text.as_bytes());
    Fingerprint {
        id: hash::mix(raw.id ^ TOKENLESS),
        check: hash::mix(raw.check ^ TOKENLESS),
    }
}

/// [`hash::token`], faster for tokens of one character.
#[inline]
fn fingerprint(token: &str) -> Fingerprint {
    let short = |length, number: u32| hash::short_token(&u128::from(number).to_le_bytes(), length);
    match *token.as_bytes() {
        [a] => short(1, u32::from(a)),
        [a, b, c] => short(3, u32::from_le_bytes([a, b, c, 0])),
        ref bytes => hash::token(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_tokens_have_the_fingerprint_of_their_bytes() {
        for token in [
            "a",
            "~",
            "é",
            "東",
            "abc",
            "ab",
            "👍",
            "abcdefghijklmnopqrstuvwxyz",
        ] {
            assert_eq!(fingerprint(token), hash::token(token.as_bytes()), "{token}");
        }
    }
}
