//! Numbers: which tokens of a text have a digit, or another character that represents a number.

use super::normalise::{Normaliser, Tokens};
use super::unicode;
use crate::hash::{self, Fingerprint, Hashed};
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// A thread's buffer.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    ids: HashSet<u64, BuildHasherDefault<Hashed>>,
}

fn is_number(token: &str) -> bool {
    token.chars().any(unicode::is_number)
}

/// Writes for each of the tokens of `text`, whose fingerprints are given, whether it is or contains
/// a number; nothing if none does.
pub(crate) fn numbers(
    normaliser: &Normaliser,
    text: &str,
    tokens: &[Fingerprint],
    buffer: &mut Numbers,
    out: &mut Vec<bool>,
) {
    out.clear();
    if normaliser.fast().is_none() {
        normaliser.for_each(text, |token| out.push(is_number(token)));
        // A text without tokens has one fingerprint.
        out.resize(tokens.len(), false);
        return;
    }
    // White space separates tokens, so the stretches between have the same tokens as the text. Few
    // words have numbers: the others are skipped.
    buffer.ids.clear();
    let mut from = 0;
    while let Some(at) = next(text, from) {
        let start = text[..at].rfind(char::is_whitespace).map_or(0, |space| {
            space + text[space..].chars().next().map_or(1, char::len_utf8)
        });
        let end = text[at..]
            .find(char::is_whitespace)
            .map_or(text.len(), |space| at + space);
        normaliser.for_each(&text[start..end], |token| {
            if is_number(token) {
                buffer.ids.insert(hash::token(token.as_bytes()).id);
            }
        });
        from = end;
    }
    if !buffer.ids.is_empty() {
        out.extend(tokens.iter().map(|token| buffer.ids.contains(&token.id)));
    }
}

/// The next character from `from` on that represents a number.
fn next(text: &str, mut from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    loop {
        from += bytes[from..]
            .iter()
            .position(|byte| byte.is_ascii_digit() || !byte.is_ascii())?;
        if bytes[from].is_ascii() {
            return Some(from);
        }
        let char = text[from..].chars().next()?;
        if unicode::is_number(char) {
            return Some(from);
        }
        from += char.len_utf8();
    }
}

/// The numbers of a text, to be compared with those of others: how many tokens it has, the numbers
/// among its first tokens, then all, both sorted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spelled<T>(T);

/// Behind each number, and behind the first ones: bytes that are in no UTF-8.
const END: u8 = 0xFF;
const REST: u8 = 0xFE;

impl Spelled<Box<[u8]>> {
    /// Those of a text, and of its `first` tokens.
    pub(crate) fn of(normaliser: &Normaliser, text: &str, first: u32, tokens: &mut Tokens) -> Self {
        normaliser.tokens(text, tokens);
        let count = tokens.iter().count();
        let mut bytes = (count as u32).to_le_bytes().to_vec();
        for most in [first as usize, count] {
            let mut numbers: Vec<&str> = tokens
                .iter()
                .take(most)
                .filter(|token| is_number(token))
                .collect();
            numbers.sort_unstable();
            for number in numbers {
                bytes.extend_from_slice(number.as_bytes());
                bytes.push(END);
            }
            bytes.push(REST);
        }
        Self(bytes.into())
    }

    /// Its bytes, for [`Spelled::from_bytes`].
    pub(crate) fn into_bytes(self) -> Box<[u8]> {
        self.0
    }

    /// The same, borrowed.
    pub(crate) fn borrowed(&self) -> Spelled<&[u8]> {
        Spelled(&self.0)
    }
}

impl<'b> Spelled<&'b [u8]> {
    /// From the bytes of another.
    pub(crate) fn from_bytes(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// The tokens of the text.
    pub(crate) fn tokens(self) -> u32 {
        let bytes = self.0.first_chunk().copied();
        bytes.map_or(0, u32::from_le_bytes)
    }

    /// The numbers that both texts have, each as often as in the text that has it less often, and the
    /// numbers of the text with fewer.
    pub(crate) fn shared(self, other: Self) -> (u32, u32) {
        common(self.list(1), other.list(1))
    }

    /// The same for their first tokens.
    pub(crate) fn shared_first(self, other: Self) -> (u32, u32) {
        common(self.list(0), other.list(0))
    }

    fn list(self, at: usize) -> &'b [u8] {
        let lists = self.0.get(4..).unwrap_or_default();
        lists
            .split(|byte| *byte == REST)
            .nth(at)
            .unwrap_or_default()
    }
}

fn common(a: &[u8], b: &[u8]) -> (u32, u32) {
    fn list(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        // Without the end, by which a number would come behind those that it begins.
        bytes
            .split_inclusive(|byte| *byte == END)
            .map(|number| &number[..number.len() - 1])
    }
    let (mut shared, mut rest) = (0, list(b).peekable());
    for number in list(a) {
        while rest.next_if(|other| *other < number).is_some() {}
        shared += u32::from(rest.next_if_eq(&number).is_some());
    }
    (shared, list(a).count().min(list(b).count()) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fingerprints::fingerprints;
    use crate::text::normalise::Tokens;
    use crate::text::words::Words;
    use proptest::prelude::*;

    fn found(normaliser: &Normaliser, text: &str) -> Vec<bool> {
        let mut tokens = Vec::new();
        fingerprints(normaliser, &mut Words::default(), text, &mut tokens);
        let mut out = vec![true];
        numbers(normaliser, text, &tokens, &mut Numbers::default(), &mut out);
        out.resize(tokens.len(), false);
        out
    }

    proptest! {
        #[test]
        fn tokens_with_numbers_are_those_spelled_with_one(text in "[a-c0-3 .,½٣é\u{a0}\u{3000}\n-]{0,200}") {
            for preset in ["default", "messages", "plain"] {
                let steps = format!("recipe = 'ssr'\nnormalise = '{preset}'");
                let recipe = crate::recipe::Recipe::from_toml(&steps).unwrap();
                let normaliser = Normaliser::new(&recipe.normalise).unwrap();
                let mut spelled = Tokens::default();
                normaliser.tokens(&text, &mut spelled);
                let mut wanted: Vec<bool> = spelled.iter().map(is_number).collect();
                wanted.resize(wanted.len().max(1), false);
                prop_assert_eq!(found(&normaliser, &text), wanted, "{}", preset);
            }
        }
    }
}
