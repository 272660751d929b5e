//! Reads digits and signs in words as the letters they stand for: `v1agra`, `ca$h`.
//!
//! A word is a run of letters, digits and signs. It is read as letters only if it looks like a word
//! in disguise, and neither like a code nor like an amount:
//!
//! - its letters are Latin: small, capital, or small after one capital; at least as many as digits
//!   and signs, and more than digits if there are three of these or more. In capitals, as codes are,
//!   at least twice as many, unless the digits and signs are adjacent;
//! - at most two digits or signs are adjacent, two digits only if equal: `AB13CD` is a code. Each
//!   digit is like a letter; 2, 6 and 9 are not;
//! - digits only at its beginning or its end are `0`, or at the end `33`, `00` or `55`: `4pm`, `mp3`
//!   and `k55` stay;
//! - no digit follows `$`, `€`, `£` or `¥`, and none at its beginning precedes these: `US$5` is an
//!   amount.
//!
//! What a mask could replace is kept: links, mail addresses, phone numbers, names. Different digits
//! become different letters, so that two codes that are read as words still differ.

use super::masks;
use super::origin::{Origin, Rewriter};
use super::unicode::{Kind, kind};

/// What to do with digits and signs in words.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Signs {
    /// Keep them.
    #[default]
    Keep,
    /// In a word that mixes them with letters, and is not a code or amount, they become the letters
    /// that they resemble: `0` o, `1` and `|` i or l, `3` e, `4` and `@` a, `5` and `$` s, `7` t,
    /// `8` b, `!` i, `€` e, `£` l, `¥` y.
    Letters,
}

/// Longer words are kept, in characters.
const LONGEST: usize = 30;

/// Whether a character may stand for a letter and is not a digit.
fn is_sign(c: char) -> bool {
    matches!(c, '@' | '$' | '!' | '|') || is_currency(c)
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '€' | '£' | '¥')
}

/// The letter that a digit or sign stands for, between these characters; `None` if it stands for
/// none.
fn letter(before: Option<char>, c: char, after: Option<char>) -> Option<char> {
    Some(match c {
        '0' => 'o',
        // In English text, i is the more frequent of the two next to a consonant, l elsewhere.
        '1' | '|' => {
            let consonant = |c: Option<char>| {
                c.is_some_and(|c| c.is_ascii_alphabetic() && !"aeiouAEIOU".contains(c))
            };
            let doubled = before == Some(c) || after == Some(c);
            if !doubled && (consonant(before) || consonant(after)) {
                'i'
            } else {
                'l'
            }
        }
        '3' | '€' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        '!' => 'i',
        '£' => 'l',
        '¥' => 'y',
        _ => return None,
    })
}

/// `text` with the digits and signs of its words read as letters; `None` if there are none.
pub(crate) fn read(text: &str) -> Option<(String, Origin)> {
    if !text.contains(|c: char| c.is_ascii_digit() || is_sign(c)) {
        return None;
    }
    let mut rewriter = Rewriter::new(text);
    let mut parts = None;
    let mut word = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if in_word(c) {
            word.push((at, c));
            if chars.peek().is_some_and(|&(_, next)| in_word(next)) {
                continue;
            }
        }
        let core = core(&word);
        if is_disguised(core) {
            let (start, end) = (core[0].0, core[core.len() - 1].0);
            let parts = parts.get_or_insert_with(|| masks::parts(text).peekable());
            while parts.next_if(|(part, _)| part.end <= start).is_some() {}
            if parts.peek().is_none_or(|(part, _)| part.start > end) {
                rewrite(core, &mut rewriter);
            }
        }
        word.clear();
    }
    rewriter.finish()
}

fn in_word(c: char) -> bool {
    is_sign(c)
        || matches!(
            kind(c),
            Kind::Letter | Kind::Mark | Kind::Number | Kind::Underscore
        )
}

/// The word without the signs around it that are punctuation or units: `!` and `@` before it, and
/// signs behind it, unless it ends in `$`. Empty if it is too short or too long.
fn core(mut word: &[(usize, char)]) -> &[(usize, char)] {
    while let [first, rest @ ..] = word
        && matches!(first.1, '!' | '@')
    {
        word = rest;
    }
    while let [rest @ .., last] = word
        && is_sign(last.1)
        && !(last.1 == '$' && is_ending(rest))
    {
        word = rest;
    }
    if (3..=LONGEST).contains(&word.len()) {
        word
    } else {
        &[]
    }
}

/// Whether `$` after these characters is the last letter of a word: after three, or another `$`, and
/// not after the name of a country, as in `US$`.
fn is_ending(before: &[(usize, char)]) -> bool {
    before.len() > 2 || matches!(before, [.., (_, c), (_, '$')] if c.is_ascii_alphabetic())
}

/// Whether the word is a disguised word: see the module.
fn is_disguised(word: &[(usize, char)]) -> bool {
    let (mut letters, mut capitals, mut digits, mut signs) = (0, 0, 0, 0);
    for (_, c) in word {
        match c {
            'A'..='Z' => capitals += 1,
            'a'..='z' => {}
            '0' | '1' | '3' | '4' | '5' | '7' | '8' => digits += 1,
            c if is_sign(*c) => signs += 1,
            '\u{C0}'..='\u{24F}' if kind(*c) == Kind::Letter => {}
            _ => return false,
        }
        letters += usize::from(kind(*c) == Kind::Letter);
    }
    let stand_ins = digits + signs;
    let first_is_capital = word.first().is_some_and(|(_, c)| c.is_ascii_uppercase());
    let cased = capitals == 0 || capitals == letters || (capitals == 1 && first_is_capital);
    if stand_ins == 0 || stand_ins > letters || !cased {
        return false;
    }
    let is_letter = |&(_, c): &(usize, char)| kind(c) == Kind::Letter;
    let (mut runs, mut bars) = (0, 0);
    let mut inside = false;
    let mut at = 0;
    for part in word.chunk_by(|a, b| is_letter(a) == is_letter(b)) {
        let (before, after) = (&word[..at], &word[at + part.len()..]);
        at += part.len();
        if is_letter(&part[0]) {
            continue;
        }
        runs += 1;
        if !is_plausible(before, part, after) {
            return false;
        }
        bars += usize::from(part.iter().any(|(_, c)| *c == '|'));
        inside |= !before.is_empty() && !after.is_empty() || part.iter().any(|(_, c)| is_sign(*c));
    }
    let edge = inside || {
        let of = |part: &[(usize, char)]| part.iter().map(|(_, c)| *c).collect::<String>();
        let start: Vec<_> = word.iter().copied().take_while(|c| !is_letter(c)).collect();
        let end = word
            .iter()
            .rposition(is_letter)
            .map_or(&[][..], |last| &word[last + 1..]);
        matches!(of(&start).as_str(), "" | "0")
            && matches!(of(end).as_str(), "" | "0" | "00" | "33" | "55")
    };
    let like_code = if capitals == letters && capitals > 1 {
        runs > 1 && letters < 2 * stand_ins || digits > 0 && letters < 2
    } else {
        signs == 0 && digits > 2 && letters <= digits
    };
    edge && !like_code && bars < 2
}

/// Whether adjacent digits and signs may stand for letters between these parts of the word.
fn is_plausible(before: &[(usize, char)], part: &[(usize, char)], after: &[(usize, char)]) -> bool {
    /// In longer words, or after more letters, `!` ends a sentence, and `@` means at.
    const EXCLAIMED: usize = 8;
    let equal = match part {
        [(_, _)] => true,
        [(_, a), (_, b)] => a == b || is_sign(*a) != is_sign(*b),
        _ => false,
    };
    let amount = part
        .windows(2)
        .any(|pair| is_currency(pair[0].1) && pair[1].1.is_ascii_digit())
        || (before.is_empty()
            && part.len() == 2
            && is_currency(part[1].1)
            && part[0].1.is_ascii_digit());
    let has = |sign: char| part.iter().any(|(_, c)| *c == sign);
    let at = has('@') && before.len() > 3 && after.len() > 3;
    let exclaimed = has('!') && (before.len() > 2 || before.len() + after.len() >= EXCLAIMED);
    equal && !amount && !at && !exclaimed
}

fn rewrite(word: &[(usize, char)], rewriter: &mut Rewriter) {
    let capital = word
        .iter()
        .all(|(_, c)| !c.is_alphabetic() || c.is_uppercase());
    for (place, &(at, c)) in word.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| word[before].1);
        let after = word.get(place + 1).map(|(_, c)| *c);
        if let Some(letter) = letter(before, c, after) {
            let letter = if capital {
                letter.to_ascii_uppercase()
            } else {
                letter
            };
            rewriter.replace_by(at..at + c.len_utf8(), letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn as_read(text: &str) -> String {
        read(text).map_or_else(|| text.to_owned(), |(out, _)| out)
    }

    #[test]
    fn digits_and_signs_in_words_are_letters() {
        for (text, expected) in [
            ("Fr33 m0ney n0w!", "Free money now!"),
            ("v1agra V1AGRA FR33 w1n", "viagra VIAGRA FREE win"),
            ("ca$h c@sh w!n $ave, bo$$", "cash cash win save, boss"),
            (
                "he||o |ove w|n he11o spec1al",
                "hello love win hello special",
            ),
            (
                "pa55word cla55 l33t m0n3y v1@gr@ hell0",
                "password class leet money viagr@ hello",
            ),
            ("th1$ fr€€ s3x b0nu$", "this fr€€ sex bonus"),
            ("加V信l0ve ñ4ndú", "加V信love ñandú"),
        ] {
            assert_eq!(as_read(text), expected);
        }
    }

    #[test]
    fn numbers_amounts_codes_and_addresses_stay() {
        for text in [
            "$5 5$ 10% US$5 5k$ €20 1000 3.14",
            "AB13CD A12345678 k55 X7K1 H1N1 iPh0neX a1b3c5d7",
            "mp3 4pm 10am 3rd 5mins iphone5 windows11 B2B 2nite gr8",
            "www.g00gle.com paypa1@b4nk.com http://x.y/fr33 @fr33man m4il.ru",
            "user_n4me a|b|c| ok!thanks hi! free@home name| us$",
            "1a 0b b0 m0",
        ] {
            assert_eq!(as_read(text), text);
        }
    }

    proptest! {
        #[test]
        fn reading_twice_changes_nothing_more(text in "([a-cvwA ]|[01345789$@!|€2]|é|\u{301}|_|www\\.|\\.de|東){0,16}") {
            if let Some((out, origin)) = read(&text) {
                prop_assert_eq!(as_read(&out), out.as_str());
                prop_assert_eq!(out.chars().count(), text.chars().count());
                let mut last = 0;
                for (at, c) in out.char_indices() {
                    let back = origin.back(at..at + c.len_utf8());
                    prop_assert_eq!(back.start, last);
                    last = back.end;
                }
                prop_assert_eq!(last, text.len());
            }
        }
    }
}
