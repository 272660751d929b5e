//! Shortens repeated letters: `freeeee`.

use super::case::lower;
use super::masks;
use super::origin::{Origin, Rewriter};
use super::unicode::{Kind, kind};

/// What to do with a letter that is repeated.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Repeats {
    /// Keep it.
    #[default]
    Keep,
    /// Three or more of the same letter, in any case, become two: `freeeee` and `free` are equal,
    /// `sooo` and `so` are not.
    Two,
    /// Two or more become one: `soooo`, `soo` and `so` are equal, and so are `loose` and `lose`.
    One,
}

/// The letters of Roman numerals: in a word of these, such as `VIII`, three in a row are not a
/// repetition.
const ROMAN: &str = "IVXLCDM";

/// `text` with repeated letters shortened; `None` if there are none. What a mask could replace is
/// kept.
pub(crate) fn shorten(text: &str, repeats: Repeats) -> Option<(String, Origin)> {
    let most = match repeats {
        Repeats::Keep => return None,
        Repeats::Two => 2,
        Repeats::One => 1,
    };
    let mut rewriter = Rewriter::new(text);
    let mut parts = None;
    // The place, lower case and number of letters of the run.
    let mut run: Option<(usize, char, usize)> = None;
    let mut last_kept = (0, ' ');
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let small = lower(c);
        let (start, count) = match run {
            Some((start, same, count)) if same == small => (start, count + 1),
            _ => (at, 1),
        };
        run = Some((start, small, count));
        if count == most {
            last_kept = (at, c);
        }
        let goes_on = chars.peek().is_some_and(|&(_, next)| lower(next) == small);
        if goes_on || count <= most || !matches!(kind(c), Kind::Letter | Kind::Spaceless) {
            continue;
        }
        // A mark belongs to the last letter only.
        let marked = chars
            .peek()
            .is_some_and(|&(_, next)| kind(next) == Kind::Mark);
        let parts = parts.get_or_insert_with(|| masks::parts(text).peekable());
        while parts.next_if(|(part, _)| part.end <= start).is_some() {}
        let masked = parts.peek().is_some_and(|(part, _)| part.start < end);
        if !(marked || masked || (count == 3 && is_roman(text, start..end))) {
            // The last letter kept maps back to all that are removed.
            rewriter.replace_by(last_kept.0..end, last_kept.1);
        }
    }
    rewriter.finish()
}

/// Whether the word around `range` is a Roman numeral in capitals.
fn is_roman(text: &str, range: std::ops::Range<usize>) -> bool {
    let in_word = |c: &char| matches!(kind(*c), Kind::Letter | Kind::Mark | Kind::Number);
    let before = text[..range.start].chars().rev().take_while(in_word);
    let word = before.chain(text[range.start..].chars().take_while(in_word));
    let mut word = word.take(ROMAN.len() * 3);
    word.all(|c| ROMAN.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn two(text: &str) -> String {
        shorten(text, Repeats::Two).map_or_else(|| text.to_owned(), |(out, _)| out)
    }

    fn one(text: &str) -> String {
        shorten(text, Repeats::One).map_or_else(|| text.to_owned(), |(out, _)| out)
    }

    #[test]
    fn three_letters_are_two() {
        assert_eq!(
            two("freeeee soooo FREEeee ооочень 哈哈哈哈"),
            "free soo FREE оочень 哈哈"
        );
        assert_eq!(one("freeeee soooo 哈哈哈哈 1000"), "fre so 哈 1000");
        for text in [
            "free",
            "1000",
            "!!!!",
            "www.xxx.com",
            "aaa@bbb.de",
            "@aaab",
            "part III, VIII, MMM",
            "eee\u{301}",
            "…",
        ] {
            assert_eq!(two(text), text);
        }
        assert_eq!(two("IIIII xxx"), "II xx");
    }

    proptest! {
        #[test]
        fn shortening_twice_changes_nothing_more(text in "([abIV1 .东]{1,4}|A|\u{301}|www\\.|@){0,20}", all in any::<bool>()) {
            let repeats = if all { Repeats::One } else { Repeats::Two };
            if let Some((out, origin)) = shorten(&text, repeats) {
                prop_assert!(shorten(&out, repeats).is_none(), "{out}");
                for (at, c) in out.char_indices() {
                    let back = origin.back(at..at + c.len_utf8());
                    prop_assert!(text[back].starts_with(c));
                }
            }
        }
    }
}
