//! Joins letters that are spaced out: `F R E E`, `f.r.e.e`.

use super::masks;
use super::origin::{Origin, Rewriter};
use super::unicode::{Kind, kind};
use std::ops::Range;

/// What to do with words whose letters are separated.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Keep them.
    #[default]
    Keep,
    /// Single letters are joined: four or more with white space between (but no line end), three or
    /// more with marks such as `.`, `-`, `_` and `*`. Between two of them are one to three
    /// characters, always the same number in a word: `F R E E M O N E Y` becomes `FREE MONEY`. Up
    /// to half of them may be digits, `$` or `@`, but not the first: `f.r.3.3`. What a mask could
    /// replace is kept.
    Join,
}

/// At least this many letters are joined if white space separates them.
const SPACED: usize = 4;

/// The same with other marks between, which are rarer between single letters.
const MARKED: usize = 3;

/// The maximum number of characters between two letters.
const GAP: usize = 3;

/// A character without another word character beside it.
struct Single {
    range: Range<usize>,
    /// Whether it is a letter, and not a digit or sign.
    letter: bool,
}

/// `text` with its spaced words joined; `None` if there are none.
pub(crate) fn join(text: &str) -> Option<(String, Origin)> {
    let singles = singles(text);
    if singles.len() < MARKED {
        return None;
    }
    let mut rewriter = Rewriter::new(text);
    let mut parts = masks::parts(text).map(|(range, _)| range).peekable();
    let mut rest = &singles[..];
    while let Some(first) = rest.first() {
        let (count, spaced) = run(text, rest);
        let (word, others) = rest.split_at(count);
        rest = others;
        let letters = word.iter().filter(|single| single.letter).count();
        let least = if spaced { SPACED } else { MARKED };
        if count < least || !first.letter || 2 * letters < count {
            continue;
        }
        let end = word.last().map_or(first.range.end, |last| last.range.end);
        while parts
            .next_if(|part| part.end <= first.range.start)
            .is_some()
        {}
        if parts.peek().is_some_and(|part| part.start < end) {
            continue;
        }
        for pair in word.windows(2) {
            rewriter.replace(pair[0].range.end..pair[1].range.start, "");
        }
    }
    rewriter.finish()
}

/// The number of singles with gaps of one kind and length, and whether the gaps are white space.
fn run(text: &str, singles: &[Single]) -> (usize, bool) {
    let gap = |pair: &[Single]| gap(&text[pair[0].range.end..pair[1].range.start]);
    let Some((length, spaced)) = singles.get(..2).and_then(gap) else {
        return (1, false);
    };
    let same = |pair: &&[Single]| gap(pair) == Some((length, spaced));
    (1 + singles.windows(2).take_while(same).count(), spaced)
}

/// The number of characters between two letters, and whether they are white space; `None` if they
/// separate words.
fn gap(between: &str) -> Option<(usize, bool)> {
    let length = between.chars().take(GAP + 1).count();
    let is_space = |c: char| c.is_whitespace() && c != '\n' && c != '\r';
    let is_mark = |c: char| ".-\u{2010}\u{2011}\u{2013}_*\u{B7}\u{2022}~|^'\u{2019}`".contains(c);
    let spaced = between.chars().all(is_space);
    ((1..=GAP).contains(&length) && (spaced || between.chars().all(is_mark)))
        .then_some((length, spaced))
}

/// The characters of `text` without a word character beside them.
fn singles(text: &str) -> Vec<Single> {
    let mut found = Vec::new();
    let mut before = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let letter = matches!(kind(c), Kind::Letter | Kind::Spaceless);
        let inside = letter || is_word(c);
        let after = chars.peek().is_some_and(|&(_, next)| is_word(next));
        if (letter || c.is_ascii_digit() || matches!(c, '$' | '@')) && !before && !after {
            found.push(Single {
                range: at..at + c.len_utf8(),
                letter,
            });
        }
        before = inside;
    }
    found
}

fn is_word(c: char) -> bool {
    matches!(c, '$' | '@')
        || matches!(
            kind(c),
            Kind::Letter | Kind::Spaceless | Kind::Mark | Kind::Number
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn joined(text: &str) -> String {
        join(text).map_or_else(|| text.to_owned(), |(out, _)| out)
    }

    #[test]
    fn spaced_letters_are_one_word() {
        assert_eq!(joined("get F R E E now"), "get FREE now");
        assert_eq!(
            joined("f.r.e.e f-r-e-e f*r*e*e w_i_n"),
            "free free free win"
        );
        assert_eq!(joined("F R E E   M O N E Y"), "FREE   MONEY");
        assert_eq!(joined("F  R  E  E, f.r-e_e"), "FREE, free");
        assert_eq!(joined("v.1.a.g.r.a c-a-$-h f r 3 3"), "v1agra ca$h fr33");
        assert_eq!(
            joined("免.费.领.取 б е с п л а т н о"),
            "免费领取 бесплатно"
        );
    }

    #[test]
    fn short_runs_lists_and_lines_stay() {
        for text in [
            "I a m",
            "e.g. a.m.",
            "a, b, c, d, e",
            "a\nb\nc\nd",
            "1 2 3 4",
            "1 a 2 b",
            "a / b / c / d",
            "F    R    E    E",
            "a.b.c.com",
            "x.y.z@a.b.de",
            "vitamin A B C",
            "a 1 2 3",
        ] {
            assert_eq!(joined(text), text);
        }
    }

    #[test]
    fn a_joined_word_leads_back_to_all_of_it() {
        let (out, origin) = join("so f.r.e.e!").unwrap();
        assert_eq!(out, "so free!");
        assert_eq!((origin.back(3..7), origin.back(4..5)), (3..10, 5..6));
    }

    proptest! {
        #[test]
        fn joining_twice_changes_nothing_more(text in "([a-cé1$@东\u{301}] ?[. -]?|[.\\- \n]|ab|www\\.){0,30}") {
            if let Some((out, origin)) = join(&text) {
                prop_assert_eq!(&joined(&out), &out);
                let mut last = 0;
                for (at, c) in out.char_indices() {
                    let back = origin.back(at..at + c.len_utf8());
                    prop_assert_eq!(&text[back.clone()], c.to_string());
                    prop_assert!(back.start >= last);
                    last = back.end;
                }
            }
        }
    }
}
