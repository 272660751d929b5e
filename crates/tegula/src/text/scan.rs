//! The fast paths for default tokens and those of plain fingerprints: one pass over the bytes,
//! without copying tokens that are already in lower case.

use super::case;
use super::token::{GAP, character_end, letter_end, run, special_end};
use super::unicode::{HAS_LOWER, Kind, entry, is_word, kind, table};
use std::ops::Range;

const OTHER: u8 = 0;
const SMALL: u8 = 1;
const CAPITAL: u8 = 2;
const WIDE: u8 = 4;
/// Not a class of bytes, but a flag: a non-ASCII character of the token has a lower case.
const WIDE_CAPITAL: u8 = 8;

/// What each byte is: part of a word and in lower case or caseless, an ASCII capital, not ASCII, or
/// a boundary.
static BYTES: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' | b'_' => SMALL,
            b'A'..=b'Z' => CAPITAL,
            0x80.. => WIDE,
            _ => OTHER,
        };
        byte += 1;
    }
    table
};

/// Calls `f` with each token of [`super::token::Boundaries::Words`] of `text`, its place and its lower
/// case, in order.
pub(crate) fn lower_words(text: &str, mut f: impl FnMut(Range<usize>, &str)) {
    let bytes = text.as_bytes();
    let table = table();
    let mut buffer = String::new();
    let mut at = 0;
    loop {
        while bytes
            .get(at)
            .is_some_and(|&byte| BYTES[usize::from(byte)] == OTHER)
        {
            at += 1;
        }
        let start = at;
        let mut seen = 0;
        // The character that ends the word, if it may be a token itself.
        let mut stopper = None;
        while let Some(&byte) = bytes.get(at) {
            let class = BYTES[usize::from(byte)];
            if class == OTHER {
                break;
            }
            if class != WIDE {
                seen |= class;
                at += 1;
                continue;
            }
            let Some(c) = wide_char(text, at) else { break };
            let entry = entry(table, c);
            if !is_word(entry) {
                stopper = Some(c);
                break;
            }
            seen |= entry & HAS_LOWER;
            at += c.len_utf8();
        }
        if at > start {
            f(start..at, lowered(&text[start..at], seen, &mut buffer));
        }
        if let Some(c) = stopper {
            match special_end(text, at) {
                Some(end) => {
                    f(at..end, lowered(&text[at..end], WIDE_CAPITAL, &mut buffer));
                    at = end;
                }
                None => at += c.len_utf8(),
            }
        } else if at >= bytes.len() {
            return;
        }
    }
}

/// Calls `f` with each token of [`super::token::Boundaries::Alphanumeric`] of `text` without
/// numerical characters, its place and its lower case, in order.
pub(crate) fn lower_letters(text: &str, mut f: impl FnMut(Range<usize>, &str)) {
    let bytes = text.as_bytes();
    let table = table();
    let mut buffer = String::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let mut seen = 0;
        // The character that ends the word, if it is not ASCII.
        let mut stopper = None;
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_alphabetic() {
                seen |= BYTES[usize::from(byte)];
                at += 1;
            } else if byte < 0x80 {
                break;
            } else {
                let Some(c) = wide_char(text, at) else { break };
                let kind = kind(c);
                if !matches!(kind, Kind::Letter | Kind::Mark) {
                    stopper = Some((c, kind));
                    break;
                }
                seen |= entry(table, c) & HAS_LOWER;
                at += c.len_utf8();
            }
        }
        if at > start {
            f(start..at, lowered(&text[start..at], seen, &mut buffer));
        } else if let Some((c, kind)) = stopper {
            let end = match kind {
                Kind::Number => run(text, at, |kind| matches!(kind, Kind::Number | Kind::Mark)),
                Kind::Spaceless => run(text, at + c.len_utf8(), |kind| kind == Kind::Mark),
                _ => at + c.len_utf8(),
            };
            if kind == Kind::Spaceless {
                f(at..end, lowered(&text[at..end], WIDE_CAPITAL, &mut buffer));
            }
            at = end;
        } else if byte.is_ascii_digit() {
            at += bytes[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if bytes.get(at).is_some_and(|byte| *byte >= 0x80) {
                // Marks after a number belong to it.
                at = run(text, at, |kind| matches!(kind, Kind::Number | Kind::Mark));
            }
        } else {
            at += 1;
        }
    }
}

/// All ASCII characters in lower case, each at its own index.
const LOWERED: &str = "\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0B\x0C\r\x0E\x0F\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F \
    !\"#$%&'()*+,-./0123456789:;<=>?@abcdefghijklmnopqrstuvwxyz[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7F";

/// Calls `f` with each token of [`super::token::Boundaries::Characters`] of `text`, in lower case,
/// in order. Most are one ASCII character, or one of three bytes, which need no look-up except for
/// a mark that may follow.
pub(crate) fn lower_characters(text: &str, bare_pictographs: bool, mut f: impl FnMut(&str)) {
    let end_of = |at, c: char| {
        let end = character_end(text, at, bare_pictographs);
        (!(c.is_whitespace() || c.is_control())).then_some(end)
    };
    each_lower(text, u8::is_ascii_graphic, end_of, |token| {
        if let Some(token) = token {
            f(token);
        }
    });
}

/// The same for the tokens of [`super::token::Boundaries::Letters`].
pub(crate) fn lower_spelled(text: &str, bare_pictographs: bool, mut f: impl FnMut(&str)) {
    let (mut any, mut gap) = (false, false);
    let end_of = |at, _| letter_end(text, at, bare_pictographs);
    each_lower(
        text,
        u8::is_ascii_alphanumeric,
        end_of,
        |token| match token {
            Some(token) => {
                if gap && any {
                    f(GAP);
                }
                (any, gap) = (true, false);
                f(token);
            }
            None => gap = true,
        },
    );
}

/// Calls `f` with each character that is a token, in lower case, and with `None` for each other one:
/// ASCII characters by `is_token`, others if they have an end.
#[inline]
fn each_lower(
    text: &str,
    is_token: impl Fn(&u8) -> bool,
    end_of: impl Fn(usize, char) -> Option<usize>,
    mut f: impl FnMut(Option<&str>),
) {
    let bytes = text.as_bytes();
    let table = table();
    let mut buffer = String::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte < 0x80 && bytes.get(at + 1).is_none_or(|next| *next < 0x80) {
            let lowered = || &LOWERED[usize::from(*byte)..=usize::from(*byte)];
            f(is_token(byte).then(lowered));
            at += 1;
            continue;
        }
        let Some(c) = text[at..].chars().next() else {
            return;
        };
        let Some(end) = end_of(at, c) else {
            f(None);
            at += c.len_utf8();
            continue;
        };
        let plain = end == at + c.len_utf8() && c >= '\u{80}' && entry(table, c) & HAS_LOWER == 0;
        f(Some(lowered(
            &text[at..end],
            if plain { 0 } else { WIDE_CAPITAL },
            &mut buffer,
        )));
        at = end;
    }
}

/// A token in lower case; `seen` are the classes of its bytes.
#[inline]
fn lowered<'a>(token: &'a str, seen: u8, buffer: &'a mut String) -> &'a str {
    if seen & (CAPITAL | WIDE_CAPITAL) == 0 {
        return token;
    }
    buffer.clear();
    if seen & WIDE_CAPITAL == 0 {
        buffer.push_str(token);
        buffer.make_ascii_lowercase();
    } else {
        case::push_lower(token, buffer);
    }
    buffer
}

/// The non-ASCII character at `at`. Those of two bytes, most letters of alphabetic scripts, are
/// decoded inline.
#[inline]
fn wide_char(text: &str, at: usize) -> Option<char> {
    let bytes = text.as_bytes();
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(&lead @ 0xC0..=0xDF), Some(&second)) => {
            char::from_u32(u32::from(lead & 0x1F) << 6 | u32::from(second & 0x3F))
        }
        _ => text.get(at..)?.chars().next(),
    }
}

// Table entries and classes of bytes share one byte.
const _: () = assert!(WIDE_CAPITAL == HAS_LOWER);
