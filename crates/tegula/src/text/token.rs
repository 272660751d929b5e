//! Token boundaries.

use super::unicode::{Kind, is_emoji_modifier, is_regional_indicator, is_tag, kind};
use super::{masks, sentences};
use std::ops::Range;

/// What a token is.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Boundaries {
    /// A maximal run of Alphabetic, Mark, Number and `_`; one character of a script written without
    /// spaces, with its marks; one emoji sequence.
    ///
    /// The scripts written without spaces are Han, Hiragana, Katakana, Tangut, Khitan small script
    /// and Nushu; Thai, Lao, Myanmar, Khmer, Tai Le, New Tai Lue, Tai Tham, Tai Viet and Ahom;
    /// Balinese and Javanese. Their digits are words.
    ///
    /// An emoji sequence is two regional indicators (or one alone); or a character whose default
    /// presentation is emoji; or another non-ASCII emoji followed by U+FE0F or a skin tone; each
    /// with the marks, skin tones and tags after it, and with any emoji joined by a zero-width
    /// joiner. Keycaps of digits are words.
    #[default]
    Words,
    /// As `words`, but `_` is a boundary and emoji are not tokens: letters, marks and numbers only.
    Alphanumeric,
    /// As `words`, but a run of Han characters is segmented into words with the jieba dictionary,
    /// or its model for unknown words. Needs the feature `chinese`. Results depend on the version
    /// of the dictionary.
    Chinese,
    /// An unchanged line, without its end (`\n` or `\r\n`); empty lines are not tokens.
    Lines,
    /// A character with the marks that follow, or one emoji sequence as under `words`: so shingles
    /// are character n-grams. White space and control characters are not tokens; punctuation and
    /// symbols are.
    Characters,
    /// Each character of a word as under `words`, with the marks that follow, and one token `_` for
    /// whatever is between two words: so shingles are character n-grams that know where words begin
    /// and end, and it does not matter what separates them. `_` itself separates words.
    Letters,
    /// The words of a sentence, each as under `words` and after all later steps, with single spaces
    /// between: two sentences are equal if their words are. Sentences are those of UAX #29 in
    /// paragraphs, which blank lines separate; other line ends count as spaces.
    Sentences,
}

/// The token between two words under [`Boundaries::Letters`].
pub(crate) const GAP: &str = "_";

impl Boundaries {
    /// Whether each character is a token.
    pub fn are_characters(self) -> bool {
        matches!(self, Self::Characters | Self::Letters)
    }
}

/// The rules for token boundaries.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "rules that combine freely")]
pub(crate) struct Rules {
    /// What a token is.
    pub(crate) boundaries: Boundaries,
    /// Whether a sequence of numerical characters, with the marks that follow, is a separate token.
    pub(crate) part_numbers: bool,
    /// Whether a character with a non-default emoji presentation counts as an emoji even without
    /// U+FE0F.
    pub(crate) bare_pictographs: bool,
    /// Whether a mask token is one token.
    pub(crate) masks: bool,
    /// Whether tokens of a text in a dense script come twice.
    pub(crate) twice_if_dense: bool,
}

/// A token as written in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    /// Its bytes.
    pub(crate) range: Range<usize>,
    pub(crate) what: What,
}

/// The source of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// The ordinary case.
    Word,
    /// A sequence of numerical characters, separated from its word.
    Number,
    /// A token that replaces a masked part.
    Mask,
    /// A sentence, whose words are separate tokens at first.
    Sentence,
    /// What is between two words, where characters are tokens.
    Gap,
}

/// The first token of `text` at or after the byte `from`.
pub(crate) fn next(text: &str, from: usize, rules: Rules) -> Option<Raw> {
    let Rules {
        boundaries,
        part_numbers,
        bare_pictographs,
        ..
    } = rules;
    match boundaries {
        Boundaries::Lines => return next_line(text, from),
        Boundaries::Characters => return next_character(text, from, rules),
        Boundaries::Letters => return next_letter(text, from, rules),
        Boundaries::Sentences => {
            return sentences::next(text, from).map(|range| Raw {
                range,
                what: What::Sentence,
            });
        }
        Boundaries::Words | Boundaries::Chinese | Boundaries::Alphanumeric => {}
    }
    let words = boundaries != Boundaries::Alphanumeric;
    let mut at = from;
    while let Some(c) = first(text, at) {
        let kind = kind(c);
        let number = part_numbers && kind == Kind::Number;
        let end = match kind {
            Kind::Number if number => {
                run(text, at, |kind| matches!(kind, Kind::Number | Kind::Mark))
            }
            Kind::Letter | Kind::Mark | Kind::Number => {
                run(text, at, |kind| in_word(kind, words, part_numbers))
            }
            Kind::Underscore if words => run(text, at, |kind| in_word(kind, words, part_numbers)),
            Kind::Spaceless => marks_end(text, at + c.len_utf8()),
            Kind::Emoji | Kind::Pictograph if words => {
                emoji_end(text, at, bare_pictographs).unwrap_or(at)
            }
            _ => at,
        };
        if end > at {
            return Some(Raw {
                range: at..end,
                what: if number { What::Number } else { What::Word },
            });
        }
        at += c.len_utf8();
    }
    None
}

fn in_word(kind: Kind, underscore: bool, part_numbers: bool) -> bool {
    match kind {
        Kind::Letter | Kind::Mark => true,
        Kind::Number => !part_numbers,
        Kind::Underscore => underscore,
        _ => false,
    }
}

fn next_character(text: &str, from: usize, rules: Rules) -> Option<Raw> {
    let at = from + text[from..].find(|c: char| !(c.is_whitespace() || c.is_control()))?;
    if rules.part_numbers && first(text, at).is_some_and(|c| kind(c) == Kind::Number) {
        return Some(Raw {
            range: at..run(text, at, |kind| matches!(kind, Kind::Number | Kind::Mark)),
            what: What::Number,
        });
    }
    Some(Raw {
        range: at..character_end(text, at, rules.bare_pictographs),
        what: What::Word,
    })
}

/// A character of a word, or the gap before the next one. Nothing precedes the first word.
fn next_letter(text: &str, from: usize, rules: Rules) -> Option<Raw> {
    let mut at = from;
    let (end, what) = loop {
        let c = first(text, at)?;
        if rules.masks
            && let Some(end) = masks::written(text, at)
        {
            break (end, What::Mask);
        }
        if let Some(end) = letter_end(text, at, rules.bare_pictographs) {
            break if rules.part_numbers && kind(c) == Kind::Number {
                let end = run(text, at, |kind| matches!(kind, Kind::Number | Kind::Mark));
                (end, What::Number)
            } else {
                (end, What::Word)
            };
        }
        at += c.len_utf8();
    };
    Some(if from == 0 || at == from {
        Raw {
            range: at..end,
            what,
        }
    } else {
        Raw {
            range: from..at,
            what: What::Gap,
        }
    })
}

/// The end of the character of a word that begins at `at`, if one does: [`Boundaries::Letters`].
pub(crate) fn letter_end(text: &str, at: usize, bare_pictographs: bool) -> Option<usize> {
    let c = first(text, at)?;
    match kind(c) {
        Kind::Letter | Kind::Mark | Kind::Number | Kind::Spaceless => {
            Some(marks_end(text, at + c.len_utf8()))
        }
        Kind::Emoji | Kind::Pictograph => emoji_end(text, at, bare_pictographs),
        _ => None,
    }
}

/// The end of the token of [`Boundaries::Characters`] that begins at `at`.
pub(crate) fn character_end(text: &str, at: usize, bare_pictographs: bool) -> usize {
    let Some(c) = first(text, at) else {
        return text.len();
    };
    match kind(c) {
        Kind::Emoji | Kind::Pictograph => emoji_end(text, at, bare_pictographs),
        _ => None,
    }
    .unwrap_or_else(|| marks_end(text, at + c.len_utf8()))
}

fn next_line(text: &str, mut from: usize) -> Option<Raw> {
    while from < text.len() {
        let rest = &text[from..];
        let (line, step) = match rest.find('\n') {
            Some(end) => (&rest[..end], end + 1),
            None => (rest, rest.len()),
        };
        let line = line.strip_suffix('\r').unwrap_or(line);
        if !line.is_empty() {
            return Some(Raw {
                range: from..from + line.len(),
                what: What::Word,
            });
        }
        from += step;
    }
    None
}

/// The end of the spaceless or emoji token that begins at `at`, or `None`: the tokens of
/// [`Boundaries::Words`] that are not words.
pub(crate) fn special_end(text: &str, at: usize) -> Option<usize> {
    let c = first(text, at)?;
    match kind(c) {
        Kind::Spaceless => Some(marks_end(text, at + c.len_utf8())),
        Kind::Emoji | Kind::Pictograph => emoji_end(text, at, false),
        _ => None,
    }
}

/// The end of the emoji sequence that begins at `at`, or `None`. With `bare`, a pictograph is an
/// emoji on its own.
pub(crate) fn emoji_end(text: &str, at: usize, bare: bool) -> Option<usize> {
    let c = first(text, at)?;
    let mut end = at + c.len_utf8();
    let next = first(text, end);
    if is_regional_indicator(c) {
        if let Some(next) = next.filter(|&next| is_regional_indicator(next)) {
            end += next.len_utf8();
        }
    } else if !bare
        && kind(c) == Kind::Pictograph
        && !next.is_some_and(|next| next == '\u{FE0F}' || is_emoji_modifier(next))
    {
        return None;
    }
    end = extended(text, end);
    while first(text, end) == Some('\u{200D}') {
        let joined = end + '\u{200D}'.len_utf8();
        match first(text, joined) {
            Some(c)
                if matches!(kind(c), Kind::Emoji | Kind::Pictograph)
                    && !is_regional_indicator(c) =>
            {
                end = extended(text, joined + c.len_utf8());
            }
            _ => break,
        }
    }
    Some(end)
}

/// The end of the marks, skin tones and tags at `at`.
fn extended(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    rest.char_indices()
        .find(|&(_, c)| !(kind(c) == Kind::Mark || is_emoji_modifier(c) || is_tag(c)))
        .map_or(text.len(), |(len, _)| at + len)
}

/// The end of the marks at `at`.
pub(crate) fn marks_end(text: &str, at: usize) -> usize {
    run(text, at, |kind| kind == Kind::Mark)
}

/// The end of the run of characters at `at` whose kind is `inside`.
pub(crate) fn run(text: &str, at: usize, inside: impl Fn(Kind) -> bool) -> usize {
    text[at..]
        .char_indices()
        .find(|&(_, c)| !inside(kind(c)))
        .map_or(text.len(), |(len, _)| at + len)
}

fn first(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, boundaries: Boundaries, part_numbers: bool) -> Vec<&str> {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(raw) = next(
            text,
            at,
            Rules {
                boundaries,
                part_numbers,
                ..Rules::default()
            },
        ) {
            at = raw.range.end;
            tokens.push(&text[raw.range]);
        }
        tokens
    }

    fn words(text: &str) -> Vec<&str> {
        all(text, Boundaries::Words, false)
    }

    #[test]
    fn words_are_maximal_runs() {
        assert_eq!(
            words("Don't stop_me—1,5 km²!"),
            ["Don", "t", "stop_me", "1", "5", "km²"]
        );
        assert_eq!(
            words("e\u{301}te\u{301} नमस्ते"),
            ["e\u{301}te\u{301}", "नमस्ते"]
        );
        assert_eq!(words("a\u{0}b"), ["a", "b"]);
        assert!(words(" \t–…").is_empty());
        assert!(words("").is_empty());
    }

    #[test]
    fn scripts_without_spaces_give_characters() {
        assert_eq!(
            words("東京タワーへ2回go行く"),
            [
                "東", "京", "タ", "ワ", "ー", "へ", "2", "回", "go", "行", "く"
            ]
        );
        assert_eq!(words("น้ำ ๒๕๖๐"), ["น\u{e49}", "ำ", "๒๕๖๐"]);
        assert_eq!(
            words("か\u{3099}き葛\u{E0100}城"),
            ["か\u{3099}", "き", "葛\u{E0100}", "城"]
        );
        assert_eq!(words("한국어 단어"), ["한국어", "단어"]);
    }

    #[test]
    fn an_emoji_sequence_is_one_token() {
        assert_eq!(words("ok👍🏽👍ok"), ["ok", "👍🏽", "👍", "ok"]);
        assert_eq!(words("👩‍👩‍👧‍👦👩‍❤️‍👩"), ["👩‍👩‍👧‍👦", "👩‍❤️‍👩"]);
        assert_eq!(words("🇸🇰🇩🇪🇦"), ["🇸🇰", "🇩🇪", "🇦"]);
        assert_eq!(
            words("🏴\u{E0067}\u{E0062}\u{E007F}x"),
            ["🏴\u{E0067}\u{E0062}\u{E007F}", "x"]
        );
        assert_eq!(words("❤️ ❤ ©2020 ☝🏽"), ["❤️", "2020", "☝🏽"]);
        assert_eq!(words("1️⃣ 👩\u{200D}a"), ["1\u{FE0F}\u{20E3}", "👩", "a"]);
    }

    #[test]
    fn alphanumeric_has_no_underscore_and_no_emoji() {
        assert_eq!(
            all("a_b 👍🏽 東 9", Boundaries::Alphanumeric, false),
            ["a", "b", "東", "9"]
        );
    }

    #[test]
    fn numbers_are_parted_on_demand() {
        assert_eq!(
            all("B2B 19.30_x Ⅳ", Boundaries::Words, true),
            ["B", "2", "B", "19", "30", "_x", "Ⅳ"]
        );
    }

    #[test]
    fn characters_have_their_marks_and_no_white_space() {
        let characters = |text, part_numbers| all(text, Boundaries::Characters, part_numbers);
        assert_eq!(
            characters("Ab\te\u{301}!\n 東か\u{3099}\u{0}\u{A0}_", false),
            ["A", "b", "e\u{301}", "!", "東", "か\u{3099}", "_"]
        );
        assert_eq!(
            characters("👩‍👩‍👧‍👦❤️❤👍🏽🇸🇰1️⃣", false),
            ["👩‍👩‍👧‍👦", "❤️", "❤", "👍🏽", "🇸🇰", "1\u{FE0F}\u{20E3}"]
        );
        assert_eq!(
            characters("\u{301}\u{302}a42b", false),
            ["\u{301}\u{302}", "a", "4", "2", "b"]
        );
        assert_eq!(characters("a 42b", true), ["a", "42", "b"]);
        assert!(characters(" \r\n", false).is_empty());
    }

    #[test]
    fn letters_have_one_token_between_words() {
        let letters = |text, part_numbers| all(text, Boundaries::Letters, part_numbers);
        assert_eq!(
            letters("(A. Be\u{301}_c)", false),
            ["A", ". ", "B", "e\u{301}", "_", "c"]
        );
        assert_eq!(
            letters("東京 2x❤️❤.", false),
            ["東", "京", " ", "2", "x", "❤️"]
        );
        assert_eq!(letters("a 42b", true), ["a", " ", "42", "b"]);
        assert!(letters(" …\n", false).is_empty());
    }

    #[test]
    fn lines_lose_their_ends_only() {
        assert_eq!(
            all(" a b\r\n\r\n\nc\r", Boundaries::Lines, false),
            [" a b", "c"]
        );
    }
}
