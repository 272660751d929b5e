//! Tokens straight to fingerprints.

use super::normalise::Normaliser;
use super::words::Words;
use crate::hash::{self, Fingerprint};

/// Marks the raw text of a unit without tokens, so that it equals no text with tokens.
const TOKENLESS: u64 = 0x7465_6775_6c61_0001;

/// The fingerprints of the tokens of `text`; `out` is emptied first. Returns the number of tokens.
///
/// A text without tokens is compared by its raw bytes: `out` then holds the one fingerprint of those, and the number is 0.
pub fn fingerprints(normaliser: &Normaliser, words: &mut Words, text: &str, out: &mut Vec<Fingerprint>) -> usize {
    out.clear();
    if normaliser.is_default() {
        words.fingerprints(&normaliser.in_form(text).0, out);
    } else {
        normaliser.for_each(text, |token| out.push(hash::token(token.as_bytes())));
    }
    let tokens = out.len();
    if tokens == 0 {
        let raw = hash::token(text.as_bytes());
        out.push(Fingerprint { id: hash::mix(raw.id ^ TOKENLESS), check: hash::mix(raw.check ^ TOKENLESS) });
    }
    tokens
}
