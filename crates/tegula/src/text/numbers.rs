//! Numbers: which tokens of a text have a digit, or another character that represents a number.

use super::digits::Digits;
use super::normalise::Normaliser;
use super::unicode;
use crate::hash::{self, Fingerprint, Hashed};
use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::ops::Range;

/// A thread's buffer.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    ids: HashSet<u64, BuildHasherDefault<Hashed>>,
    digits: Digits,
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
    let Numbers { ids, digits } = buffer;
    ids.clear();
    for_each_number(normaliser, digits, text, |number| {
        ids.insert(hash::token(number.as_bytes()).id);
    });
    if !ids.is_empty() {
        out.extend(tokens.iter().map(|token| ids.contains(&token.id)));
    }
}

/// Passes to `f` the tokens of a text that are or contain a number, in order.
fn for_each_number(
    normaliser: &Normaliser,
    digits: &mut Digits,
    text: &str,
    mut f: impl FnMut(&str),
) {
    let mut pass = |token: &str| {
        if is_number(token) {
            f(token);
        }
    };
    if normaliser.fast().is_none() {
        normaliser.for_each(text, pass);
        return;
    }
    // White space separates tokens, so the stretches between have the same tokens as the text. Few
    // words have numbers: the others are skipped.
    digits.read(text);
    let mut from = 0;
    while let Some(at) = digits.next(text, from) {
        let start = text[..at].rfind(char::is_whitespace).map_or(0, |space| {
            space + text[space..].chars().next().map_or(1, char::len_utf8)
        });
        let end = text[at..]
            .find(char::is_whitespace)
            .map_or(text.len(), |space| at + space);
        normaliser.for_each(&text[start..end], &mut pass);
        from = end;
    }
}

/// The same for its `first` tokens.
fn for_each_first_number(normaliser: &Normaliser, text: &str, first: u32, mut f: impl FnMut(&str)) {
    let mut tokens = 0;
    let mut pass = |token: &str| {
        tokens += 1;
        if tokens <= first && is_number(token) {
            f(token);
        }
        tokens >= first
    };
    if normaliser.fast().is_none() {
        normaliser.for_each(text, |token| {
            pass(token);
        });
        return;
    }
    let mut is_full = first == 0;
    for stretch in text.split(char::is_whitespace) {
        if is_full {
            return;
        }
        normaliser.for_each(stretch, |token| is_full = pass(token));
    }
}

/// The numbers of the text with fewer, and those of them that the other text lacks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Missing {
    /// The missing ones.
    pub missing: u32,
    /// All.
    pub of: u32,
}

/// The numbers of a text, to be compared with those of others: those among its first tokens, then
/// all, both sorted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spelled<T>(T);

/// Behind each number, and behind the first ones: bytes that are in no UTF-8.
const END: u8 = 0xFF;
const REST: u8 = 0xFE;

impl Spelled<Box<[u8]>> {
    /// Those of a text, and of its `first` tokens.
    pub(crate) fn of(normaliser: &Normaliser, digits: &mut Digits, text: &str, first: u32) -> Self {
        let (mut bytes, mut numbers) = (Vec::new(), Sorted::default());
        for_each_first_number(normaliser, text, first, |number| numbers.push(number));
        numbers.put(&mut bytes);
        for_each_number(normaliser, digits, text, |number| numbers.push(number));
        numbers.put(&mut bytes);
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

/// Numbers, to be sorted.
#[derive(Default)]
struct Sorted {
    spelled: String,
    /// Where each is spelled.
    places: Vec<Range<usize>>,
}

impl Sorted {
    fn push(&mut self, number: &str) {
        let start = self.spelled.len();
        self.spelled.push_str(number);
        self.places.push(start..self.spelled.len());
    }

    /// Writes them as a list, and forgets them.
    fn put(&mut self, out: &mut Vec<u8>) {
        let Self { spelled, places } = self;
        places.sort_unstable_by(|a, b| spelled[a.clone()].cmp(&spelled[b.clone()]));
        out.reserve(spelled.len() + places.len() + 1);
        for place in places.drain(..) {
            out.extend_from_slice(spelled[place].as_bytes());
            out.push(END);
        }
        out.push(REST);
        spelled.clear();
    }
}

impl<'b> Spelled<&'b [u8]> {
    /// From the bytes of another.
    pub(crate) fn from_bytes(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// The numbers of the text with fewer that the other lacks; each counts as often as a text has it.
    pub(crate) fn missing(self, other: Self) -> Missing {
        count(self.list(1), other.list(1))
    }

    /// The same for their first tokens.
    pub(crate) fn missing_first(self, other: Self) -> Missing {
        count(self.list(0), other.list(0))
    }

    /// The numbers that [`Spelled::missing`] counts, sorted as text.
    pub(crate) fn missing_ones(self, other: Self) -> Vec<String> {
        let (mut fewer, mut more) = (self.list(1), other.list(1));
        if each(more).count() < each(fewer).count() {
            (fewer, more) = (more, fewer);
        }
        let mut missing = Vec::new();
        compare(fewer, more, |number, is_shared| {
            if !is_shared {
                missing.push(String::from_utf8_lossy(number).into_owned());
            }
        });
        missing
    }

    fn list(self, at: usize) -> &'b [u8] {
        self.0
            .split(|byte| *byte == REST)
            .nth(at)
            .unwrap_or_default()
    }
}

/// The numbers of a list.
fn each(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    // Without the end, by which a number would come behind those that it begins.
    list.split_inclusive(|byte| *byte == END)
        .map(|number| &number[..number.len() - 1])
}

/// Says of each number of a list whether the other list has it.
fn compare<'l>(list: &'l [u8], other: &[u8], mut f: impl FnMut(&'l [u8], bool)) {
    let mut rest = each(other).peekable();
    for number in each(list) {
        while rest.next_if(|other| *other < number).is_some() {}
        f(number, rest.next_if_eq(&number).is_some());
    }
}

fn count(a: &[u8], b: &[u8]) -> Missing {
    let of = each(a).count().min(each(b).count()) as u32;
    let mut shared = 0;
    compare(a, b, |_, is_shared| shared += u32::from(is_shared));
    Missing {
        missing: of - shared,
        of,
    }
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

    #[test]
    fn the_numbers_that_one_text_lacks_are_those_of_the_text_with_fewer() {
        let normaliser =
            Normaliser::new(&crate::text::normalise::Normalisation::default()).unwrap();
        let spell = |text| Spelled::of(&normaliser, &mut Digits::default(), text, 3);
        let (a, b) = (
            spell("of 1923, 410 and 7 or 7"),
            spell("of 7 and 8 and 9 and 10 in 11"),
        );
        let (a, b) = (a.borrowed(), b.borrowed());
        assert_eq!(a.missing(b), Missing { missing: 3, of: 4 });
        assert_eq!(a.missing_first(b), Missing { missing: 1, of: 1 });
        assert_eq!(b.missing_ones(a), ["1923", "410", "7"]);
        assert!(a.missing_ones(a).is_empty());
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
                for first in [0, 3, 1000] {
                    let mut bytes = Vec::new();
                    for most in [first, usize::MAX] {
                        let mut numbers = Sorted::default();
                        let some = spelled.iter().take(most).filter(|token| is_number(token));
                        some.for_each(|number| numbers.push(number));
                        numbers.put(&mut bytes);
                    }
                    let of = Spelled::of(&normaliser, &mut Digits::default(), &text, first as u32);
                    prop_assert_eq!(&of.into_bytes()[..], &bytes[..], "{}", preset);
                }
            }
        }
    }
}
